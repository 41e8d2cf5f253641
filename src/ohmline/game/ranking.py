"""How well scores rank the members of a class before the others: what to look at where a class is rare."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Bools, Floats, Ints


def average_precision(member: Bools, score: Floats) -> float:
    """The mean of the precision at each member, from the highest score down; equal scores count as one step.

    0 where there is no member. It is scikit-learn's `average_precision_score`.

    Parameters
    ----------
    member
        Which things belong to the class.
    score
        One number per thing, higher for those that should belong to it.

    Examples
    --------
    >>> average_precision(np.array([True, False, True]), np.array([0.9, 0.8, 0.1]))
    0.8333333333333333
    """
    hits, seen = _steps(member, score)
    members = int(member.sum())
    return float(np.sum(np.diff(hits, prepend=0) * hits / seen) / members) if members else 0.0


def precision_at(member: Bools, score: Floats, k: int) -> float:
    """The share of members among the k things with the highest scores.

    Where equal scores straddle the k-th place it is the mean over every order of these. With fewer than k things it
    is the share among all of them; 0 where there is none.

    Parameters
    ----------
    member
        Which things belong to the class.
    score
        One number per thing, higher for those that should belong to it.
    k
        How many to look at, at least 1.

    Examples
    --------
    >>> precision_at(np.array([True, False, True]), np.array([0.9, 0.8, 0.1]), 2)
    0.5
    """
    hits, seen = _steps(member, score)
    k = min(k, len(member))
    if k == 0:
        return 0.0
    step = int(np.searchsorted(seen, k))
    before, past = (int(hits[step - 1]), int(seen[step - 1])) if step else (0, 0)
    share = (int(hits[step]) - before) / (int(seen[step]) - past)
    return (before + (k - past) * share) / k


def _steps(member: Bools, score: Floats) -> tuple[Ints, Ints]:
    """Members and things so far, after each distinct score from the highest down."""
    order = np.argsort(-score, kind="stable")
    ordered = score[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], np.ones(min(len(ordered), 1), dtype=bool)))
    hits: Ints = np.cumsum(member[order], dtype=np.int64)
    return hits[last], last + 1
