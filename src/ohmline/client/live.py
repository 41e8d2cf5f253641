"""Events as they happen: server-sent events, taken up again by number when the line is lost."""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterator
from typing import Any

from ohmline.checks import shown
from ohmline.client.decoding import decoded
from ohmline.client.records import Happened
from ohmline.client.wire import PAUSE, Wire
from ohmline.errors import ServiceError


def messages(lines: Iterator[str]) -> Iterator[Any]:
    """The data of each message, from the lines of a stream; comments and other fields are passed over.

    Parameters
    ----------
    lines
        The lines.

    Examples
    --------
    >>> list(messages(iter([": hello", "id: 3", "data: {", "data: }", "", "id: 4", ""])))
    [{}]
    """
    data: list[str] = []
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            if name == "data":
                data.append(value.removeprefix(" "))
        elif data:
            try:
                yield json.loads("\n".join(data))
            except (ValueError, RecursionError):
                raise ServiceError(
                    f"a live event is no JSON: {shown(data)}; is this a service of ohmline?"
                ) from None
            data = []


def follow(wire: Wire, path: str, after: int | None) -> Generator[Happened, None, None]:
    """Events from a number on, without end.

    Parameters
    ----------
    wire
        The line to the service.
    path
        Where the events are.
    after
        The number; None for those that happen from now on.
    """
    lost_since: float | None = None
    while True:
        query = {} if after is None else {"after": after}
        try:
            with wire.stream(path, query) as lines:
                for message in messages(lines):
                    event = decoded(Happened, message)
                    if after is None or event.seq > after:
                        after, lost_since = event.seq, None
                        yield event
        except wire.losses as error:
            now = time.monotonic()
            lost_since = now if lost_since is None else lost_since
            if now - lost_since > wire.patience:
                raise wire.lost(error) from None
        time.sleep(PAUSE)
