"""What holds for every log, in SQLite and in PostgreSQL."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from event_logs import Place, bare, draft, drafts, postgres_place, sqlite_place
from ohmline.errors import FileFormatError, JournalError, OhmlineError, ParameterError, ProjectInUse
from ohmline.store.events import Draft, EventLog, open_log
from ohmline.store.events import event as event_module

NOTHING = "0" * 64


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where a new log of each kind can be."""
    if request.param == "sqlite":
        return sqlite_place(tmp_path)
    return postgres_place(tmp_path, request.getfixturevalue("postgres"))


def execute(place: Place, *statements: str) -> None:
    """Change a log behind its back."""
    if isinstance(place.address, Path):
        apsw = pytest.importorskip("apsw")
        connection = apsw.Connection(str(place.address))
        for statement in statements:
            connection.execute(statement.replace("TABLE_", "events"))
        connection.close()
        return
    psycopg = pytest.importorskip("psycopg")
    where, _, name = place.address.partition("#")
    with psycopg.connect(where) as connection:
        for statement in statements:
            connection.execute(statement.replace("TABLE_", f'"{name}"'))


def unguard(place: Place) -> str:
    """The statement that lets events be changed."""
    if isinstance(place.address, Path):
        return "DROP TRIGGER unchanged; DROP TRIGGER undeleted"
    return "ALTER TABLE TABLE_ DISABLE TRIGGER only_grow"


def guard(place: Place) -> str:
    """The statement that hides that it was done."""
    if isinstance(place.address, Path):
        from ohmline.store.events.sqlite_file import UNCHANGED, UNDELETED

        return f"{UNCHANGED}; {UNDELETED}"
    return "ALTER TABLE TABLE_ ENABLE TRIGGER only_grow"


def tamper(place: Place, *statements: str) -> None:
    execute(place, unguard(place), *statements, guard(place))


def test_events_come_back_as_they_were_written(place: Place) -> None:
    with place.open() as log:
        assert log.head == (-1, NOTHING)
        assert list(log.read()) == []
        assert log.append([]) == []
        first = log.append([draft(0)])
        more = log.append(drafts(1, 30))
        assert [e.seq for e in first + more] == list(range(31))
        assert log.head == (30, more[-1].hash)
        assert list(log.read()) == first + more
        assert bare(first + more) == drafts(0, 31)
    with place.open() as log:
        assert log.head == (30, more[-1].hash)
        assert list(log.read()) == first + more
        log.verify()


def test_a_part_can_be_read(place: Place) -> None:
    with place.open() as log:
        events = log.append(drafts(0, 1200))
        assert list(log.read(after=1000)) == events[1001:]
        assert list(log.read(after=3, limit=2)) == events[4:6]
        assert list(log.read(after=1199)) == list(log.read(after=5000)) == list(log.read(limit=0)) == []
        for options in ({"after": -2}, {"after": "1"}, {"limit": -1}, {"limit": 1.5}):
            with pytest.raises(ParameterError):
                log.read(**options)


def test_the_hash_is_the_one_that_is_documented(place: Place) -> None:
    with place.open() as log:
        events = log.append(drafts(0, 3))
    before = NOTHING
    for e in events:
        fields = {
            "seq": e.seq,
            "time": e.time,
            "actor": e.actor,
            "key": e.key,
            "kind": e.kind,
            "payload": e.payload,
        }
        body = json.dumps(fields, separators=(",", ":"))
        assert e.hash == sha256(before.encode() + body.encode()).hexdigest()
        before = e.hash


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
batches = st.lists(
    st.lists(st.builds(Draft, texts, texts, texts, texts, st.dictionaries(st.text(), values)), max_size=4),
    max_size=4,
)


@settings(max_examples=25)
@given(batches)
def test_the_same_drafts_have_the_same_hashes_everywhere(
    tmp_path_factory: pytest.TempPathFactory, postgres: str, given_batches: list[list[Draft]]
) -> None:
    folder = tmp_path_factory.mktemp("same")
    with (
        sqlite_place(folder).open() as one,
        postgres_place(folder, postgres).open() as other,
    ):
        for batch in given_batches:
            assert one.append(batch) == other.append(batch)
        assert one.head == other.head
        assert list(one.read()) == list(other.read())
        assert bare(list(one.read())) == [each for batch in given_batches for each in batch]


def test_a_draft_that_cannot_be_written_leaves_nothing_of_its_batch(place: Place) -> None:
    with place.open() as log:
        log.append(drafts(0, 2))
        before = log.head
        for bad in (draft(1, x=float("nan")), draft(1, x={1, 2}), draft(1, x=object()), "labelled", None):
            with pytest.raises(ParameterError):
                log.append([draft(0), bad, draft(2)])  # type: ignore[list-item]
            assert log.head == before
        for values in (("t", 1, "", "k", {}), ("t", "a\0", "", "k", {}), ("t", "\ud800", "", "k", {})):
            with pytest.raises(ParameterError):
                Draft(*values)  # type: ignore[arg-type]
        with pytest.raises(ParameterError):
            Draft("t", "a", "", "k", [1])  # type: ignore[arg-type]
        with pytest.raises(ParameterError):
            log.append(7)  # type: ignore[arg-type]
        assert log.writable
        assert len(list(log.read())) == 2
        assert log.append([draft(2)])[0].seq == 2


def test_a_payload_that_is_too_long_is_refused(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_module, "LONGEST", 1000)
    with place.open() as log:
        with pytest.raises(ParameterError, match="make several events of it"):
            log.append([draft(0, text="x" * 1000)])
        log.append([draft(0, text="x" * 900)])


def test_what_the_caller_changes_later_changes_no_event(place: Place) -> None:
    payload: dict[str, Any] = {"nodes": [1, (2, 3)]}
    with place.open() as log:
        (event,) = log.append([Draft("t", "a", "", "k", payload)])
        payload["nodes"].append(4)
        assert event.payload == {"nodes": [1, [2, 3]]}
        assert next(log.read()) == event


@pytest.mark.parametrize("column", ["time", "actor", "key", "kind", "payload", "hash"])
def test_an_event_that_was_changed_is_named(place: Place, column: str) -> None:
    with place.open() as log:
        log.append(drafts(0, 9))
        trusted = list(log.read())[6]
    tamper(place, f"UPDATE TABLE_ SET {column} = '{{}}' WHERE seq = 5")
    with pytest.raises(FileFormatError, match=r"event 5: .* restore it from a copy"):
        place.open()
    with place.open(trusted=(6, trusted.hash)) as log:  # which a snapshot made before still fits
        assert [e.seq for e in log.read(after=6)] == [7, 8]
        with pytest.raises(FileFormatError, match="event 5"):
            log.verify()
        with pytest.raises(FileFormatError, match="event 5"):
            list(log.read(after=1))


def test_events_that_were_removed_moved_or_added_are_named(place: Place) -> None:
    with place.open() as log:
        log.append(drafts(0, 9))
    tamper(place, "DELETE FROM TABLE_ WHERE seq = 4")
    with pytest.raises(FileFormatError, match="event 4:"):
        place.open()
    tamper(place, "UPDATE TABLE_ SET seq = 4 WHERE seq = 5", "UPDATE TABLE_ SET seq = 5 WHERE seq = 6")
    with pytest.raises(FileFormatError, match="event 4:"):
        place.open()


def test_an_event_that_was_added_without_its_hash_is_named(place: Place) -> None:
    with place.open() as log:
        log.append(drafts(0, 3))
    execute(place, "INSERT INTO TABLE_ VALUES (3, 't', 'eve', '', 'labelled', '{}', 'x')")
    with pytest.raises(FileFormatError, match="event 3:"):
        place.open()


def test_a_log_that_lost_its_end_is_refused(place: Place) -> None:
    with place.open() as log:
        log.append(drafts(0, 9))
    tamper(place, "DELETE FROM TABLE_ WHERE seq > 5")
    with pytest.raises(
        FileFormatError, match=r"ends with event 5, but event 8 was acknowledged.*delete .*head"
    ):
        place.open()
    place.head.unlink()  # as the message says
    with place.open() as log:
        assert log.head[0] == 5
        assert log.append([draft(6)])[0].seq == 6


def test_a_history_that_was_rewritten_does_not_fit_the_head(place: Place, tmp_path: Path) -> None:
    with place.open() as log:
        log.append(drafts(0, 5))
    head = place.head.read_bytes()
    tamper(place, "DELETE FROM TABLE_ WHERE seq >= 0")
    place.head.unlink()
    with place.open() as log:
        log.append(drafts(10, 7))
    place.head.write_bytes(head)
    with pytest.raises(FileFormatError, match="event 4: this is not the event that was acknowledged"):
        place.open()


def test_a_log_longer_than_its_head_is_taken_as_it_is(place: Place) -> None:
    with place.open() as log:
        log.append(drafts(0, 5))
        head = place.head.read_bytes()
        log.append(drafts(5, 3))
        last = log.head
    place.head.write_bytes(head)  # the power went between the two
    with place.open() as log:
        assert log.head == last


def test_trusted_is_checked(place: Place) -> None:
    with place.open() as log:
        events = log.append(drafts(0, 9))
    with place.open(trusted=(8, events[8].hash)) as log:
        assert log.head == (8, events[8].hash)
    with pytest.raises(FileFormatError, match="event 3:"):
        place.open(trusted=(3, events[4].hash))
    place.head.unlink()
    with pytest.raises(FileFormatError, match="ends with event 8, but event 20 was acknowledged"):
        place.open(trusted=(20, events[4].hash))
    for bad in (3, (1, 2, 3), (-1, NOTHING), (1, "x"), (1, None)):
        with pytest.raises(ParameterError):
            place.open(trusted=bad)


def test_the_database_itself_refuses_changes(place: Place) -> None:
    with place.open() as log:
        log.append(drafts(0, 3))
    for statement in (
        "UPDATE TABLE_ SET actor = 'eve'",
        "DELETE FROM TABLE_ WHERE seq = 2",
        "INSERT INTO TABLE_ SELECT * FROM TABLE_ WHERE seq = 1",
    ):
        with pytest.raises(Exception, match=r"never (changed|deleted)|UNIQUE|unique"):
            execute(place, statement)


def test_a_second_process_is_refused_by_name(place: Place) -> None:
    code = (
        "import sys, os; from ohmline.store.events import open_log; from ohmline.errors import ProjectInUse\n"
        "try: open_log(sys.argv[1], sys.argv[2])\n"
        "except ProjectInUse as error: print(os.getppid(), error)"
    )
    with place.open() as log:
        log.append(drafts(0, 2))
        command = [sys.executable, "-c", code, str(place.address), str(place.head)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        parent = done.stdout.split()[0]
        assert f"is in use by process {parent} on " in done.stdout
        with pytest.raises(ProjectInUse, match="end that one first"):
            place.open()
        log.append(drafts(2, 2))
    place.open().close()


def test_a_closed_log_is_refused(place: Place) -> None:
    log = place.open()
    log.append(drafts(0, 3))
    reading = log.read()
    log.close()
    log.close()
    assert not log.writable
    for use in (lambda: log.append([draft(3)]), log.read, log.verify, log.recover, lambda: next(reading)):
        with pytest.raises(JournalError, match=r"closed|open it again"):
            use()
    assert "closed" in repr(log)


def test_readers_see_whole_batches_and_never_wait_for_the_writer(place: Place) -> None:
    sizes = [1, 7, 3, 50] * 6
    ends: set[int] = {-1}
    wrong: list[str] = []
    done = threading.Event()

    def watch(log: EventLog) -> None:
        try:
            while not done.is_set():
                found = [e.seq for e in log.read()]
                if found != list(range(len(found))) or len(found) - 1 not in ends:
                    wrong.append(f"{len(found)} events")
        except OhmlineError as error:
            wrong.append(str(error))

    with place.open() as log:
        total = 0
        for size in sizes:  # known before they are written: a reader may be the first to see them
            total += size
            ends.add(total - 1)
        watchers = [threading.Thread(target=watch, args=(log,)) for _ in range(2)]
        for watcher in watchers:
            watcher.start()
        first = 0
        for size in sizes:
            log.append(drafts(first, size))
            first += size
        done.set()
        for watcher in watchers:
            watcher.join()
    assert not wrong


def test_two_threads_that_write_take_turns(place: Place) -> None:
    with place.open() as log:

        def work(who: int) -> None:
            for k in range(20):
                log.append([draft(100 * who + k)])

        threads = [threading.Thread(target=work, args=(who,)) for who in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        log.verify()
        assert sorted(e.key for e in log.read()) == sorted(
            f"key-{100 * who + k}" for who in range(3) for k in range(20)
        )


def test_a_log_that_another_program_wrote_to_is_not_written_further(place: Place) -> None:
    with place.open() as log:
        log.append(drafts(0, 3))
        execute(place, "INSERT INTO TABLE_ VALUES (3, 't', 'eve', '', 'labelled', '{}', 'x')")
        before = log.head
        with pytest.raises(JournalError, match="another program has written to it; open it again"):
            log.append([draft(3)])
        assert not log.writable
        assert not log.recover()
        assert "another program" in log.broken
        assert log.head == before
        assert [e.seq for e in log.read()] == [0, 1, 2]


@pytest.mark.parametrize("way", ["deleted", "replaced"])
def test_a_log_whose_head_is_gone_gets_no_more_events(place: Place, way: str) -> None:
    kept = place.head.with_name("kept")
    with place.open() as log:
        log.append(drafts(0, 3))
        place.head.rename(kept)
        if way == "replaced":
            place.head.write_bytes(kept.read_bytes())
        with pytest.raises(JournalError, match="head was deleted or replaced while it was open; restore it"):
            log.append([draft(3)])
        assert not log.recover()
        assert bare(list(log.read())) == drafts(0, 3)
        kept.replace(place.head)
        assert log.recover()
        log.append([draft(3)])
    with place.open() as log:
        assert bare(list(log.read())) == drafts(0, 4)


def test_bad_addresses_are_refused() -> None:
    for address, head in ((7, "h"), ("", "h"), ("a\0b", "h"), ("log.db", None)):
        with pytest.raises(ParameterError):
            open_log(address, head)  # type: ignore[arg-type]
