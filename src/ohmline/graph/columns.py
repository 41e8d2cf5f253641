"""Columns of ids: the different ones and where each row has them, and which column of a table is which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Any, Literal, final

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.checks import shown
from ohmline.errors import GraphError, OhmlineError, ParameterError
from ohmline.graph.nodes import NodeIndex, plain

Column = str | int
"""A column of a table: its name, or its number from 0."""
PAIRS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("fromnodeid", "tonodeid"),
    ("tail", "head"),
    ("start", "end"),
    ("citing", "cited"),
    ("node1", "node2"),
    ("node_1", "node_2"),
    ("id1", "id2"),
)
"""What people call the two ends of an edge."""
NODE = ("node", "node_id", "id", "name")
LABEL = ("label", "class", "y")


@final
@dataclass(frozen=True)
class Coded:
    """A column of ids as their list, each once, and for each row the place of its id in it; -1 where it has none."""

    names: list[Hashable]
    codes: Ints

    def __len__(self) -> int:
        return len(self.codes)

    def rows(self, keep: Any) -> Coded:
        """Some of the rows, with the same list of ids."""
        return Coded(self.names, self.codes[keep])

    def used(self) -> list[int]:
        """The codes that occur, in ascending order; there may be others."""
        return np.flatnonzero(np.bincount(self.codes, minlength=len(self.names))).tolist()

    def items(self) -> list[Hashable]:
        """The id of every row."""
        return [self.names[code] for code in self.codes.tolist()]


def coded(values: Sequence[Any]) -> Coded:
    """The ids of a list, in the order in which they first appear."""
    if any(issubclass(kind, np.generic) for kind in set(map(type, values))):
        values = [plain(value) for value in values]
    table: defaultdict[Hashable, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(table.__getitem__, values), np.int64, len(values))
    except TypeError:
        raise GraphError("node ids must be hashable (numbers, strings, tuples); convert them first") from None
    return Coded(list(table), codes)


def without_gaps(values: Sequence[Any]) -> Coded:
    """The same of a list where None is no id, and a decimal number that is whole is an integer."""
    found = coded(values)
    gaps = [name is None for name in found.names]
    names = [int(n) if isinstance(n, Decimal) and n == n.to_integral_value() else n for n in found.names]
    if not any(gaps):
        return Coded(names, found.codes)
    place = gaps.index(True)
    codes = np.where(found.codes == place, -1, found.codes - (found.codes > place))
    return Coded(names[:place] + names[place + 1 :], codes)


def whole(values: Floats) -> AnyArray:
    """Node ids that came as floating-point numbers, as the whole numbers that they must be; NaN is no id."""
    bad = ~(np.isnan(values) | ((np.abs(values) < 2**53) & (values == np.round(values))))
    if bad.any():
        raise GraphError(
            f"{values[bad][0]} is not a node id: ids that are numbers must be whole; give strings for others"
        )
    return values


def coded_floats(values: Floats) -> Ints | Coded:
    """Whole numbers from a column of floating-point numbers, in which NaN is a gap."""
    gaps = np.isnan(whole(values))
    if not gaps.any():
        return values.astype(np.int64)
    names, codes = np.unique(values[~gaps].astype(np.int64), return_inverse=True)
    every = np.full(len(values), -1, np.int64)
    every[~gaps] = codes
    return Coded(names.tolist(), every)


def index_of(sources: Any, targets: Any) -> tuple[NodeIndex, Ints, Ints]:
    """The nodes that edges name, and the positions of both ends: whole numbers in order, others as they appear."""
    if isinstance(sources, np.ndarray) and isinstance(targets, np.ndarray):
        ends = np.concatenate([sources, targets]) if sources.dtype.kind == targets.dtype.kind else None
        if ends is not None and ends.dtype.kind in "iu" and len(ends):
            names, places = _ranked(ends)
            return NodeIndex(names), places[: len(sources)], places[len(sources) :]
    if not isinstance(sources, Coded) and not isinstance(targets, Coded):
        both: list[Any] = [None] * (2 * len(sources))
        both[0::2], both[1::2] = _items(sources), _items(targets)
        joint = coded(both)
        return _in_order(joint.names, joint.codes)
    s, t = _coded(sources), _coded(targets)
    if s.names is not t.names:
        table: dict[Hashable, int] = {}
        new = [np.array([table.setdefault(n, len(table)) for n in c.names], np.int64) for c in (s, t)]
        names = list(table)
        s, t = Coded(names, new[0][s.codes]), Coded(names, new[1][t.codes])
    codes = np.empty(2 * len(s), np.int64)
    codes[0::2], codes[1::2] = s.codes, t.codes
    return _in_order(s.names, codes)


def positions_of(index: NodeIndex, column: Any) -> Ints:
    """The positions of the ids of a column."""
    if not isinstance(column, Coded):
        return index.positions(column)
    used = np.zeros(len(column.names), np.bool_)
    used[column.codes] = True
    places = np.zeros(len(column.names), np.int64)
    places[used] = index.positions([column.names[k] for k in np.flatnonzero(used)])
    return places[column.codes]


def _coded(column: Any) -> Coded:
    if isinstance(column, Coded):
        return column
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        names, codes = np.unique(column, return_inverse=True)
        return Coded(names.tolist(), codes.astype(np.int64))
    return coded(_items(column))


def _items(column: Any) -> Any:
    return column.tolist() if isinstance(column, np.ndarray) else column


def _in_order(names: list[Hashable], codes: Ints) -> tuple[NodeIndex, Ints, Ints]:
    """The ids that occur, in their order, and the positions of sources and targets, which take turns in `codes`."""
    first = np.full(len(names), len(codes), np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last assignment stays: where each first appears
    used = np.flatnonzero(first < len(codes))
    found = [names[k] for k in used]
    if all(type(name) is int for name in found):
        order = sorted(range(len(found)), key=found.__getitem__)  # type: ignore[arg-type]
    else:
        order = np.argsort(first[used]).tolist()
    places = np.zeros(len(names), np.int64)
    places[used[order]] = np.arange(len(used))
    ends = places[codes]
    return NodeIndex([found[k] for k in order]), ends[0::2], ends[1::2]


def _ranked(ends: Ints) -> tuple[Any, Ints]:
    """The different whole numbers in their order, and the rank of each entry; without sorting where they are dense."""
    low, high = int(ends.min()), int(ends.max())
    if low < 0 or high > 10 * len(ends) + 10:
        names, places = np.unique(ends, return_inverse=True)
        return names.tolist(), places.ravel().astype(np.int64)
    there = np.zeros(high + 1, np.bool_)
    there[ends] = True
    if there.all():
        return high + 1, ends.astype(np.int64)
    return np.flatnonzero(there).tolist(), (np.cumsum(there) - 1)[ends]


def listed_ids(column: Any) -> list[Hashable]:
    """The id of every row, as Python objects."""
    return column.items() if isinstance(column, Coded) else list(_items(column))


def gaps_of(column: Any) -> Bools:
    """Which rows have no id."""
    return column.codes < 0 if isinstance(column, Coded) else np.zeros(len(column), np.bool_)


def edge_columns(
    names: Sequence[Hashable],
    source: Column | None,
    target: Column | None,
    weight: Column | Literal[False] | None,
    *,
    what: str,
    error: type[OhmlineError] = GraphError,
) -> tuple[int, int, int | None]:
    """Which columns hold the two ends of the edges and their weights.

    Unless they are said: the ends are the columns with one of the usual pairs of names, or the first two of two or
    three columns. The weights are the column called weight, or the third of exactly three columns.
    """
    if (source is None) != (target is None):
        given, other = ("source", "target") if target is None else ("target", "source")
        raise ParameterError(f"{given}= is given and {other}= is not; name the columns of both ends")
    if source is not None and target is not None:
        ends = place_of(names, source, "source", what, error), place_of(names, target, "target", what, error)
    else:
        ends = _usual_ends(names, what, error)
    if ends[0] == ends[1]:
        raise ParameterError(f"source and target are both column {shown(names[ends[0]])}; name two columns")
    if weight is False:
        return *ends, None
    if weight is not None:
        return *ends, place_of(names, weight, "weight", what, error)
    rest = [k for k in range(len(names)) if k not in ends]
    refuse_twins([_lower(name) for name in names], ["weight"], what, error)
    called = [k for k in rest if _lower(names[k]) == "weight"]
    if called:
        return *ends, called[0]
    return *ends, rest[0] if len(names) == 3 and source is None else None


def label_columns(
    names: Sequence[Hashable],
    node: Column | None,
    label: Column | None,
    *,
    what: str,
    error: type[OhmlineError] = GraphError,
) -> tuple[int, int]:
    """Which columns hold the nodes and their labels: those of the usual names, or the first two of two."""
    lower = [_lower(name) for name in names]
    places = []
    for given, words in ((node, NODE), (label, LABEL)):
        if given is None:
            refuse_twins(lower, words, what, error)
    for given, words, name in ((node, NODE, "node"), (label, LABEL, "label")):
        called = [lower.index(word) for word in words if word in lower]
        if given is not None:
            places.append(place_of(names, given, name, what, error))
        else:
            places.append(called[0] if called else -1)
    if len(names) == 2 and -1 in places:  # the other one, or both in their order
        said = max(places)
        places = [0, 1] if said < 0 else [1 - said if place < 0 else place for place in places]
    if -1 in places or places[0] == places[1]:
        raise error(
            f"{what} has the columns {_listing(names)}; expected node and label: pass node=... and label=... with "
            "the names of two of them"
        )
    return places[0], places[1]


def refuse_twins(lower: Sequence[str], words: Sequence[str], what: str, error: type[OhmlineError]) -> None:
    """Raise where two columns have one of the names that would choose a column."""
    for word in words:
        if lower.count(word) > 1:
            raise error(
                f"{what} has two columns {word!r}; rename one of them, or give the number of the column"
            )


def place_of(
    names: Sequence[Hashable], column: Column, parameter: str, what: str, error: type[OhmlineError]
) -> int:
    """Where a column is that was given by its name or its number."""
    if isinstance(column, bool) or not isinstance(column, str | int | np.integer):
        raise ParameterError(f"{parameter} must be the name or the number of a column, got {shown(column)}")
    if column in names:
        if list(names).count(column) > 1:
            raise error(f"{what} has two columns {shown(column)}; rename one of them")
        return list(names).index(column)
    if not isinstance(column, str) and 0 <= column < len(names):
        return int(column)
    raise error(
        f"{what} has no column {shown(column)} for {parameter}; it has {_listing(names)}: pass {parameter}=... with "
        "one of them"
    )


def _usual_ends(names: Sequence[Hashable], what: str, error: type[OhmlineError]) -> tuple[int, int]:
    lower = [_lower(name) for name in names]
    refuse_twins(lower, [word for pair in PAIRS for word in pair], what, error)
    for source, target in PAIRS:
        if lower.count(source) == lower.count(target) == 1:
            return lower.index(source), lower.index(target)
    if len(names) in (2, 3):
        refuse_twins(lower, [name for name in lower if name], what, error)
        return 0, 1
    raise error(
        f"{what} has the columns {_listing(names)}; expected source, target and perhaps weight: pass source=... "
        "and target=... with the names of two of them"
    )


def _lower(name: Hashable) -> str:
    return name.strip().lower() if isinstance(name, str) else ""


def _listing(names: Sequence[Hashable]) -> str:
    return shown(list(names), 200)[1:-1].replace("'", "") if names else "none"
