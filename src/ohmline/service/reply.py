"""What a handler gives back: a status, a body, and the few headers that are its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Protocol, final

import msgspec

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

JSON = b"application/json"
_ENCODER = msgspec.json.Encoder()
encode = _ENCODER.encode
"""A value as JSON; NaN and infinities become null."""


class Answer(Protocol):
    """What ends a request: a `Reply`, or something that streams."""

    status: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""


@final
class Reply:
    """A whole response.

    Parameters
    ----------
    body
        Its bytes.
    status
        Its status.
    media_type
        The type of its content.
    headers
        Further headers.
    """

    __slots__ = ("body", "headers", "media_type", "status")

    def __init__(
        self, body: bytes, status: int = 200, media_type: bytes = JSON, headers: Headers | None = None
    ) -> None:
        self.body, self.status, self.media_type, self.headers = body, status, media_type, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        headers: Headers = [
            (b"content-type", self.media_type),
            (b"content-length", b"%d" % len(self.body)),
        ]
        if self.headers:
            headers += self.headers
        headers += scope["ohmline.headers"]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


def answer(document: Any, status: int = 200, headers: Headers | None = None) -> Reply:
    """A JSON document as a response.

    Parameters
    ----------
    document
        Plain values.
    status
        The status of the response.
    headers
        Further headers.
    """
    return Reply(encode(document), status, JSON, headers)
