"""A buffer of points as the basis (paper 003, section 3.1)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple, final

from ohmline.arrays import count
from ohmline.compiled import implements, internal
from ohmline.errors import ParameterError
from ohmline.learn.manifold.bases.contract import Basis, admit, weigh
from ohmline.learn.manifold.expansion import Expansion, Workspace, store
from ohmline.learn.manifold.pursuit import Pursuit, leave, pursue
from ohmline.learn.manifold.smoothness import Smoothness, gaussian_weights
from ohmline.learn.step import UNLABELLED


class Keep(StrEnum):
    """Which points a full buffer keeps."""

    NEWEST = "newest"
    """The oldest point goes: the paper's *buffer*, and the one to use under drift."""
    LABELLED = "labelled"
    """The oldest unlabelled point goes, a labelled one only when all are: *buffer-U*.

    Old labels stay for good, so this must not be used on a stream that drifts.
    """


class BufferState(NamedTuple):
    """The two numbers that govern a buffer."""

    room: int
    """How many points it holds."""
    keeps_labelled: bool


@final
class Buffer(Basis):
    """A basis of the latest points, or of the latest ones together with those that have a label.

    A point that leaves is spread over those that stay by matching pursuit. Cost per point: size x d
    for the kernel values, size x (neighbours of the point) for the step, at most size x atoms for
    the pursuit; memory size^2 + size x d, however long the stream.

    Parameters
    ----------
    size
        How many points are kept, at least 1. Default 300.
    keep
        Which point leaves a full buffer: `"labelled"` (default) lets the oldest unlabelled one go, the paper's
        buffer-U, and `"newest"` the oldest of all, for streams that drift.
    pursuit
        When the pursuit ends; None (default) for `Pursuit()`.

    Examples
    --------
    >>> Buffer(100, keep="newest")
    Buffer(size=100, keep='newest')
    """

    replayable = True

    def __init__(
        self, size: int = 300, *, keep: Keep | str = Keep.LABELLED, pursuit: Pursuit | None = None
    ) -> None:
        self.size = count(size, "the size of Buffer", least=1)
        try:
            self.keep = Keep(keep)
        except ValueError:
            raise ParameterError(
                f"keep must be one of {', '.join(repr(str(k)) for k in Keep)}, got {keep!r}"
            ) from None
        self.pursuit = Pursuit() if pursuit is None else pursuit

    @property
    def capacity(self) -> int:
        return self.size

    def start(self, dimension: int, width: float) -> BufferState:
        return BufferState(self.size, self.keep is Keep.LABELLED)

    def check(self, smoothness: Smoothness) -> None:
        pass  # any regulariser will do

    def settings(self) -> dict[str, Any]:
        return {"size": self.size, "keep": str(self.keep)}


@internal
def oldest(expansion: Expansion, labelled_stay: bool) -> int:
    """The slot of the point that leaves: the oldest, or the oldest without a label while there is one."""
    first, plain = 0, -1
    for i in range(expansion.size[0]):
        if expansion.born[i] < expansion.born[first]:
            first = i
        if expansion.label[i] == UNLABELLED and (plain < 0 or expansion.born[i] < expansion.born[plain]):
            plain = i
    return plain if labelled_stay and plain >= 0 else first


@implements(weigh, BufferState)
def weigh_buffer(basis: BufferState, terms: Any, expansion: Expansion, work: Workspace) -> int:
    return gaussian_weights(terms, expansion, work)


@implements(admit, BufferState)
def admit_to_buffer(basis: BufferState, terms: Any, expansion: Expansion, work: Workspace, y: int) -> None:
    n = expansion.size[0]
    if n < basis.room:
        expansion.size[0] = n + 1
        store(expansion, work, n, y)
        return
    slot = oldest(expansion, basis.keeps_labelled)
    leave(expansion, work, slot)
    for v in range(expansion.alpha.shape[0]):
        work.residual[v, slot] = work.k[v, slot]  # the newcomer takes the slot, and is an atom too
    store(expansion, work, slot, y)
    pursue(terms, expansion, work)
