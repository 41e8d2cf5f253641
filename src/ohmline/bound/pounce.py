"""Theorem 2 of paper 002: POUNCE's mistakes from a cover of the nodes and the cut."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from scipy import linalg

from ohmline.arrays import Floats, Ints
from ohmline.bound.asked_trials import (
    Evidence,
    evidence,
    mistake_driven,
    only,
    starts_afresh,
)
from ohmline.bound.comparator import function_of, is_labelling, least_margin, right_side
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.bound.interpolant import leading_factor
from ohmline.bound.perceptron import Fit
from ohmline.bound.sharpness import sharp
from ohmline.checks import choice
from ohmline.errors import KernelError
from ohmline.game.trace import Trace
from ohmline.graph.measure import cover
from ohmline.kernel.contract import Kernel
from ohmline.kernel.laplacian import LaplacianKernel
from ohmline.kernel.solver import SolverKernel
from ohmline.learn.pounce import Pounce

SMALL = 24
"""Points of a component up to which every radius is tried with an exact cover."""
EFFORT = 20_000
"""Node visits of one exact cover search."""
LARGEST = 3000
"""Asked nodes beyond which only the mistaken ones are covered: the table of distances is their square."""
TRIED = 8
"""Radii tried with an exact cover in a larger component, the most promising first."""


@dataclass(frozen=True, slots=True)
class Covered:
    """The best choice of rho for one component: number + sqnorm rho + 1 is least."""

    number: int
    rho: float
    sqnorm: float
    exact: bool
    """Whether `number` is the smallest cover of diameter rho; else it is an upper bound on it."""
    error: float = 0.0
    """The relative error of sqnorm rho."""

    @property
    def value(self) -> float:
        """N(X, rho) + ||u||^2 rho + 1, rounded up."""
        return self.number + (rounded_up(self.sqnorm * self.rho, self.error) if self.rho > 0 else 0.0) + 1


@final
class PounceBound(Bound):
    """Limits the mistakes of `Pounce` by a cover of the asked nodes (paper 002, Theorem 2).

    |M| <= N(X, rho) + ||u||^2 rho + 1 for every rho > 0; the best rho is taken.

    | paper | here |
    |---|---|
    | N(X, rho) | term `cover`: sets of resistance diameter rho that cover the asked nodes |
    | \\|\\|u\\|\\|^2 | term `sqnorm`: u'Lu, that is 4 times the cut |
    | rho | term `rho`, the largest of those chosen |

    A smaller cover than ours may exist; any cover gives a valid bound, and `cover_exact` says
    (1 or 0) whether ours is the smallest at its rho. Small sets are covered exactly at every rho;
    larger ones by complete linkage, improved by search at the most promising rho.

    *Several components.* POUNCE knows no distance across components, so the theorem holds in each
    of them with its own rho, and the certificate is the sum over those with a mistake.

    *Comparators.* A labelling that is right on the mistaken trials, or any other function of the nodes with the right
    signs there, which is stretched to a least margin of 1: by Theorem 5 a signed Laplacian has no function of larger
    margins that is smoother than the one that equals the labels, so its energy counts (`least_energy`).
    Without a comparator it takes the smallest-seminorm function that fits the labels seen (the
    voltages of eq. (5)).

    Parameters
    ----------
    fit
        Which nodes are covered, and fitted where there is no comparator: `Fit.SEEN` (default) for all that were asked
        about, `Fit.MISTAKEN` for those of the mistaken trials, which is all that the proof looks at. Beyond 3000 asked
        nodes the mistaken ones are taken in any case.

    Examples
    --------
    >>> import ohmline as ohm
    >>> three = ohm.graph.generate.three_clusters(10)
    >>> stream = ohm.Stream(range(30), three.labels).shuffled(seed=0)
    >>> trace = ohm.play(ohm.Pounce(ohm.LaplacianKernel(three.graph)), stream)
    >>> certificate = PounceBound().certify(trace, three.labels)
    >>> certificate.charged, certificate.terms["cover"], certificate.value < 20
    (3, 3, True)

    References
    ----------
    Herbster, Exploiting cluster-structure to predict the labeling of a graph, ALT 2008.
    """

    def __init__(self, fit: Fit = Fit.SEEN) -> None:
        self.fit = choice(fit, Fit, "fit")

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        seen = evidence(trace, Pounce)
        kernel = trace.learner.kernel
        if not isinstance(kernel, Kernel):
            raise KernelError(
                f"Theorem 2 needs the resistances of a kernel, not {kernel!r}; use EmbeddingBound"
            )
        few = self.fit is Fit.SEEN and len(np.unique(seen.positions)) <= LARGEST
        used = seen if few else only(seen, seen.mistaken)
        mistakes = only(seen, seen.mistaken)
        u: Floats | None = None
        demands: tuple[Assumption, ...] = (fits(used, None),)
        if comparator is not None:
            u, demands = _compared(mistakes, kernel, function_of(comparator, seen.nodes))
        blurred = blur(kernel, seen)
        parts = [
            replace(best_cover(resistances(kernel, points), energy), error=min(3 * blurred, 1.0))
            for points, energy in _parts(used, seen, kernel, u)
        ]
        sqnorm = sum(part.sqnorm for part in parts)
        theorem = "paper 002, Theorem 2"
        return Certificate(
            theorem if comparator is not None else theorem + ", live",
            float(sum(part.value for part in parts)),
            seen.charged,
            {
                "cover": sum(part.number for part in parts),
                "rho": max((part.rho for part in parts), default=0.0),
                "sqnorm": sqnorm,
                "components": len(parts),
                "cover_exact": float(all(part.exact for part in parts)),
            },
            (
                *demands,
                Assumption(
                    "the comparator's differences lie in the kernel's space", True, bool(np.isfinite(sqnorm))
                ),
                mistake_driven(seen),
                starts_afresh(seen, Pounce(kernel), "the learner had seen nothing before"),
                sharp("resistance and margin", blurred),
            ),
            hidden=seen.hidden,
        )


def _compared(mistakes: Evidence, kernel: Kernel, u: Floats) -> tuple[Floats, tuple[Assumption, ...]]:
    """A comparator as the proof takes it, and what must hold of it."""
    exact = fits(mistakes, u)
    if exact.holds or is_labelling(u):
        return u, (exact,)
    margin = least_margin(mistakes, u, mistakes.mistaken)
    laplacian = isinstance(kernel.base, LaplacianKernel | SolverKernel) and kernel.c == 0
    text = "the kernel is that of a signed Laplacian, so that no function of larger margins is smoother (Theorem 5)"
    demands = right_side(margin), Assumption(text, True, laplacian)
    return (u / margin if margin > 0 else u), demands


def blur(kernel: Kernel, seen: Evidence) -> float:
    """The larger one of the relative errors of the resistances between mistakes and the errors of the margins.

    A move by change / r times v_i - v_j leaves an error of 4 / r times that of an entry in a margin, and its length
    change^2 / r is the trial's progress.
    """
    nodes = np.unique(seen.positions[seen.mistaken])
    table = resistances(kernel, nodes[: LARGEST // 2])
    apart = table[table > 0]
    if not len(apart):
        return 0.0
    moved = float(np.sqrt(seen.progress[seen.mistaken]).sum() / np.sqrt(apart.min()))
    return 4 * kernel.entry_error * max(1 / float(apart.min()), moved)


def fits(seen: Evidence, u: Floats | None) -> Assumption:
    """Whether u(i_t) = y_t on these trials; without u, whether some function can."""
    if u is not None:
        return Assumption(
            "the comparator is right on every mistaken trial",
            True,
            bool(np.all(u[seen.positions] == seen.labels)),
        )
    said = np.zeros(len(seen.nodes))
    said[seen.positions] = seen.labels
    same = bool(np.all(said[seen.positions] == seen.labels))
    return Assumption("no node came with two labels", True, same)


def _parts(used: Evidence, seen: Evidence, kernel: Kernel, u: Floats | None) -> list[tuple[Ints, float]]:
    """For each component with a mistake: the nodes to cover and the comparator's squared seminorm."""
    component = kernel.component_of
    parts = []
    for part in np.unique(component[seen.positions[seen.mistaken]]):
        points = np.unique(used.positions[component[used.positions] == part])
        if u is None:
            said = np.zeros(len(component))
            said[used.positions] = used.labels
            energy = voltage_energy(kernel.block(points), said[points])
        else:
            energy = labelling_energy(kernel, u, np.flatnonzero(component == part))
        parts.append((points, energy))
    return parts


def labelling_energy(kernel: Kernel, u: Floats, members: Ints) -> float:
    """||u||^2 of a function in one component, up to a constant: u'Lu for a Laplacian kernel."""
    base = kernel.base
    if isinstance(base, LaplacianKernel | SolverKernel) and kernel.c == 0:
        part = base.graph.laplacian()[members][:, members]
        return max(float(u[members] @ (part @ u[members])), 0.0) / kernel.factor
    return voltage_energy(kernel.block(members), u[members])


def voltage_energy(block: Floats, labels: Floats) -> float:
    """min ||u||^2 over u with these values on the nodes of `block`, up to a common constant.

    With K~ = K + s 11' the constant is free at a price that vanishes at the minimum over it, which
    is y'K~^-1 y - (1'K~^-1 y)^2 / 1'K~^-1 1.
    """
    if np.all(labels == labels[0]):
        return 0.0
    scale = max(float(np.mean(np.diagonal(block))), 1e-300)
    factor, size = leading_factor(block + scale)
    if size < len(labels):
        return float("inf")
    ones = np.ones(len(labels))
    solved = linalg.cho_solve((factor, True), np.column_stack([labels, ones]))
    energy = labels @ solved[:, 0] - (ones @ solved[:, 0]) ** 2 / (ones @ solved[:, 1])
    return max(float(energy), 0.0)


def resistances(kernel: Kernel, points: Ints) -> Floats:
    """||v_p - v_q||^2 between the nodes at `points`."""
    block = kernel.block(points)
    diagonal = np.diagonal(block)
    table = np.maximum(diagonal[:, None] + diagonal - 2 * block, 0.0)
    table = (table + table.T) / 2
    np.fill_diagonal(table, 0.0)
    return np.asarray(table, dtype=np.float64)


def best_cover(distances: Floats, sqnorm: float) -> Covered:
    """The rho, and a cover of that diameter, for which N + ||u||^2 rho is smallest.

    The cover number changes at distances that occur, so only those are tried.
    """
    n = len(distances)
    if not np.isfinite(sqnorm) or n == 1:
        return Covered(n, 0.0, sqnorm, True)
    from scipy.cluster import hierarchy  # slow to import, and needed here alone
    from scipy.spatial.distance import squareform

    heights = hierarchy.linkage(squareform(distances, checks=False), method="complete")[:, 2]
    # After k merges there are n - k sets, none wider than the k-th height: a cover for every rho.
    radii = np.append(0.0, heights)
    sizes = n - np.arange(n)
    order = np.argsort(sizes + sqnorm * radii, kind="stable")
    start = int(order[0])
    best = Covered(int(sizes[start]), float(radii[start]), sqnorm, exact=False)
    tried = np.unique(distances) if n <= SMALL else radii[order[:TRIED]]
    for rho in tried:
        if sqnorm * rho + 2 > best.value:
            continue
        found = cover(distances, float(rho), effort=EFFORT)
        candidate = Covered(int(found.number), float(rho), sqnorm, found.exact)
        if (candidate.value, not candidate.exact) < (best.value, not best.exact):
            best = candidate
    return best
