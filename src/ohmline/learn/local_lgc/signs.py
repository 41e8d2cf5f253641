"""Signed graphs: what a negative edge, whose ends tend to differ, changes.

The degrees of the signed Laplacian are sums of |w|, so that Q = L + ridge I + (1/mu on the labelled nodes) is still
symmetric, diagonally dominant and positive definite: pushes, conjugate gradients and truncated updates work as they
are, with both signs. A negative edge lowers its neighbour's score of a class by as much as a positive one raises it.
With two classes the lead f_a - f_b is the solution for targets +1 and -1.

Let M be Q with |w| in place of w, the matrix of the graph without signs. Then |Q^-1| <= M^-1, entry by entry
(expand both in powers of the off-diagonal part), so that with g = M^-1 b, which is at least 0 and whose classes sum to
at most 1:

- |f_c| <= g_c: scores lie in [-1, 1], and so does the difference of two of them;
- Q x + r = e_t leaves |f_a - f_b|'|r| <= ||r||_1 of a lead open: the same proof of a class as without signs;
- no equation that is off by d moves an entry of F by more than d / ridge;
- a column of Q^-1 is largest, in size, on its diagonal, and both signs of r count in either bound on the variance.

What is lost: a score of 0 or less is no longer "this class does not reach". So a node is not known only where every
score is 0, or where one class is all that has labels and its score is not above 0.
"""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.compiled import internal
from ohmline.learn.local_lgc.scratch import LocalSolve


@internal
def first_two_signed(score: Floats, order: Ints, counts: Ints) -> tuple[int, float, float]:
    """The class of the largest score (-1: none; of equals the first learned), it, the next.

    A class whose labels were all corrected or withdrawn has the score 0, which would lead where all others are below.
    """
    best, top, second, known, learned = -1, -np.inf, -np.inf, False, 0
    for c in order:
        if c < 0:
            break
        if counts[c] == 0:
            continue
        learned += 1
        known = known or score[c] != 0
        if score[c] > top:
            best, top, second = c, score[c], top
        else:
            second = max(second, score[c])
    if learned == 1:
        second = 0.0
        known = known and top > 0
    return (best, top, second) if known else (-1, 0.0, 0.0)


@internal
def lift(solve: LocalSolve, order: Ints, counts: Ints) -> None:
    """Scores from which shares can be taken: above the lowest, where that is below 0. `put_down` undoes it.

    Only those of classes that have labels: how many others were declared, or once had some, makes no difference.
    """
    least = 0.0
    for c in range(solve.score.shape[0]):
        solve.base[c] = solve.score[c]
        least = min(least, solve.score[c])
    for c in order:
        if c < 0:
            break
        if counts[c] > 0:
            solve.score[c] -= least


@internal
def put_down(solve: LocalSolve) -> None:
    """The scores as they were."""
    for c in range(solve.score.shape[0]):
        solve.score[c] = solve.base[c]


def lifted(scores: Floats, learned: Bools) -> Floats:
    """The same for many rows of scores, and the classes that have labels."""
    return np.where(learned, scores - scores.min(axis=1, keepdims=True, initial=0.0), scores)
