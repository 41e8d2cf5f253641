"""Products of the members' probabilities, with powers that are fitted online."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ohmline.arrays import AnyArray, Floats
from ohmline.checks import number
from ohmline.learn.blend.mixture import add_losses, start_losses
from ohmline.learn.blend.ways import Opinions, Tally, Way, softened, weighted

ETA = 0.2
"""The length of AdaGrad's step. Chosen, with the two numbers below, on block models with words, digits and USPS."""
AT_FIRST = 1.0
"""What the sum of squared slopes starts at, so that the first labels move the powers little."""
EVEN = 0.5
"""The power that every member starts with."""
LARGEST = 1e6
"""The largest power that may be asked for."""


@final
@dataclass(frozen=True, repr=False)
class Product(Way):
    """The product of the members' probabilities, each to a power that is fitted to the labels, kept safe by a mixture.

    The product says P(c) proportional to the product of P_i(c)^theta_i: members that look at different things (a graph
    and words) each add what they know, where a mean would only choose among them. Its log loss is convex in theta,
    which starts at 1/2 and moves by AdaGrad within [0, `most`]. What the blend says is the mixture (`Mixture`) of the
    product, with weight 1/2 at the start, and the members, so that always and whatever the labels are

      L <= L_product + ln 2   and   L <= L_i + ln 2N.

    L_product exceeds the loss of the product with the best fixed powers in hindsight, each member alone among them, by
    at most `regret`: `bound.MixtureBound`.

    Parameters
    ----------
    most
        The largest power, from 1 to 1e6. Default 3.
    """

    most: float = 3.0

    def __post_init__(self) -> None:
        number(self.most, "most", least=1.0, most=LARGEST)

    def start(self, members: int) -> Tally:
        return {
            **start_losses(members + 1),
            "powers": np.full(members, EVEN),
            "squares": np.full(members, AT_FIRST),
        }

    def join(self, tally: Tally, opinions: Opinions) -> Floats:
        shares = self.shares(tally)
        return shares[-1] * self.product(tally, opinions) + np.tensordot(
            shares[:-1], opinions.chances, axes=1
        )

    def product(self, tally: Tally, opinions: Opinions) -> Floats:
        """The product alone, one row per thing.

        Parameters
        ----------
        tally
            What the way remembers.
        opinions
            What the members say.
        """
        return np.exp(self._log_product(tally, opinions))

    def _log_product(self, tally: Tally, opinions: Opinions) -> Floats:
        """The logarithms of `product`: many members together make probabilities that only these can hold."""
        scores = weighted(tally["powers"], np.log(opinions.chances))
        if not scores.shape[1]:
            return scores
        scores = scores - scores.max(axis=1, keepdims=True)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))

    def learned(self, tally: Tally, opinions: Opinions, y: int) -> Tally:
        logs, product = np.log(opinions.chances[:, 0]), self._log_product(tally, opinions)[0]
        losses = self._prior_losses(tally)
        found = add_losses(
            tally, opinions, y, np.vstack([logs, product]), losses, self.join(tally, opinions)[0]
        )
        found |= {"powers": tally["powers"], "squares": tally["squares"]}
        if y >= 0 and not opinions.silent[0]:
            slope = logs @ np.exp(product) - logs[:, y]
            squares = tally["squares"] + slope * slope
            powers = np.clip(tally["powers"] - ETA * slope / np.sqrt(squares), 0.0, self.most)
            found |= {"powers": powers, "squares": squares}
        return found

    def regret(self, tally: Tally) -> float:
        """By how much the losses of the product may exceed those of the best fixed powers in [0, most].

        (most^2 / (2 eta) + eta) times the sum of the roots of the sums of squared slopes.

        Parameters
        ----------
        tally
            What the way remembers.
        """
        return float((self.most**2 / (2 * ETA) + ETA) * np.sqrt(tally["squares"]).sum())

    def shares(self, tally: Tally) -> Floats:
        """The weights of the members and, last, of their product: half of all at the start.

        Parameters
        ----------
        tally
            What the way remembers.
        """
        return softened(self._prior_losses(tally))

    def _prior_losses(self, tally: Tally) -> Floats:
        """The losses with what each member gives away at the start: the logarithm of how many there are."""
        losses = tally["losses"].copy()
        losses[:-1] += np.log(len(losses) - 1)
        return losses

    def weights(self, tally: Tally) -> Floats:
        return np.asarray(tally["powers"])

    def settings(self) -> dict[str, AnyArray]:
        return {"most": np.array(float(self.most))}
