"""A bit is flipped, or a file cut, at any byte: it is refused, or all that was acknowledged is there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from event_logs import bare, draft, drafts, sqlite_place
from ohmline.errors import FileFormatError, JournalError
from ohmline.store import disk
from ohmline.store import head as head_module
from ohmline.store.events import Event, SqliteLog, sqlite_log

Files = dict[str, bytes]


@pytest.fixture(autouse=True)
def without_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No power goes here, and tens of thousands of logs are opened."""
    for module in (head_module, sqlite_log):
        monkeypatch.setattr(module, "sync_folder", lambda folder: None)
    monkeypatch.setattr(disk, "sync", lambda descriptor: None)


def files_of(folder: Path) -> Files:
    return {each.name: each.read_bytes() for each in folder.iterdir() if not each.name.endswith("-shm")}


def closed_log(folder: Path) -> tuple[list[Event], Files]:
    """A log that was closed: all is in the database."""
    with sqlite_place(folder).open() as log:
        for k in range(4):
            log.append(drafts(3 * k, 3))
        events = list(log.read())
    return events, files_of(folder)


def killed_log(folder: Path) -> tuple[list[Event], Files]:
    """A log whose process was killed: some is in the database, the rest in the -wal file."""
    with sqlite_place(folder).open() as log:
        log.append(drafts(0, 3))
    with sqlite_place(folder).open() as log:
        log.append(drafts(3, 4))
        log.append(drafts(7, 5))
        events = list(log.read())
        return events, files_of(folder)


LOGS = {"closed": closed_log, "killed": killed_log}


def opened(folder: Path) -> SqliteLog:
    """The log of a folder, without syncs."""
    return SqliteLog(folder / "events.db", folder / "events.head", synchronous="OFF")


def flips(files: Files, stride: int) -> Iterator[tuple[str, int, Files]]:
    chance = np.random.default_rng(0)
    for name, data in files.items():
        for place in range(int(chance.integers(stride)), len(data), stride):
            damaged = bytearray(data)
            damaged[place] ^= 1 << int(chance.integers(8))
            yield name, place, {**files, name: bytes(damaged)}


def cuts(files: Files, stride: int) -> Iterator[tuple[str, int, Files]]:
    for name, data in files.items():
        for place in range(stride - 1, len(data), stride):
            yield name, place, {**files, name: data[:place]}


def is_harmless_or_refused(folder: Path, files: Files, events: list[Event]) -> bool:
    """Open what is there: True if it does no harm, False if it is refused; any third thing is a failure."""
    for old in folder.iterdir():
        old.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    try:
        log = opened(folder)
    except (FileFormatError, JournalError):
        assert {name: (folder / name).read_bytes() for name in files} == files, "a refused log was changed"
        return False
    with log:
        assert list(log.read()) == events
        log.append([draft(12)])
    with opened(folder) as log:
        assert bare(list(log.read())) == drafts(0, 13)
    return True


def tried(tmp_path: Path, state: str, kind: str, stride: int) -> tuple[int, int]:
    """How many damages did no harm, and how many were refused."""
    source, folder = tmp_path / "source", tmp_path / "damaged"
    source.mkdir()
    folder.mkdir()
    events, files = LOGS[state](source)
    assert len(events) == 12
    assert set(files) == {"events.db", "events.head"} | ({"events.db-wal"} if state == "killed" else set())
    counts = [0, 0]
    for name, place, damaged in (flips if kind == "flip" else cuts)(files, stride):
        try:
            counts[not is_harmless_or_refused(folder, damaged, events)] += 1
        except BaseException as error:
            error.add_note(f"{kind} of {name} at byte {place}")
            raise
    return counts[0], counts[1]


@pytest.mark.parametrize("kind", ["flip", "cut"])
@pytest.mark.parametrize("state", LOGS)
def test_damage_at_some_bytes_is_refused_or_does_no_harm(tmp_path: Path, state: str, kind: str) -> None:
    harmless, refused = tried(tmp_path, state, kind, 149)
    assert harmless > 5
    assert refused > 5


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["flip", "cut"])
@pytest.mark.parametrize("state", LOGS)
def test_damage_at_every_byte_is_refused_or_does_no_harm(tmp_path: Path, state: str, kind: str) -> None:
    harmless, refused = tried(tmp_path, state, kind, 1)
    assert harmless > 1000
    assert refused > 1000


# --- files that are lost, old or strange -------------------------------------------------------------


@pytest.fixture
def killed(tmp_path: Path) -> tuple[Path, list[Event]]:
    """The folder of a log whose process was killed, and its events."""
    (tmp_path / "source").mkdir()
    events, files = killed_log(tmp_path / "source")
    folder = tmp_path / "log"
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder, events


def test_a_wal_that_was_left_over_is_taken_up(killed: tuple[Path, list[Event]]) -> None:
    folder, events = killed
    with sqlite_place(folder).open() as log:
        assert list(log.read()) == events


def test_a_lost_wal_is_noticed(killed: tuple[Path, list[Event]]) -> None:
    folder, _ = killed
    (folder / "events.db-wal").unlink()
    with pytest.raises(
        FileFormatError, match="ends with event 2, but event 11 was acknowledged: the end is lost"
    ):
        sqlite_place(folder).open()


def test_an_old_copy_of_the_database_is_noticed(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    with place.open() as log:
        log.append(drafts(0, 5))
    old = (tmp_path / "events.db").read_bytes()
    with place.open() as log:
        log.append(drafts(5, 5))
    (tmp_path / "events.db").write_bytes(old)
    with pytest.raises(FileFormatError, match="ends with event 4, but event 9 was acknowledged"):
        place.open()
    assert (tmp_path / "events.db").read_bytes() == old


def test_a_lost_database_is_noticed_and_not_made_anew(killed: tuple[Path, list[Event]]) -> None:
    folder, _ = killed
    (folder / "events.db").unlink()
    with pytest.raises(FileFormatError, match="empty or gone, but event 11 was acknowledged"):
        sqlite_place(folder).open()


def test_the_wal_of_another_log_does_not_get_into_this_one(
    killed: tuple[Path, list[Event]], tmp_path: Path
) -> None:
    folder, events = killed
    sound = files_of(folder)
    other = tmp_path / "other"
    other.mkdir()
    with sqlite_place(other).open() as log:
        log.append([draft(k + 50) for k in range(3)])
    with sqlite_place(other).open() as log:
        for k in range(60, 75):
            log.append([draft(k)])
        shutil.copy(other / "events.db-wal", folder / "events.db-wal")
    with pytest.raises(FileFormatError):
        sqlite_place(folder).open()
    (folder / "events.db-wal").write_bytes(sound["events.db-wal"])  # as the message says
    assert files_of(folder) == sound
    with sqlite_place(folder).open() as log:
        assert list(log.read()) == events


def test_a_head_that_is_damaged_altogether_is_refused(killed: tuple[Path, list[Event]]) -> None:
    folder, _ = killed
    (folder / "events.head").write_bytes(b"x" * 8192)
    with pytest.raises(FileFormatError, match=r"events.head is damaged.*delete it to go on"):
        sqlite_place(folder).open()
    (folder / "events.head").unlink()
    sqlite_place(folder).open().close()
