"""Lemma 3.2 of paper 000: how far projections on convex sets can move in all."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import vector
from ohmline.bound.contract import Assumption, Certificate, rounded_up
from ohmline.checks import instance, number
from ohmline.errors import LearnerError
from ohmline.learn.projection.convex import ROUNDING, Projected, acute, apply, expect_measured, let_through


def certify_moves(run: Projected, comparator: ArrayLike, *, length: float) -> Certificate:
    """Limit how often `project_online` moves far, by any point that is in all of its sets (paper 000, Lemma 3.2).

    sum ||w_t - w_{t+1}||^2 <= ||u - w_1||^2 - ||u - w_{l+1}||^2 for every u in all of the sets, eq. (6). A move of at
    least `length` takes at least its square of that, so no more than the quotient of them can occur; the moves that
    are shorter take their share too. Theorem 3.2 is the case of half-spaces, in which a mistake is a move of at
    least 1 / ||x_t||.

    | paper | here |
    |---|---|
    | \\|\\|u - w_1\\|\\|^2 | term `sqdist` |
    | \\|\\|u - w_{l+1}\\|\\|^2 | term `left` |
    | the left side of (6) | term `progress` |

    Parameters
    ----------
    run
        What `project_online` returned.
    comparator
        u, a point of every set.
    length
        How long a move must be to count, from 1e-150 to 1e150.

    Returns
    -------
    Certificate
        The limit on the moves of at least that length. It is void where the comparator is outside of a set, and where
        a function is no projection on a convex set as seen from the comparator: both are checked in every trial.

    Examples
    --------
    >>> import ohmline as ohm
    >>> sides = [ohm.learn.HalfSpace([1.0, 0.0]), ohm.learn.HalfSpace([1.0, 1.0], margin=3.0)]
    >>> run = ohm.learn.project_online(sides * 3, [-1.0, 0.0])
    >>> print(certify_moves(run, [2.0, 2.0], length=1.0))
    at most 12 moves of length 1 or more (paper 000, Lemma 3.2, proven; sqdist = 13, left = 1, progress = 6)
    """
    instance(run, Projected, "run", "give what project_online(sets, start) returned", LearnerError)
    metric, points, length = run.metric, run.points, number(length, "length", least=1e-150, most=1e150)
    u = vector(comparator, "comparator", length=points.shape[1])
    expect_measured(metric, u, "comparator")
    scale = metric.sqnorm(u) + max(metric.sqnorm(w) for w in points)
    inside = all(
        metric.sqnorm(apply(project, u, t, metric) - u) <= ROUNDING**2 * scale
        for t, project in enumerate(run.sets)
    )
    # Thm 3.1 for this u: the angle at the projection is not acute.
    obtuse = not any(acute(metric, w, new, u) for w, new in itertools.pairwise(points))
    sqdist, left = metric.sqnorm(u - points[0]), metric.sqnorm(u - points[-1])
    # A move that is a rounding short of the length counts: the limit must hold for it too.
    long = run.sqmoves >= length**2 * (1 - 1e-12)
    short = float(run.sqmoves[~long].sum())
    # A move adds 2 <w - new, u - new> to what (6) allows, of which the angle's test lets that much through.
    spared = sum(
        let_through(metric, points[t], points[t + 1], u) for t in np.flatnonzero(run.sqmoves).tolist()
    )
    most = max(sqdist - left - short, 0.0) + 2 * spared
    return Certificate(
        "paper 000, Lemma 3.2",
        rounded_up(most) / length**2,
        int(np.count_nonzero(long)),
        {"sqdist": sqdist, "left": left, "progress": run.progress},
        (
            Assumption("the comparator lies in every set", True, inside),
            Assumption(
                "every move went to the nearest point of a convex set that holds the comparator", True, obtuse
            ),
        ),
        counts=f"moves of length {length:g} or more",
    )
