"""The line to a service: requests that are sent again when it is lost, and replies that are what they should be."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, final

from ohmline.checks import positive, shown, text
from ohmline.client.problems import error_of
from ohmline.errors import OhmlineError, ParameterError, ServiceError
from ohmline.extras import require

PAUSE, LONGEST_PAUSE = 0.1, 5.0
"""Seconds before the first repetition, and the most between two."""
BUSY = (429, 502, 503, 504)
"""Answers after which the same request may be sent again: too many at once, or not available just now."""


@final
class Wire:
    """Sends requests.

    Parameters
    ----------
    url
        The address of the service.
    token
        The token of the person.
    timeout
        Seconds after which a request counts as lost.
    patience
        For so many seconds a request is sent again.
    transport
        What carries the requests, for httpx; None for the network.
    """

    def __init__(self, url: str, token: str, timeout: float, patience: float, transport: Any = None) -> None:
        self._httpx = require("httpx", "client")
        self.patience = positive(patience, "patience")
        address = text(url, "url").rstrip("/")
        if not address.startswith(("http://", "https://")):
            raise ParameterError(
                f"url must be the address of a service, such as http://127.0.0.1:8000, got {shown(url)}"
            )
        if not text(token, "token").isascii() or not token.isprintable() or not token:
            raise ParameterError("token must be the token of a person; ohmline people add NAME makes one")
        self.http = self._httpx.Client(
            base_url=address,
            headers={"authorization": f"Bearer {token}", "accept": "application/json"},
            timeout=positive(timeout, "timeout"),
            transport=transport,
            follow_redirects=False,
            trust_env=False,  # a token goes to the service, and not through a proxy that a variable names
        )

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        content: tuple[bytes, str] | None = None,
        repeat: bool = True,
    ) -> Any:
        """The JSON of a reply, or the error that it is.

        Parameters
        ----------
        method, path
            Where to.
        body
            The JSON to send; None for none.
        query
            What comes after the question mark.
        content
            Bytes to send instead, and their type.
        repeat
            Whether the request may be sent twice: because it has an idempotency key, or changes nothing.
        """
        return self._json(self.reply(method, path, body, query=query, content=content, repeat=repeat))

    def reply(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        content: tuple[bytes, str] | None = None,
        repeat: bool = True,
    ) -> Any:
        """The whole reply, as `ask` has it."""
        options: dict[str, Any] = {"params": {k: v for k, v in (query or {}).items() if v is not None}}
        if content is not None:
            options |= {"content": content[0], "headers": {"content-type": content[1]}}
        elif method != "GET":
            options["json"] = {} if body is None else body
        until, pauses = time.monotonic() + self.patience, self._pauses()
        while True:
            last = time.monotonic() >= until
            try:
                reply = self.http.request(method, path, **options)
            except self._httpx.TransportError as error:
                never_left = isinstance(error, self._httpx.ConnectError | self._httpx.PoolTimeout)
                if last or not (repeat or never_left):
                    raise self.lost(error, repeat) from None
                time.sleep(next(pauses))
                continue
            except self._httpx.InvalidURL as error:
                raise ParameterError(f"url is no address: {error}") from None
            if reply.status_code < 300:
                return reply
            if reply.status_code not in BUSY or last:
                raise self.error(reply)
            wanted = reply.headers.get("retry-after", "")
            pause = float(wanted) if wanted.isdigit() else next(pauses)
            if time.monotonic() + pause > until:
                raise self.error(reply)
            time.sleep(pause)

    @contextmanager
    def stream(self, path: str, query: Mapping[str, Any]) -> Iterator[Iterator[str]]:
        """In a `with`: the lines of a reply that never ends. A line that is lost is an error of httpx."""
        wait = self._httpx.Timeout(30.0, read=60.0)
        with self.http.stream("GET", path, params=query, timeout=wait) as reply:
            if reply.status_code >= 300:
                reply.read()
                raise self.error(reply)
            yield reply.iter_lines()

    @property
    def losses(self) -> type[Exception]:
        """The errors of a lost line."""
        found: type[Exception] = self._httpx.TransportError
        return found

    def lost(self, error: Exception, repeat: bool = True) -> ServiceError:
        """The error of a lost line, in words."""
        after = f" for {self.patience:g} seconds" if repeat else ", and whether it was done is not known"
        return ServiceError(
            f"{self.http.base_url} did not answer{after} ({type(error).__name__}: {error}); is the service running, "
            "and is the address right?"
        )

    def error(self, reply: Any) -> OhmlineError:
        """The error that a reply is."""
        try:
            document = reply.json()
        except ValueError:
            document = None
        return error_of(reply.status_code, document, str(reply.request.url))

    def _pauses(self) -> Iterator[float]:
        pause = PAUSE
        while True:
            yield pause * random.uniform(0.5, 1.0)  # so that many who lost the line do not come back at once
            pause = min(2 * pause, LONGEST_PAUSE)

    def _json(self, reply: Any) -> Any:
        try:
            return reply.json()
        except ValueError:
            raise ServiceError(
                f"{reply.request.url} answered with something that is no JSON: {shown(reply.text)}; is this a service "
                "of ohmline?"
            ) from None
