"""The classes of a learner of many classes: declared up front, or learned as they come."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, final

import numpy as np

from ohmline.arrays import Ints
from ohmline.checks import listed, shown
from ohmline.compiled import undisturbed
from ohmline.errors import LabelError, ParameterError, SnapshotError
from ohmline.graph.nodes import LONGEST
from ohmline.learn.contract import State
from ohmline.learn.labels import plain_label
from ohmline.learn.node_learner import NodeLearner
from ohmline.learn.snapshots import saved_flag, saved_list
from ohmline.representation import represent


@final
class ClassTable:
    """Labels and their codes, in the order in which they were declared or first seen.

    Examples
    --------
    >>> table = ClassTable(None)
    >>> table.find("red"), table.admit("red"), table.find("red")
    (-1, 0, 0)
    >>> ClassTable(["red", "blue"]).find("green")
    Traceback (most recent call last):
    ohmline.errors.LabelError: label 'green' is not among the declared classes ('red', 'blue'); declare it, or
    leave classes out to learn them as they come
    """

    __slots__ = ("_code", "_names", "_remedy", "fixed")

    def __init__(self, declared: Iterable[Any] | None, *, remedy: str = "leave classes out") -> None:
        self._remedy = remedy
        self.fixed = declared is not None
        """Whether the set was declared, so that another label is an error."""
        self._code: dict[Any, int] = {}
        self._names: list[Any] = []
        for label in () if declared is None else listed(declared, "classes"):
            if _named(label) in self._code:
                raise LabelError(f"class {shown(label)} is declared twice; name each class once")
            self.admit(label)
        if self.fixed and not self._code:
            raise LabelError("classes is empty; name the classes, or leave it out to learn them as they come")

    def __len__(self) -> int:
        return len(self._code)

    @property
    def names(self) -> tuple[Any, ...]:
        """The labels, in the order of their codes."""
        return tuple(self._names)

    @property
    def declared(self) -> tuple[Any, ...] | None:
        """The labels, if they were declared; None where they are learned as they come."""
        return self.names if self.fixed else None

    def find(self, label: Any) -> int:
        """The code of `label`; -1 if it is new and may be let in."""
        code = self._code.get(_named(label), -1)
        if code < 0 and self.fixed:
            raise LabelError(
                f"label {shown(label)} is not among the declared classes {shown(self.names)}; "
                f"declare it, or {self._remedy} to learn them as they come"
            )
        return code

    def decode(self, code: int) -> Any:
        """The label of a code; None for one below 0, which stands for no label."""
        if not isinstance(code, int | np.integer) or code >= len(self._code):
            raise ParameterError(
                f"code {shown(code)} is beyond the {len(self._code)} classes; encode gives one"
            )
        return None if code < 0 else self._names[code]

    def admit(self, label: Any) -> int:
        """Give a new label the next code."""
        plain = _named(label)
        code = self._code.setdefault(plain, len(self._code))
        if code == len(self._names):
            self._names.append(plain)
        return code

    def admit_all(self, labels: Iterable[Any]) -> int:
        """Give every new label among these a code, all or none; how many there were."""
        before = len(self)
        for label in [label for label in labels if self.find(label) < 0]:
            self.admit(label)
        return len(self) - before

    def keep(self, codes: Iterable[int]) -> None:
        """Only the classes at `codes`, in that order."""
        names = self.names
        self.become([names[code] for code in codes])

    def become(self, names: Iterable[Any]) -> None:
        """Exactly these classes, in this order."""
        self._names = list(names)
        self._code = {name: k for k, name in enumerate(self._names)}

    def settings(self) -> State:
        """For a snapshot."""
        return {"classes": np.array(written(self.names, "classes")), "fixed": np.array(self.fixed)}


class ManyClassLearner(NodeLearner[Any]):
    """A learner of many classes over the nodes of an index: its codes are places in a class table."""

    _table: ClassTable

    @property
    @final
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order in which they were declared, or first learned."""
        return self._table.names

    @property
    @final
    def declared_classes(self) -> tuple[Any, ...] | None:
        return self._table.declared

    @final
    def predict_one(self, x: Hashable) -> Any:
        place = self.nodes.position(x)
        with self._still:
            return self.decode(self._look(place)[0])

    @final
    def encode(self, y: Any) -> int:
        code = self._table.find(y)
        return code if code >= 0 else self.codes_of((y,))[0]

    @final
    def codes_of(self, labels: Sequence[Any]) -> list[int]:
        labels = listed(labels, "labels")
        known = len(self._table)
        fresh = [y for y in labels if self._table.find(y) < 0]
        if fresh:
            with undisturbed(), self._still:
                added = self._table.admit_all(fresh)
                try:
                    self.state = self._resized(np.arange(known), added)
                except BaseException:  # no memory, perhaps: a class without room must not stay
                    self._table.keep(range(known))
                    raise
        return [self._table.find(y) for y in labels]

    @final
    def _codes(self) -> range:
        return range(len(self._table))

    @final
    def decode(self, code: int) -> Any:
        return self._table.decode(code)

    @final
    def checkpoint(self) -> Callable[[], None]:
        put_state_back, names, grown = super().checkpoint(), self._table.names, self._grown()

        def put_back() -> None:
            if self._grown() != grown:  # a state of the smaller graph would be read past its end
                return
            with self._still:
                self._table.become(names)
                put_state_back()

        return put_back

    def __repr__(self) -> str:
        return represent(self, classes=self._table.declared)

    def _grown(self) -> Any:
        """What a checkpoint cannot take back, where there is such a thing: then it takes nothing back."""
        return None

    @abstractmethod
    def _resized(self, keep: Ints, fresh: int) -> Any:
        """The state with what it holds of the classes at `keep`, and room for `fresh` more."""


def places_of(known: Ints, classes: int) -> Ints:
    """For each class its place in `known`, -1 for one that is not there; the last entry is for "no label"."""
    place = np.full(classes + 1, -1)
    place[known] = np.arange(len(known))
    return place


def saved_classes(state: State, kind: str) -> tuple[list[Any], bool]:
    """The labels in a snapshot, and whether they were declared."""
    return saved_list(state, kind, "classes"), saved_flag(state, kind, "fixed")


def written(values: Iterable[Any], what: str) -> str:
    """Labels or ids as text for a snapshot, without pickle."""
    plain = list(values)
    if not all(map(writable, plain)):
        raise SnapshotError(f"{what} {shown(plain)} cannot be written down; use strings or numbers")
    return json.dumps(plain)


def writable(value: Any) -> bool:
    """Whether a snapshot can hold a label or an id."""
    return isinstance(value, str | float) or (isinstance(value, int) and value.bit_length() <= LONGEST)


def _named(label: Any) -> Any:
    """A label that can be a class."""
    plain = plain_label(label)
    if plain is None:
        raise LabelError(f"{shown(label)} is no class: None and NaN mark a label that is not known")
    if not writable(plain):
        raise LabelError(f"label {shown(plain)} cannot be written into a snapshot; use strings or numbers")
    return plain
