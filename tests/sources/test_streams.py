"""A stream from a real Redis server: acknowledged late, delivered again after a crash, poison set aside."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ohmline.errors import MissingExtra, ParameterError, SourceError
from ohmline.sources import Source, redis_stream
from sources.redis_server import WHY, free_port, running, started

pytestmark = pytest.mark.skipif(shutil.which("redis-server") is None, reason=WHY)
SOON = {"claim_after": 0.02, "wait": 0.05, "patience": 20.0}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Any]]:
    pytest.importorskip("redis")
    with running(tmp_path_factory.mktemp("redis")) as found:
        yield found


@pytest.fixture
def redis(server: tuple[str, Any]) -> Any:
    server[1].flushall()
    return server[1]


def source(server: tuple[str, Any], **options: Any) -> Source:
    return redis_stream(server[0], "nodes", **{"wait": None, "claim_after": 60.0, **options})


def send(redis: Any, *nodes: Any) -> None:
    for node in nodes:
        redis.xadd("nodes", {"record": json.dumps({"node": node})})


def pending(redis: Any) -> int:
    return int(redis.xpending("nodes", "ohmline")["pending"])


def test_a_message_is_pending_until_it_is_acknowledged(server: Any, redis: Any) -> None:
    send(redis, "a", ["b", 1])
    with source(server) as stream:
        first, second = stream
        assert (first.node, second.node) == ("a", ("b", 1))
        assert pending(redis) == 2
        second.ack()
        assert pending(redis) == 1
        first.ack()
        assert pending(redis) == 0
    with source(server) as stream:
        assert list(stream) == []


def test_messages_may_be_plain_fields(server: Any, redis: Any) -> None:
    redis.xadd("nodes", {"node": "p", "text": "A title", "neighbours": '["q", ["r", 2]]', "key": "k1"})
    redis.xadd("nodes", {"node": "q"})
    with source(server) as stream:
        first, second = stream
    assert (first.node, first.fields, first.key) == ("p", {"text": "A title"}, "k1")
    assert first.edges == (("p", "q", 1.0), ("p", "r", 2.0))
    assert (second.node, second.fields, second.edges) == ("q", None, ())


def test_what_a_crash_left_is_given_again_with_its_key(server: Any, redis: Any) -> None:
    send(redis, "a", "b", "c")
    with source(server, consumer="one") as stream:
        keys = [item.key for item in stream]
    assert pending(redis) == 3
    with source(server, consumer="one") as stream:  # the same name is given its own at once
        again = list(stream)
        assert [item.key for item in again] == keys
        again[0].ack()
    with source(server, consumer="two") as stream:  # another one must wait
        assert list(stream) == []
    time.sleep(0.05)
    with source(server, consumer="two", claim_after=0.02) as stream:
        rest = list(stream)
        assert [item.key for item in rest] == keys[1:]
        for item in rest:
            item.ack()
    assert pending(redis) == 0


DIES = """
import os, sys
from ohmline.sources import redis_stream
for k, item in enumerate(redis_stream(sys.argv[1], "nodes", consumer="it", wait=None)):
    print(item.key, flush=True)
    if k == 3:
        os.kill(os.getpid(), 9)
    item.ack()
"""


def test_a_process_that_dies_loses_nothing(server: Any, redis: Any) -> None:
    send(redis, *range(8))
    keys: list[str] = []
    for _ in range(2):
        out = subprocess.run(
            [sys.executable, "-c", DIES, server[0]], capture_output=True, text=True, timeout=120, check=False
        )
        keys += out.stdout.split()
    assert len(keys) == 8
    with source(server, consumer="it") as stream:
        for item in stream:
            keys.append(item.key)
            item.ack()
    assert len(set(keys)) == 8
    assert keys[3] == keys[4]
    assert pending(redis) == 0


def test_what_is_refused_is_tried_again_and_then_set_aside_with_the_reason(server: Any, redis: Any) -> None:
    send(redis, "poison", "fine")
    tries = []
    with source(server, **SOON, tries=3) as stream:
        for item in stream:
            if item.node == "fine":
                item.ack()
                continue
            tries.append(item.key)
            assert item.refuse(f"no, says try {len(tries)}")
            if len(tries) == 3:
                break
    assert len(set(tries)) == 1
    assert pending(redis) == 0
    ((_, found),) = redis.xrange("nodes:aside")
    assert found[b"ohmline:reason"] == b"no, says try 3"
    assert json.loads(found[b"record"]) == {"node": "poison"}
    assert not redis.exists("nodes:reasons")


def test_what_kills_whoever_takes_it_is_set_aside_too(server: Any, redis: Any) -> None:
    send(redis, "deadly")
    for _ in range(2):
        with source(server, consumer="it", tries=2) as stream:
            next(iter(stream))  # and the process ends here
    with source(server, consumer="it", tries=2) as stream:
        assert list(stream) == []
    ((_, found),) = redis.xrange("nodes:aside")
    assert b"delivered 3 times: never acknowledged" in found[b"ohmline:reason"]
    assert pending(redis) == 0


@pytest.mark.parametrize(
    "content",
    [
        {"record": "{"},
        {"record": "[" * 100_000},
        {"record": b"\xff"},
        {"text": "no node"},
        {"node": "a", "neighbours": '[], "key": 3'},
        {"node": "a", "neighbours": '"b"'},
        {b"\xff": "a"},
        {"record": '{"node": null}'},
    ],
)
def test_nonsense_is_set_aside_at_once_and_the_rest_goes_on(server: Any, redis: Any, content: Any) -> None:
    redis.xadd("nodes", content)
    send(redis, "fine")
    with source(server) as stream:
        (item,) = stream
        assert item.node == "fine"
    ((_, found),) = redis.xrange("nodes:aside")
    assert found[b"ohmline:reason"]
    assert pending(redis) == 1


def test_a_message_that_was_deleted_is_no_item(server: Any, redis: Any) -> None:
    send(redis, "a", "b")
    with source(server, consumer="it") as stream:
        assert len(list(stream)) == 2
    redis.xdel("nodes", redis.xrange("nodes")[0][0])
    with source(server, consumer="it") as stream:
        assert [item.node for item in stream] == ["b"]
    assert pending(redis) == 1


def test_it_waits_for_messages_until_closed(server: Any, redis: Any) -> None:
    stream, found, seen = source(server, **SOON), [], threading.Event()

    def read() -> None:
        for item in stream:
            item.ack()
            found.append(item.node)
            if len(found) == 2:
                seen.set()

    reader = threading.Thread(target=read)
    reader.start()
    send(redis, "a")
    send(redis, "b")
    assert seen.wait(20)
    stream.close()
    reader.join(20)
    assert not reader.is_alive()
    assert found == ["a", "b"]


def test_a_server_that_is_started_again_is_waited_for(tmp_path: Path) -> None:
    import redis as module

    port = free_port()
    process = started(tmp_path, port)
    client = module.Redis(port=port)
    try:
        send(client, "a", "b")
        stream = redis_stream(f"redis://127.0.0.1:{port}", "nodes", consumer="it", **SOON)  # type: ignore[arg-type]
        items = iter(stream)
        first = next(items)
        process.kill()
        process.wait()
        running_again: list[Any] = []
        starter = threading.Timer(0.3, lambda: running_again.append(started(tmp_path, port)))
        starter.start()
        try:
            first.ack()
            assert next(items).node == "b"
            stream.close()
        finally:
            starter.join()  # it answers before we are told that it does
            [process] = running_again
    finally:
        client.close()
        process.kill()
        process.wait()


def test_a_server_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = redis_stream(f"redis://127.0.0.1:{free_port()}", "nodes", patience=0.1)
    with pytest.raises(SourceError, match="does not answer"):
        next(iter(stream))
    with pytest.raises(ParameterError, match="url must be the address"):
        redis_stream("localhost", "nodes")
    with pytest.raises(ParameterError, match="claim_after"):
        redis_stream("redis://localhost", "nodes", claim_after=1e308)
    with pytest.raises(ParameterError, match="stream must not be empty"):
        redis_stream("redis://localhost", "")
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(MissingExtra, match=r"pip install 'ohmline\[redis\]'"):
        redis_stream("redis://localhost", "nodes")


def test_a_key_that_is_no_stream_is_refused(server: Any, redis: Any) -> None:
    redis.set("nodes", "x")
    with source(server) as stream, pytest.raises(SourceError, match="Redis refuses the stream"):
        next(iter(stream))
