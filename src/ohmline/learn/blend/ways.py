"""What a way of joining opinions must say, and what the opinions are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.representation import represent

FLOOR = 0.01
"""The share of a member's probability that is spread evenly over all classes, so that none is impossible."""

Tally = dict[str, AnyArray]
"""What a way remembers, as plain arrays by name; replaced at each label, never changed in place."""


class Opinions(NamedTuple):
    """What the members say of some things, in the classes of the blend."""

    said: Ints
    """Row i: the class that member i predicts for each thing, -1 for "don't know"."""
    chances: Floats
    """[i, r]: the probabilities of member i for thing r, above 0; even for "don't know"."""

    @property
    def silent(self) -> AnyArray:
        """For each thing whether nobody knows."""
        return np.asarray((self.said < 0).all(axis=0))


class Way(ABC):
    """A way to join the opinions of members."""

    needs_chances: bool = True
    """Whether it reads probabilities, or predictions alone."""

    @abstractmethod
    def start(self, members: int) -> Tally:
        """What it remembers before the first label.

        Parameters
        ----------
        members
            How many there are.
        """

    @abstractmethod
    def join(self, tally: Tally, opinions: Opinions) -> Floats:
        """The blend's share of each class, one row per thing; the rows sum to 1.

        Parameters
        ----------
        tally
            What it remembers.
        opinions
            What the members say.
        """

    @abstractmethod
    def learned(self, tally: Tally, opinions: Opinions, y: int) -> Tally:
        """What it remembers after a label.

        Parameters
        ----------
        tally
            What it remembered before; not changed.
        opinions
            What the members said of one thing.
        y
            The code of its label; -1 for a class that nobody had seen before.
        """

    def agrees(self, tally: Tally) -> bool:
        """Whether what a snapshot remembers can be true, each array by itself being of the right form.

        Parameters
        ----------
        tally
            What it remembers.
        """
        return True

    @abstractmethod
    def weights(self, tally: Tally) -> Floats:
        """How much each member counts now.

        Parameters
        ----------
        tally
            What it remembers.
        """

    @abstractmethod
    def settings(self) -> dict[str, AnyArray]:
        """Its parameters, for a snapshot."""

    def __repr__(self) -> str:
        return represent(self)


def evened(chances: Floats) -> Floats:
    """Probabilities with `FLOOR` of them spread evenly over the last axis."""
    return (1 - FLOOR) * chances + FLOOR / max(chances.shape[-1], 1)


def softened(losses: Floats) -> Floats:
    """exp(-loss), in shares of their sum."""
    raised = np.exp(losses.min() - losses)
    return np.asarray(raised / raised.sum())


def weighted(weights: Floats, chances: Floats) -> Floats:
    """The sum over members of their weight times what they say."""
    return np.asarray((weights @ chances.reshape(len(chances), -1)).reshape(chances.shape[1:]))
