"""Problem documents (RFC 9457) as the errors that a project would raise here."""

from __future__ import annotations

from typing import Any

from ohmline.errors import (
    Forbidden,
    JournalError,
    KeyReused,
    OhmlineError,
    ParameterError,
    ProjectInUse,
    ServiceError,
    StaleLease,
    UnknownNode,
    UnknownProject,
)

BY_KIND: dict[str, type[OhmlineError]] = {
    "unknown-node": UnknownNode,
    "unknown-project": UnknownProject,
    "forbidden": Forbidden,
    "cross-site": Forbidden,
    "token": Forbidden,
    "stale-lease": StaleLease,
    "project-in-use": ProjectInUse,
    "key-reused": KeyReused,
    "storage": JournalError,
}
"""By the end of the document's type."""
BY_STATUS: dict[int, type[OhmlineError]] = {
    400: ParameterError,
    401: Forbidden,
    403: Forbidden,
    409: ParameterError,
    413: ParameterError,
    415: ParameterError,
    422: ParameterError,
}
"""And where the type says nothing; else a `ServiceError`."""


def error_of(status: int, document: Any, url: str) -> OhmlineError:
    """The error of a reply.

    Parameters
    ----------
    status
        Its status.
    document
        What it says; None where that is no JSON.
    url
        Where it came from.

    Examples
    --------
    >>> error_of(404, {"type": "urn:ohmline:problem:unknown-node", "detail": "no node 3", "remedy": "mend it"}, "")
    UnknownNode('no node 3; mend it')
    """
    if not isinstance(document, dict) or not isinstance(document.get("detail"), str):
        return ServiceError(f"{url} answered {status} without a reason; is this a service of ohmline?")
    kind = str(document.get("type", "")).rpartition(":")[2]
    remedy = document.get("remedy")
    words = f"{document['detail']}; {remedy}" if isinstance(remedy, str) and remedy else document["detail"]
    return BY_KIND.get(kind, BY_STATUS.get(status, ServiceError))(words)
