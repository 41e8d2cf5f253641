"""A stream from a file that grows, is cut, is rotated, holds nonsense, or is read by a process that dies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ohmline.errors import FileFormatError, ParameterError, SourceError
from ohmline.sources import Item, Source, follow_file
from ohmline.sources.lines import LONGEST

POLL = 0.01


def line(node: Any, **more: Any) -> str:
    return json.dumps({"node": node, **more}) + "\n"


def taken(source: Source, count: int) -> list[Any]:
    """The first items, each acknowledged."""
    nodes, items = [], iter(source)
    for _ in range(count):
        item = next(items)
        nodes.append(item.node)
        item.ack()
    return nodes


def everything(path: Path, **options: Any) -> list[Item]:
    found = []
    for item in follow_file(path, poll=None, **options):
        found.append(item)
        item.ack()
    return found


def aside(path: Path) -> list[dict[str, Any]]:
    place = path.with_name(path.name + ".aside.jsonl")
    return [json.loads(row) for row in place.read_text().splitlines()] if place.exists() else []


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


def test_what_was_acknowledged_is_not_given_again(log: Path) -> None:
    log.write_text(line("a") + line("b") + line("c"))
    assert taken(follow_file(log, poll=None), 2) == ["a", "b"]
    assert [item.node for item in everything(log)] == ["c"]
    assert everything(log) == []
    with log.open("a") as file:
        file.write(line("d"))
    assert [item.node for item in everything(log)] == ["d"]


def test_what_was_not_acknowledged_is_given_again_with_its_key(log: Path) -> None:
    log.write_text(line("a") + line("a") + line("a", key="mine"))
    first = list(follow_file(log, poll=None))
    again = list(follow_file(log, poll=None))
    assert [item.key for item in first] == [item.key for item in again]
    assert len({item.key for item in first}) == 3
    assert first[2].key == "mine"


def test_the_mark_waits_for_the_items_before(log: Path) -> None:
    log.write_text(line("a") + line("b") + line("c"))
    a, b, c = follow_file(log, poll=None)
    c.ack()
    b.ack()
    assert [item.node for item in follow_file(log, poll=None)] == ["a", "b", "c"]
    a.ack()
    a.ack()
    assert list(follow_file(log, poll=None)) == []


def test_a_half_written_line_waits(log: Path) -> None:
    log.write_text(line("a") + line("b")[:7])
    assert [item.node for item in everything(log)] == ["a"]
    with log.open("a") as file:
        file.write(line("b")[7:])
    assert [item.node for item in everything(log)] == ["b"]
    assert aside(log) == []


def test_it_waits_for_a_file_and_for_lines_until_closed(log: Path) -> None:
    source, found = follow_file(log, poll=POLL), []
    seen = threading.Event()

    def read() -> None:
        for item in source:
            item.ack()
            found.append(item.node)
            if len(found) in (1, 3):
                seen.set()

    reader = threading.Thread(target=read)
    reader.start()
    log.write_text(line("a"))
    assert seen.wait(20)
    seen.clear()
    with log.open("a") as file:
        file.write(line("b") + line("c"))
    assert seen.wait(20)
    source.close()
    reader.join(20)
    assert found == ["a", "b", "c"]


def test_a_rotated_file_is_read_to_its_end_and_then_the_new_one(log: Path) -> None:
    log.write_text(line("a"))
    items = iter(follow_file(log, poll=POLL))
    next(items).ack()
    with log.open("a") as file:
        file.write(line("b"))
        os.rename(log, log.with_suffix(".1"))
        file.write(line("c") + '{"node": "hal')
    log.write_text(line("a") + line("b"))
    nodes = []
    for _ in range(4):
        item = next(items)
        nodes.append(item.node)
        item.ack()
    assert nodes == ["b", "c", "a", "b"]
    assert [(row["reason"], row["line"]) for row in aside(log)] == [
        ("the file was rotated within this line", '{"node": "hal')
    ]
    assert everything(log) == []


def test_equal_lines_of_a_rotated_file_are_other_items(log: Path) -> None:
    log.write_text(line("a"))
    items = iter(follow_file(log, poll=POLL))
    first = next(items)
    first.ack()
    os.rename(log, log.with_suffix(".1"))
    log.write_text(line("a"))
    assert next(items).key != first.key


@pytest.mark.parametrize("anew", ["", line("x"), line("x") * 40])
def test_a_file_cut_short_or_written_anew_is_noticed(log: Path, anew: str) -> None:
    log.write_text(line("a") * 20)
    taken(follow_file(log, poll=None), 10)
    log.write_text(anew)
    with pytest.raises(SourceError, match=r"cut short, rotated or written anew; begin_again=True"):
        everything(log)
    assert [item.node for item in everything(log, begin_again=True)] == ["x"] * anew.count("\n")


def test_a_file_cut_short_while_it_is_read_is_noticed(log: Path) -> None:
    log.write_text(line("a") * 2)
    items = iter(follow_file(log, poll=POLL))
    next(items).ack()
    next(items).ack()
    os.truncate(log, 3)
    with pytest.raises(SourceError, match="cut short"):
        next(items)


def test_a_copy_of_the_file_in_its_place_goes_on(log: Path) -> None:
    log.write_text(line("a") + line("b"))
    taken(follow_file(log, poll=None), 1)
    content = log.read_bytes()
    log.unlink()
    log.write_bytes(content + line("c").encode())
    assert [item.node for item in everything(log)] == ["b", "c"]


def test_nonsense_is_set_aside_with_the_reason_and_the_rest_goes_on(log: Path) -> None:
    rows = [
        b"{",
        b"",
        b"\xff\xfe",
        b'{"node": "b"}',
        b"x" * (LONGEST + 1),
        b'{"node": "c", "weight": 1}',
        b'{"node": "d"}',
    ]
    log.write_bytes(b"\r\n".join(rows) + b"\r\n")
    assert [item.node for item in everything(log)] == ["b", "d"]
    found = aside(log)
    assert len(found) == 4
    assert "not a line of JSON" in found[0]["reason"]
    assert found[2]["reason"] == "the line is too long"
    assert "has no 'weight'" in found[3]["reason"]
    assert everything(log) == []
    assert len(aside(log)) == 4


def test_what_is_refused_is_set_aside_and_not_given_again(log: Path) -> None:
    log.write_text(line("a") + line("b"))
    first, second = follow_file(log, poll=None)
    assert first.refuse("there is no such thing")
    second.ack()
    assert [(row["reason"], json.loads(row["line"])) for row in aside(log)] == [
        ("there is no such thing", {"node": "a"})
    ]
    assert everything(log) == []


def test_a_table_names_its_columns_also_after_a_break(tmp_path: Path) -> None:
    table = tmp_path / "log.csv"
    table.write_text('\ufeffnode,text,neighbours\n1,"a, b",2;3\n2,c,\nx,d,\n3,e\n"4,f,\n')
    (first, *_) = follow_file(table, poll=None, whole_ids=True)
    first.ack()
    assert (first.node, first.fields, first.edges) == (1, {"text": "a, b"}, ((1, 2, 1.0), (1, 3, 1.0)))
    (second,) = everything(table, whole_ids=True)
    assert (second.node, second.fields, second.edges) == (2, {"text": "c"}, ())
    assert [row["reason"].partition(";")[0][:30] for row in aside(table)[-3:]] == [
        "the id 'x' is no whole number",
        "the line has 2 entries, the fi",
        "not a line of a CSV file in UT",
    ]


def test_bad_names_and_marks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"path must end in .jsonl"):
        follow_file(tmp_path / "log.txt")
    with pytest.raises(SourceError, match="there is no file"):
        everything(tmp_path / "none.jsonl")
    for content in ("", "[]", '{"format": 2}', '{"format": 1, "round": -1}', "\0" * 50):
        (tmp_path / "log.jsonl.mark").write_text(content)
        with pytest.raises(FileFormatError, match="is no mark"):
            follow_file(tmp_path / "log.jsonl")


DIES = """
import os, sys
from ohmline.sources import follow_file
for k, item in enumerate(follow_file(sys.argv[1], poll=None)):
    print(item.key, flush=True)
    if k == 3:
        os.kill(os.getpid(), 9)
    item.ack()
"""


def test_a_process_that_dies_loses_nothing(log: Path) -> None:
    log.write_text("".join(line(k) for k in range(10)))
    keys: list[str] = []
    for _ in range(3):
        out = subprocess.run(
            [sys.executable, "-c", DIES, str(log)], capture_output=True, text=True, timeout=120, check=False
        )
        keys += out.stdout.split()
    assert len(keys) == 12
    keys += [item.key for item in everything(log)]
    assert keys[3] == keys[4]
    assert keys[7] == keys[8]
    assert len(set(keys)) == 10
