"""A symmetric matrix whose rows lie on many workers, as the algorithms of `ohmline.kernel` see one."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Mapping
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import Floats
from ohmline.cluster.engine import PULSE, Cluster, Crew
from ohmline.cluster.errors import LostWorker
from ohmline.cluster.host import Host
from ohmline.cluster.journal import Journal, Step, restore, save
from ohmline.cluster.layout import Layout, dealt
from ohmline.cluster.rows import blend, dots, draw, extremes, gram, rescale, turn
from ohmline.errors import ClusterError, DataError
from ohmline.kernel.rows import Rows

log = logging.getLogger(__name__)

CHECKPOINT = 120.0
"""Seconds of work that may have to be done again after a loss."""
REPLACEMENT = 60.0
"""Seconds that a lost worker's successor may take to come, where those that are left do not have the room."""
ATTEMPTS = 4
"""How often one step is tried: workers that die of it each time are too small for it."""


@final
class SpreadRows(Rows[int]):
    """Rows on workers; a block of columns is a number that all of them know.

    A worker that is lost changes nothing: its blocks are read again by those that are left, and what was done since the
    last checkpoint is done once more.

    Parameters
    ----------
    cluster
        The workers.
    layout
        The matrix on disk.
    columns
        The most columns that a block will have.
    live
        The most blocks of columns that will be there at once.
    checkpoint
        Seconds between two checkpoints; 0 makes one after every step. Default 120.
    """

    def __init__(
        self, cluster: Cluster, layout: Layout, *, columns: int, live: int, checkpoint: float = CHECKPOINT
    ) -> None:
        self.n = layout.n
        self.layout = layout
        self._cluster, self._columns, self._live, self._every = cluster, columns, live, checkpoint
        self._journal = Journal(layout.folder)
        self._made = 0
        self._dropped: list[int] = []
        self._since = time.monotonic()
        self._crew: Crew | None = None
        self._holders: list[str] = []
        self.losses = 0
        """How often workers were lost on the way."""

    def random(self, columns: int, seed: int) -> int:
        return self._new("each", draw, columns, seed)

    def product(self, x: int) -> int:
        return self._combined(x, (), 1.0)

    def blend(self, *terms: tuple[float | Floats, int]) -> int:
        """The sum of the blocks, each times its factor: a number, or one for each column."""
        return self._new("each", blend, terms)

    def turn(self, x: int, small: Floats) -> int:
        return self._new("each", turn, x, np.ascontiguousarray(small))

    def rescaled(self, x: int) -> int:
        """The block with each row times its scale."""
        return self._new("each", rescale, x)

    def gram(self, x: int, y: int) -> Floats:
        return self._sum(gram, x, y)

    def dots(self, x: int, y: int) -> Floats:
        """The inner products of each column of x with that of y."""
        return self._sum(dots, x, y)

    def extremes(self, x: int) -> Floats:
        """The entry of the largest size in each column, with its sign."""
        found = np.stack(self.read(extremes, x))
        picked: Floats = found[np.abs(found).argmax(axis=0), np.arange(found.shape[1])]
        return picked

    def drop(self, x: int) -> None:
        self._journal.live.discard(x)
        self._dropped.append(x)

    def chebyshev(self, x: int, degree: int, low: float, high: float) -> int:
        """As `Rows` has it, with one call for each product."""
        centre, half = (low + high) / 2, (high - low) / 2
        before, now = x, self._combined(x, ((-centre / half, x),), 1 / half)
        for _ in range(degree - 1):
            then = self._combined(now, ((-2 * centre / half, now), (-1.0, before)), 2 / half)
            if before != x:
                self.drop(before)
            before, now = now, then
        if before != x:
            self.drop(before)
        return now

    def shape(
        self,
        function: Callable[..., None],
        *options: Any,
        unit: float = 1.0,
        given: Mapping[int, Any] | None = None,
    ) -> None:
        """Make the matrix: `function(block, *options)` calls `block.shape`, and W is counted in units."""
        method = "each" if given is None else "each_of"
        for step in (Step(method, (function, *options), given), Step("fold", (unit,))):
            self._do(step)
            self._journal.setup.append(step)

    def new(
        self, function: Callable[..., None], *options: Any, given: Mapping[int, Any] | None = None
    ) -> int:
        """A block that `function(block, [given,] made, *options)` makes."""
        return self._new("each" if given is None else "each_of", function, *options, given=given)

    def read(
        self, function: Callable[..., Any], *options: Any, given: Mapping[int, Any] | None = None
    ) -> list[Any]:
        """`function(block, [given,] *options)` for each block, which changes none: the results in order."""
        step = Step("each" if given is None else "each_of", (function, *options), given)
        answers = self._do(step)
        found = {b: each for answer in answers.values() for b, each in answer.items()}
        return [found[b] for b in range(self.layout.blocks)]

    def close(self) -> None:
        """Let the workers go."""
        if self._crew is not None:
            self._crew.release()
            self._crew = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _combined(self, x: int, others: tuple[tuple[float, int], ...], factor: float) -> int:
        self._made += 1
        return self._kept(Step("product", (x, self._made, others, factor)))

    def _new(
        self,
        method: str,
        function: Callable[..., None],
        *options: Any,
        given: Mapping[int, Any] | None = None,
    ) -> int:
        self._made += 1
        return self._kept(Step(method, (function, self._made, *options), given))

    def _kept(self, step: Step) -> int:
        """Do a step that makes the next block, and remember it."""
        made = self._made
        self._do(step)
        self._journal.steps.append(step)
        self._journal.live.add(made)
        if time.monotonic() - self._since >= self._every:
            self._save()
        return made

    def _sum(self, function: Callable[..., Any], *options: Any) -> Floats:
        found: Floats = np.sum(self.read(function, *options), axis=0)
        return found

    def _save(self) -> None:
        place = self._journal.place(self._journal.number + 1)
        try:
            self._do(Step("each", (save, place, sorted(self._journal.live))))
        except (
            DataError
        ) as error:  # the work needs no checkpoint: the one before and the steps since are enough
            log.warning("no checkpoint was written, so that a lost worker would cost more: %s", error)
            shutil.rmtree(place, ignore_errors=True)
        else:
            self._journal.kept()
        self._since = time.monotonic()

    def _do(self, step: Step) -> dict[str, Any]:
        dropped = tuple(self._dropped)
        for attempt in range(ATTEMPTS):
            try:
                if self._crew is None:
                    self._begin()
                answers = self._call(step, dropped)
                if dropped:
                    self._journal.steps.append(Step("idle", (), None, dropped))
                    del self._dropped[: len(dropped)]
                return answers
            except LostWorker as lost:
                self.losses += 1
                log.warning("%s; their blocks are read again by the others (attempt %d)", lost, attempt + 1)
                self.close()
        raise ClusterError(
            f"workers were lost {ATTEMPTS} times in the same step; they probably run out of memory: give workers more, "
            "add workers, or lower the rank"
        )

    def _begin(self) -> None:
        """Read all blocks on the workers that are there, and bring them to where the journal ends."""
        blocks = self._dealt()
        self._holders = [""] * self.layout.blocks
        for name, numbers in blocks.items():
            for b in numbers:
                self._holders[b] = name
        common = (self.layout.folder, self.layout.bounds, self._holders)
        crew = self._cluster.crew(Host, {name: (*common, numbers) for name, numbers in blocks.items()})
        self._crew = crew
        crew.call_all("introduce")
        for step in self._journal.setup:
            self._call(step)
        if self._journal.saved:
            place = self._journal.place(self._journal.number)
            self._call(Step("each", (restore, place, sorted(self._journal.saved))))
        for step in self._journal.steps:
            self._call(step, step.dropped)

    def _dealt(self) -> dict[str, list[int]]:
        """Which worker takes which blocks; after a loss what is missing may be on its way, as Dask starts it anew."""
        until = time.monotonic() + (REPLACEMENT if self.losses else 0.0)
        told = False
        while True:
            try:
                return dealt(self.layout, self._cluster.room(), self._columns, self._live)
            except ClusterError as error:
                if time.monotonic() >= until:
                    raise
                if not told:
                    log.warning("waiting up to %g seconds for another worker: %s", REPLACEMENT, error)
                told = True
                time.sleep(PULSE)

    def _call(self, step: Step, dropped: tuple[int, ...] = ()) -> dict[str, Any]:
        assert self._crew is not None
        if step.given is None:
            return self._crew.call_all("do", dropped, step.method, *step.arguments)
        function, *options = step.arguments
        mine: dict[str, dict[int, Any]] = {name: {} for name in self._crew.members}
        for b, name in enumerate(self._holders):
            mine[name][b] = step.given[b]
        return self._crew.call(
            "do", {name: (dropped, step.method, function, given, *options) for name, given in mine.items()}
        )
