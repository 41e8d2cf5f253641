"""The disk is full, or fails, at each of its steps: reads go on, writes are refused, and it resumes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from event_logs import bare, draft, drafts, sqlite_place
from failing_disk import Disk, put, without_syncs  # noqa: F401
from ohmline.errors import JournalError
from ohmline.store.events import Draft, SqliteLog, sqlite_log

pytestmark = pytest.mark.usefixtures("without_syncs")


@pytest.fixture(autouse=True)
def short_wal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_log, "LONG", 6)


class Trouble:
    """Something goes wrong at one step, once or until it is mended."""

    def __init__(self, at: int, wrong: str, lasts: bool) -> None:
        self.at, self.wrong, self.lasts = at, wrong, lasts
        self.came = False

    def __call__(self, step: int, kind: str) -> str | None:
        room_is_not_needed = self.wrong == "full" and not kind.startswith("write")
        if room_is_not_needed or step < self.at or (step > self.at and not self.lasts):
            return None
        self.came = True
        return self.wrong

    def mend(self) -> None:
        self.at, self.lasts = 0, False


def opened(disk: Disk, trouble: Trouble) -> SqliteLog:
    try:
        return disk.open()
    except JournalError:
        assert trouble.came
        trouble.mend()
        return disk.open()


def appended(log: SqliteLog, batch: list[Draft], acknowledged: list[Draft], trouble: Trouble) -> None:
    """Append a batch; where that fails, all that is promised holds, and then it can be appended after all."""
    before = log.head
    try:
        log.append(batch)
    except JournalError:
        assert trouble.came
        assert not log.writable
        assert log.broken
        assert log.head == before
        assert bare(list(log.read())) == acknowledged
        with pytest.raises(JournalError, match="nothing is added"):
            log.append([draft(999)])
        if trouble.lasts and trouble.wrong == "broken":
            assert not log.recover()
            assert bare(list(log.read())) == acknowledged
        trouble.mend()
        assert log.recover()
        assert log.writable
        assert log.head == before
        assert bare(list(log.read())) == acknowledged
        log.append(batch)
    acknowledged.extend(batch)
    assert bare(list(log.read())) == acknowledged


def run(folder: Path, trouble: Trouble) -> int:
    """Two sessions on a disk that has a trouble; how many steps they took."""
    disk = Disk(folder, np.random.default_rng(0), trouble)
    acknowledged: list[Draft] = []
    for size in (1, 4):
        log = opened(disk, trouble)
        assert bare(list(log.read())) == acknowledged
        for _ in range(6):
            appended(log, drafts(len(acknowledged), size), acknowledged, trouble)
        log.close()
    trouble.mend()
    with Disk(folder, np.random.default_rng(0)).open() as log:  # the files as they are
        assert bare(list(log.read())) == acknowledged
        log.verify()
    return disk.steps


def runs(tmp_path: Path, stride: int) -> Iterator[Trouble]:
    """A run with each trouble at each step; those that came."""
    (tmp_path / "none").mkdir()
    steps = run(tmp_path / "none", Trouble(10**9, "", lasts=False))
    assert steps > 80
    for at in range(1, steps + 1, stride):
        for wrong in ("full", "broken"):
            for lasts in (False, True):
                folder = tmp_path / f"{at}-{wrong}-{lasts}"
                folder.mkdir()
                trouble = Trouble(at, wrong, lasts)
                run(folder, trouble)
                if trouble.came:
                    yield trouble


def test_a_disk_that_fails_at_some_steps(tmp_path: Path) -> None:
    assert sum(1 for _ in runs(tmp_path, 5)) > 50


@pytest.mark.slow
def test_a_disk_that_fails_at_every_step(tmp_path: Path) -> None:
    assert sum(1 for _ in runs(tmp_path, 1)) > 250


def test_the_error_says_what_to_do(tmp_path: Path) -> None:
    wrong = ""
    disk = Disk(tmp_path, np.random.default_rng(0), lambda step, kind: wrong or None)
    with disk.open() as log:
        log.append(drafts(0, 3))
        for wrong, words in (
            ("full", "the disk is full; make room"),
            ("broken", "disk I/O error.*mend that"),
        ):
            with pytest.raises(JournalError, match=words):
                log.append([draft(3)])
            with pytest.raises(
                JournalError, match=r"since .*(full|cannot be written).* make room or mend that"
            ):
                log.append([draft(3)])
            wrong = ""
            assert log.recover()
        assert log.append([draft(3)])[0].seq == 3


@pytest.mark.parametrize("wrong", ["full", "broken"])
@pytest.mark.parametrize("kind", ["write events.db", "sync events.db"])
def test_a_failed_copy_of_the_wal_leaves_what_is_acknowledged(tmp_path: Path, wrong: str, kind: str) -> None:
    failing, failed = True, 0

    def plan(step: int, each: str) -> str | None:
        nonlocal failed
        if failing and each == kind:
            failed += 1
            return wrong
        return None

    log = Disk(tmp_path, np.random.default_rng(0)).open()
    log.close()
    disk = Disk(tmp_path, np.random.default_rng(0), plan)
    with disk.open() as log:
        acknowledged: list[Draft] = []
        while failed < (3 if wrong == "full" else 1):
            acknowledged += bare(log.append([draft(len(acknowledged))]))
            assert len(acknowledged) < 100
        assert log.writable == (wrong == "full")
        failing = False
        assert log.recover()
        for _ in range(20):
            acknowledged += bare(log.append([draft(len(acknowledged))]))
        assert bare(list(log.read())) == acknowledged
        assert kind in disk.kinds[-60:]  # the copy goes on where it stopped
    with Disk(tmp_path, np.random.default_rng(0)).open() as log:
        assert bare(list(log.read())) == acknowledged


def test_a_power_cut_after_a_failure_leaves_a_whole_log(tmp_path: Path) -> None:
    """An append fails at any step, is taken back, and then the power goes: what was acknowledged is there."""
    for at in range(1, 12):
        for wrong in ("full", "broken"):
            folder = tmp_path / f"{at}-{wrong}"
            folder.mkdir()
            disk = Disk(folder, np.random.default_rng(at))
            log = disk.open()
            log.append(drafts(0, 5))
            start = disk.steps
            disk.plan = lambda step, kind, start=start, at=at, wrong=wrong: (
                wrong if step == start + at else None
            )
            failed = False
            try:
                log.append(drafts(5, 3))
            except JournalError:
                failed = True
            disk.plan = lambda step, kind: "cut"
            if log.recover():
                with pytest.raises(JournalError, match="nothing was added"):
                    log.append([draft(8)])
            assert disk.left is not None
            put(disk.left, folder)
            with sqlite_place(folder).open() as again:
                found = bare(list(again.read()))
                assert found == drafts(0, len(found))
                assert len(found) in ((5, 8) if failed else (8,))
