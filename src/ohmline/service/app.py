"""The application: the table of routes, the page, and the guards in front of both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, final

from starlette.applications import Starlette
from starlette.routing import Route as PathRoute

from ohmline.checks import shown
from ohmline.service.endpoint import Endpoint
from ohmline.service.guards import BARE_HEADERS, told_by
from ohmline.service.openapi import document
from ohmline.service.problems import Problem
from ohmline.service.reply import Receive, Scope, Send, encode
from ohmline.service.route import PROJECT, Route
from ohmline.service.state import State
from ohmline.service.static import Static
from ohmline.service.table import ROUTES

_START, _END = PROJECT.split("{p}")


def build_app(state: State) -> Front:
    """The ASGI application of a server.

    Parameters
    ----------
    state
        What the server knows.
    """
    state.document = encode(document(ROUTES))
    by_path: dict[str, dict[str, Route]] = {}
    for route in ROUTES:
        by_path.setdefault(route.path, {})[route.method] = route
    endpoints = {path: Endpoint(state, routes) for path, routes in by_path.items()}
    page = Static()
    routes: list[Any] = [PathRoute(path, endpoint) for path, endpoint in endpoints.items()]
    routes += [PathRoute("/", page), PathRoute("/static/{name:path}", page)]

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        await state.workspace.open()
        state.ready = True
        try:
            yield
        finally:
            state.ready = False
            state.ending.set()
            await state.workspace.close()

    app = Starlette(routes=routes, lifespan=life)
    app.router.redirect_slashes = False
    app.router.default = nowhere
    hot = {
        path[len(PROJECT) :]: endpoints[path]
        for path, routes_there in by_path.items()
        if any(route.hot for route in routes_there.values())
    }
    return Front(state, app, hot)


async def nowhere(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request that no route fits."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1000})
        return
    scope["ohmline.headers"] = BARE_HEADERS
    problem = Problem(
        404, "no-route", f"there is nothing at {shown(scope['path'])}", "/openapi.json lists what there is"
    )
    await problem.reply()(scope, receive, send)


@final
class Front:
    """What every request meets first: the check of the server's name, and the way past the router for two routes.

    Parameters
    ----------
    state
        What the server knows.
    app
        What answers everything else.
    hot
        The endpoints of the routes that come so often that a search for them would show, by the end of the path.
    """

    def __init__(self, state: State, app: Starlette, hot: dict[str, Endpoint]) -> None:
        self._state, self._app, self._hot = state, app, hot

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["ohmline.told"] = told = told_by(scope)
        try:
            self._state.names.expect(told)
        except Problem as problem:
            scope["ohmline.headers"] = BARE_HEADERS
            await problem.reply()(scope, receive, send)
            return
        path: str = scope["path"]
        if path.startswith(_START):
            id, slash, rest = path[len(_START) :].partition("/")
            endpoint = self._hot.get(slash + rest)
            if endpoint is not None:
                scope["path_params"] = {"p": id}
                await endpoint(scope, receive, send)
                return
        await self._app(scope, receive, send)
