"""The journal: every byte of damage is found or harmless, and nothing acknowledged is ever lost."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ohmline.errors import FileFormatError, JournalError, ParameterError
from ohmline.store.journal import FORMAT, VERSION, Journal, _line, head_path, read_journal
from ohmline.store.whole import whole

ABOUT = {"graph": "g"}


def filled(path: Path, events: int = 3) -> list[bytes]:
    """A journal with so many events after the first; its lines."""
    with Journal(path, ABOUT, actor="ann") as journal:
        for k in range(events):
            journal.append("labelled", {"node": k, "label": "é\u2028"})
    return path.read_bytes().splitlines(keepends=True)


def test_events_come_back_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path, ABOUT, actor="ann") as journal:
        event = journal.append("labelled", {"node": ["a", 1], "label": "é"})
        assert read_journal(path) == journal.events
    with Journal(path, {"graph": "another"}, actor="bob") as again:
        assert again.events[1] == event
        assert again.about["graph"] == "g"
        assert again.append("skipped", {}).actor == "bob"
    assert [e.seq for e in read_journal(path)] == [0, 1, 2]
    assert event.time.endswith("Z")
    assert event.actor == "ann"


def test_each_line_is_plain_json(tmp_path: Path) -> None:
    for k, line in enumerate(filled(tmp_path / "j.jsonl")):
        assert json.loads(line)["seq"] == k


def test_a_second_process_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    code = (
        "import sys; from ohmline.store.journal import Journal\n"
        "from ohmline.errors import JournalError\n"
        "try: Journal(sys.argv[1], {})\n"
        "except JournalError as error: print(error)"
    )
    with Journal(path, ABOUT):
        done = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
        )
        assert f"{path} is in use by process {os.getpid()}" in done.stdout
        with pytest.raises(JournalError, match="in use"):
            Journal(path, ABOUT)
    Journal(path, ABOUT).close()


def test_a_line_cut_at_any_byte_is_cut_off_if_it_was_not_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    lines = filled(path)
    head = head_path(path).read_bytes()
    with Journal(path, ABOUT) as journal:
        journal.append("labelled", {"node": 9})
    tail = path.read_bytes()[len(b"".join(lines)) :]
    for size in range(len(tail)):
        path.write_bytes(b"".join(lines) + tail[:size])
        head_path(path).write_bytes(head)  # the process died before it was acknowledged
        with Journal(path, ABOUT) as journal:
            assert len(journal.events) == 4
            assert bool(journal.notes) == (size > 0)
            assert all("never acknowledged" in note for note in journal.notes)
            journal.append("labelled", {"node": 10})
        assert len(read_journal(path)) == 5


def test_a_file_cut_at_any_byte_is_refused_if_what_is_gone_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    whole_file = b"".join(filled(path))
    head = head_path(path).read_bytes()
    for size in range(len(whole_file)):
        path.write_bytes(whole_file[:size])
        with pytest.raises(FileFormatError, match=r"acknowledged|no journal"):
            Journal(path, ABOUT)
        assert path.read_bytes() == whole_file[:size]
        head_path(path).write_bytes(head)
    path.unlink()
    with pytest.raises(FileFormatError, match="is gone, but its line 4 was acknowledged"):
        Journal(path, ABOUT)
    assert not path.exists()


def test_a_bit_flipped_anywhere_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    lines = filled(path)
    whole_file = b"".join(lines)
    for place in range(len(whole_file)):
        for bit in (0, 5):
            damaged = bytearray(whole_file)
            damaged[place] ^= 1 << bit
            path.write_bytes(bytes(damaged))
            with pytest.raises(FileFormatError) as caught:
                Journal(path, ABOUT)
            line = whole_file[:place].count(b"\n") + 1
            assert any(f"line {k}" in str(caught.value) for k in (line, 4)) or "no journal" in str(
                caught.value
            )
    path.write_bytes(whole_file)
    Journal(path, ABOUT).close()


def test_a_line_that_was_removed_doubled_or_moved_is_refused_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    a, b, c, d = filled(path)
    head_path(path).unlink()
    for lines, number in (([a, c, d], 2), ([a, b, b, c, d], 3), ([a, c, b, d], 2), ([b, c, d], 1)):
        path.write_bytes(b"".join(lines))
        with pytest.raises(FileFormatError, match=f"line {number}:"):
            Journal(path, ABOUT)


def test_a_history_that_was_rewritten_does_not_fit_the_head(tmp_path: Path) -> None:
    path, other = tmp_path / "j.jsonl", tmp_path / "other.jsonl"
    filled(path), filled(other)
    path.write_bytes(other.read_bytes())
    with pytest.raises(FileFormatError, match="not the line that was acknowledged"):
        Journal(path, ABOUT)


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "a,b", '{"seq":0}\n', "{}\n", "[1]\n", "\n\n", "null\n"])
def test_a_file_that_is_no_journal_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError, match="no journal"):
        Journal(path, ABOUT)
    with pytest.raises(FileFormatError, match="no journal"):
        read_journal(path)
    assert path.read_text() == text


def test_a_newer_format_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    line, _ = _line(0, "", "opened", {"format": FORMAT, "version": VERSION + 1}, "0" * 64)
    path.write_bytes(line)
    with pytest.raises(FileFormatError, match=r"format 2, .* pip install --upgrade ohmline"):
        Journal(path, ABOUT)


# --- disks and folders --------------------------------------------------------------------------


@pytest.fixture
def small_files() -> Iterator[Callable[[int], None]]:
    """Sets how large a file may become, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_an_error_and_nothing_is_half_written(
    tmp_path: Path, small_files: Callable[[int], None]
) -> None:
    path = tmp_path / "j.jsonl"
    filled(path)
    before = path.read_bytes()
    with Journal(path, ABOUT) as journal:
        for room in (0, 1, 100):
            small_files(len(before) + room)
            with pytest.raises(JournalError, match="cannot be written: File too large"):
                journal.append("labelled", {"node": "x" * 200})
            assert path.read_bytes() == before
            assert len(journal.events) == 4
            assert not journal.broken
        small_files(resource.RLIM_INFINITY)
        assert journal.append("labelled", {"node": 7}).seq == 4
    assert len(read_journal(path)) == 5


def test_a_journal_that_cannot_begin_leaves_nothing_but_its_head(
    tmp_path: Path, small_files: Callable[[int], None]
) -> None:
    path = tmp_path / "j.jsonl"
    small_files(600)
    with pytest.raises(JournalError, match="cannot be written"):
        Journal(path, {"graph": "x" * 2000})
    small_files(resource.RLIM_INFINITY)
    assert [each.name for each in tmp_path.iterdir()] == ["j.jsonl.head"]
    Journal(path, ABOUT).close()


def test_a_folder_that_is_not_there_and_one_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="does not exist"):
        Journal(tmp_path / "no" / "j.jsonl", ABOUT)
    with pytest.raises(JournalError, match="is a folder"):
        Journal(tmp_path, ABOUT)
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0o500)
    if os.access(locked, os.W_OK):
        pytest.skip("root may write everywhere")
    with pytest.raises(JournalError, match="Permission denied"):
        Journal(locked / "j.jsonl", ABOUT)


def test_a_closed_journal_is_refused(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.jsonl", ABOUT)
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        journal.append("labelled", {})


def test_what_json_cannot_hold_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.jsonl", ABOUT) as journal:
        before = journal.path.read_bytes()
        for value in (float("nan"), {1, 2}, object()):
            with pytest.raises(ParameterError, match="JSON"):
                journal.append("labelled", {"node": value})
        assert journal.path.read_bytes() == before


def test_it_is_on_the_disk_before_it_is_acknowledged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    path = tmp_path / "j.jsonl"
    with Journal(path, ABOUT) as journal:
        assert str(tmp_path) in synced  # the name of the new file too
        synced.clear()
        journal.append("labelled", {})
        assert synced == [str(path), str(head_path(path))]


def test_a_failing_sync_is_no_acknowledgement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path, ABOUT) as journal:

        def fail(descriptor: int) -> None:
            raise OSError(errno.EIO, "Input/output error")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            with pytest.raises(JournalError, match="Input/output error"):
                journal.append("labelled", {"node": 1})
        assert len(journal.events) == 1
        with pytest.raises(JournalError, match="open the journal again"):
            journal.append("labelled", {"node": 2})
    with Journal(path, ABOUT) as journal:
        assert len(journal.events) == 1
        journal.append("labelled", {"node": 2})


# --- signals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_waits_until_the_work_is_whole(number: signal.Signals) -> None:
    class Came(Exception):
        pass

    def handler(number: int, frame: object) -> None:
        raise Came

    before = signal.signal(number, handler)
    done = []

    def work() -> None:
        with whole():
            os.kill(os.getpid(), number)
            done.append(True)

    try:
        with pytest.raises(Came):
            work()
        assert done == [True]
        assert signal.getsignal(number) is handler
    finally:
        signal.signal(number, before)
