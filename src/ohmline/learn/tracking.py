"""Fixed share: weights over experts that follow the best one of the moment, and the price of following.

Expert k gives the label of trial t the probability p_k, and the weights v_k, equal at first, become

  v_k <- (1 - a_t) v_k p_k / sum + a_t / K,    a_t = 1 / (t + 1).

So -ln(sum of v_k p_k), summed over all trials, is -ln of the mean probability over all sequences of experts, where a
sequence starts anywhere with chance 1/K, moves after trial t to another expert with chance a_t / K, and stays with
chance 1 - a_t + a_t / K. The mean is no less than any single sequence's chance times its probability, whatever the
labels are: the loss exceeds that of a sequence with switches after trials t_1, ..., t_S by its price at most, -ln of
its chance:

  (S + 1) ln K + sum ln(t_i + 1) - sum over trials t < T without a switch of ln(1 - a_t + a_t / K)
    <= (S + 1) ln K + ln T + sum ln t_i,

because the product of 1 - a_t = t / (t + 1) over all t < T is 1 / T, and t_i / (t_i + 1) is not in it. The smallest
loss plus price of all sequences is kept up trial by trial, so that nobody has to name one in hindsight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled


class Followed(NamedTuple):
    """What fixed share remembers of K experts."""

    weights: Floats
    """v_k for the next trial."""
    losses: Floats
    """The log loss of each expert alone."""
    priced: Floats
    """For each expert the smallest loss plus price of a sequence that ends with it."""
    sequence: Floats
    """The loss of that sequence alone."""
    switches: Ints
    """How many switches it has."""
    own_loss: Floats
    """The log loss of the weighted mean."""
    scored: Ints
    """How many labels were scored."""

    @classmethod
    def fresh(cls, experts: int) -> Followed:
        """Before any label."""
        return cls(
            np.full(experts, 1 / experts),
            np.zeros(experts),
            np.full(experts, np.log(experts)),
            np.zeros(experts),
            np.zeros(experts, np.int64),
            np.zeros(1),
            np.zeros(1, np.int64),
        )

    def sound(self) -> bool:
        """Whether the weights are shares, and no sequence costs less than its losses."""
        return bool(
            np.all(self.weights > 0)
            and abs(float(self.weights.sum()) - 1) < 1e-6
            and np.all(self.priced >= self.sequence)
        )


@compiled
def follow(found: Followed, chance: Floats) -> None:
    """One more label, to which the experts gave these probabilities, all above 0."""
    experts, before = chance.shape[0], found.scored[0]
    weights, priced, sequence, switches = found.weights, found.priced, found.sequence, found.switches
    if before > 0 and experts > 1:
        away = 1.0 / (before + 1.0)  # a_t of the trial before
        stay, leave = -np.log1p(away / experts - away), np.log(experts / away)
        best = 0
        for k in range(experts):
            if priced[k] < priced[best]:
                best = k
        top, spent, moves = priced[best], sequence[best], switches[best]
        for k in range(experts):
            if priced[k] + stay <= top + leave:
                priced[k] += stay
            else:
                priced[k], sequence[k], switches[k] = top + leave, spent, moves + 1
    mean = 0.0
    for k in range(experts):
        mean += weights[k] * chance[k]
    share = 1.0 / (before + 2.0)
    for k in range(experts):
        weights[k] = (1 - share) * weights[k] * chance[k] / mean + share / experts
        loss = -np.log(min(chance[k], 1.0))
        found.losses[k] += loss
        priced[k] += loss
        sequence[k] += loss
    found.own_loss[0] -= np.log(min(mean, 1.0))
    found.scored[0] = before + 1
