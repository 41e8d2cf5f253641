"""A buffer of points as the basis (paper 003, section 3.1)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple, final

import numpy as np

from ohmline.arrays import count
from ohmline.checks import instance
from ohmline.compiled import implements, internal
from ohmline.learn.manifold.bases.contract import LARGEST_BASIS, Basis, admit, weigh
from ohmline.learn.manifold.choices import member
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
    STRONGEST = "strongest"
    """As `LABELLED`, but when all have a label the one goes whose term alpha_i K_i is shortest: the default.

    Differs: the paper lets the oldest label go. Where labels are many that throws f away as fast as it is
    learned. Like `LABELLED` it must not be used on a stream that drifts.
    """


class BufferState(NamedTuple):
    """What governs a buffer."""

    room: int
    """How many points it holds."""
    keeps_labelled: bool
    keeps_strongest: bool


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
        Which point leaves a full buffer. `"strongest"` (default) lets the oldest unlabelled one go and, where all
        have a label, the one that matters least to f; `"labelled"`, the paper's buffer-U, then lets the oldest go;
        `"newest"` always lets the oldest go, for streams that drift.
    pursuit
        When the pursuit ends; None (default) for `Pursuit()`.

    Examples
    --------
    >>> Buffer(100, keep="newest")
    Buffer(size=100, keep='newest')
    """

    replayable = True

    def __init__(
        self, size: int = 300, *, keep: Keep | str = Keep.STRONGEST, pursuit: Pursuit | None = None
    ) -> None:
        self.size = count(size, "the size of Buffer", least=1, most=LARGEST_BASIS)
        self.keep = member(Keep, keep, "keep")
        self.pursuit = Pursuit() if pursuit is None else instance(pursuit, Pursuit, "pursuit")

    @property
    def capacity(self) -> int:
        return self.size

    def start(self, dimension: int, width: float) -> BufferState:
        return BufferState(self.size, self.keep is not Keep.NEWEST, self.keep is Keep.STRONGEST)

    def check(self, smoothness: Smoothness) -> None:
        pass  # any regulariser will do

    def settings(self) -> dict[str, Any]:
        return {"size": self.size, "keep": str(self.keep)}


@internal
def leaver(basis: BufferState, expansion: Expansion) -> int:
    """The slot of the point that leaves: see `Keep`."""
    first, plain = 0, -1
    for i in range(expansion.size[0]):
        if expansion.born[i] < expansion.born[first]:
            first = i
        if expansion.label[i] == UNLABELLED and (plain < 0 or expansion.born[i] < expansion.born[plain]):
            plain = i
    if not basis.keeps_labelled:
        return first
    if plain >= 0:
        return plain
    return weakest(expansion, first) if basis.keeps_strongest else first


@internal
def weakest(expansion: Expansion, first: int) -> int:
    """The element whose term in the function of its own class is shortest; the oldest among equals.

    Only its own class is asked, so that it does not matter how many others were declared.
    """
    least, found = np.inf, first
    views, classes, _ = expansion.alpha.shape
    for i in range(expansion.size[0]):
        sqlength, c = 0.0, expansion.label[i] if classes > 1 else 0
        for v in range(views):
            sqlength += expansion.alpha[v, c, i] ** 2 * expansion.gram[v, i, i]
        if sqlength < least or (sqlength == least and expansion.born[i] < expansion.born[found]):
            least, found = sqlength, i
    return found


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
    slot = leaver(basis, expansion)
    leave(expansion, work, slot)
    for v in range(expansion.alpha.shape[0]):
        work.residual[v, slot] = work.k[v, slot]  # the newcomer takes the slot, and is an atom too
    store(expansion, work, slot, y)
    pursue(terms, expansion, work)
