"""One request from its headers to its answer: who asks, may they, how much, what exactly; then the handler."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from time import perf_counter
from typing import Any, final
from urllib.parse import parse_qsl

import msgspec

from ohmline.checks import shown
from ohmline.service.guards import (
    BARE_HEADERS,
    SAFE,
    Told,
    expect_json,
    expect_own_page,
    told_by,
    whole_body,
)
from ohmline.service.people import Person, Role
from ohmline.service.problems import Problem, misshapen, problem_of, unreadable
from ohmline.service.reply import Answer, Receive, Scope, Send
from ohmline.service.route import Call, Route
from ohmline.service.state import State

log = logging.getLogger("ohmline.service")


@final
class Endpoint:
    """An ASGI application that answers the routes of one path.

    Parameters
    ----------
    state
        What the server knows.
    routes
        The routes by method, all with the same path.
    """

    def __init__(self, state: State, routes: Mapping[str, Route]) -> None:
        self._state = state
        self._routes = routes
        self._path = next(iter(routes.values())).path
        self._decoders = {m: msgspec.json.Decoder(r.body) for m, r in routes.items() if r.body is not None}
        self._allow = ", ".join(sorted(routes)).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        begun = perf_counter()
        method: str = scope["method"]
        scope.setdefault("ohmline.headers", BARE_HEADERS)
        reply: Answer
        try:
            route = self._routes.get(method)
            if route is None:
                method = "other"
                raise Problem(
                    405,
                    "method",
                    f"{shown(scope['method'])} is not possible here",
                    f"use {self._allow.decode()}",
                    [(b"allow", self._allow)],
                )
            told = scope.get("ohmline.told") or told_by(scope)
            reply = await self._answer(route, Call(self._state, scope, receive, told))
        except ConnectionAbortedError:  # nobody is there to be answered
            return
        except Exception as error:
            reply = problem_of(error).reply()
        self._state.metrics.count(method, self._path, reply.status, perf_counter() - begun)
        await reply(scope, receive, send)

    async def _answer(self, route: Route, call: Call) -> Answer:
        state, told = self._state, call.told
        if told.origin and route.method not in SAFE:
            expect_own_page(told, by_cookie=False, secure=state.names.is_secure(told))
        if route.role is not None and not (state.open_metrics and route.path == "/metrics"):
            call.who = who = self._person(route, call)
            if route.role is Role.ADMIN and who.role is not Role.ADMIN:
                raise Problem(
                    403,
                    "role",
                    f"{who.name} is an annotator, and this is for admins",
                    "ask an admin to do it",
                )
            state.buckets.take(who.name)
        call.path = call.scope.get("path_params", {})
        if route.of_project:
            call.host = state.workspace.host(call.path["p"])
        if call.scope["query_string"] or route.query is not None:
            call.query = _query(route, call.scope["query_string"])
        if not route.timed:
            return await route.handler(call)
        async with asyncio.timeout(state.limits.seconds):
            if route.takes_body:
                call.body = await self._body(route, call)
            return await route.handler(call)

    def _person(self, route: Route, call: Call) -> Person:
        """Who asks, by token or cookie."""
        state, told = self._state, call.told
        if told.authorization:
            scheme, _, token = told.authorization.partition(b" ")
            person = (
                state.register.by_token(token.strip().decode("latin-1"))
                if scheme.lower() == b"bearer"
                else None
            )
        else:
            name = cookie_of(told, state.cookie_start)
            person = state.sessions.person(name) if name else None
            if person is not None and route.method not in SAFE:
                expect_own_page(told, by_cookie=True, secure=state.names.is_secure(told))
        if person is None:
            client = call.scope.get("client") or ("?",)
            state.buckets.take(f"\0{client[0]}")  # whoever tries tokens, tries them slowly
            what = "this token is nobody's" if told.authorization else "this needs a token or a session"
            raise Problem(
                401,
                "token",
                what,
                "send Authorization: Bearer TOKEN; an admin makes tokens with ohmline people DIR add NAME",
                [(b"www-authenticate", b'Bearer realm="ohmline"')],
            )
        return person

    async def _body(self, route: Route, call: Call) -> Any:
        most = getattr(self._state.limits, route.size)
        if route.body is None:
            media_type = call.told.content_type.partition(b";")[0].strip().lower().decode("latin-1")
            if media_type not in route.takes:
                raise Problem(
                    415,
                    "media-type",
                    f"the body has Content-Type {shown(media_type)}",
                    f"send {' or '.join(route.takes)}",
                )
            return await whole_body(call.told, call.receive, most)
        expect_json(call.told)
        body = await whole_body(call.told, call.receive, most)
        try:
            return self._decoders[route.method].decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise unreadable(error, body) from None


def cookie_of(told: Told, start: bytes) -> str:
    """The session that the request's cookie names; "" for none.

    Parameters
    ----------
    told
        The headers of the request.
    start
        The cookie's name and `=`.
    """
    for part in told.cookie.split(b";"):
        piece = part.strip()
        if piece.startswith(start):
            return piece[len(start) :].decode("latin-1")
    return ""


def _query(route: Route, text: bytes) -> Any:
    try:
        pairs = parse_qsl(text.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=20)
    except ValueError:  # UnicodeDecodeError is one
        raise Problem(
            400, "malformed", "the query is not as URLs have it", "encode it as UTF-8 with %"
        ) from None
    values = dict(pairs)
    if len(values) < len(pairs):
        raise Problem(400, "malformed", "a query parameter comes twice", "give each once")
    if route.query is None:
        raise Problem(422, "shape", f"there is no query parameter {shown(pairs[0][0])} here", "leave it out")
    try:
        return msgspec.convert(values, route.query, strict=False)
    except msgspec.ValidationError as error:
        raise misshapen(error, values) from None
