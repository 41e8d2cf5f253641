"""What only admins may do with a project."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, final

from ohmline.client import records as r
from ohmline.client.decoding import decoded, part_of
from ohmline.client.ids import key_or_new, new_node, node_in, written_edges, written_node
from ohmline.client.wire import Wire
from ohmline.errors import ParameterError

TYPES = {"csv": "text/csv", "label-studio": "application/json"}
"""Formats of imports, and their media types."""


@final
class Admin:
    """A project, as an admin sees it. `ProjectClient.admin` gives one.

    Parameters
    ----------
    wire
        The line to the service.
    path
        Where the project is.
    """

    def __init__(self, wire: Wire, path: str) -> None:
        self._wire, self._path = wire, path

    def configure(self, **changes: Any) -> r.Written:
        """Change settings.

        Parameters
        ----------
        **changes
            New values by name: goal, confidence, overlap, lease_seconds, gold_every.
        """
        return decoded(r.Written, self._wire.ask("POST", f"{self._path}/settings", changes))

    def add_classes(self, classes: Iterable[Any], *, key: str = "") -> r.Written:
        """More classes, after those that are there.

        Parameters
        ----------
        classes
            Their names.
        key
            An idempotency key. Default "", for a random one.
        """
        return self._post("classes", {"add": list(classes)}, key)

    def remove_class(self, label: Any, *, key: str = "") -> r.Written:
        """Remove a class that no label has.

        Parameters
        ----------
        label
            The class.
        key
            An idempotency key. Default "", for a random one.
        """
        return self._post("classes", {"remove": label}, key)

    def add_nodes(self, nodes: Mapping[Hashable, Mapping[str, str]], *, key: str = "") -> r.Written:
        """More nodes.

        Parameters
        ----------
        nodes
            For each new node what there is to read about it, texts by name.
        key
            An idempotency key. Default "", for a random one.
        """
        return self._post("nodes", {"nodes": [new_node(*each) for each in nodes.items()]}, key)

    def add_edges(self, edges: Iterable[tuple[Any, ...]], *, key: str = "") -> r.Written:
        """More edges.

        Parameters
        ----------
        edges
            Pairs of nodes, or triples with a weight.
        key
            An idempotency key. Default "", for a random one.
        """
        return self._post("edges", {"edges": written_edges(edges)}, key)

    def add_image(self, content: bytes, media_type: str) -> str:
        """Keep a picture.

        Parameters
        ----------
        content
            The file.
        media_type
            Its type, such as "image/png".

        Returns
        -------
        str
            The name by which a node can have it.
        """
        found = self._wire.ask("POST", f"{self._path}/images", content=(content, media_type))
        return str(decoded(dict, found)["name"])

    def begin_audit(self, *, key: str = "") -> r.Written:
        """Begin a random check of what is predicted now.

        Parameters
        ----------
        key
            An idempotency key. Default "", for a random one.
        """
        return self._post("audit", {"action": "begin"}, key)

    def end_audit(self, *, key: str = "") -> r.Written:
        """End the check that is under way, without a result.

        Parameters
        ----------
        key
            An idempotency key. Default "", for a random one.
        """
        return self._post("audit", {"action": "end"}, key)

    def disagreements(self) -> list[r.Disagreement]:
        """The nodes that people do not agree on and that nobody has settled."""
        found = self._wire.ask("GET", f"{self._path}/disagreements")
        return [decoded(r.Disagreement, each) for each in part_of(found, "nodes")]

    def adjudicate(self, node: Hashable, label: Any, *, key: str = "") -> r.Written:
        """Settle what a node is, whatever the votes say.

        Parameters
        ----------
        node
            The node.
        label
            Its class.
        key
            An idempotency key. Default "", for a random one.
        """
        return self._post("adjudications", {"node": written_node(node), "label": label}, key)

    def gold(self) -> dict[Hashable, Any]:
        """The gold items, with their labels."""
        found = self._wire.ask("GET", f"{self._path}/gold")
        return {node_in(each["node"]): each["label"] for each in part_of(found, "gold")}

    def set_gold(self, node: Hashable, label: Any, *, key: str = "") -> r.Written:
        """Make a node a gold item, with which people are tested.

        Parameters
        ----------
        node
            The node.
        label
            Its class; None makes it an ordinary node again.
        key
            An idempotency key. Default "", for a random one.
        """
        return self._post("gold", {"node": written_node(node), "label": label}, key)

    def import_labels(self, content: bytes, format: str = "csv", *, key: str = "") -> int:
        """Labels from a file.

        Parameters
        ----------
        content
            The file: CSV with the columns node and label, or tasks of Label Studio.
        format
            "csv" (default) or "label-studio".
        key
            An idempotency key. Default "", for a random one.

        Returns
        -------
        int
            How many labels were taken.
        """
        if format not in TYPES:
            raise ParameterError(f"format must be one of {', '.join(TYPES)}, got {format!r}")
        query = {"format": format, "key": key_or_new(key)}
        found = self._wire.ask("POST", f"{self._path}/import", query=query, content=(content, TYPES[format]))
        return int(decoded(dict, found)["labels"])

    def _post(self, end: str, body: dict[str, Any], key: str) -> r.Written:
        body = {**body, "key": key_or_new(key)}
        return decoded(r.Written, self._wire.ask("POST", f"{self._path}/{end}", body))
