"""Two kernels compared, and two added: Theorems 3.1 and 4.1 and Corollary 3.1 of paper 001.

None of them counts mistakes; each gives both sides of what it says, once its assumptions were checked. An assumption
that fails is an error that names it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, vector
from ohmline.bound.directions import BLURRED, directions, undecided
from ohmline.bound.sharpness import SHARP
from ohmline.errors import GraphError, KernelError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.measure import resistance_matrix
from ohmline.kernel.contract import Kernel, expect_kernel
from ohmline.kernel.laplacian import LaplacianKernel

ROUNDING = 1e-9
"""A share of a squared norm that counts as a rounding error."""


class ComparedLengths(NamedTuple):
    """The two sides of Theorem 3.1.

    Attributes
    ----------
    sqlength
        ||sum of a_i v_i||^2 in the kernel of the smaller norms.
    other
        ||sum of a_i v'_i||^2 in the kernel of the larger norms, which is at most that.
    """

    sqlength: float
    other: float


def compared_lengths(kernel: Kernel, other: Kernel, coefficients: ArrayLike) -> ComparedLengths:
    """Where norms are smaller, points are longer (paper 001, Theorem 3.1).

    If two kernels span the same functions, and no function has a larger norm in the first than in the second, then
    ||sum of a_i v_i||^2 >= ||sum of a_i v'_i||^2. Both assumptions are checked, in O(n^3), in every direction by
    itself; where the kernels' entries are too coarse to tell, because weights are too far apart, it is refused.

    Parameters
    ----------
    kernel
        The kernel whose norms are the smaller ones, ||.||_M in the paper.
    other
        A kernel over the same nodes whose norms are at least as large, ||.||_M'.
    coefficients
        a: one number for each node, in their order.

    Examples
    --------
    >>> import ohmline as ohm
    >>> ring = ohm.LaplacianKernel(ohm.graph.generate.ring(4).graph)
    >>> line = ohm.LaplacianKernel(ohm.graph.generate.line(4).graph)  # norms are smaller without the fourth edge
    >>> compared_lengths(line, ring, [1, 0, 0, 0])
    ComparedLengths(sqlength=0.87..., other=0.31...)
    """
    one, two = _grams(kernel, other, "Theorem 3.1")
    a = vector(coefficients, "coefficients", length=kernel.n)
    if not _weaker_edges(kernel, other):
        _expect_ordered(one, two, kernel, other)
    lengths = ComparedLengths(float(a @ one @ a), float(a @ two @ a))
    blur = (kernel.entry_error + other.entry_error) * float(np.abs(a).sum()) ** 2
    if blur > SHARP * min(lengths):
        along = directions(one, "Theorem 3.1", kernel).basis.T @ a
        if float(np.abs(along).max(initial=0.0)) > ROUNDING * float(np.abs(a).max()):
            raise undecided("Theorem 3.1", f"a length of {min(lengths):.3g} is off by up to {blur:.1g}")
    return lengths


class Monotonicity(NamedTuple):
    """The two sides of Corollary 3.1: for every node, and every pair, the first is at most the second.

    Attributes
    ----------
    sqlength
        ||v_p||^2 in the graph itself.
    weaker_sqlength
        ||v'_p||^2 in the weaker graph.
    resistance
        r(p, q) in the graph itself.
    weaker_resistance
        r'(p, q) in the weaker graph.
    """

    sqlength: Floats
    weaker_sqlength: Floats
    resistance: Floats
    weaker_resistance: Floats


def monotonicity(graph: Graph, weaker: Graph) -> Monotonicity:
    """What a graph gains over one with less weight: shorter points, smaller resistances (paper 001, Corollary 3.1).

    If no edge is lighter than in the weaker graph, then ||v_p||^2 <= ||v'_p||^2 and r(p, q) <= r'(p, q); the latter is
    Rayleigh's law.

    Differs: the paper prints ||v'_p|| without its square, which is false as soon as a point is longer than 1.

    Parameters
    ----------
    graph
        A connected graph without negative weights.
    weaker
        Another one over the same nodes, none of whose edges is heavier.

    Examples
    --------
    >>> from ohmline.graph import generate
    >>> both = monotonicity(generate.ring(4).graph, generate.line(4).graph)
    >>> [round(float(r[0, 3]), 12) for r in (both.resistance, both.weaker_resistance)]
    [0.75, 3.0]
    >>> bool((both.sqlength <= both.weaker_sqlength).all())
    True
    """
    for each in (graph, weaker):
        if not expect_graph(each).is_connected or each.signed:
            raise GraphError(
                f"Corollary 3.1 is about connected graphs without negative weights, and {each!r} is not one; take "
                "graph.largest_component()"
            )
    if graph.nodes != weaker.nodes:
        raise GraphError(
            f"Corollary 3.1 is about two graphs over the same nodes, and those of these ({graph.n} and {weaker.n}) "
            "differ; give both the same nodes, in the same order"
        )
    excess = (weaker.adjacency - graph.adjacency).tocoo()
    heavier = np.flatnonzero(excess.data > 0)
    if len(heavier):
        row, column = (int(places[heavier[0]]) for places in excess.coords)
        raise GraphError(
            f"Corollary 3.1 needs every edge to be at least as heavy as in the weaker graph, and that of nodes "
            f"{graph.nodes[row]!r} and {graph.nodes[column]!r} is lighter by {excess.data[heavier[0]]:.3g}; exchange "
            "the graphs, or add weight"
        )
    lengths = [LaplacianKernel(each).diagonal() for each in (graph, weaker)]
    return Monotonicity(lengths[0], lengths[1], resistance_matrix(graph), resistance_matrix(weaker))


class SplitNorm(NamedTuple):
    """A function split between two kernels as Theorem 4.1 says, at the least cost.

    Attributes
    ----------
    sqnorm
        ||w||^2 in the sum of the kernels, which is the sum of the two costs.
    first, second
        w_1 and w_2: functions of the two kernels' spaces that add up to w.
    first_sqnorm, second_sqnorm
        What each costs in its own kernel.
    """

    sqnorm: float
    first: Floats
    second: Floats
    first_sqnorm: float
    second_sqnorm: float


def split_norm(first: Kernel, second: Kernel, u: ArrayLike) -> SplitNorm:
    """The norm of a sum of kernels, as the cheapest way to share a function between them (paper 001, Theorem 4.1).

    ||w||^2 in K_1 + K_2 is the least ||w_1||^2 + ||w_2||^2 over all w_1 + w_2 = w in the spaces of K_1 and K_2. The
    least is at w_i = K_i (K_1 + K_2)^+ w. This is why a `Ridge` makes a few odd labels cheap: they go to its share.
    What the kernels' entries do not tell to six digits, because weights are too far apart, is refused.

    Parameters
    ----------
    first, second
        Two kernels over the same nodes, K_1 and K_2.
    u
        w: one value for each node, in the space of K_1 + K_2.

    Examples
    --------
    >>> import ohmline as ohm
    >>> family = ohm.graph.generate.noisy_barbell(20, 1)
    >>> rows = ohm.RBF(1e-3).over(np.arange(40.0)[:, None])  # as good as the identity: a ridge of 1
    >>> shares = split_norm(ohm.LaplacianKernel(family.graph) + ohm.Constant(1.0), rows, family.labels)
    >>> bool(np.abs(shares.second).argmax() == np.flatnonzero(family.labels != family.clean)[0])
    True
    """
    one, two = _grams(first, second, "Theorem 4.1")
    w = vector(u, "u", length=first.n)
    space = directions(one + two, "Theorem 4.1", first, second)
    if float(np.abs(space.rest.T @ w).max(initial=0.0)) > 1e-6 * float(np.abs(w).max(initial=0.0)):
        raise KernelError(
            "u is outside the space of the two kernels together, so it has no norm there; add a Constant or a Ridge "
            "to one of them"
        )
    shares = space.basis.T @ w
    sqnorm = float(shares**2 @ (1 / space.values))
    blur = space.error * float((shares / space.values) @ (shares / space.values))
    if blur > BLURRED * sqnorm:
        raise undecided("Theorem 4.1", f"the squared norm of {sqnorm:.3g} is off by up to {blur:.1g}")
    weights = space.basis @ (shares / space.values)
    parts = one @ weights, two @ weights
    costs = float(weights @ parts[0]), float(weights @ parts[1])
    return SplitNorm(sqnorm, *parts, *costs)


def _grams(first: Kernel, second: Kernel, theorem: str) -> tuple[Floats, Floats]:
    """All inner products in both kernels."""
    if expect_kernel(first).nodes != expect_kernel(second).nodes:
        raise KernelError(
            f"{theorem} is about two kernels over the same nodes, and the nodes of these ({first.n} and {second.n}) "
            "differ; build both over one set of nodes"
        )
    return first.block(np.arange(first.n)), second.block(np.arange(first.n))


def _weaker_edges(kernel: Kernel, other: Kernel) -> bool:
    """Whether the weights of two graphs show by themselves, without rounding, that Theorem 3.1 applies."""
    one, two = kernel.base, other.base
    if not (isinstance(one, LaplacianKernel) and isinstance(two, LaplacianKernel)):
        return False
    if one.graph.signed or two.graph.signed or not np.array_equal(one.component_of, two.component_of):
        return False
    terms = kernel.b >= other.b and kernel.c >= other.c and kernel.factor >= other.factor
    same_span = (kernel.c == other.c == 0 and (kernel.b > 0) == (other.b > 0)) or other.c > 0
    excess = one.graph.adjacency - two.graph.adjacency
    return bool(terms and same_span and not np.any(excess.data > 0))


def _expect_ordered(one: Floats, two: Floats, kernel: Kernel, other: Kernel) -> None:
    """Raise unless both kernels span the same functions, and no norm is larger in the first."""
    ours, theirs = directions(one, "Theorem 3.1", kernel), directions(two, "Theorem 3.1", other)
    dimensions = ours.basis.shape[1], theirs.basis.shape[1]
    least = min(ours.values.min(initial=np.inf), theirs.values.min(initial=np.inf))
    blur = ROUNDING + float((ours.error + theirs.error) / least)
    apart = float(np.abs(ours.rest.T @ theirs.basis).max(initial=0.0))
    if dimensions[0] != dimensions[1] or apart > max(blur, 1e-6):
        raise KernelError(
            f"Theorem 3.1 needs kernels that span the same functions, and these span {dimensions[0]} and "
            f"{dimensions[1]} dimensions that differ; give both a Constant, or neither"
        )
    if not dimensions[0]:
        return
    # The largest ||f||_M^2 / ||f||_M'^2 is the largest eigenvalue of K' where K is made the identity.
    root = ours.basis / np.sqrt(ours.values)
    most = float(np.linalg.eigvalsh(root.T @ two @ root)[-1])
    if most > 1 + blur:
        raise KernelError(
            f"Theorem 3.1 needs every norm in the first kernel to be at most that in the second, and the square of "
            f"some function's is {most:.4g} times that; exchange the kernels, or scale one"
        )
    if blur > BLURRED and most > 1 - blur:
        raise undecided(
            "Theorem 3.1", f"the largest ratio of two squared norms is {most:.4g}, off by up to {blur:.1g}"
        )
