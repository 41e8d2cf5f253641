"""Playing one Python event at a time: for streams that arrive item by item, and for learners and queries in Python."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ohmline.checks import shown
from ohmline.errors import ParameterError
from ohmline.game.coming import Coming
from ohmline.game.loop import Log
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.game.until import Until
from ohmline.learn.contract import OnlineLearner, View
from ohmline.learn.labels import plain_label
from ohmline.query.asking import looks_ahead, needs_variance, wants

REPORTED = 1024
"""Trials between two reports of progress."""


@dataclass(frozen=True)
class Events:
    """Who plays, by which rules."""

    learner: OnlineLearner[Any, Any]
    query: Any
    coins: np.random.Generator | None
    oracle: Callable[[Any], Any] | None
    limits: Until
    predicate: Callable[[Trace], bool] | None
    report: Callable[[int], None]


class Item(NamedTuple):
    """One item of a stream."""

    x: Any
    y: Any
    """Its label as far as the stream knows it, even where it may not be asked for."""
    askable: bool


def play_events(events: Events, stream: Stream | Iterable[Any]) -> Trace:
    """Draw one item at a time, never ahead of the learner, until the stream or the game ends."""
    start = time.perf_counter()
    book = Book(events.learner, stream if isinstance(stream, Stream) else None)
    items = _items(stream, events.oracle is not None)
    reported = 0
    try:
        while not events.limits.reached(book.trials, book.spent, time.perf_counter() - start):
            item = next(items, None)
            if item is None:
                break
            if not _trial(events, item, book):
                break
            if book.trials - reported == REPORTED:
                events.report(REPORTED)
                reported = book.trials
            if events.predicate is not None and events.predicate(book.trace(time.perf_counter() - start)):
                break
    finally:
        events.report(book.trials - reported)
    return book.trace(time.perf_counter() - start)


def _items(stream: Stream | Iterable[Any], things_alone: bool) -> Iterator[Item]:
    if isinstance(stream, Stream):
        if things_alone:
            raise ParameterError(
                "a Stream has labels of its own; give an oracle the nodes alone: stream.nodes"
            )
        yield from map(Item, stream.nodes, stream.labels, stream.revealed.tolist())
    elif isinstance(stream, Mapping) and not things_alone:
        raise ParameterError(
            f"a stream comes in an order, and a dict has none that is meant; give its pairs, list(labels.items()), or "
            f"Stream(nodes, labels), got {shown(stream)}"
        )
    elif not isinstance(stream, Iterable) or (isinstance(stream, np.ndarray) and stream.ndim == 0):
        raise ParameterError(
            f"a stream must be a Stream or an iterable, got {shown(stream)}; make one with Stream(nodes, labels)"
        )
    elif things_alone:
        for x in stream:
            yield Item(x, None, True)
    else:
        for number, pair in enumerate(stream, start=1):
            try:
                x, y = pair
            except (TypeError, ValueError):
                raise ParameterError(
                    f"item {number} of the stream is {shown(pair)}; a stream gives pairs (thing, label), with None "
                    "for a label that is not known, or things alone when there is an oracle="
                ) from None
            label = plain_label(y)
            yield Item(x, label, label is not None)


def _trial(events: Events, item: Item, book: Book) -> bool:
    """One trial, written into the book; False where the oracle ends the game instead."""
    learner, query, x = events.learner, events.query, item.x
    view = learner.view_one(x)
    if needs_variance(query):
        variance = learner.variance_one(x)
        if looks_ahead(query):
            part = book.coming.part(x)
            variance *= part * part  # as the compiled loop, to the last bit
        view = View(view.prediction, view.margin, variance)
    draw = float(events.coins.random()) if events.coins is not None else 0.0
    y, asked = item.y, False
    seen = {"trial": book.trials + 1, "spent": book.spent, "repeats": book.repeats}
    if item.askable and wants(query, view, draw=draw, **seen):
        if events.oracle is not None:
            try:
                y = plain_label(events.oracle(x))
            except StopIteration:
                return False
        asked = y is not None
    update = learner.learn_one(x, y if asked else None)
    if looks_ahead(query):
        book.coming.note(x)
    book.write(item._replace(y=y), view, asked, update.updated, update.progress)
    return True


class Book:
    """The trace as it grows: everything that was seen so far."""

    def __init__(self, learner: OnlineLearner[Any, Any], table: Stream | None) -> None:
        self.learner, self.table = learner, table
        self.trials = 0
        self.spent = 0
        self.repeats = 0
        self.coming = Coming(learner)
        self._given: set[Any] = set()
        self._things: list[Any] = []
        self._class_of: dict[Any, int] = {}
        self._prediction_of: dict[Any, int] = {}
        self._log = Log.empty(REPORTED if table is None else len(table))
        self._codes = np.empty(len(self._log.margin), np.int64)
        self._revealed = np.empty(len(self._log.margin), np.bool_)

    def write(self, item: Item, view: View[Any], asked: bool, updated: bool, progress: float) -> None:
        """One more trial."""
        t = self.trials
        if t == len(self._codes):
            self._log = Log(*(_doubled(column) for column in self._log))
            self._codes, self._revealed = _doubled(self._codes), _doubled(self._revealed)
        log = self._log
        log.prediction[t] = self._prediction_of.setdefault(view.prediction, len(self._prediction_of))
        log.margin[t], log.variance[t] = view.margin, view.variance
        log.asked[t], log.updated[t], log.progress[t] = asked, updated, progress
        if self.table is None:
            self._things.append(item.x.copy() if isinstance(item.x, np.ndarray) else item.x)
            known = item.y is not None
            self._codes[t] = self._class_of.setdefault(item.y, len(self._class_of)) if known else -1
            self._revealed[t] = known
        self.trials += 1
        self.spent += asked
        if asked:
            self.repeats = self.repeats + 1 if item.y in self._given else 0
            self._given.add(item.y)

    def trace(self, seconds: float) -> Trace:
        """Everything so far."""
        t = self.trials
        if self.table is None:
            codes, revealed = self._codes[:t].copy(), self._revealed[:t].copy()
            points = bool(t) and isinstance(self._things[0], np.ndarray)
            things = np.array(self._things) if points else list(self._things)
            stream = Stream.made(things, codes, tuple(self._class_of), revealed)
        else:
            stream = self.table.take(t)
        meaning = {code: label for label, code in self._prediction_of.items()}
        return Trace(self.learner, stream, meaning, self._log.part(slice(t)), seconds)


def _doubled(column: Any) -> Any:
    return np.concatenate([column, np.zeros_like(column)])
