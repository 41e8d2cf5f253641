"""One line of the table of routes, and what a handler is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, final

import msgspec

from ohmline.service.guards import Told
from ohmline.service.people import Person, Role
from ohmline.service.reply import Answer, Receive, Scope

if TYPE_CHECKING:
    from ohmline.project import Host, Project
    from ohmline.service.state import State

PROJECT = "/api/projects/{p}"
"""What every route of a project begins with."""


@final
@dataclass(slots=True)
class Call:
    """A request that may be answered.

    Attributes
    ----------
    state
        What the server knows.
    scope, receive, told
        The request, where the rest of it comes from, and its headers.
    who
        Who asks; None on routes that need no token.
    path
        The values of the path's parameters.
    host
        The project that the path names.
    body, query
        The body and the query parameters, as the route's shapes have them; a body of another type than JSON is bytes.
    """

    state: State
    scope: Scope
    receive: Receive
    told: Told
    who: Person | None = None
    path: Mapping[str, str] = field(default_factory=dict)
    host: Host | None = None
    body: Any = None
    query: Any = None

    @property
    def person(self) -> Person:
        """Who asks, on a route that needs a token."""
        assert self.who is not None
        return self.who

    @property
    def at(self) -> Host:
        """The host of the project, on a route that names one."""
        assert self.host is not None
        return self.host

    @property
    def project(self) -> Project:
        """The project, on a route that names one."""
        assert self.host is not None
        return self.host.project


Handler = Callable[[Call], Awaitable[Answer]]


@final
@dataclass(frozen=True)
class Route:
    """A request that the server answers.

    Attributes
    ----------
    method, path
        What is asked; `{name}` in the path is a parameter.
    handler
        What answers it.
    about
        One sentence for the document.
    reply
        The shape of the reply; None where it is not JSON.
    body, query
        The shapes of the body and of the query parameters; None for none.
    role
        Who may; None for everybody, without a token.
    size
        Which limit the body has.
    status
        The status of the reply when all is well.
    media_types
        The types of the reply's content.
    takes
        The types of the body's content; a body that is not JSON is handed on as bytes.
    also
        Further replies that are no problem: status -> shape.
    may_be
        Statuses of problems beside those that every route has.
    timed
        Whether the answer has to come within the limit on time.
    hot
        Found without the router, because it comes so often.
    """

    method: str
    path: str
    handler: Handler
    about: str
    reply: type[msgspec.Struct] | None = None
    body: type[msgspec.Struct] | None = None
    query: type[msgspec.Struct] | None = None
    role: Role | None = Role.ANNOTATOR
    size: Literal["small", "large"] = "small"
    status: int = 200
    media_types: tuple[str, ...] = ("application/json",)
    takes: tuple[str, ...] = ("application/json",)
    also: Mapping[int, type[msgspec.Struct]] = field(default_factory=dict)
    may_be: tuple[int, ...] = ()
    timed: bool = True
    hot: bool = False

    @property
    def of_project(self) -> bool:
        """Whether it is about a project."""
        return self.path.startswith(PROJECT)

    @property
    def takes_body(self) -> bool:
        """Whether there is a body to read."""
        return self.body is not None or self.takes != ("application/json",)
