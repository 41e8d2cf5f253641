"""The classes of a learner of many classes: declared up front, or learned as they come."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, final

import numpy as np

from ohmline.arrays import Ints
from ohmline.errors import LabelError, SnapshotError
from ohmline.learn.contract import State, take
from ohmline.learn.position import PositionLearner


@final
class ClassTable:
    """Labels and their codes, in the order in which they were declared or first seen.

    >>> table = ClassTable(None)
    >>> table.find("red"), table.admit("red"), table.find("red")
    (-1, 0, 0)
    >>> ClassTable(["red", "blue"]).find("green")
    Traceback (most recent call last):
    ohmline.errors.LabelError: label 'green' is not among the declared classes ('red', 'blue'); declare it, or
    leave classes out to learn them as they come
    """

    __slots__ = ("_code", "fixed")

    def __init__(self, declared: Iterable[Any] | None) -> None:
        self.fixed = declared is not None
        """Whether the set was declared, so that another label is an error."""
        self._code: dict[Any, int] = {}
        for label in declared if declared is not None else ():
            if _plain(label) in self._code:
                raise LabelError(f"class {label!r} is declared twice; name each class once")
            self.admit(label)
        if self.fixed and not self._code:
            raise LabelError("classes is empty; name the classes, or leave it out to learn them as they come")

    def __len__(self) -> int:
        return len(self._code)

    @property
    def names(self) -> tuple[Any, ...]:
        """The labels, in the order of their codes."""
        return tuple(self._code)

    def find(self, label: Any) -> int:
        """The code of ``label``; -1 if it is new and may be let in."""
        code = self._code.get(_plain(label), -1)
        if code < 0 and self.fixed:
            raise LabelError(
                f"label {label!r} is not among the declared classes {self.names!r}; "
                "declare it, or leave classes out to learn them as they come"
            )
        return code

    def admit(self, label: Any) -> int:
        """Give a new label the next code."""
        return self._code.setdefault(_plain(label), len(self._code))

    def keep(self, codes: Iterable[int]) -> None:
        """Only the classes at ``codes``, in that order."""
        names = self.names
        self._code = {names[code]: k for k, code in enumerate(codes)}

    def settings(self) -> State:
        """For a snapshot."""
        return {"classes": np.array(written(self.names, "classes")), "fixed": np.array(self.fixed)}


class ManyClassLearner(PositionLearner[Any]):
    """A learner of many classes over the nodes of an index: its codes are places in a class table."""

    _table: ClassTable

    @property
    @final
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order in which they were declared, or first learned."""
        return self._table.names

    @final
    def encode(self, y: Any) -> int:
        code = self._table.find(y)
        if code < 0:
            code = self._table.admit(y)
            self._resize(np.arange(code), 1)
        return code

    @final
    def decode(self, code: int) -> Any:
        return None if code < 0 else self.classes[code]

    @abstractmethod
    def _resize(self, keep: Ints, fresh: int) -> None:
        """Keep what the state holds of the classes at ``keep``, and make room for ``fresh`` more."""


def saved_classes(state: State, kind: str) -> tuple[list[Any], bool]:
    """The labels in a snapshot, and whether they were declared."""
    return json.loads(str(take(state, kind, "classes"))), bool(take(state, kind, "fixed"))


def written(values: Iterable[Any], what: str) -> str:
    """Labels or ids as text for a snapshot, without pickle."""
    listed = list(values)
    if not all(isinstance(value, str | int | float) for value in listed):
        raise SnapshotError(f"{what} {listed!r:.80} cannot be written down; use strings or numbers")
    return json.dumps(listed)


def _plain(label: Any) -> Any:
    label = label.item() if isinstance(label, np.generic) else label
    try:
        hash(label)
    except TypeError:
        raise LabelError(f"label {label!r} is not hashable; use numbers or strings as labels") from None
    return label
