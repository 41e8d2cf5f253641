"""The halving algorithm's logarithmic bound (paper 001, section 5.2)."""

from __future__ import annotations

import math
from typing import Any, final

import numpy as np

from ohmline.arrays import count
from ohmline.bound.asked_trials import evidence, labelling, played_again
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.checks import flag
from ohmline.game.trace import Trace
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.measure import cut, minimum_cut
from ohmline.learn.halving import Halving


@final
class HalvingBound(Bound):
    """Limits the mistakes of `Halving` by the size of its class of labellings (paper 001, section 5.2).

    |M| <= log2 of the number of labellings whose cut is within the budget.

    | paper | here |
    |---|---|
    | K_G^k | the learner's labellings, with a cut of at most (or exactly) the budget, counted exactly |
    | the cardinality's upper bound | `labelling_bits`, for graphs too wide to count on exactly |

    A mistaken trial (a tie is one) rules out at least half of the labellings that are left. With a
    comparator one labelling survives, so the bound is log2 of their number; without it, the bound is
    the number of bits ruled out so far, log2 of (labellings / left), which needs no hindsight.

    Differs: the paper's class has a cut of exactly k, for which the learner needs `exactly=True`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.graph.generate.line(8)
    >>> stream = ohm.Stream(range(8), line.labels).shuffled(seed=1)
    >>> trace = ohm.play(ohm.Halving(line.graph, cut_budget=1), stream)
    >>> print(HalvingBound().certify(trace, line.labels))
    at most 4 mistakes (paper 001, section 5.2, proven; labellings = 16, left = 1, cut_budget = 1)
    """

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        seen = evidence(trace, Halving)
        learner: Halving = trace.learner
        fresh = Halving(
            learner.graph, learner.cut_budget, exactly=learner.exactly, width_limit=learner.width_limit
        )
        bits = math.log2(fresh.labellings)
        labellings = fresh.labellings
        afresh = played_again(seen, fresh, "the learner had seen nothing before")
        left = fresh.labellings  # it has now played the whole game
        assumptions: tuple[Assumption, ...]
        if comparator is None:
            assumptions = (afresh,)
            bits -= math.log2(left)
        else:
            u = labelling(comparator, seen.nodes)
            right = bool(np.all(u[seen.positions] == seen.labels))
            size, budget = cut(learner.graph, u), learner.cut_budget
            within = size == budget if learner.exactly else size <= budget
            assumptions = (
                Assumption("the comparator is right on every asked trial", True, right),
                Assumption("the comparator is in the learner's class", True, within),
                afresh,
            )
        return Certificate(
            "paper 001, section 5.2" + (", live" if comparator is None else ""),
            rounded_up(bits) if bits != round(bits) else bits,
            seen.charged,
            {"labellings": labellings, "left": left, "cut_budget": learner.cut_budget},
            assumptions,
            hidden=seen.hidden,
        )


def labelling_bits(graph: Graph, cut_budget: int, *, connectivity: bool = False) -> float:
    """An upper bound on the bits of a class of labellings with few cut edges, on any graph.

    It is log2 of 2^components times the sum of C(edges, j) over j up to the budget: such a labelling is determined by
    its cut edges and one bit per component. On a forest every set of edges is the cut of a labelling, so the bound is
    exact there.

    On a connected graph without small cuts there are far fewer labellings, as the paper says at its end. Contract
    random edges until r nodes are left: with i nodes left and at least i c / 2 edges, c the least number of edges that
    disconnect the graph, a cut of k edges survives a step with probability 1 - 2k / (ci) at least, and what survives
    is one of 2^(r - 1) - 1 cuts. So there are at most (2^(r - 1) - 1) / (product of these over i from r + 1 to n)
    such cuts (Karger and Stein), each of two labellings, and two labellings more that cut nothing. On a signed graph an
    edge of negative weight is cut where its ends agree. Two labellings that cut at most k edges each then disagree
    across at most 2k edges, so the class is no larger than that of 2k without the signs.

    Differs: the paper prints C(n (n - 1), k), with every pair of nodes for an edge.

    Parameters
    ----------
    graph
        Any graph; the weights of its edges play no part, but for their signs with `connectivity`.
    cut_budget
        The largest number of cut edges of a labelling in the class, at least 0.
    connectivity
        Whether to find the minimum cut, in O(n^3), and take the smaller of the two bounds. Default False.

    Examples
    --------
    >>> from ohmline.graph import generate
    >>> labelling_bits(generate.line(8).graph, 1), round(labelling_bits(generate.ring(8).graph, 2), 2)
    (4.0, 6.21)
    >>> cube = generate.hypercube(4).graph
    >>> [round(labelling_bits(cube, 4, connectivity=wanted), 2) for wanted in (False, True)]
    [16.34, 7.92]
    """
    expect_graph(graph)
    budget = min(count(cut_budget, "cut_budget"), graph.n_edges)
    sets = sum(math.comb(graph.n_edges, j) for j in range(budget + 1))
    bits = graph.n_components + math.log2(sets)
    if flag(connectivity, "connectivity") and graph.is_connected and graph.n > 1:
        apart = 2 * budget if graph.signed else budget
        bits = min(bits, _contracted_bits(graph.n, apart, round(minimum_cut(graph, weighted=False))))
    return bits


def _contracted_bits(n: int, budget: int, least: int) -> float:
    """log2 of 2 + 2 (the number of cuts), from above."""
    if budget < least:
        return 1.0
    cuts, lost = (
        math.inf,
        0.0,
    )  # logarithms: of the number of cuts, and of one over the probability to survive
    for r in range(n, 1, -1):
        cuts = min(cuts, math.log(2 ** (r - 1) - 1) + lost)
        if r * least <= 2 * budget:
            break
        lost -= math.log1p(-2 * budget / (least * r))
    return rounded_up(1 + float(np.logaddexp(0.0, cuts)) / math.log(2))
