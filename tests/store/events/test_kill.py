"""A process is killed (SIGKILL) while it writes: nothing that it acknowledged is lost, and nothing is there twice."""

from __future__ import annotations

import multiprocessing
import random
import time
from pathlib import Path

import pytest

from dying_writer import write_until_killed
from event_logs import Place, bare, drafts, postgres_place, sqlite_place


def kill_often(place: Place, times: int) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["ohmline.store.events", "apsw", "pytest"])  # which take long to import
    chance = random.Random(7)
    acknowledged = (-1, "0" * 64)
    for k in range(times):
        mine, theirs = context.Pipe(duplex=False)
        process = context.Process(target=write_until_killed, args=(place, k, theirs))
        process.start()
        theirs.close()
        said = [mine.recv()] if k % 4 else []  # one in four is killed while it starts
        assert not said or said[0][0] >= acknowledged[0]
        time.sleep(chance.choice([0.0, 0.001, 0.01, 0.05]) * chance.random())
        process.kill()
        process.join()
        try:
            while True:
                said.append(mine.recv())
        except EOFError:
            pass
        mine.close()
        acknowledged = max([acknowledged, *said])
        if k % 5 == 0 or k == times - 1:
            acknowledged = expect_whole(place, acknowledged)
    assert acknowledged[0] > 2 * times


def expect_whole(place: Place, acknowledged: tuple[int, str]) -> tuple[int, str]:
    """Nothing is lost and nothing doubled; where the log ends."""
    with place.open() as log:
        events = list(log.read())
        assert len(events) > acknowledged[0]
        assert acknowledged[0] < 0 or events[acknowledged[0]].hash == acknowledged[1]
        assert bare(events) == drafts(0, len(events))
        log.verify()
        return log.head


def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    kill_often(sqlite_place(tmp_path), 15)


@pytest.mark.slow
def test_a_process_that_is_killed_200_times_loses_nothing(tmp_path: Path) -> None:
    kill_often(sqlite_place(tmp_path), 200)


@pytest.mark.slow
def test_a_process_that_is_killed_50_times_loses_nothing_in_postgres(tmp_path: Path, postgres: str) -> None:
    kill_often(postgres_place(tmp_path, postgres), 50)
