"""Tables of other libraries behind one face: columns of ids, of numbers and of values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import isnan
from typing import Any, Protocol, final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.checks import shown
from ohmline.errors import GraphError, ShapeError, WeightError
from ohmline.extras import require
from ohmline.graph.columns import Coded, coded_floats, without_gaps
from ohmline.graph.edges import weights_of
from ohmline.graph.nodes import plain


class Frame(Protocol):
    """A table with named columns, which are found by their number."""

    names: list[Hashable]
    height: int

    def ids(self, k: int) -> Ints | Coded:
        """Column k as node ids; a missing one has the code -1."""

    def numbers(self, k: int) -> Floats:
        """Column k as numbers; a missing one is NaN."""

    def values(self, k: int) -> list[Any]:
        """Column k as Python values; a missing one is None."""


@final
class PolarsFrame:
    """A polars frame, or anything that polars takes over from Arrow."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.names: list[Hashable] = list(frame.columns)
        self.height: int = frame.height

    def column(self, k: int) -> Any:
        """Column k as polars has it; names of a fixed set as strings, so that two tables go together."""
        polars = require("polars", "io")
        found = self._frame.to_series(k)
        return found.cast(polars.String) if found.dtype in (polars.Categorical, polars.Enum) else found

    def ids(self, k: int) -> Ints | Coded:
        """Column k as node ids; strings and numbers never become Python objects row by row."""
        polars = require("polars", "io")
        column = self._frame.to_series(k)
        if column.dtype.is_integer() and column.dtype not in (polars.Int128, polars.UInt128):
            if not column.null_count():
                return column.to_numpy()
            return without_gaps(column.to_list())
        if column.dtype.is_float():
            return coded_floats(column.cast(polars.Float64).to_numpy())
        if column.dtype in (polars.String, polars.Categorical, polars.Enum):
            return coded_strings(column.cast(polars.String))
        return without_gaps(column.to_list())

    def numbers(self, k: int) -> Floats:
        """Column k as numbers."""
        polars = require("polars", "io")
        column = self._frame.to_series(k)
        if column.dtype.is_numeric() or column.dtype in (polars.Boolean, polars.Null):
            return np.array(column.cast(polars.Float64).to_numpy())
        raise _not_numbers(self.names[k], column.dtype, column.drop_nulls().head(1).to_list())

    def values(self, k: int) -> list[Any]:
        """Column k as Python values."""
        return list(self._frame.to_series(k).to_list())


@final
class PandasFrame:
    """A pandas frame."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.names: list[Hashable] = frame.columns.tolist()
        self.height: int = len(frame)

    def ids(self, k: int) -> Ints | Coded:
        """Column k as node ids; strings and numbers never become Python objects row by row."""
        pandas = require("pandas", "io")
        column = self._frame.iloc[:, k]
        kind = getattr(column.dtype, "kind", "O")
        if isinstance(column.dtype, np.dtype) and kind in "iu":
            return column.to_numpy()
        if isinstance(column.dtype, np.dtype) and kind == "f":
            return coded_floats(column.to_numpy().astype(np.float64))
        try:
            codes, names = pandas.factorize(column)
        except TypeError:
            raise _unhashable(self.names[k]) from None
        listed = [plain(name) for name in names.tolist()]
        if kind == "f":  # floating-point numbers of Arrow, or those that can be missing
            return coded_floats(np.append(np.array(listed, np.float64), np.nan)[codes])
        if kind == "O" and listed and all(isinstance(name, float) for name in listed):
            return coded_floats(np.append(np.array(listed, np.float64), np.nan)[codes])
        found = without_gaps(listed)
        return Coded(found.names, np.append(found.codes, -1)[np.asarray(codes, np.int64)])

    def numbers(self, k: int) -> Floats:
        """Column k as numbers."""
        pandas = require("pandas", "io")
        column = self._frame.iloc[:, k]
        kind = getattr(column.dtype, "kind", "O")
        if kind in "biuf" and pandas.api.types.is_numeric_dtype(column.dtype):
            return np.array(column.to_numpy(dtype=np.float64, na_value=np.nan))
        if column.dtype == np.dtype(object):
            return weights_of([None if gap else value for value, gap in _with_gaps(column)])
        raise _not_numbers(self.names[k], column.dtype, column.dropna().head(1).tolist())

    def values(self, k: int) -> list[Any]:
        """Column k as Python values."""
        return [None if gap else value for value, gap in _with_gaps(self._frame.iloc[:, k])]


@final
class ListsFrame:
    """Columns of Python values, as databases give them."""

    def __init__(
        self, columns: Mapping[Hashable, Sequence[Any]] | list[tuple[Hashable, Sequence[Any]]]
    ) -> None:
        pairs = list(columns.items()) if isinstance(columns, Mapping) else columns
        self.names: list[Hashable] = [name for name, _ in pairs]
        self._columns = [column for _, column in pairs]
        sizes = {len(column) for column in self._columns}
        if len(sizes) > 1:
            raise ShapeError(f"the columns of a table must be equally long, got {sorted(sizes)} entries")
        self.height: int = max(sizes, default=0)

    def ids(self, k: int) -> Ints | Coded:
        """Column k as node ids."""
        column = self._columns[k]
        kinds = set(map(type, column))
        if kinds == {int}:
            try:
                return np.array(column, np.int64)
            except OverflowError:
                return without_gaps(column)
        if kinds and kinds <= {float, type(None)} and float in kinds:
            return coded_floats(np.array(column, np.float64))
        try:
            return without_gaps(column)
        except GraphError:
            raise _unhashable(self.names[k]) from None

    def numbers(self, k: int) -> Floats:
        """Column k as numbers."""
        return weights_of(list(self._columns[k]))

    def values(self, k: int) -> list[Any]:
        """Column k as Python values."""
        return list(self._columns[k])


def frame_of(table: Any) -> Frame | None:
    """A table of another library behind our face; None for what is no table."""
    library = type(table).__module__.partition(".")[0]
    kind = type(table).__name__
    if library == "pandas" and kind == "DataFrame":
        return PandasFrame(table)
    if library == "polars" and kind == "LazyFrame":
        return PolarsFrame(table.collect())
    if library == "polars" and kind == "DataFrame":
        return PolarsFrame(table)
    if (
        library != "polars"
        and hasattr(table, "__arrow_c_stream__")
        and kind not in ("Series", "ChunkedArray")
    ):
        return arrow_frame(table)
    if isinstance(table, Mapping):
        return ListsFrame(table)
    return None


def expected_frame(table: Any, library: str) -> Frame:
    """A table of one library, or an error that says who takes it."""
    root, kind = type(table).__module__.partition(".")[0], type(table).__name__
    if library == "arrow" and hasattr(table, "__arrow_c_stream__"):
        return arrow_frame(table)
    if root == library and kind in ("DataFrame", "LazyFrame"):
        found = frame_of(table)
        assert found is not None
        return found
    wanted = "an Arrow table" if library == "arrow" else f"a {library} DataFrame"
    other = (
        f"Graph.from_{root} takes this"
        if root in ("pandas", "polars")
        else "Graph.from_edges takes lists of edges"
    )
    got = f"a {kind} of {root}" if root in ("pandas", "polars", "pyarrow") else shown(table)
    raise GraphError(f"expected {wanted}, got {got}; {other}")


def arrow_frame(table: Any) -> Frame:
    """A table that is handed over as Arrow."""
    polars = require("polars", "io")
    try:
        return PolarsFrame(polars.DataFrame(table))
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, TypeError, ValueError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise GraphError(
            f"the table cannot be taken over as Arrow ({reason}); give a polars or pandas frame"
        ) from None


def column_frame(column: Any) -> Frame | None:
    """A column of another library as a table of one column; None for what is none."""
    library, kind = type(column).__module__.partition(".")[0], type(column).__name__
    if library in ("pandas", "polars") and kind == "Series":
        table = column.to_frame()
        return PandasFrame(table) if library == "pandas" else PolarsFrame(table)
    if library == "pandas" and kind.endswith("Index") and kind != "MultiIndex":
        return PandasFrame(column.to_frame(index=False))
    if library == "pyarrow" and kind.endswith("Array"):
        return PolarsFrame(require("polars", "io").Series(column).to_frame())
    return None


def coded_strings(column: Any) -> Coded:
    """The strings of a polars column, in the order in which they first appear."""
    polars = require("polars", "io")
    names = column.drop_nulls().unique(maintain_order=True)
    codes = column.cast(polars.Enum(names)).to_physical().cast(polars.Int64).fill_null(-1)
    return Coded(names.to_list(), codes.to_numpy())


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas has for a missing value: NA and NaT."""
    if value is None or (isinstance(value, float | np.floating) and isnan(value)):
        return True
    return type(value).__name__ in ("NAType", "NaTType") and type(value).__module__.startswith("pandas")


def _with_gaps(column: Any) -> Any:
    return zip(column.tolist(), column.isna().tolist(), strict=True)


def _unhashable(name: Hashable) -> GraphError:
    return GraphError(
        f"column {shown(name)} holds values that are not hashable; node ids are numbers, strings or tuples"
    )


def _not_numbers(name: Hashable, kind: Any, example: list[Any]) -> WeightError:
    such = f" such as {shown(example[0])}" if example else ""
    return WeightError(
        f"column {shown(name)} holds {kind}{such}, and weights are numbers; convert it, name another column with "
        "weight=..., or pass weight=False for edges that all weigh 1"
    )
