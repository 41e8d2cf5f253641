"""The power goes at any moment, and takes any of the unsynced sectors with it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from event_logs import bare, draft
from failing_disk import Disk, put, without_syncs  # noqa: F401
from ohmline.errors import FileFormatError, JournalError
from ohmline.store.events import Draft, sqlite_log

pytestmark = pytest.mark.usefixtures("without_syncs")


class Lost(AssertionError):
    """An acknowledged event is gone."""


def life(
    disk: Disk, before: list[Draft], chance: np.random.Generator, synchronous: str
) -> tuple[int, list[Draft]]:
    """Append until the power goes: how many events were acknowledged, and all that were tried."""
    acknowledged, tried = 0, list(before)
    try:
        while True:
            with disk.open(synchronous=synchronous) as log:
                found = bare(list(log.read()))
                if found != tried[: len(found)] or len(found) < acknowledged:
                    raise Lost(f"{len(found)} events where {acknowledged} were acknowledged")
                tried, acknowledged = found, len(found)
                for _ in range(chance.integers(1, 12)):
                    batch = [
                        draft(len(tried) + k, text="x" * int(chance.choice([1, 100, 5000])))
                        for k in range(chance.choice([1, 1, 2, 9]))
                    ]
                    tried = tried + batch
                    log.append(batch)
                    acknowledged = len(tried)
    except JournalError:
        assert disk.left is not None, "an error came before the power went"
    return acknowledged, tried


def trial(folder: Path, seed: int, synchronous: str = "FULL") -> None:
    """Some power cuts in a row, each after some sessions."""
    chance = np.random.default_rng(seed)
    events: list[Draft] = []
    acknowledged = 0
    for _ in range(3):
        goes = int(chance.integers(1, 150))
        disk = Disk(folder, chance, lambda step, kind, goes=goes: "cut" if step >= goes else None)
        try:
            acknowledged, events = life(disk, events, chance, synchronous)
        except FileFormatError as error:
            raise Lost(str(error)) from None
        assert disk.left is not None
        put(disk.left, folder)
        try:
            with Disk(folder, chance).open() as log:
                found = bare(list(log.read()))
                log.verify()
        except FileFormatError as error:
            raise Lost(str(error)) from None
        if len(found) < acknowledged or found != events[: len(found)]:
            raise Lost(f"{len(found)} events where {acknowledged} were acknowledged")
        events = found


def losses(folder: Path, seeds: range, synchronous: str) -> int:
    """In how many trials an acknowledged event was lost."""
    lost = 0
    for seed in seeds:
        try:
            trial(folder, seed, synchronous)
        except Lost:
            lost += 1
        put({}, folder)
    return lost


@pytest.fixture(autouse=True)
def short_wal(monkeypatch: pytest.MonkeyPatch) -> None:
    """So short that it is copied into the database many times."""
    monkeypatch.setattr(sqlite_log, "LONG", 12)


def test_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    assert losses(tmp_path, range(50), "FULL") == 0


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_in_many_trials(tmp_path: Path) -> None:
    trials = int(os.environ.get("OHMLINE_POWER_CUTS", "2000"))
    assert losses(tmp_path, range(1000, 1000 + trials), "FULL") == 0


@pytest.mark.parametrize("synchronous", ["NORMAL", "OFF"])
def test_the_same_trials_lose_events_where_sqlite_syncs_less(tmp_path: Path, synchronous: str) -> None:
    assert losses(tmp_path, range(20), synchronous) > 5
