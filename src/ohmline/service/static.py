"""The page's files. They are read once; a name that holds a hash of the content may be kept by browsers for good."""

from __future__ import annotations

import gzip
import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import final

from ohmline.checks import shown
from ohmline.service.guards import PAGE_HEADERS, told_by
from ohmline.service.problems import Problem, problem_of
from ohmline.service.reply import Headers, Receive, Reply, Scope, Send

MEDIA_TYPES = {
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".svg": b"image/svg+xml",
    ".png": b"image/png",
    ".ico": b"image/x-icon",
    ".woff2": b"font/woff2",
    ".txt": b"text/plain; charset=utf-8",
    ".json": b"application/json",
    ".webmanifest": b"application/manifest+json",
}
"""The files that are served; any other in the folder is not."""
_HASHED = re.compile(r"[.-][0-9A-Za-z]{8,}\.\w+$")
_BARE = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Ohmline</title>
<h1>Ohmline</h1><p>The page is not part of this installation; the API is at <a href="/openapi.json">/openapi.json</a>.
"""


@final
@dataclass(frozen=True, slots=True)
class File:
    """A file of the page."""

    body: bytes
    packed: bytes
    """Compressed; empty where that does not help."""
    media_type: bytes
    etag: bytes
    forever: bool


@final
class Static:
    """An ASGI application that answers with the page's files."""

    def __init__(self) -> None:
        self._files = {
            f"/static/{name}": file for name, file in _found(files("ohmline.service") / "static", "")
        }
        index = self._files.get("/static/index.html")
        self._files["/"] = index if index is not None else _file("index.html", _BARE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        scope["ohmline.headers"] = PAGE_HEADERS
        try:
            reply = self._answer(scope)
        except Problem as problem:
            reply = problem_of(problem).reply()
        await reply(scope, receive, send)

    def _answer(self, scope: Scope) -> Reply:
        if scope["method"] not in ("GET", "HEAD"):
            allow = [(b"allow", b"GET, HEAD")]
            raise Problem(405, "method", f"{shown(scope['method'])} is not possible here", "use GET", allow)
        file = self._files.get(scope["path"])
        if file is None:
            raise Problem(404, "no-file", f"the page has no file {shown(scope['path'])}", "open /")
        kept = b"public, max-age=31536000, immutable" if file.forever else b"no-cache"
        headers: Headers = [(b"etag", file.etag), (b"cache-control", kept), (b"vary", b"accept-encoding")]
        told = told_by(scope)
        if told.if_none_match == file.etag:
            return Reply(b"", 304, file.media_type, headers)
        body = file.body
        if file.packed and b"gzip" in told.accept_encoding:
            body = file.packed
            headers.append((b"content-encoding", b"gzip"))
        return Reply(body, 200, file.media_type, headers)


def _file(name: str, body: bytes) -> File:
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'.encode()
    suffix = name[name.rindex(".") :]
    packed = gzip.compress(body, 9, mtime=0)
    if len(packed) > 0.9 * len(body):
        packed = b""
    return File(body, packed, MEDIA_TYPES[suffix], etag, _HASHED.search(name) is not None)


def _found(folder: Traversable, before: str) -> list[tuple[str, File]]:
    if not folder.is_dir():
        return []
    found = []
    for each in folder.iterdir():
        name = before + each.name
        if each.is_dir():
            found += _found(each, name + "/")
        elif any(name.endswith(suffix) for suffix in MEDIA_TYPES):
            found.append((name, _file(name, each.read_bytes())))
    return found
