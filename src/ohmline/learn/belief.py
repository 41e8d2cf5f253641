"""What a learner believes about all nodes at once: a Gaussian field, for queries that look at a whole pool.

Every field is on the scale of one-hot labels: the mean of class c at a node that has it is near 1, and near 0 at one
that has another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from scipy import sparse

from ohmline.arrays import Bools, Floats, Ints
from ohmline.kernel.contract import Kernel


@dataclass(frozen=True, slots=True)
class SparseBelief:
    """A field of sparse precision before any label, and the labels that it was given.

    Attributes
    ----------
    classes
        The classes, in the order of their codes.
    codes
        The class at each node, -1 for none.
    noise
        The variance with which a label says what the value of its node is.
    version
        Changes when the precision does.
    precision
        Makes the precision before any label: symmetric and positive definite.
    """

    classes: tuple[Any, ...]
    codes: Ints
    noise: float
    version: tuple[Any, ...]
    precision: Callable[[], sparse.csr_array]


@dataclass(frozen=True, slots=True)
class LinearBelief:
    """A field that is linear in features, with the labels learned already in it.

    Attributes
    ----------
    classes
        The classes, in the order of the columns of `mean`.
    mean
        The value of every class at each node.
    features
        One row per node.
    inverse
        The covariance of the weights: node i has variance m_i' inverse m_i.
    noise
        The variance with which a label says what the value of its node is.
    """

    classes: tuple[Any, ...]
    mean: Floats
    features: Floats
    inverse: Floats
    noise: float


@dataclass(frozen=True, slots=True)
class KernelBelief:
    """A function of a kernel's space that equals the labels learned.

    Attributes
    ----------
    classes
        The classes, in the order of the columns of `mean`.
    mean
        The value of every class at each node.
    labelled
        For each position whether its node has a label.
    kernel
        The covariance before any label.
    """

    classes: tuple[Any, ...]
    mean: Floats
    labelled: Bools
    kernel: Kernel


Belief = SparseBelief | LinearBelief | KernelBelief


@runtime_checkable
class Believes(Protocol):
    """A learner with a variance of its own, of which all nodes can be told at once."""

    def belief(self) -> Belief | None:
        """What it believes now; None where it turns out to keep no variance."""
        ...


@runtime_checkable
class KnowsLabelled(Protocol):
    """A learner that remembers which nodes it was given a label for."""

    def labelled(self) -> Bools | None:
        """For each position whether its node has a label; None where it turns out not to be remembered."""
        ...


@runtime_checkable
class TellsChances(Protocol):
    """A learner that can tell the probabilities of one thing without a table."""

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each class; empty for "don't know"."""
        ...
