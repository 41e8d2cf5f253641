"""A learner whose step is compiled: what all of them share, over nodes and over vectors alike."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.kernel.space import MissingColumn
from ohmline.learn.contract import X, Y
from ohmline.learn.many import BLOCK, Learned, examples, learns_at, views_at
from ohmline.learn.one_at_a_time import OneAtATime
from ohmline.learn.predictions import Predictions
from ohmline.learn.step import UNLABELLED


class CompiledLearner(OneAtATime[X, Y]):
    """A learner whose step is compiled: one thing at a time, and many in a loop of compiled code."""

    @final
    def predict_many(self, nodes: Iterable[X] | None = None) -> Predictions:
        things, places = self._surveyed(nodes)
        with self._still:
            return self._predict_at(things, places)

    @abstractmethod
    def _surveyed(self, nodes: Iterable[X] | None) -> tuple[Any, AnyArray]:
        """What a table of predictions calls the things, and what compiled code calls them."""

    @abstractmethod
    def _predict_at(self, things: Any, places: AnyArray) -> Predictions:
        """The table of these places, of one moment."""

    @final
    def _views(self, places: AnyArray) -> tuple[Ints, Floats]:
        """`look` at many places: the codes of the predictions, and their margins."""
        codes, margins = np.empty(len(places), np.int64), np.empty(len(places))
        done, bound = np.zeros(1, np.int64), self.step()
        asked: set[int] = set()
        while done[0] < len(places):
            last = min(int(done[0]) + BLOCK, len(places))
            try:
                views_at(bound.address, places, done, codes[:last], margins[:last])
            except MissingColumn:
                self.supply(asked)
        return codes, margins

    @final
    def learn_many(
        self, nodes: Mapping[X, Y | None] | Iterable[X], labels: Iterable[Y | None] | None = None
    ) -> Learned:
        things, said = examples(nodes, labels)
        if not self.learns_unlabelled:
            seen = [k for k, y in enumerate(said) if y is not None]
            self.locate_all(things)  # an unknown node is refused, also where it has no label
            things, said = [things[k] for k in seen], [said[k] for k in seen]
        with self.alone():
            put_back = self.checkpoint()
            try:
                return self._learn_all(things, said)
            except BaseException:
                put_back()
                raise

    @final
    def _learn_all(self, things: Sequence[X], labels: Sequence[Any]) -> Learned:
        """`learn_many`, while nobody else changes the learner."""
        places = self.locate_all(things)
        labelled = np.array([y is not None for y in labels], dtype=np.bool_)
        codes = np.full(len(labels), UNLABELLED, np.int64)
        codes[labelled] = self.codes_of([y for y in labels if y is not None])
        said, moved = np.empty(len(places), np.int64), np.zeros(len(places), np.bool_)
        lengths, done = np.zeros(len(places)), np.zeros(1, np.int64)
        while done[0] < len(places):
            k = int(done[0])
            wanted = min(len(places) - k, BLOCK)
            ready = min(self.ready(wanted), wanted)
            if ready:
                self._learn_block(places, codes, done, k + ready, said, moved, lengths)
            else:
                said[k], moved[k], lengths[k] = self.learn_event(places[k], int(codes[k]))
                done[0] = k + 1
        self.settle()
        wrong = int((said != codes)[labelled].sum())
        return Learned(int(labelled.sum()), wrong, int(moved.sum()), float(lengths.sum()))

    @final
    def _learn_block(
        self,
        places: AnyArray,
        codes: Ints,
        done: Ints,
        last: int,
        said: Ints,
        moved: AnyArray,
        lengths: Floats,
    ) -> None:
        """Learn in compiled code up to `last`; columns that its kernel misses are fetched on the way."""
        asked: set[int] = set()
        while done[0] < last:
            bound = self.step()
            try:
                with self._still:
                    learns_at(bound.address, places, codes, done, last, said, moved, lengths)
            except MissingColumn:
                self.restage()
                self.supply(asked)
            except BaseException:
                self.restage()
                raise
