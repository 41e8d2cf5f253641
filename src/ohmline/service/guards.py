"""What is checked before anything is done: the server's name, where a request comes from, and its size.

- *Host*: a page of another name that a name server points at this machine (DNS rebinding) says that name, and is
  refused. Addresses made of numbers, `localhost` and the names given at the start are ours.
- *Origin*: a browser says which page sent an unsafe request; another page than ours is refused. A request that is
  known by its cookie must say so, and must carry `X-Ohmline: 1`, which a form of another site cannot.
- *Size*: counted while it comes in, whatever `Content-Length` says.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from ohmline.checks import shown
from ohmline.service.problems import Problem
from ohmline.service.reply import Headers, Receive, Scope

CSP = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
BARE_HEADERS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
"""What every response of the API carries."""
PAGE_HEADERS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", CSP),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]
"""What the page and its files carry."""
SAFE = frozenset(["GET", "HEAD"])


@final
@dataclass(slots=True)
class Told:
    """The headers of a request that matter here."""

    host: bytes = b""
    authorization: bytes = b""
    cookie: bytes = b""
    origin: bytes = b""
    content_type: bytes = b""
    content_length: bytes = b""
    x_ohmline: bytes = b""
    last_event_id: bytes = b""
    if_none_match: bytes = b""
    accept_encoding: bytes = b""
    hosts: int = 0


_WANTED = {
    b"host": "host",
    b"authorization": "authorization",
    b"cookie": "cookie",
    b"origin": "origin",
    b"content-type": "content_type",
    b"content-length": "content_length",
    b"x-ohmline": "x_ohmline",
    b"last-event-id": "last_event_id",
    b"if-none-match": "if_none_match",
    b"accept-encoding": "accept_encoding",
}


def told_by(scope: Scope) -> Told:
    """The headers of a request that matter here.

    Parameters
    ----------
    scope
        The request.
    """
    told = Told()
    for name, value in scope["headers"]:
        attribute = _WANTED.get(name)
        if attribute is not None:
            setattr(told, attribute, value)
            if attribute == "host":
                told.hosts += 1
    return told


@final
class HostNames:
    """The names that this server answers to.

    Parameters
    ----------
    names
        Names besides `localhost` and addresses made of numbers.
    secure
        Which of them people reach by https, as a Host header has it.
    """

    def __init__(self, names: Iterable[str] = (), secure: str = "") -> None:
        self._names = frozenset(["localhost", *(name.lower() for name in names)])
        self._secure = secure.lower().encode("latin-1", "replace")
        self._known: set[bytes] = set()

    def expect(self, told: Told) -> None:
        """Refuse a request that is meant for somebody else.

        Parameters
        ----------
        told
            The headers of the request.
        """
        if told.host in self._known and told.hosts == 1:
            return
        if told.hosts != 1:
            raise Problem(400, "host", f"the request has {told.hosts} Host headers", "send exactly one")
        name = host_name(told.host)
        if name is None or not (name in self._names or _is_address(name)):
            raise Problem(
                421,
                "host",
                f"{shown(told.host.decode('latin-1'))} is not a name of this server",
                "use its address, or start it with --public-url for the name that people know it by",
            )
        if len(self._known) < 100:
            self._known.add(told.host)

    def is_secure(self, told: Told) -> bool:
        """Whether the page at this name came by https.

        Parameters
        ----------
        told
            The headers of the request.
        """
        return bool(self._secure) and told.host.lower() == self._secure


def host_name(host: bytes) -> str | None:
    """The name in a Host header, without its port; None where it is none.

    >>> host_name(b"[::1]:8000"), host_name(b"localhost:80"), host_name(b"a:b:c")
    ('::1', 'localhost', None)

    Parameters
    ----------
    host
        The header.
    """
    text = host.decode("latin-1").lower()
    if text.startswith("["):
        name, closed, port = text[1:].partition("]")
        if not closed or (port and not port.startswith(":")):
            return None
        port = port[1:]
    else:
        name, _, port = text.partition(":")
    return name if name and (not port or (port.isascii() and port.isdigit())) else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def expect_own_page(told: Told, *, by_cookie: bool, secure: bool) -> None:
    """Refuse an unsafe request that another page sent.

    Parameters
    ----------
    told
        The headers of the request.
    by_cookie
        Whether the person is known by the cookie, which a browser sends with every request.
    secure
        Whether people reach the server by https.
    """
    if told.origin:
        scheme = b"https://" if secure else b"http://"
        if told.origin.lower() != scheme + told.host.lower():
            raise Problem(
                403,
                "origin",
                f"the request comes from {shown(told.origin.decode('latin-1'))}, which is not this server's page",
                "open this server's own page",
            )
    if by_cookie and (not told.origin or told.x_ohmline != b"1"):
        missing = "Origin" if not told.origin else "X-Ohmline: 1"
        raise Problem(
            403,
            "cross-site",
            f"a request that is known by its cookie needs the header {missing}",
            "send it, or a token as Authorization: Bearer TOKEN instead of the cookie",
        )


def expect_json(told: Told) -> None:
    """Refuse a body that does not say that it is JSON, as a form of another site cannot.

    Parameters
    ----------
    told
        The headers of the request.
    """
    media_type = told.content_type
    if (
        media_type != b"application/json"
        and media_type.partition(b";")[0].strip().lower() != b"application/json"
    ):
        raise Problem(
            415,
            "media-type",
            f"the body has Content-Type {shown(media_type.decode('latin-1'))}, and JSON was expected",
            "send Content-Type: application/json",
        )


async def whole_body(told: Told, receive: Receive, most: int) -> bytes:
    """The body of a request, as long as it is within the limit.

    Parameters
    ----------
    told
        The headers of the request.
    receive
        Where the body comes from.
    most
        The most bytes.
    """
    if told.content_length.isdigit() and int(told.content_length[:20]) > most:
        raise _too_large(most)
    message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body", False):
        if message["type"] == "http.disconnect":
            raise ConnectionAbortedError
        if len(body) > most:
            raise _too_large(most)
        return body
    pieces, size = [body], len(body)
    while message.get("more_body", False):
        if size > most:
            raise _too_large(most)
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionAbortedError
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
    if size > most:
        raise _too_large(most)
    return b"".join(pieces)


def _too_large(most: int) -> Problem:
    return Problem(
        413,
        "size",
        f"the body has more than {most:,} bytes",
        "send it in parts, or start the server with larger limits",
        [(b"connection", b"close")],
    )
