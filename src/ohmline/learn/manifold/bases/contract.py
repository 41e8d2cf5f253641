"""The contract of a basis: what f is an expansion over, and what happens when a point comes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from ohmline.compiled import generic
from ohmline.learn.manifold.pursuit import Pursuit
from ohmline.representation import represent

LARGEST_BASIS = 65_536
"""Elements beyond which the Gram matrix, with the square of so many numbers, fits no memory."""


class Basis(ABC):
    """What f is an expansion over: the options of a basis, whose `start` gives the state that grows with the stream.

    The state is a `NamedTuple` of arrays with a body of `admit` and, where the weights
    are not those between points, of `weigh`.
    """

    pursuit: Pursuit
    grows: ClassVar[bool] = False
    """Whether room has to be made as the stream goes on."""
    replayable: ClassVar[bool] = False
    """Whether its elements are points of the stream, so that they can be replayed."""

    @property
    @abstractmethod
    def capacity(self) -> int:
        """Elements to make room for at the start."""

    @abstractmethod
    def start(self, dimension: int, width: float) -> Any:
        """The compiled state of an empty basis.

        Parameters
        ----------
        dimension
            How many features the points have, at least 1.
        width
            sigma of the graph weights, above 0; 1 where there is none.
        """

    @abstractmethod
    def check(self, smoothness: Any) -> None:
        """Raise `ParameterError` for a regulariser that this basis cannot serve.

        Parameters
        ----------
        smoothness
            The `Smoothness` of the learner.
        """

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """The arguments that make this basis again."""

    def __repr__(self) -> str:
        return represent(self, pursuit=None if self.pursuit == Pursuit() else self.pursuit)


@generic("basis")
def weigh(basis: Any, terms: Any, expansion: Any, work: Any) -> int:
    """The graph weights between the new point and the elements, as in `gaussian_weights`."""
    raise TypeError("compiled code only")


@generic("basis")
def admit(basis: Any, terms: Any, expansion: Any, work: Any, y: Any) -> None:
    """Take the new point, with coefficient `work.delta`, into the basis."""
    raise TypeError("compiled code only")
