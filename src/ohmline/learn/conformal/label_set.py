"""The set of labels that is said of one thing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final


@final
@dataclass(frozen=True, slots=True)
class LabelSet:
    """Labels of which one is the right one, as often as was asked for.

    Attributes
    ----------
    labels
        The classes in the set, the most probable first.
    everything
        Whether it holds every label there is, classes that nobody has seen yet among them. `labels` then lists those
        that are known.

    Examples
    --------
    >>> from ohmline import LabelSet
    >>> two = LabelSet(("red", "blue"))
    >>> "red" in two, "green" in two, "green" in LabelSet(("red", "blue"), everything=True), len(two)
    (True, False, True, 2)
    """

    labels: tuple[Any, ...]
    everything: bool = False

    def __contains__(self, label: Any) -> bool:
        return self.everything or label in self.labels

    def __iter__(self) -> Iterator[Any]:
        return iter(self.labels)

    def __len__(self) -> int:
        return len(self.labels)
