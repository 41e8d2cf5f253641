"""Theorems 4.1 and 4.2 of paper 000: cyclic projections in terms of a partition of the graph."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from ohmline.arrays import Floats
from ohmline.bound.asked_trials import Evidence, evidence, labelling
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.bound.projection import corrected, harmonic_mean, projected
from ohmline.bound.sharpness import blur_of_norms, sharp
from ohmline.errors import KernelError
from ohmline.game.trace import Trace
from ohmline.graph.graph import Graph
from ohmline.graph.measure import algebraic_connectivity, balance, cut, eccentricities
from ohmline.kernel.laplacian import LaplacianKernel
from ohmline.learn.projection import Projection, Strategy


@final
class PartitionBound(Bound):
    """Limits the mistakes of `Projection` by a partition of the graph (paper 000, Theorems 4.1 and 4.2).

    |M| <= cut (n / min(n+, n-))^2 B: the classifier of Theorem 4.1 put into Theorem 3.2.

    | paper | here |
    |---|---|
    | (g+, g-) | `comparator`, a labelling of every node |
    | the edges between g+ and g- | term `cut` |
    | (n / min(n+, n-))^2 | 4 times term `balance`, paper 001's bal(u) |
    | B | term `harmonic`: harmonic mean over M of min(1/lambda_2, rho_p), Theorem 4.2 |

    The labelling itself is not in the space of L+, whose functions have mean 0, so Theorem 4.1 shifts
    and stretches it until every margin is at least 1. Such a comparator is allowed with cyclic
    updating, and with U_t = {t} on mistakes only, where projecting on the hyperplane and on the
    half-space is the same. Both theorems are about connected graphs, the kernel L+ and w_1 = 0.

    Differs: the paper calls the edges between the parts intra-partition.

    Examples
    --------
    >>> import ohmline as ohm
    >>> barbell = ohm.graph.generate.barbell(6)
    >>> stream = ohm.Stream(range(12), barbell.labels).shuffled(seed=0)
    >>> trace = ohm.play(ohm.Projection.c_proj(ohm.LaplacianKernel(barbell.graph)), stream)
    >>> print(PartitionBound().certify(trace, barbell.labels))
    at most 12 mistakes (paper 000, Theorems 4.1 and 4.2, proven; cut = 1, balance = 1, harmonic = 3)
    """

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        seen = evidence(trace, Projection)
        learner: Projection = trace.learner
        kernel = learner.kernel
        if not isinstance(kernel, LaplacianKernel) or kernel.graph.signed:
            raise KernelError(
                f"Theorem 4.1 is about LaplacianKernel(graph) of an unsigned graph, and this kernel is "
                f"{kernel!r}; use ProjectionBound"
            )
        if comparator is None:
            raise KernelError(
                "Theorem 4.1 needs a labelling of every node: give a comparator, or use ProjectionBound"
            )
        u = labelling(comparator, seen.nodes)
        both = bool(np.any(u > 0) and np.any(u < 0))
        connected = kernel.graph.is_connected
        size, harmonic, blurred = cut(kernel.graph, u), 0.0, blur_of_norms(kernel)
        if connected and kernel.graph.n > 1:
            harmonic = harmonic_mean(length_bounds(kernel.graph)[seen.positions[seen.mistaken]])
        return Certificate(
            "paper 000, Theorems 4.1 and 4.2",
            rounded_up(4 * size * balance(u) * harmonic, blurred) if both and connected else float("inf"),
            seen.charged,
            {"cut": size, "balance": balance(u), "harmonic": harmonic},
            (
                Assumption("both labels occur in the comparator", True, both),
                Assumption("the graph is connected", True, connected),
                half_spaces(seen, learner),
                Assumption(
                    "the hypothesis started at zero", True, learner.start is None or not learner.start.any()
                ),
                Assumption(
                    "the comparator is right on every asked trial",
                    True,
                    bool(np.all(u[seen.positions] == seen.labels)),
                ),
                corrected(seen),
                projected(seen, learner),
                sharp("norm", blurred),
            ),
            hidden=seen.hidden,
        )


def half_spaces(seen: Evidence, learner: Projection) -> Assumption:
    """Whether every move was a projection on half-spaces, which hold margins above 1 too."""
    simple = learner.strategy is Strategy.LATEST and bool(np.array_equal(seen.moved, seen.mistaken))
    text = "every move projected on half-spaces: cyclic, or U_t = {t} on mistakes only"
    return Assumption(text, True, learner.cyclic or simple)


def unit_separating(labels: Any) -> Floats:
    """The classifier of Theorem 4.1: mean 0, and u_i g_i >= 1 everywhere.

    >>> unit_separating([1, 1, -1])
    array([ 1.,  1., -2.])
    """
    g = np.asarray(labels, dtype=np.float64)
    mean = g.mean()
    return np.asarray((g - mean) / (1 - abs(mean)), dtype=np.float64)


def length_bounds(graph: Graph) -> Floats:
    """min(1/lambda_2, rho_p), an upper bound on K_pp for every node of a connected graph.

    Theorem 4.2 of paper 000.
    """
    return np.asarray(np.minimum(1 / algebraic_connectivity(graph), eccentricities(graph)), dtype=np.float64)
