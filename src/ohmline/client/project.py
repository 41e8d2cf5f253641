"""One project of a service: questions, answers, predictions and how far it is."""

from __future__ import annotations

import time
from collections.abc import Generator, Hashable, Iterable, Mapping
from functools import cached_property
from typing import Any, final
from urllib.parse import quote

from ohmline.checks import count, text
from ohmline.client import records as r
from ohmline.client.admin import Admin
from ohmline.client.decoding import decoded, part_of
from ohmline.client.ids import json_of, key_or_new, written_edges, written_node
from ohmline.client.live import follow
from ohmline.client.wire import PAUSE, Wire
from ohmline.errors import ServiceError


@final
class ProjectClient:
    """A project behind a service. `Client.project` gives one.

    Parameters
    ----------
    wire
        The line to the service.
    id
        The project's id.
    """

    def __init__(self, wire: Wire, id: str) -> None:
        self._wire, self.id = wire, text(id, "id")
        self._path = f"/api/projects/{quote(self.id, safe='')}"

    @cached_property
    def admin(self) -> Admin:
        """What only admins may do."""
        return Admin(self._wire, self._path)

    def state(self) -> r.State:
        """What the project is, and how far."""
        return decoded(r.State, self._get(""))

    def next(self, questions: int = 1) -> r.Questions:
        """Questions for this person, which nobody else gets until they expire; those that the person holds come first.

        Parameters
        ----------
        questions
            How many, from 1 to 5. Default 1.
        """
        body = {"count": count(questions, "questions", least=1)}
        return decoded(r.Questions, self._wire.ask("POST", f"{self._path}/next", body))

    def label(
        self, node: Hashable, label: Any, *, lease: str = "", seconds: float | None = None, key: str = ""
    ) -> r.Labelled:
        """Label a node; when this returns, the answer is on the disk of the service.

        Parameters
        ----------
        node
            The node.
        label
            Its class.
        lease
            The question that this answers. Default "", for a node that the person chose.
        seconds
            How long it took. None (default) if nobody measured it.
        key
            An idempotency key. Default "", for a random one.
        """
        body = {"node": written_node(node), "label": label, "lease": lease}
        body |= {"seconds": seconds} if seconds is not None else {}
        return decoded(r.Labelled, self._post("labels", body, key))

    def label_many(self, nodes: Iterable[Hashable], label: Any, *, key: str = "") -> r.ManyLabelled:
        """Give many nodes one label, as one event that can be undone as one.

        Parameters
        ----------
        nodes
            The nodes.
        label
            Their class.
        key
            An idempotency key. Default "", for a random one.
        """
        body = {"nodes": [written_node(node) for node in nodes], "label": label}
        return decoded(r.ManyLabelled, self._post("labels/many", body, key))

    def skip(self, node: Hashable, *, lease: str = "", reason: str = "", key: str = "") -> r.Written:
        """Say nothing about a node; this person is not asked for it again.

        Parameters
        ----------
        node
            The node.
        lease
            The question. Default "".
        reason
            Why, in words. Default "".
        key
            An idempotency key. Default "", for a random one.
        """
        body = {"node": written_node(node), "lease": lease, "reason": reason}
        return decoded(r.Written, self._post("skips", body, key))

    def undo(self, seq: int | None = None, *, key: str = "") -> r.Undone:
        """Take something back.

        Parameters
        ----------
        seq
            The number of the event; None (default) for one's own last answer or skip.
        key
            An idempotency key. Default "", for a random one.
        """
        return decoded(r.Undone, self._post("undo", {} if seq is None else {"seq": seq}, key))

    def release(self, lease: str, *, key: str = "") -> r.Written:
        """Give a question back without an answer.

        Parameters
        ----------
        lease
            The question.
        key
            An idempotency key. Default "", for a random one.
        """
        return decoded(r.Written, self._post("release", {"lease": lease}, key))

    def predict(self, nodes: Iterable[Hashable], *, why: int = 0) -> list[r.Prediction]:
        """What the learner says of nodes.

        Parameters
        ----------
        nodes
            The nodes.
        why
            How many of the labelled nodes that carry each score to name. Default 0.
        """
        body = {"nodes": [written_node(node) for node in nodes], "why": why}
        found = self._wire.ask("POST", f"{self._path}/predict", body)
        return [decoded(r.Prediction, each) for each in part_of(found, "predictions")]

    def card(self, node: Hashable) -> r.Card:
        """What there is to know about a node.

        Parameters
        ----------
        node
            The node.
        """
        return decoded(r.Card, self._get("/node", id=json_of(node)))

    def image(self, name: str) -> bytes:
        """A picture of a node.

        Parameters
        ----------
        name
            Its name, or the path that a card has.
        """
        last = quote(text(name, "name").rpartition("/")[2], safe="")
        content: bytes = self._wire.reply("GET", f"{self._path}/images/{last}").content
        return content

    def search(self, words: str, limit: int = 20) -> list[r.FoundNode]:
        """The node that has this id, and nodes that have these words in their texts.

        Parameters
        ----------
        words
            A whole id, or a part of a text; part of an id finds nothing.
        limit
            How many nodes at most. Default 20.
        """
        return [
            decoded(r.FoundNode, each)
            for each in part_of(self._get("/search", q=words, limit=limit), "nodes")
        ]

    def progress(self) -> r.Progress:
        """How far the project is."""
        return decoded(r.Progress, self._get("/progress"))

    def curves(self) -> r.Curves:
        """How it went so far."""
        return decoded(r.Curves, self._get("/curves"))

    def audit(self) -> r.Audit:
        """The random check."""
        return decoded(r.Audit, self._get("/audit"))

    def people(self) -> r.People:
        """Who did what, and how far they agree."""
        return decoded(r.People, self._get("/people"))

    def history(
        self, after: int = -1, limit: int = 100, *, person: str = "", node: Hashable | None = None
    ) -> list[r.Happened]:
        """Events after a number.

        Parameters
        ----------
        after
            The number. Default -1, all.
        limit
            How many at most, up to 1,000. Default 100.
        person
            Only what this person did. Default "", everybody.
        node
            Only what is about this node. None (default) for all.
        """
        query = {"after": after, "limit": limit, "person": person or None}
        query |= {"node": json_of(node)} if node is not None else {}
        return [decoded(r.Happened, each) for each in part_of(self._get("/history", **query), "events")]

    def events(self, after: int | None = None) -> Generator[r.Happened, None, None]:
        """Events as they happen, without end; where the line is lost, it goes on after the last one.

        Parameters
        ----------
        after
            Begin with the event after this number; None (default) with the next one that happens.
        """
        return follow(self._wire, f"{self._path}/events", after)

    def map(self) -> r.Map:
        """The whole graph with places; this waits while the service draws it."""
        until = time.monotonic() + self._wire.patience
        while True:
            reply = self._wire.reply("GET", f"{self._path}/map")
            if reply.status_code != 202:
                return decoded(r.Map, reply.json())
            if time.monotonic() > until:
                raise ServiceError(f"the map of {self.id} is still being drawn; ask again in a moment")
            time.sleep(PAUSE)

    def neighbourhood(self, node: Hashable, hops: int = 1) -> r.Map:
        """A node and those near it, with places; the node comes first.

        Parameters
        ----------
        node
            The node.
        hops
            How far, from 1 to 3. Default 1.
        """
        return decoded(r.Map, self._get("/neighbourhood", node=json_of(node), hops=hops))

    def arrive(
        self,
        node: Hashable,
        *,
        fields: Mapping[str, str] | None = None,
        edges: Iterable[tuple[Any, ...]] = (),
        key: str = "",
    ) -> r.Arrival:
        """A node of the stream has come: what the learner says of it, and whether its label is wanted.

        Parameters
        ----------
        node
            The node, which the project may not have yet.
        fields
            What there is to read about it, texts by name. None (default) for nothing.
        edges
            The edges that come with it. Default none.
        key
            An idempotency key. Default "", for a random one.
        """
        body = {"node": written_node(node), "fields": dict(fields or {}), "edges": written_edges(edges)}
        return decoded(r.Arrival, self._post("arrivals", body, key))

    def export(self, what: str = "labels", format: str = "csv") -> bytes:
        """A file with what the project knows, with who and when.

        Parameters
        ----------
        what
            "labels" (default), "predictions", or for admins "votes" or "events".
        format
            "csv" (default), "json", "parquet" or "label-studio".
        """
        query = {"what": what, "format": format}
        content: bytes = self._wire.reply("GET", f"{self._path}/export", query=query).content
        return content

    def raw(self, method: str, path: str, body: Any = None) -> Any:
        """Any request, with the reply of httpx as it is: also one that says no.

        Parameters
        ----------
        method
            "GET" or "POST".
        path
            The whole path, with what comes after a question mark.
        body
            What to send: JSON, or a text as it is. None (default) for nothing.
        """
        given = {"content": body} if isinstance(body, str) else {} if body is None else {"json": body}
        try:
            return self._wire.http.request(method, path, **given)
        except self._wire.losses as error:
            raise self._wire.lost(error, repeat=False) from None

    def close(self) -> None:
        """Close the line to the service."""
        self._wire.http.close()

    def __repr__(self) -> str:
        return f"ProjectClient({self.id!r})"

    def _get(self, end: str, **query: Any) -> Any:
        return self._wire.ask("GET", self._path + end, query=query)

    def _post(self, end: str, body: dict[str, Any], key: str) -> Any:
        return self._wire.ask("POST", f"{self._path}/{end}", {**body, "key": key_or_new(key)})
