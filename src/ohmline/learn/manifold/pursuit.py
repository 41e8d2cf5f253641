"""Matching pursuit: a function that leaves the basis is spread over what stays (paper 003, eq. 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from ohmline.arrays import Floats, count, fraction
from ohmline.compiled import any_order, internal
from ohmline.learn.manifold.expansion import GAUSSIAN, Expansion, Workspace

MOST_ATOMS = 1_000_000


@final
@dataclass(frozen=True, slots=True)
class Pursuit:
    """When matching pursuit ends: the residual is small enough, or enough atoms were used.

    The paper asks for a reduction by 50 %; in high dimension that is often out of reach, so the
    number of atoms is limited too.

    Attributes
    ----------
    reduction
        The share of its norm, that of the kernel's space, to which the residual has to fall; from 0 to 1. Default 0.5.
    atoms
        The most elements of the basis over which one function is spread, from 0 to 1,000,000. Default 20.
    """

    reduction: float = 0.5
    atoms: int = 20

    def __post_init__(self) -> None:
        fraction(self.reduction, "the reduction of Pursuit")
        count(self.atoms, "the atoms of Pursuit", most=MOST_ATOMS)


@internal
def leave(expansion: Expansion, work: Workspace, i: int) -> None:
    """Note what leaves with element `i`: its functions, and their coefficients in f and in f-bar."""
    n = expansion.size[0]
    views, classes, _ = expansion.alpha.shape
    for v in range(views):
        work.norm[v] = expansion.gram[v, i, i]
        row, residual = expansion.gram[v, i], work.residual[v]
        for j in range(n):
            residual[j] = row[j]
        for c in range(classes):
            work.left[v, c] = expansion.alpha[v, c, i]
            work.left_mean[v, c] = expansion.mean[v, c, i]


@internal
def pursue(terms: Any, expansion: Expansion, work: Workspace) -> None:
    """Spread the function that left over the basis.

    In each view it is a unit function K_z, with <K_z, K_i> in `residual` and ||K_z||^2 in `norm`,
    times the coefficients `left` in f and `left_mean` in f-bar, one per class. They are multiples
    of the same K_z, so one pursuit serves them all.

    An atom a lowers the residual's squared norm by r_a^2 / K_aa, so the next one has the largest of
    these. In the end the values of f at the basis fall by `left` times the residual.
    """
    n = expansion.size[0]
    views, classes, _ = expansion.alpha.shape
    for v in range(views):
        gram, residual, norm = expansion.gram[v], work.residual[v], work.norm[v]
        goal = terms.reduction * terms.reduction * norm
        for _ in range(terms.atoms if carries(work, v) else 0):
            if norm <= goal:
                break
            best, gain = strongest(gram, residual, n, terms.kernel == GAUSSIAN)
            if gain <= 0.0:
                break
            step = residual[best] / gram[best, best]
            row = gram[best]
            for i in range(n):
                residual[i] -= step * row[i]
            norm -= gain
            for c in range(classes):
                expansion.alpha[v, c, best] += step * work.left[v, c]
                expansion.mean[v, c, best] += step * work.left_mean[v, c]
        for c in range(classes):
            value, share = expansion.value[v, c], work.left[v, c]
            for i in range(n):
                value[i] -= share * residual[i]


@internal
def carries(work: Workspace, v: int) -> bool:
    """Whether anything would be lost with the function that left."""
    for c in range(work.left.shape[1]):
        if work.left[v, c] != 0.0 or work.left_mean[v, c] != 0.0:
            return True
    return False


@any_order
def largest_size(values: Floats, n: int) -> float:
    """The largest |value| of the first `n`."""
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(values[i]))
    return largest


@internal
def strongest(gram: Floats, residual: Floats, n: int, unit: bool) -> tuple[int, float]:
    """The atom with the largest r_a^2 / K_aa, and that number; `unit` says that every K_aa is 1."""
    best, gain = 0, 0.0
    if unit:
        largest = largest_size(residual, n)
        while best < n - 1 and abs(residual[best]) != largest:
            best += 1
        return best, largest * largest
    for i in range(n):
        here = residual[i] * residual[i]
        if here > gain * gram[i, i]:
            best, gain = i, here / gram[i, i] if gram[i, i] > 0.0 else 0.0
    return best, gain
