"""A service as a Python object."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self, final

from ohmline.client import records as r
from ohmline.client.decoding import decoded, part_of
from ohmline.client.ids import new_node, written_edges, written_node
from ohmline.client.project import ProjectClient
from ohmline.client.wire import Wire
from ohmline.errors import ServiceError, UnknownProject


@final
class Client:
    """A service, with the rights of the person whose token it is (needs the extra `client`).

    Every change carries an idempotency key. Where the line is lost, a request is sent again with the key that it had,
    so that it is done once. What the service refuses is raised here as the error that a project would raise.

    Parameters
    ----------
    url
        The address of the service, such as "http://127.0.0.1:8000".
    token
        The token of a person; the service prints one when it starts, and `ohmline people add` makes more.
    timeout
        Seconds after which a request counts as lost. Default 30.
    patience
        For so many seconds a lost line, or a service that is busy, is tried again. Default 30.
    transport
        What carries the requests, for httpx; None (default) for the network.
    """

    def __init__(
        self, url: str, token: str, *, timeout: float = 30.0, patience: float = 30.0, transport: Any = None
    ) -> None:
        self._wire = Wire(url, token, timeout, patience, transport)

    def me(self) -> r.Me:
        """Who the token belongs to."""
        return decoded(r.Me, self._wire.ask("GET", "/api/me"))

    def projects(self) -> list[r.Summary]:
        """The projects of the service."""
        found = self._wire.ask("GET", "/api/projects")
        return [decoded(r.Summary, each) for each in part_of(found, "projects")]

    def project(self, id: str | None = None) -> ProjectClient:
        """One project.

        Parameters
        ----------
        id
            Its id; None (default) for the only one that there is.
        """
        if id is None:
            found = [each.id for each in self.projects()]
            if len(found) != 1:
                raise UnknownProject(
                    f"the service has {len(found)} projects: {', '.join(found)}; name one of them"
                )
            id = found[0]
        return ProjectClient(self._wire, id)

    def create(
        self,
        name: str,
        classes: Iterable[Any],
        edges: Iterable[tuple[Any, ...]],
        *,
        id: str | None = None,
        nodes: Mapping[Hashable, Mapping[str, str]] | None = None,
        labels: Mapping[Hashable, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
        recipe: str = "",
        wanted: Any = None,
    ) -> ProjectClient:
        """Make a project (admins only). It is not sent twice: after a lost line look at `projects` first.

        Parameters
        ----------
        name
            What people call it.
        classes
            The classes, in the order in which they are shown.
        edges
            Pairs of nodes, or triples with a weight.
        id
            Its id; None (default) lets the service choose one.
        nodes
            For each node what there is to read about it, texts by name; isolated nodes must be here. None (default) for
            nothing.
        labels
            Labels that are known. None (default) for none.
        settings
            Settings by name. None (default) for the usual ones.
        recipe
            The name of a recipe that ships. Default "".
        wanted
            The class that a recipe looks for which looks for one, as "accounts" does. None (default) for the rarest
            among `labels`; `state().looking_for` says which one it became.
        """
        about = nodes or {}
        body: dict[str, Any] = {
            "name": name,
            "classes": list(classes),
            "graph": {"edges": written_edges(edges), "nodes": [written_node(node) for node in about]},
            "nodes": [new_node(node, fields) for node, fields in about.items() if fields],
            "labels": [[written_node(node), label] for node, label in (labels or {}).items()],
            "recipe": recipe,
        }
        body |= {"id": id} if id is not None else {}
        body |= {"settings": dict(settings)} if settings else {}
        body |= {"wanted": wanted} if wanted is not None else {}
        made = decoded(r.Summary, self._wire.ask("POST", "/api/projects", body, repeat=False))
        return ProjectClient(self._wire, made.id)

    def events(self, after: int | None = None, project: str | None = None) -> Iterator[r.Happened]:
        """Events of a project as they happen, without end.

        Parameters
        ----------
        after
            Begin with the event after this number; None (default) with the next one that happens.
        project
            The project's id; None (default) for the only one that there is.
        """
        return self.project(project).events(after)

    def is_ready(self) -> bool:
        """Whether the service can take answers."""
        try:
            self._wire.ask("GET", "/readyz")
        except ServiceError:
            return False
        return True

    def metrics(self) -> str:
        """What the service counts, as Prometheus reads it (admins only)."""
        return str(self._wire.reply("GET", "/metrics").text)

    def openapi(self) -> dict[str, Any]:
        """The description of the service's API."""
        return decoded(dict, self._wire.ask("GET", "/openapi.json"))

    def close(self) -> None:
        """Close the line."""
        self._wire.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({str(self._wire.http.base_url)!r})"
