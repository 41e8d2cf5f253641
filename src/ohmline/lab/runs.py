"""Many experiments at once: in several processes, kept as they come, so that a run goes on where it ended.

A folder holds what is finished, one file for each experiment. A result that is there is taken as it is, if this run
would find the same: it was made with the same seed and length, from the same sources (the fingerprint of the
experiment's module and of everything that it imports), with the same versions of Python and of the libraries, and on
the same hardware, because times are among the results. A claim that could not be judged for want of data is judged
again once other data are here.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from typing import Any

from ohmline.compiled import fingerprint_of
from ohmline.data import CATALOG, is_here
from ohmline.errors import DataError, OhmlineError
from ohmline.lab.durations import guess
from ohmline.lab.experiment import Experiment, find, run
from ohmline.lab.finished import HARDWARE, Finished, about_this_machine
from ohmline.lab.page import write
from ohmline.lab.plugins import load_file, loaded_files

PARTS = "parts"
"""The folder within the results that holds what is finished."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run, and how."""

    ids: tuple[str, ...]
    seed: int = 0
    quick: bool = False
    jobs: int = 1
    """How many processes work."""
    folder: Path | None = None
    """Where results are kept; None keeps them in memory only."""
    fresh: bool = False
    """Whether to run what is there already too."""
    anywhere: bool = False
    """Whether results from other hardware will do, as they must where the work is spread over a cluster."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    done: int
    of: int
    running: tuple[str, ...]
    message: str
    """What the experiment that works in this process says of itself."""
    left: float
    """About how many seconds are left."""


Listener = Callable[[Progress], None]
Outcome = Finished | OhmlineError
Elsewhere = Callable[[Sequence[str]], Iterator[tuple[str, Outcome]]]
"""Runs experiments where they are run, and gives each outcome as it comes."""


def run_all(
    plan: Plan, listen: Listener = lambda progress: None, elsewhere: Elsewhere | None = None
) -> Iterator[tuple[str, Outcome]]:
    """Each experiment with what it found, or with why it found nothing, as they end."""
    for id in plan.ids:
        find(id)  # a wrong id is reported before any work is done
    clock = _Clock(plan)
    waiting: list[str] = []
    for id in plan.ids:
        kept = None if plan.fresh else _kept(plan, id)
        if kept is None:
            waiting.append(id)
            continue
        clock.drop(id)
        yield id, kept
    listen(clock.now((), ""))
    if elsewhere is not None:
        work = _told(elsewhere, waiting, clock, listen)
    elif plan.jobs == 1 or len(waiting) < 2:
        work = _here(plan, waiting, clock, listen)
    else:
        work = _in_processes(plan, waiting, clock, listen)
    for id, outcome in work:
        if isinstance(outcome, Finished):
            _keep(plan, outcome)
        yield id, outcome


def _told(
    elsewhere: Elsewhere, waiting: Sequence[str], clock: _Clock, listen: Listener
) -> Iterator[tuple[str, Outcome]]:
    """What comes from elsewhere, with how far it is."""
    listen(clock.now((), ""))
    for id, found in elsewhere(waiting) if waiting else ():
        clock.finish(id, found.seconds if isinstance(found, Finished) else None)
        listen(clock.now((), ""))
        yield id, found


def _here(
    plan: Plan, waiting: Sequence[str], clock: _Clock, listen: Listener
) -> Iterator[tuple[str, Outcome]]:
    """One after the other in this process."""
    for id in waiting:

        def tick(message: str, id: str = id) -> None:
            listen(clock.now((id,), message))

        listen(clock.now((id,), ""))
        found = attempt(id, plan.seed, plan.quick, (), tick)
        clock.finish(id, found.seconds if isinstance(found, Finished) else None)
        yield id, found
    listen(clock.now((), ""))


def _in_processes(
    plan: Plan, waiting: Sequence[str], clock: _Clock, listen: Listener
) -> Iterator[tuple[str, Outcome]]:
    """The longest first, in fresh processes, which end with this one."""
    order = sorted(waiting, key=lambda id: -guess(id, plan.quick))
    others = set(active_children())
    with ProcessPoolExecutor(plan.jobs, get_context("spawn"), _end_with_parent) as pool:
        futures: dict[Future[Outcome], str] = {
            pool.submit(attempt, id, plan.seed, plan.quick, loaded_files()): id for id in order
        }
        try:
            while futures:
                busy = tuple(list(futures.values())[: plan.jobs])
                listen(clock.now(busy, ""))
                ended, _ = wait(futures, timeout=1.0, return_when=FIRST_COMPLETED)
                for future in ended:
                    id = futures.pop(future)
                    try:
                        found = future.result()
                    except BrokenProcessPool:
                        found = OhmlineError(
                            f"{id} ended with its process, perhaps for want of memory; run it again with --jobs 1"
                        )
                    clock.finish(id, found.seconds if isinstance(found, Finished) else None)
                    yield id, found
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            if futures:  # interrupted: nobody waits for what they are at
                for process in set(active_children()) - others:
                    process.terminate()
    listen(clock.now((), ""))


def _end_with_parent() -> None:
    """Let this process end as soon as the one that started it has, even if that one was killed."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def attempt(
    id: str,
    seed: int,
    quick: bool,
    files: Sequence[str] = (),
    tick: Callable[[str], None] = lambda message: None,
) -> Outcome:
    """Run one experiment on one thread; what goes wrong is an error with its name in it, and stops no other."""
    from threadpoolctl import threadpool_limits

    try:
        for file in files:
            load_file(file)
        experiment = find(id)
        with threadpool_limits(1):
            return Finished.of(run(experiment, seed=seed, quick=quick, tick=tick))
    except OhmlineError as error:
        return error
    except Exception as error:
        return OhmlineError(f"{id} failed: {type(error).__name__}: {error}")


class _Clock:
    """How long the rest takes: what each experiment usually takes, times how slow this machine has been so far."""

    def __init__(self, plan: Plan) -> None:
        self._usual = {id: guess(id, plan.quick) for id in plan.ids}
        self._of, self._jobs = len(plan.ids), plan.jobs
        self._begun: dict[str, float] = {}
        self._took = self._expected = 0.0

    def drop(self, id: str) -> None:
        """It needs no time: it is there."""
        self._usual.pop(id, None)

    def finish(self, id: str, seconds: float | None) -> None:
        usual = self._usual.pop(id, 0.0)
        self._begun.pop(id, None)
        if seconds is not None:
            self._took += seconds
            self._expected += usual

    def now(self, running: tuple[str, ...], message: str) -> Progress:
        slow = self._took / self._expected if self._expected > 0 else 1.0
        left = 0.0
        for id, usual in self._usual.items():
            spent = 0.0
            if id in running:
                spent = time.monotonic() - self._begun.setdefault(id, time.monotonic())
            left += max(usual * slow - spent, 0.0)
        done = self._of - len(self._usual)
        return Progress(done, self._of, running, message, left / max(min(self._jobs, len(self._usual)), 1))


def _place(plan: Plan, id: str) -> Path | None:
    return None if plan.folder is None else plan.folder / PARTS / f"{id}.json"


def _key(plan: Plan, experiment: Experiment) -> dict[str, Any]:
    """What a result must share to be taken for this run's, beside where and with what it was made."""
    return {
        "seed": plan.seed,
        "quick": plan.quick,
        "sources": fingerprint_of(experiment.run),
    }


def _as_here(plan: Plan, made: dict[str, str]) -> bool:
    """Whether what was made with these versions and on this hardware is what this run would find."""
    given_up = HARDWARE if plan.anywhere else ()
    here = about_this_machine()
    return all(made.get(name) == here.get(name) for name in {*made, *here} if name not in given_up)


def _data_here() -> list[str]:
    """The data sets that can be loaded now without a network."""
    return [name for name in sorted(CATALOG) if is_here(name)]


def _kept(plan: Plan, id: str) -> Finished | None:
    """The result in the folder, if it is what this run would find; a damaged one is as good as none."""
    place = _place(plan, id)
    if place is None or not place.is_file():
        return None
    try:
        kept = json.loads(place.read_text(encoding="utf-8"))
        if kept["key"] != _key(plan, find(id)):
            return None
        found = Finished.read(kept["document"], kept["figures"])
        if not _as_here(plan, found.made):
            return None
        if any(claim.missing for claim in found.claims) and kept["data"] != _data_here():
            return None
        return found
    except (OSError, ValueError, KeyError, TypeError, DataError):
        return None


def _keep(plan: Plan, found: Finished) -> None:
    place = _place(plan, found.id)
    if place is not None:
        kept = {
            "key": _key(plan, find(found.id)),
            "data": _data_here(),
            "document": found.document(),
            "figures": found.figures,
        }
        write(place, json.dumps(kept))
