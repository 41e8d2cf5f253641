"""Exponential weights over the members' probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ohmline.arrays import AnyArray, Floats
from ohmline.learn.blend.ways import Opinions, Tally, Way, softened, weighted


@final
@dataclass(frozen=True, repr=False)
class Mixture(Way):
    """The mean of the members' probabilities, each weighted by exp(-its log loss so far).

    Each member's probabilities have 1 % spread evenly over the classes; "don't know" is even. A label that is the
    first of its class, and one that came where no member knew anything, are not scored. Then, exactly and whatever the
    labels are,

      L = -ln(mean of exp(-L_i)) <= min L_i + ln N,

    where L and L_i are the sums of -ln(probability of the label) of the blend and of member i among N. A mistake costs
    ln 2 at least, so that the blend makes at most L / ln 2 mistakes beside the labels that are not scored:
    `bound.MixtureBound`.
    """

    def start(self, members: int) -> Tally:
        return start_losses(members)

    def join(self, tally: Tally, opinions: Opinions) -> Floats:
        return weighted(self.weights(tally), opinions.chances)

    def learned(self, tally: Tally, opinions: Opinions, y: int) -> Tally:
        logs = np.log(opinions.chances[:, 0])
        return add_losses(tally, opinions, y, logs, tally["losses"], self.join(tally, opinions)[0])

    def weights(self, tally: Tally) -> Floats:
        return softened(tally["losses"])

    def settings(self) -> dict[str, AnyArray]:
        return {}


def start_losses(experts: int) -> Tally:
    """No losses yet."""
    return {
        "losses": np.zeros(experts),
        "own_loss": np.zeros(1),
        "own": np.zeros(1, np.int64),
        "unscored": np.zeros(1, np.int64),
        "labels": np.zeros(1, np.int64),
    }


def add_losses(
    tally: Tally, opinions: Opinions, y: int, experts: Floats, weighed: Floats, blend: Floats
) -> Tally:
    """The log losses with those of one label.

    Given the logarithms of each expert's probabilities, the losses by which experts are weighed, and what the blend
    says. All losses are taken from logarithms: a probability that is too small for a number has a finite one.
    """
    scored = y >= 0 and not opinions.silent[0]
    mistaken = not scored or int(blend.argmax()) != y
    losses, own = tally["losses"], tally["own_loss"]
    if scored:
        said = np.minimum(experts[:, y], 0.0)
        losses, own = losses - said, own + max(mixed(weighed - said) - mixed(weighed), 0.0)
    return {
        "losses": losses,
        "own_loss": own,
        "own": tally["own"] + mistaken,
        "unscored": tally["unscored"] + (not scored),
        "labels": tally["labels"] + 1,
    }


def mixed(losses: Floats) -> float:
    """-ln of the sum of exp(-loss)."""
    least = float(losses.min())
    return least - float(np.log(np.exp(least - losses).sum()))
