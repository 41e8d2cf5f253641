"""What a desk needs of whoever asks: a session over a journal, or one person at a project."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol

from ohmline.labelling.opinion import Neighbour, Opinion
from ohmline.labelling.records import Progress, Question


class Asks(Protocol):
    """Asks one person for labels."""

    notes: list[str]

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes."""
        ...

    @property
    def labels(self) -> dict[Hashable, Any]:
        """Every label."""
        ...

    @property
    def goal(self) -> float | None:
        """The share of wrong predictions at which it is enough."""
        ...

    @property
    def confidence(self) -> float:
        """With which probability the limit shall hold."""
        ...

    @property
    def broken(self) -> str:
        """Why nothing can be written any more; empty while it can."""
        ...

    @property
    def place(self) -> str:
        """Where the answers are kept."""
        ...

    @property
    def seq(self) -> int:
        """The number of the last event."""
        ...

    def question(self) -> Question | None:
        """The node to ask for, the same one until there is an answer; None when it is enough."""
        ...

    def answer(self, label: Any, *, seconds: float | None = None) -> Any:
        """Give the label of the node that is asked for; the event."""
        ...

    def skip(self) -> Any:
        """Leave the node that is asked for without a label; the event."""
        ...

    def undo(self) -> Any:
        """Take the last answer or skip back; the event that was undone, or None."""
        ...

    def opinion(self, node: Hashable) -> Opinion:
        """What the learner thinks of a node and why."""
        ...

    def neighbours(self, node: Hashable) -> list[Neighbour]:
        """The neighbours of a node with their labels, heaviest edge first."""
        ...

    def predictions(self) -> dict[Hashable, tuple[Any, float | None]]:
        """The class of every node with its probability."""
        ...

    def progress(self) -> Progress:
        """How far it is."""
        ...
