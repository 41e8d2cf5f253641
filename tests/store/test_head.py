"""The head of a log: two places, of which one is always whole."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from ohmline.errors import FileFormatError, JournalError, ProjectInUse
from ohmline.store.disk import DiskFile
from ohmline.store.head import BLOCK, NOTHING, Head

HASHES = [f"{k:064x}" for k in range(20)]


def head_of(folder: Path) -> Head:
    return Head(folder / "head", "the log")


def test_it_says_what_was_written_last(tmp_path: Path) -> None:
    head = head_of(tmp_path)
    assert (head.seq, head.hash) == (-1, NOTHING)
    for k in range(10):
        head.write(k, HASHES[k])
        assert (head.seq, head.hash) == (k, HASHES[k])
    head.close()
    again = head_of(tmp_path)
    assert (again.seq, again.hash) == (9, HASHES[9])
    again.write(3, HASHES[3])  # what was taken back
    again.close()
    again = head_of(tmp_path)
    assert (again.seq, again.hash) == (3, HASHES[3])
    again.close()


def test_it_keeps_its_size(tmp_path: Path) -> None:
    head = head_of(tmp_path)
    sizes = {(tmp_path / "head").stat().st_size}
    for k in range(5):
        head.write(10**k, HASHES[k])
        sizes.add((tmp_path / "head").stat().st_size)
    head.close()
    assert sizes == {2 * BLOCK}


@pytest.mark.parametrize("last", [6, 7])
def test_a_torn_write_leaves_the_one_before(tmp_path: Path, last: int) -> None:
    head = head_of(tmp_path)
    for k in range(last):
        head.write(k, HASHES[k])
    before = (tmp_path / "head").read_bytes()
    head.write(last, HASHES[last])
    after = (tmp_path / "head").read_bytes()
    head.close()
    place = next(k for k in range(2 * BLOCK) if before[k] != after[k]) // BLOCK * BLOCK
    for torn in range(400):
        (tmp_path / "head").write_bytes(before[:place] + after[place : place + torn] + before[place + torn :])
        head = head_of(tmp_path)
        assert (head.seq, head.hash) in ((last - 1, HASHES[last - 1]), (last, HASHES[last]))
        head.close()


def test_what_never_was_a_head_is_refused_and_what_was_never_written_is_not(tmp_path: Path) -> None:
    for content in (b"x", b"{}", b"\xff" * 9000, b'{"seq": 3, "hash": "a"}', b"[" * 5000):
        (tmp_path / "head").write_bytes(content)
        with pytest.raises(FileFormatError, match=r"is damaged.*delete it to go on"):
            head_of(tmp_path)
        assert (tmp_path / "head").read_bytes() == content
    for content in (b"", b"\0" * 8192, b" " * 100):  # the power went while it was made
        (tmp_path / "head").write_bytes(content)
        head = head_of(tmp_path)
        assert head.seq == -1
        head.close()


def test_a_failed_write_leaves_the_good_place_alone(tmp_path: Path) -> None:
    failing = False

    class Failing:
        def __init__(self, path: Path) -> None:
            self.file = DiskFile(path)
            self.lock, self.is_there = self.file.lock, self.file.is_there
            self.read, self.sync, self.close = self.file.read, self.file.sync, self.file.close

        def write(self, place: int, data: bytes) -> None:
            self.file.write(place, data[:100] if failing else data)
            if failing:
                raise OSError(errno.EIO, "Input/output error")

    head = Head(tmp_path / "head", "the log", open_file=Failing)
    for k in range(5):
        head.write(k, HASHES[k])
    failing = True
    for k in range(5, 9):
        with pytest.raises(OSError, match="Input/output"):
            head.write(k, HASHES[k])
        assert (head.seq, head.hash) == (4, HASHES[4])
    head.close()
    again = head_of(tmp_path)
    assert (again.seq, again.hash) == (4, HASHES[4])
    again.close()


def test_it_has_one_owner(tmp_path: Path) -> None:
    head = head_of(tmp_path)
    with pytest.raises(ProjectInUse, match=r"the log is in use by process \d+ on "):
        head_of(tmp_path)
    head.close()
    head.close()
    head_of(tmp_path).close()
    with pytest.raises(JournalError, match="does not exist"):
        head_of(tmp_path / "no")


def test_a_head_of_the_first_form_is_read_and_written_anew(tmp_path):
    import json

    path = tmp_path / "log.head"
    fields = {"seq": 7, "hash": "ab" * 32, "pid": 1, "host": "here"}
    path.write_bytes(json.dumps(fields).encode().ljust(511) + b"\n")
    head = Head(path, "log")
    assert (head.seq, head.hash) == (7, "ab" * 32)
    head.write(8, "cd" * 32)
    head.close()
    again = Head(path, "log")
    assert (again.seq, again.hash) == (8, "cd" * 32)
    again.close()
