"""What a request may hold. A field that is not here is refused, so that no misspelling goes unnoticed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from ohmline.service.ids import LONGEST_TEXT, Label, Node

Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]
Key = Annotated[
    str,
    Meta(
        max_length=200, description="An idempotency key: the same request again is done once. A UUID will do."
    ),
]
Lease = Annotated[str, Meta(max_length=100, description="The question that this answers, as `next` gave it.")]
LongText = Annotated[str, Meta(max_length=100_000)]
Weight = Annotated[float, Meta(ge=-1e12, le=1e12)]
Seq = Annotated[int, Meta(ge=-1, le=2**62)]
Edge = Annotated[list[Any], Meta(min_length=2, max_length=3)]
"""Two nodes, and a weight if it is not 1."""
Pair = Annotated[list[Any], Meta(min_length=2, max_length=2)]
"""A node and its label."""
NodeInQuery = Annotated[str, Meta(max_length=8000, description='A node in JSON: "a" or 7.')]


class Empty(Struct, forbid_unknown_fields=True):
    """Nothing."""


class Login(Struct, forbid_unknown_fields=True):
    """A token for a session."""

    token: Annotated[str, Meta(max_length=200)]


class NewNode(Struct, forbid_unknown_fields=True):
    """A node and what there is to read about it."""

    id: Node
    text: LongText | None = None
    image: Annotated[str, Meta(max_length=200)] | None = None
    fields: Annotated[
        dict[Annotated[str, Meta(min_length=1, max_length=100)], LongText], Meta(max_length=100)
    ] = {}


class NewGraph(Struct, forbid_unknown_fields=True):
    """A graph."""

    edges: list[Edge]
    nodes: list[Node] = []


class Changes(Struct, forbid_unknown_fields=True):
    """New values of settings."""

    goal: float | UnsetType | None = UNSET
    confidence: float | UnsetType = UNSET
    overlap: int | UnsetType = UNSET
    lease_seconds: float | UnsetType = UNSET
    gold_every: int | UnsetType = UNSET


class FirstSettings(Changes, forbid_unknown_fields=True):
    """The settings of a new project."""

    seed: int | UnsetType = UNSET


class NewProject(Struct, forbid_unknown_fields=True):
    """A project to make."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    classes: Annotated[list[Label], Meta(min_length=1, max_length=1000)]
    graph: NewGraph
    id: Annotated[str, Meta(pattern="^[a-z0-9][a-z0-9-]{0,63}$")] | None = None
    nodes: list[NewNode] = []
    labels: list[Pair] = []
    settings: FirstSettings | None = None
    recipe: Annotated[str, Meta(max_length=100)] = ""
    wanted: Annotated[
        Label | None,
        Meta(description="The class that a recipe looks for which looks for one; the rarest by default."),
    ] = None


class ClassChange(Struct, forbid_unknown_fields=True):
    """Classes to add, or one to remove."""

    add: Annotated[list[Label], Meta(min_length=1, max_length=1000)] | None = None
    remove: Label | None = None
    key: Key = ""


class NewNodes(Struct, forbid_unknown_fields=True):
    """Nodes to add."""

    nodes: Annotated[list[NewNode], Meta(min_length=1)]
    key: Key = ""


class NewEdges(Struct, forbid_unknown_fields=True):
    """Edges to add."""

    edges: Annotated[list[Edge], Meta(min_length=1)]
    key: Key = ""


class Predict(Struct, forbid_unknown_fields=True):
    """Which nodes to predict: one, or several."""

    node: Node | UnsetType = UNSET
    nodes: Annotated[list[Node], Meta(min_length=1, max_length=1000)] | UnsetType = UNSET
    why: Annotated[int, Meta(ge=0, le=20)] = 0


class Next(Struct, forbid_unknown_fields=True):
    """How many questions are wanted."""

    count: Annotated[int, Meta(ge=1, le=5)] = 1


class Labelled(Struct, forbid_unknown_fields=True):
    """An answer."""

    node: Node
    label: Label
    key: Key = ""
    lease: Lease = ""
    seconds: Annotated[float, Meta(ge=0, le=1e9)] | None = None


class ManyLabelled(Struct, forbid_unknown_fields=True):
    """One label for many nodes."""

    nodes: Annotated[list[Node], Meta(min_length=1, max_length=100_000)]
    label: Label
    key: Key = ""


class Skipped(Struct, forbid_unknown_fields=True):
    """No answer."""

    node: Node
    key: Key = ""
    lease: Lease = ""
    reason: Text = ""


class Undone(Struct, forbid_unknown_fields=True):
    """What to take back; without `seq` one's own last answer."""

    seq: Annotated[int, Meta(ge=0, le=2**62)] | None = None
    key: Key = ""


class Released(Struct, forbid_unknown_fields=True):
    """A question to give back."""

    lease: Lease
    key: Key = ""


class Settled(Struct, forbid_unknown_fields=True):
    """What a node is, whatever the votes say."""

    node: Node
    label: Label
    key: Key = ""


class Gold(Struct, forbid_unknown_fields=True):
    """A gold item; with the label null it is one no longer."""

    node: Node
    label: Label | None
    key: Key = ""


class Audit(Struct, forbid_unknown_fields=True):
    """Whether a random check is to begin or to end."""

    action: Literal["begin", "end"]
    key: Key = ""


class Arrived(Struct, forbid_unknown_fields=True):
    """A node of the stream."""

    node: Node
    fields: Annotated[
        dict[Annotated[str, Meta(min_length=1, max_length=100)], LongText], Meta(max_length=100)
    ] = {}
    edges: list[Edge] = []
    key: Key = ""


class NodeQuery(Struct, forbid_unknown_fields=True):
    """Which node."""

    id: NodeInQuery


class PredictQuery(Struct, forbid_unknown_fields=True):
    """Which node to predict."""

    node: NodeInQuery
    why: Annotated[int, Meta(ge=0, le=20)] = 0


class AroundQuery(Struct, forbid_unknown_fields=True):
    """Which neighbourhood."""

    node: NodeInQuery
    hops: Annotated[int, Meta(ge=1, le=3)] = 1


class SearchQuery(Struct, forbid_unknown_fields=True):
    """What to look for."""

    q: Annotated[str, Meta(min_length=1, max_length=200)]
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


class HistoryQuery(Struct, forbid_unknown_fields=True):
    """Which events."""

    after: Seq = -1
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    person: Annotated[str, Meta(max_length=64)] = ""
    node: NodeInQuery = ""


class LiveQuery(Struct, forbid_unknown_fields=True):
    """From where on; without it from now on."""

    after: Seq | None = None


class ExportQuery(Struct, forbid_unknown_fields=True):
    """What to export, and how."""

    what: Literal["labels", "votes", "predictions", "events"] = "labels"
    format: Literal["csv", "json", "parquet", "label-studio"] = "csv"


class ImportQuery(Struct, forbid_unknown_fields=True):
    """What comes."""

    format: Literal["csv", "label-studio"]
    key: Key = ""
