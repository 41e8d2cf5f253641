"""Theorems 4.1 and 4.2 of paper 000: cyclic projections in terms of a partition of the graph."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np

from ohmline.arrays import Floats, vector
from ohmline.bound.asked_trials import evidence, labelling
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.bound.projection import corrected, half_spaces, harmonic_mean, projected
from ohmline.bound.sharpness import blur_of_norms, sharp
from ohmline.bound.ties import shortfall_of_ties, stretched
from ohmline.errors import GraphError, KernelError, LabelError
from ohmline.game.trace import Trace
from ohmline.graph.elimination import EPS
from ohmline.graph.graph import Graph, expect_graph, signs
from ohmline.graph.measure import (
    algebraic_connectivity,
    balance,
    cut,
    eccentricities,
)
from ohmline.graph.measure.spectrum import eigenvalue_limit
from ohmline.kernel.laplacian import LaplacianKernel
from ohmline.learn.projection import Projection


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
    | \\|\\|u\\|\\|^2 | term `sqnorm`, between the terms `least` and `most` of `partition_norm` |

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
    at most 12 mistakes (paper 000, Theorems 4.1 and 4.2, proven; cut = 1, balance = 1, harmonic = 3, least = ...)
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
        sandwich, short = {}, 0.0
        if connected and kernel.graph.n > 1:
            range_ = spectral_range(kernel.graph)
            lengths = length_bounds(kernel.graph, range_)
            harmonic = harmonic_mean(lengths[seen.positions[seen.mistaken]])
            if both:
                short = shortfall_of_ties(seen, learner, 4 * size * balance(u), lengths)
                sandwich = _norm(kernel.graph, u, range_)._asdict()
        return Certificate(
            "paper 000, Theorems 4.1 and 4.2",
            rounded_up(4 * size * balance(u) * harmonic * stretched(short), blurred)
            if both and connected
            else float("inf"),
            seen.charged,
            {"cut": size, "balance": balance(u), "harmonic": harmonic, **sandwich},
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
                sharp("move", short),
            ),
            hidden=seen.hidden,
        )


def unit_separating(labels: Any) -> Floats:
    """The classifier of paper 000's Theorem 4.1: mean 0, and u_i g_i >= 1 everywhere.

    Parameters
    ----------
    labels
        The partition: -1 or +1 for every position, both of which occur.

    Examples
    --------
    >>> unit_separating([1, 1, -1])
    array([ 1.,  1., -2.])
    """
    g = vector(labels, "labels")
    g = signs(g, len(g))
    mean = g.mean() if len(g) else 1.0
    if abs(mean) == 1:
        raise LabelError(
            "all labels are equal, and the classifier of Theorem 4.1 needs both; label some other"
        )
    return np.asarray((g - mean) / (1 - abs(mean)), dtype=np.float64)


class PartitionNorm(NamedTuple):
    """Theorem 4.1's limits on ||u||^2, u the classifier that a partition of the graph gives; in rising order.

    Attributes
    ----------
    least
        lambda_2 n n+ / n-, with n+ the size of the larger part.
    sqnorm
        ||u||^2 = cut (n / n-)^2. The theorem has it as an upper bound, and it is attained.
    most
        lambda_n n n+ / n-.
    """

    least: float
    sqnorm: float
    most: float


def partition_norm(graph: Graph, labels: Any) -> PartitionNorm:
    """Bound the norm of a partition's classifier by the spectrum of the Laplacian (paper 000, Theorem 4.1).

    lambda_2 n n+ / n- <= ||u||^2 = cut (n / n-)^2 <= lambda_n n n+ / n-, n+ >= n- the sizes of the parts: u is the
    labelling, shifted to mean 0 and stretched to a least margin of 1. Both ends are rounded outwards. So a partition
    of a well-connected graph into equal parts never has a small norm, and no partition has a norm beyond the upper end.

    Parameters
    ----------
    graph
        A connected graph without negative weights, of at least two nodes.
    labels
        The partition: -1 or +1 for every position, both of which occur.

    Examples
    --------
    >>> import ohmline as ohm
    >>> barbell = ohm.graph.generate.barbell(6)
    >>> [round(limit, 2) for limit in partition_norm(barbell.graph, barbell.labels)]
    [3.1, 4.0, 92.9]
    """
    if not expect_graph(graph).is_connected or graph.signed or graph.n < 2:
        raise GraphError(
            "Theorem 4.1 is about connected graphs of at least two nodes without negative weights; take "
            "graph.largest_component()"
        )
    u = signs(labels, graph.n)
    if not (np.any(u > 0) and np.any(u < 0)):
        raise LabelError(
            "all labels are equal, and the classifier of Theorem 4.1 needs both; label some other"
        )
    return _norm(graph, u, spectral_range(graph))


def _norm(graph: Graph, u: Floats, spectrum: tuple[float, float]) -> PartitionNorm:
    smaller = int(min(np.sum(u > 0), np.sum(u < 0)))
    share = graph.n * (graph.n - smaller) / smaller
    return PartitionNorm(spectrum[0] * share, 4 * cut(graph, u) * balance(u), rounded_up(spectrum[1] * share))


def spectral_range(graph: Graph) -> tuple[float, float]:
    """lambda_2 rounded down (0 where rounding hides it) and lambda_n rounded up, of a connected graph."""
    low, high = algebraic_connectivity(graph), eigenvalue_limit(graph)
    # A symmetric eigenvalue is off by a rounding of the largest one; those of large graphs end at a tolerance.
    return max(low * (1 - 1e-6) - 8 * graph.n * EPS * high, 0.0), high


def length_bounds(graph: Graph, spectrum: tuple[float, float] | None = None) -> Floats:
    """min(1/lambda_2, rho_p), an upper bound on K_pp for every node of a connected graph.

    Theorem 4.2 of paper 000.
    """
    connectivity = (spectral_range(graph) if spectrum is None else spectrum)[0]
    distances = eccentricities(graph)
    return np.asarray(
        np.minimum(1 / connectivity, distances) if connectivity > 0 else distances, dtype=np.float64
    )
