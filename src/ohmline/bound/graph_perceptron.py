"""Theorem 4.2 of paper 001: the perceptron's mistakes from the graph's own properties."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np
from scipy import linalg

from ohmline.arrays import Bools, Floats, Ints
from ohmline.bound.asked_trials import Evidence, evidence, labelling, mistake_driven
from ohmline.bound.contract import Assumption, Bound, Certificate
from ohmline.bound.interpolant import Interpolant, block_of, once
from ohmline.bound.perceptron import from_zero, relative_bound
from ohmline.bound.sharpness import blur_of_norms, sharp
from ohmline.bound.ties import radius_of_ties
from ohmline.errors import KernelError
from ohmline.game.trace import Trace
from ohmline.graph.graph import Graph
from ohmline.graph.measure import cut
from ohmline.kernel.contract import Kernel
from ohmline.kernel.laplacian import LaplacianKernel
from ohmline.kernel.sums import component_means
from ohmline.learn.perceptron import Perceptron


class Smoothness(NamedTuple):
    """How smooth a labelling is, over the components that matter."""

    cut: float
    balance: float


@final
class GraphPerceptronBound(Bound):
    """Limits the mistakes of `Perceptron` by properties of the graph (paper 001, Theorem 4.2).

    |M| <= 2e + Z/2 + sqrt(2eZ + Z^2/4), Z = (4 cut(u') + beta/b + 4k/c)(R + b + c).

    | paper | here |
    |---|---|
    | K_c^b | the kernel must be `LaplacianKernel(g) + Constant(b)`, with or without `Ridge(c)` |
    | u | `comparator`; \\|M_A ∩ M_u\\| is term `comparator_errors` |
    | u' | `concept`, a smoother labelling |
    | k | term `odd`: nodes on which u and u' differ; 4k/c is 0 when k is |
    | Phi(u'), beta_u', R_G | terms `cut`, `balance`, `resistance` |

    *Several components.* K is block diagonal with its own bias in each block, so Lemma 4.1 holds
    block by block: beta is the sum of (mean of u')^2 over the components, R the largest
    resistance within one. The proof looks at mistaken trials only, so components without a
    mistake do not count. On a connected graph this is the theorem as printed.

    Without a comparator it takes the signs of the smallest-norm function that fits what was seen.

    Parameters
    ----------
    concept
        u', a labelling of every node: an array in the order of the nodes, or a mapping. Any labelling gives a valid
        bound when c > 0; with c = 0 it must be u. None (default) starts from u and, with c > 0, flips single nodes as
        long as that lowers Z.

    Examples
    --------
    >>> import ohmline as ohm
    >>> octopus = ohm.graph.generate.octopus(5, 3)
    >>> learner = ohm.Perceptron(ohm.LaplacianKernel(octopus.graph) + ohm.Constant(1.0))
    >>> trace = ohm.play(learner, octopus.sequence)
    >>> print(GraphPerceptronBound().certify(trace, octopus.labels))
    at most 28 mistakes (paper 001, Theorem 4.2, eq. (16), proven; cut = 1, balance = 0, odd = 0,
    resistance = 6, b = 1, c = 0, comparator_errors = 0)
    """

    def __init__(self, concept: Any = None) -> None:
        self.concept = concept

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        seen = evidence(trace, Perceptron)
        kernel, base = _graph_kernel(trace.learner.kernel)
        graph, b, c = base.graph, kernel.b, kernel.c
        matter = np.isin(graph.component_of, graph.component_of[seen.positions[seen.mistaken]])
        u, inside = self._comparator(seen, kernel, comparator)
        smooth = self._concept(graph, u, matter, b, c)
        odd = int(np.sum((smooth != u) & matter))
        size, balance = smoothness(graph, smooth, matter)
        resistance = largest_resistance(base, matter)
        errors = int(np.sum(u[seen.positions[seen.mistaken]] != seen.labels[seen.mistaken]))
        per_odd = 4 / c if c > 0 else float("inf")
        blurred = blur_of_norms(kernel)
        z = (1 + blurred) * (4 * size + balance / b + (odd * per_odd if odd else 0.0)) * (resistance + b + c)
        plain = b == 1 and c == 0 and odd == 0 and errors == 0
        return Certificate(
            "paper 001, Theorem 4.2, " + ("eq. (16)" if plain else "eq. (15)"),
            relative_bound(z * radius_of_ties(seen, len(seen.positions)), errors),
            seen.charged,
            {
                "cut": size,
                "balance": balance,
                "odd": odd,
                "resistance": resistance,
                "b": b,
                "c": c,
                "comparator_errors": errors,
            },
            (
                inside,
                Assumption(
                    "a ridge c > 0 pays for the nodes on which the concept differs", True, c > 0 or not odd
                ),
                mistake_driven(seen),
                from_zero(seen, kernel),
                sharp("norm", blurred),
            ),
            hidden=seen.hidden,
        )

    def _comparator(self, seen: Evidence, kernel: Kernel, comparator: Any) -> tuple[Floats, Assumption]:
        if comparator is not None:
            return labelling(comparator, seen.nodes), Assumption("the comparator labels every node", True)
        fit, u = Interpolant(seen, kernel), np.ones(len(seen.nodes))
        gram = block_of(kernel, fit.positions)
        definite = gram.definite == len(fit.positions)
        if definite and len(fit.positions):
            weights = linalg.cho_solve((gram.factor, True), fit.labels(len(seen.positions)))
            u = np.where(weights @ columns_of(kernel, fit.positions) >= 0, 1.0, -1.0)
        return u, Assumption("the kernel is positive definite on the seen nodes", True, definite)

    def _concept(self, graph: Graph, u: Floats, matter: Bools, b: float, c: float) -> Floats:
        if self.concept is not None:
            return labelling(self.concept, graph.nodes)
        return smoothed(graph, u, matter, b, c) if c > 0 else u


def smoothness(graph: Graph, u: Floats, matter: Bools) -> Smoothness:
    """The cut of `u` and the sum of its squared component means, where `matter` says so."""
    means = component_means(np.where(matter, u, 0.0), graph.component_of)
    # Whole components drop out, so a constant there cuts nothing.
    return Smoothness(cut(graph, np.where(matter, u, 1.0)), float(np.sum(means**2)))


def smoothed(graph: Graph, u: Floats, matter: Bools, b: float, c: float) -> Floats:
    """A labelling near `u` that lowers 4 cut + beta/b + 4k/c, found by flipping one node at a time."""
    smooth, sizes = u.copy(), np.bincount(graph.component_of)
    totals = np.bincount(graph.component_of, weights=u)
    pull = graph.adjacency @ u  # what the neighbours of each node say, by weight
    for _ in range(2 * graph.n):
        size, total = sizes[graph.component_of], totals[graph.component_of]
        turned = (((total - 2 * smooth) / size) ** 2 - (total / size) ** 2) / b
        gain = 4 * smooth * pull + turned + np.where(smooth == u, 4 / c, -4 / c)
        gain[~matter] = 0.0
        i = int(np.argmin(gain))
        if gain[i] >= -1e-12:
            break
        totals[graph.component_of[i]] -= 2 * smooth[i]
        row = slice(graph.indptr[i], graph.indptr[i + 1])
        pull[graph.indices[row]] -= 2 * smooth[i] * graph.weights[row]
        smooth[i] = -smooth[i]
    return smooth


def columns_of(kernel: Kernel, positions: Ints) -> Floats:
    """The kernel's columns at these positions, one in each row."""
    nodes = kernel.nodes
    key = ("columns", kernel, positions.tobytes())
    return once(key, lambda: np.array([kernel.column(nodes[int(i)]) for i in positions]))


def largest_resistance(kernel: LaplacianKernel, matter: Bools) -> float:
    """R_G: the largest effective resistance within a component that matters."""
    return once(("resistance", kernel, matter.tobytes()), lambda: _largest_resistance(kernel, matter))


def _largest_resistance(kernel: LaplacianKernel, matter: Bools) -> float:
    matrix, component = kernel.space.matrix, kernel.component_of
    diagonal, largest = np.diagonal(matrix), 0.0
    for i in np.flatnonzero(matter):
        mates = component == component[i]
        largest = max(largest, float((diagonal[i] + diagonal[mates] - 2 * matrix[i, mates]).max()))
    return largest


def _graph_kernel(kernel: Kernel) -> tuple[Kernel, LaplacianKernel]:
    base = kernel.base
    if isinstance(base, LaplacianKernel) and kernel.factor == 1 and kernel.b > 0 and not base.graph.signed:
        return kernel, base
    raise KernelError(
        f"Theorem 4.2 is about LaplacianKernel(graph) + Constant(b) [+ Ridge(c)] on an unsigned graph, "
        f"and this kernel is {kernel!r}; use PerceptronBound"
    )
