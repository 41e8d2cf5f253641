"""A stream from Redis: a consumer group, whose messages stay pending until their events are on the disk.

| what happens | what the source does |
|---|---|
| this process ends, however | the next one of its name is given its pending messages first |
| another consumer of the group ends | takes over its pending messages once they were idle for `claim_after` seconds |
| the project refuses a message | leaves it pending for another try; after `tries` tries sets it aside with the reason |
| a message is no record | sets it aside at once: no try will change it |
| messages kill whoever takes them | sets each aside once it was delivered `tries` times |
| the line to the server is lost | tries again for `patience` seconds, then SourceError |

Messages set aside stand in the stream `NAME:aside`, with their id, their content and the reason.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar, final

from ohmline.checks import count, none_or, number, shown, text
from ohmline.errors import ParameterError, SourceError
from ohmline.extras import require
from ohmline.sources.item import Item, Source
from ohmline.sources.record import Record, json_record, json_value, key_of, record_of

T = TypeVar("T")
BATCH = 64
"""Messages that are fetched at once."""
LONGEST = 1e6
"""The most seconds of any waiting."""


@final
class RedisStream(Source):
    """What `redis_stream` gives."""

    def __init__(
        self,
        url: str,
        stream: str,
        group: str,
        consumer: str,
        tries: int,
        claim_after: float,
        wait: float | None,
        patience: float,
    ) -> None:
        self._redis = require("redis", "redis")
        self._stream, self._group, self._consumer = stream, group, consumer
        self._tries, self._idle, self._wait, self._patience = tries, int(claim_after * 1000), wait, patience
        self._closed, self._reading = threading.Event(), False
        self._out: set[bytes] = set()  # given to somebody in this process, and neither taken nor refused yet
        try:
            self._server = self._redis.Redis.from_url(url, socket_timeout=max(30.0, 2 * (wait or 0.0)))
        except ValueError as error:
            raise ParameterError(
                f"url must be the address of a Redis server, such as redis://localhost:6379, got {shown(url)}: {error}"
            ) from None

    def items(self) -> Iterator[Item]:
        self._reading = True
        try:
            self._ask(self._make_group)
            yield from self._own_pending()
            while not self._closed.is_set():
                claimed, fresh = self._ask(self._claim), self._ask(self._fetch)
                for message in [*claimed, *fresh]:
                    yield from self._given(*message)
                if self._wait is None and not claimed and not fresh:
                    return
        finally:
            self._reading = False
            if self._closed.is_set():
                self._server.close()

    def close(self) -> None:
        self._closed.set()
        if not self._reading:  # else the one that reads closes it, when it has noticed
            self._server.close()

    def _ask(self, what: Callable[[], T]) -> T:
        """What the server says, however often the line is lost meanwhile, within the patience."""
        until, pause = time.monotonic() + self._patience, 0.05
        while True:
            try:
                return what()
            except (self._redis.ConnectionError, self._redis.TimeoutError) as error:
                if self._closed.wait(pause) or time.monotonic() > until:
                    raise SourceError(
                        f"the Redis server with the stream {shown(self._stream)} does not answer: {error}; is it "
                        "running, and is the address right?"
                    ) from None
                pause = min(2 * pause, 2.0)
            except self._redis.RedisError as error:
                raise SourceError(f"Redis refuses the stream {shown(self._stream)}: {error}") from None

    def _make_group(self) -> None:
        try:
            self._server.xgroup_create(self._stream, self._group, id="0", mkstream=True)
        except self._redis.ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise

    def _own_pending(self) -> Iterator[Item]:
        """Messages that a process of this name was given and has not acknowledged."""
        last: bytes = b"0"
        while found := self._ask(partial(self._read, last)):
            for message in found:
                yield from self._given(*message)
            last = found[-1][0]

    def _read(self, after: bytes, wait: int | None = None) -> list[tuple[bytes, Any]]:
        reply = self._server.xreadgroup(
            self._group, self._consumer, {self._stream: after}, count=BATCH, block=wait
        )
        if isinstance(reply, dict):
            reply = [*reply.items()]
        return _messages(reply[0][1]) if reply else []

    def _fetch(self) -> list[tuple[bytes, Any]]:
        return self._read(b">", None if self._wait is None else max(1, int(self._wait * 1000)))

    def _claim(self) -> list[tuple[bytes, Any]]:
        reply = self._server.xautoclaim(
            self._stream, self._group, self._consumer, min_idle_time=self._idle, start_id=b"0", count=BATCH
        )
        return [message for message in _messages(reply[1]) if message[0] not in self._out]

    def _given(self, name: bytes, content: Any) -> Iterator[Item]:
        """The item of a message; none for one that is set aside, or that somebody has deleted."""
        if self._closed.is_set() or name in self._out:
            return
        if content is None:
            self._ask(lambda: self._server.xack(self._stream, self._group, name))
            return
        times = self._delivered(name)
        if times > self._tries:
            reason = self._ask(lambda: self._server.hget(self._reasons, name))
            said = reason.decode("utf-8", "replace") if reason else "never acknowledged, nor refused"
            self._set_aside(name, content, f"delivered {times} times: {said}")
            return
        try:
            record = _record(content)
        except ParameterError as error:
            self._set_aside(name, content, str(error))
            return
        self._out.add(name)
        yield Item(
            record.node,
            record.fields,
            record.edges,
            record.key or key_of("redis", self._stream, name.decode("ascii", "backslashreplace")),
            on_ack=partial(self._ack, name),
            on_refusal=partial(self._refuse, name, content),
        )

    @property
    def _reasons(self) -> str:
        return f"{self._stream}:reasons"

    def _delivered(self, name: bytes) -> int:
        found = self._ask(lambda: self._server.xpending_range(self._stream, self._group, name, name, 1))
        return int(found[0]["times_delivered"]) if found else 1

    def _ack(self, name: bytes) -> None:
        self._ask(lambda: self._server.xack(self._stream, self._group, name))
        self._ask(lambda: self._server.hdel(self._reasons, name))
        self._out.discard(name)

    def _refuse(self, name: bytes, content: Any, reason: str) -> None:
        if self._delivered(name) >= self._tries:
            self._set_aside(name, content, reason)
        else:
            self._ask(lambda: self._server.hset(self._reasons, name, reason))
        self._out.discard(name)

    def _set_aside(self, name: bytes, content: dict[bytes, bytes], reason: str) -> None:
        """Move a message to the stream of those set aside: both steps or none."""

        def move() -> None:
            with self._server.pipeline(transaction=True) as steps:
                about = {b"ohmline:id": name, b"ohmline:reason": reason.encode("utf-8", "replace")}
                steps.xadd(f"{self._stream}:aside", {**content, **about})
                steps.xack(self._stream, self._group, name)
                steps.hdel(self._reasons, name)
                steps.execute()

        self._ask(move)


def _messages(found: Any) -> list[tuple[bytes, Any]]:
    """Ids and contents; None for the content of a message that was deleted."""
    return [(message[0], message[1]) for message in found if message is not None]


def _record(content: dict[bytes, bytes]) -> Record:
    """A record from a message: its field `record` as JSON, or `node` and texts beside it."""
    if b"record" in content:
        return json_record(content[b"record"])
    try:
        fields = {name.decode(): value.decode() for name, value in content.items()}
    except UnicodeDecodeError:
        raise ParameterError(f"the message {shown(content)} is not in UTF-8") from None
    if "node" not in fields:
        raise ParameterError(
            f"the message {shown(fields)} has neither a field record with JSON nor a field node"
        )
    about: dict[str, Any] = {name: fields.pop(name) for name in ("node", "key") if name in fields}
    if "neighbours" in fields:
        about["neighbours"] = json_value(fields.pop("neighbours"))
    return record_of({**about, "fields": fields or None})


def redis_stream(
    url: str,
    stream: str,
    *,
    group: str = "ohmline",
    consumer: str = "",
    tries: int = 5,
    claim_after: float = 60.0,
    wait: float | None = 1.0,
    patience: float = 60.0,
) -> Source:
    """A stream from Redis Streams (needs the extra `redis`).

    A message has a field `record` with a JSON object, as a line of `follow_file` has it; or a field `node` and beside
    it texts to read, of which `neighbours` is a JSON list of ids. Messages are acknowledged with XACK after their
    events are on the disk. Those that a crash left pending are delivered again, with the keys that they had.

    Parameters
    ----------
    url
        The address of the server, such as "redis://localhost:6379/0".
    stream
        The name of the stream. It is made if it is not there.
    group
        The name of the consumer group, which starts with the first message. Default "ohmline".
    consumer
        The name of this consumer; "" (default) takes the names of the machine and the process. Two processes at once
        must not have the same.
    tries
        After so many tries a message that is refused is set aside, in the stream `NAME:aside`. Default 5.
    claim_after
        A message that was pending for so many seconds is taken over, or tried again. Default 60.
    wait
        Seconds to wait for messages at a time; None ends the stream when there are none. Default 1.
    patience
        For so many seconds a lost line to the server is tried again. Default 60.

    Returns
    -------
    Source
        The items; `close()` ends a stream that waits.
    """
    for name, value in (("url", url), ("stream", stream), ("group", group)):
        if not text(value, name):
            raise ParameterError(f"{name} must not be empty")
    return RedisStream(
        url,
        stream,
        group,
        text(consumer, "consumer") or f"{socket.gethostname()}-{os.getpid()}",
        count(tries, "tries", least=1),
        number(claim_after, "claim_after", least=0.001, most=LONGEST),
        none_or(number, wait, "wait", least=0.001, most=LONGEST),
        number(patience, "patience", least=0.001, most=LONGEST),
    )
