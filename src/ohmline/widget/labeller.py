"""The label desk of the page, in a cell of a notebook."""

from __future__ import annotations

import base64
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict
from importlib.resources import files
from os import PathLike
from typing import Any, final

from ohmline.checks import file_path, shown, text
from ohmline.client import Client, ProjectClient
from ohmline.client.records import Happened
from ohmline.errors import OhmlineError, ParameterError
from ohmline.extras import require
from ohmline.project import Project
from ohmline.widget.in_process import InProcess

anywidget, traitlets = require("anywidget", "widget"), require("traitlets", "widget")
PAGE = files("ohmline.service") / "static"
METHODS = ("GET", "POST")
PATIENCE = 5.0
"""Seconds that the thread of events may take to end."""
LARGEST_PICTURE = 4 << 20
"""The most bytes of a picture that goes into a message."""


@final
class Labeller(anywidget.AnyWidget):  # type: ignore[misc, name-defined]
    """Labels in a cell: shows what a project asks, and sends what is answered (needs the extra `widget`).

    It is the desk of the service's page, with the same keys. With a folder or a `Project` there is no server and no
    port: the service runs in a thread of the notebook's process, and every answer is on the disk before the next
    question comes. With a client, the answers go to the service that it speaks to.

    Parameters
    ----------
    project
        The folder of a project; a `Project` that is open, which is closed here and opened by the labeller; or a
        `Client`, or the project of one.
    person
        Under which name answers are written. Default "", the name of the user; a client has a name of its own.
    theme
        "auto" (default), "light" or "dark".
    """

    _esm = (PAGE / "app.js").read_text(encoding="utf-8") if (PAGE / "app.js").is_file() else ""
    _css = (PAGE / "app.css").read_text(encoding="utf-8") if (PAGE / "app.css").is_file() else ""
    project = traitlets.Unicode("").tag(sync=True)
    theme = traitlets.Unicode("auto").tag(sync=True)
    _events: threading.Thread | None = None
    _ended: threading.Event | None = (
        None  # a widget that was never finished is closed too, when it is thrown away
    )

    def __init__(
        self,
        project: str | PathLike[str] | Project | Client | ProjectClient,
        *,
        person: str = "",
        theme: str = "auto",
    ) -> None:
        if theme not in ("auto", "light", "dark"):
            raise ParameterError(f"theme must be auto, light or dark, got {shown(theme)}")
        self._service, self.client = _opened(project, text(person, "person"))
        try:
            super().__init__(project=self.client.id, theme=theme)
        except BaseException:
            self._let_go()
            raise
        self._work = ThreadPoolExecutor(4, thread_name_prefix="ohmline-widget")
        self._ended = threading.Event()
        self._events = threading.Thread(target=self._tell, name="ohmline-widget-events", daemon=True)
        self._events.start()
        self.on_msg(self._hear)

    def close(self) -> None:
        """Close the widget and the project; what was answered is on the disk."""
        if self._ended is not None and not self._ended.is_set():
            self._ended.set()
            super().close()
            self._work.shutdown(wait=True)
            self._let_go()

    def _is_closed(self) -> bool:
        return self._ended is None or self._ended.is_set()

    def _let_go(self) -> None:
        if self._service is not None:
            self._service.close()
            self.client.close()
            if self._events is not None and self._events is not threading.current_thread():
                self._events.join(PATIENCE)  # its line ended with the service

    def _hear(self, _widget: Any, message: Any, _buffers: Any) -> None:
        """A request of the page: {id, method, path, body}."""
        if isinstance(message, dict) and isinstance(message.get("id"), str) and not self._is_closed():
            self._work.submit(self._answer, message)

    def _answer(self, message: dict[str, Any]) -> None:
        try:
            status, found = self._asked(message.get("method"), message.get("path"), _body(message))
        except OhmlineError as error:
            status, found = 503, _problem(503, str(error))
        except Exception as error:  # the page waits for an answer, whatever happens
            status, found = 500, _problem(500, f"{type(error).__name__}: {error}")
        self.send({"id": message["id"], "status": status, **_exact(found)})

    def _asked(self, method: Any, path: Any, body: Any) -> tuple[int, Any]:
        if method not in METHODS or not isinstance(path, str) or not path.startswith("/api/"):
            return 400, _problem(400, f"{shown(method)} {shown(path)} is no request that a widget may send")
        if path.partition("?")[0].endswith("/events"):
            return 400, _problem(400, "events come by themselves here")
        reply = self.client.raw(method, path, body)
        try:
            found = reply.json() if reply.content else None
        except ValueError:
            return 406, _problem(406, "this is a file; export it with labeller.client.export()")
        return reply.status_code, self._with_pictures(found)

    def _with_pictures(self, found: Any) -> Any:
        """A reply in which pictures are data: a notebook's page cannot ask the service for them."""
        if isinstance(found, list):
            return [self._with_pictures(each) for each in found]
        if not isinstance(found, dict):
            return found
        image = found.get("image")
        if isinstance(image, str) and image.startswith("/api/"):
            found = {**found, "image": self._data(image)}
        inside = {name: self._with_pictures(found[name]) for name in ("card", "questions") if name in found}
        return {**found, **inside}

    def _data(self, path: str) -> str | None:
        reply = self.client.raw("GET", path)
        if reply.status_code != 200 or len(reply.content) > LARGEST_PICTURE:
            return None
        media_type = reply.headers.get("content-type", "application/octet-stream")
        return f"data:{media_type};base64,{base64.b64encode(reply.content).decode('ascii')}"

    def _tell(self) -> None:
        """Pass events on as they happen, until the end."""
        try:
            with closing(self.client.events()) as events:
                for event in events:
                    if self._is_closed():
                        return
                    self.send({"event": _plain(event)})
        except Exception:  # the line is gone for good; the page asks for its progress itself
            return


def _opened(project: Any, person: str) -> tuple[InProcess | None, ProjectClient]:
    """The project as a client sees it, and the service of it where it runs here."""
    if isinstance(project, ProjectClient):
        return None, project
    if isinstance(project, Client):
        return None, project.project()
    if isinstance(project, Project):
        folder, recipe = project.folder, project.recipe
        project.close()
    elif isinstance(project, str | PathLike):
        folder, recipe = file_path(project, "project"), None
    else:
        raise ParameterError(
            f"project must be a folder, a Project or a Client, got {shown(project)}; Labeller('my-project') "
            "opens a folder"
        )
    service = InProcess(folder, recipe, person)
    try:
        return service, Client("http://localhost", service.token, transport=service.transport()).project()
    except BaseException:
        service.close()
        raise


def _body(message: dict[str, Any]) -> Any:
    """What a request holds; as text where JavaScript would round its numbers."""
    text = message.get("text")
    return json.loads(text) if isinstance(text, str) else message.get("body")


def _exact(found: Any) -> dict[str, Any]:
    """A reply as plain values; as text where JavaScript would round its numbers."""
    return {"text": json.dumps(found)} if _is_long(found) else {"json": found}


def _is_long(found: Any) -> bool:
    if isinstance(found, dict):
        return any(map(_is_long, found.values()))
    if isinstance(found, list):
        return any(map(_is_long, found))
    return isinstance(found, int) and abs(found) >= 2**53


def _problem(status: int, detail: str) -> dict[str, Any]:
    return {"type": "about:blank", "title": "The notebook refuses", "status": status, "detail": detail}


def _plain(event: Happened) -> Any:
    return json.loads(json.dumps(asdict(event)))
