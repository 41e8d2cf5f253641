"""What Python code may ask of the compiled form of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ohmline.arrays import Floats, Ints

if TYPE_CHECKING:
    from ohmline.kernel.space.features import Features


class Space(Protocol):
    """A `NamedTuple` of arrays with bodies of the operations, and these answers for code that is not compiled."""

    @property
    def n(self) -> int:
        """Number of nodes."""

    @property
    def width(self) -> int:
        """Length of the array that holds a hypothesis."""

    @property
    def partial(self) -> bool:
        """Whether a column may be missing until it is fetched."""

    @property
    def capacity(self) -> int:
        """How many columns can be there at a time."""

    def wanted(self) -> tuple[list[int], list[int]]:
        """The columns that the last interrupted step asked for, and those among them that are missing."""

    def column(self, i: int) -> Floats:
        """K_i: inner products of node i with every node."""

    def lengths(self) -> Floats:
        """K_ii of every node; NaN where it is not known yet."""

    def block(self, positions: Ints) -> Floats:
        """The square matrix of inner products of the nodes at `positions`."""

    def dense(self) -> Floats:
        """Every entry, or `KernelError` where there must never be such a matrix."""

    def explicit(self) -> Features | None:
        """The rows and the ridge with K = rows rows' + ridge I where these are at hand, else None."""

    def coefficients(self, u: Floats) -> Floats:
        """The hypothesis with values `u` at the nodes, as the array that this space keeps."""

    def plus(self, component_of: Ints, b: float, c: float) -> Space:
        """With b added within every component and c on the diagonal."""

    def scaled(self, factor: float) -> Space:
        """Every entry times `factor`."""


def may_miss_columns(space: object) -> bool:
    """Whether this tuple, or one within it, is a space some of whose columns may be missing."""
    if getattr(space, "partial", False):
        return True
    return isinstance(space, tuple) and any(may_miss_columns(member) for member in space)


class Complete:
    """What spaces share that hold every entry."""

    __slots__ = ()
    n: int

    @property
    def partial(self) -> bool:
        return False

    @property
    def capacity(self) -> int:
        return self.n

    def wanted(self) -> tuple[list[int], list[int]]:
        return [], []
