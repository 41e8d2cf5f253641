"""Every error as a problem document (RFC 9457): what is wrong, what was expected, and what to do.

| error | status |
|---|---|
| `UnknownNode`, `UnknownProject` | 404 |
| `Forbidden` | 403 |
| `StaleLease`, `ProjectInUse` | 409 |
| `JournalError` (the storage cannot be written) | 503 |
| any other `OhmlineError` | 422 |
| JSON that cannot be read | 400 |
| JSON of another shape | 422 |
| anything unexpected | 500, with an id that is in the log; never a traceback |
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Sequence
from typing import Any, final

import msgspec

from ohmline.checks import shown
from ohmline.errors import (
    Forbidden,
    JournalError,
    KeyReused,
    OhmlineError,
    ProjectInUse,
    StaleLease,
    UnknownNode,
    UnknownProject,
)
from ohmline.service.reply import Headers, Reply

log = logging.getLogger("ohmline.service")

TYPE = "urn:ohmline:problem:"
"""What every `type` begins with: a name, and no page that anybody would have to load."""
MEDIA_TYPE = b"application/problem+json"

STATUS: tuple[tuple[type[OhmlineError], int, str], ...] = (
    (UnknownNode, 404, "unknown-node"),
    (UnknownProject, 404, "unknown-project"),
    (Forbidden, 403, "forbidden"),
    (StaleLease, 409, "stale-lease"),
    (ProjectInUse, 409, "project-in-use"),
    (KeyReused, 422, "key-reused"),
    (JournalError, 503, "storage"),
    (OhmlineError, 422, "refused"),
)
"""The first line that fits an error gives its status and the end of its type."""
TITLES = {
    400: "The request cannot be read",
    401: "A token is needed",
    403: "Not allowed",
    404: "Not found",
    405: "No such method here",
    408: "Too slow",
    409: "In conflict with the present state",
    413: "Too large",
    415: "Not JSON",
    421: "Not this server's name",
    422: "Refused",
    429: "Too many requests",
    500: "An error of the server",
    503: "Not available",
}


@final
class Problem(Exception):
    """A request that is answered with a problem document.

    Parameters
    ----------
    status
        The status of the response.
    kind
        The end of the document's `type`.
    detail
        What is wrong with this request, naming the value.
    remedy
        What to do.
    headers
        Further headers of the response.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        remedy: str = "",
        headers: Sequence[tuple[bytes, bytes]] = (),
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail, self.remedy = status, kind, detail, remedy
        self.headers = list(headers)

    def reply(self) -> Reply:
        """The document."""
        document = {
            "type": TYPE + self.kind,
            "title": TITLES.get(self.status, "Refused"),
            "status": self.status,
            "detail": self.detail,
        }
        if self.remedy:
            document["remedy"] = self.remedy
        return Reply(msgspec.json.encode(document), self.status, MEDIA_TYPE, self.headers)


def problem_of(error: BaseException) -> Problem:
    """The problem that an error is.

    Parameters
    ----------
    error
        What was raised while a request was answered.
    """
    if isinstance(error, Problem):
        return error
    if isinstance(error, OhmlineError):
        status, kind = next((s, k) for sort, s, k in STATUS if isinstance(error, sort))
        detail, remedy = parted(printable(str(error)))
        after: Headers = [(b"retry-after", b"5")] if status == 503 else []
        return Problem(status, kind, detail, remedy, after)
    if isinstance(error, TimeoutError):
        return Problem(
            503, "time", "this took longer than a request may take", "try again, or ask for less at once"
        )
    number = secrets.token_hex(8)
    log.error("an unexpected error, which the client knows as %s", number, exc_info=error)
    return Problem(
        500,
        "unexpected",
        f"something went wrong that should not; it is in the server's log under {number}",
        "nothing that was acknowledged is lost; report it with that line of the log",
    )


def printable(text: str) -> str:
    """A text that JSON can hold, whatever an error message quotes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def parted(message: str) -> tuple[str, str]:
    """An error message of ours as what is wrong and what to do, which a semicolon divides.

    >>> parted("goal must lie between 0 and 1, got 5; 0.05 for 5 %")
    ('goal must lie between 0 and 1, got 5', '0.05 for 5 %')
    """
    detail, mark, remedy = message.rpartition("; ")
    return (detail, remedy) if mark else (message, "")


def unreadable(error: Exception, body: bytes) -> Problem:
    """The problem of a body that is no JSON, or JSON of another shape.

    Parameters
    ----------
    error
        What the decoder raised.
    body
        What it was given.
    """
    if isinstance(error, RecursionError):
        return Problem(
            400, "malformed", "the JSON is nested too deeply", "send lists and objects of a few levels"
        )
    if isinstance(error, msgspec.ValidationError):
        return misshapen(error, _generic(body))
    detail = printable(str(error)) if isinstance(error, msgspec.DecodeError) else "the JSON is not UTF-8"
    if not body:
        detail = "the request has no body"
    return Problem(400, "malformed", detail, "send one JSON document in UTF-8; /openapi.json says which")


_PLACE = re.compile(r" - at `\$?(.*?)`$")
_WORDS = {
    "Expected": "expected",
    "Object contains": "the object has an",
    "Object missing": "the object lacks the",
}
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


def misshapen(error: msgspec.ValidationError, found: Any) -> Problem:
    """The problem of values of another shape than asked for, with the value that is wrong.

    Parameters
    ----------
    error
        What msgspec said.
    found
        The values as they came.
    """
    words = printable(str(error))
    place = _PLACE.search(words)
    what = words if place is None else words[: place.start()]
    detail = what.replace("`", "")
    for theirs, ours in _WORDS.items():
        detail = detail.replace(theirs, ours)
    where = "" if place is None else place.group(1).lstrip(".")
    if where and "[...]" not in where:
        for name, number in _STEP.findall("." + where if not where.startswith("[") else where):
            try:
                found = found[name] if name else found[int(number)]
            except (KeyError, IndexError, TypeError):
                break
        else:
            detail += f", got {shown(found)}" if "got" not in detail else f": {shown(found)}"
    return Problem(
        422,
        "shape",
        printable(f"{where}: {detail}" if where else detail),
        "/openapi.json says what is expected",
    )


def _generic(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
