"""The weighted majority of predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ohmline.arrays import AnyArray, Floats
from ohmline.checks import shown
from ohmline.errors import ParameterError
from ohmline.learn.blend.ways import Opinions, Tally, Way


@final
@dataclass(frozen=True, repr=False)
class Majority(Way):
    """Members vote, and a member that was wrong m times has beta^m votes (Littlestone and Warmuth 1994).

    "Don't know" is no vote, and counts as wrong. Among equally many votes the class that was seen first wins. Whatever
    the labels are, the blend makes at most

      (ln N + M* ln(1 / beta)) / ln(2 / (1 + beta))

    mistakes, M* being those of its best member among N: `bound.MajorityBound`.

    Parameters
    ----------
    beta
        What a mistake leaves of a member's votes, above 0 and below 1. Default 0.8, with which the blend makes at most
        2.12 M* + 9.5 ln N mistakes.
    """

    beta: float = 0.8
    needs_chances = False

    def __post_init__(self) -> None:
        if isinstance(self.beta, bool) or not isinstance(self.beta, int | float) or not 0 < self.beta < 1:
            raise ParameterError(f"beta must be a number above 0 and below 1, got {shown(self.beta)}")

    def start(self, members: int) -> Tally:
        return {
            "mistakes": np.zeros(members, np.int64),
            "own": np.zeros(1, np.int64),
            "labels": np.zeros(1, np.int64),
        }

    def join(self, tally: Tally, opinions: Opinions) -> Floats:
        votes = self.weights(tally)
        n, classes = opinions.said.shape[1], opinions.chances.shape[2]
        shares = np.zeros((n, classes))
        for member, vote in zip(opinions.said, votes, strict=True):
            there = np.flatnonzero(member >= 0)
            shares[there, member[there]] += vote
        total = shares.sum(axis=1, keepdims=True)
        return np.divide(shares, total, out=np.full_like(shares, 1 / max(classes, 1)), where=total > 0)

    def learned(self, tally: Tally, opinions: Opinions, y: int) -> Tally:
        wrong = (opinions.said[:, 0] != y) | (y < 0)
        mistaken = y < 0 or bool(opinions.silent[0]) or int(self.join(tally, opinions)[0].argmax()) != y
        return {
            "mistakes": tally["mistakes"] + wrong,
            "own": tally["own"] + mistaken,
            "labels": tally["labels"] + 1,
        }

    def weights(self, tally: Tally) -> Floats:
        wrong = tally["mistakes"]
        votes = self.beta ** (wrong - wrong.min()).astype(np.float64)
        return np.asarray(votes / votes.sum())

    def settings(self) -> dict[str, AnyArray]:
        return {"beta": np.array(float(self.beta))}
