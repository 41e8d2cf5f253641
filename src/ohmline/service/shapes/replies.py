"""What a reply holds. Replies are made by `ohmline.project`; these shapes say in the OpenAPI document what they are."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from ohmline.service.ids import Label, Node

Count = int
Probabilities = list[list[Any]]
"""[class, probability], the most probable first."""


class Me(Struct):
    """Who is asking."""

    person: str
    role: str


class Limit(Struct):
    """What a random check has shown."""

    share: float
    wrong: float
    remaining: Count
    sampled: Count
    found: Count


class Progress(Struct):
    """How far it is."""

    stage: Literal["learning", "checking", "reached", "finished"]
    nodes: Count
    labels: Count
    imported: Count
    skipped: Count
    estimate: float | None
    goal: float | None
    confidence: float
    limit: Limit | None
    more: Count | None
    may_stop: bool
    sentence: str


class Summary(Struct):
    """A project in one line; `problem` says why it cannot be opened."""

    id: str
    name: str
    nodes: Count = 0
    labels: Count = 0
    classes: list[Label] = []
    problem: str = ""


class Projects(Struct):
    """The projects of this server."""

    projects: list[Summary]


class ProjectState(Struct):
    """A project."""

    id: str
    name: str
    classes: list[Label]
    settings: dict[str, Any]
    mode: Literal["pool", "stream"]
    nodes: Count
    edges: Count
    seq: int
    hash: str
    progress: Progress
    role: str
    person: str
    looking_for: Label | None
    """The class that its recipe looks for, where it looks for one."""


class Written(Struct):
    """Something that is in the log now: its number and its hash."""

    seq: int
    hash: str


class WrittenLabel(Struct):
    """An answer that is in the log now."""

    seq: int
    hash: str
    node: Node
    label: Label
    was: dict[str, Any]
    resolved: Label | None


class WrittenMany(Struct):
    """Many labels that are in the log now, as one event."""

    seq: int
    hash: str
    count: Count


class WrittenUndo(Struct):
    """What was taken back."""

    seq: int
    hash: str
    undone: int
    nodes: list[Node]


class Share(Struct):
    """A labelled node that carries part of a score."""

    node: Node
    label: Label
    share: float


class Prediction(Struct):
    """What the learner thinks of a node."""

    node: Node
    prediction: Label | None
    confidence: float | None
    probabilities: Probabilities
    reached: bool
    because: list[Share]


class Predictions(Struct):
    """Predictions made from at least the events up to `seq`."""

    seq: int
    predictions: list[Prediction]


class Neighbour(Struct):
    """A node beside the one that is shown."""

    node: Node
    title: str
    weight: float
    label: Label | None
    prediction: Label | None


class Vote(Struct):
    """What a person said."""

    person: str
    label: Label
    seq: int
    time: str


class Reason(Struct):
    """A labelled node that carries part of a score, with its title."""

    node: Node
    title: str
    label: Label
    share: float


class Card(Struct):
    """Everything there is to see of a node."""

    node: Node
    title: str
    text: str | None
    image: str | None
    fields: dict[str, str]
    label: Label | None
    prediction: Label | None
    probabilities: Probabilities
    reached: bool
    because: list[Reason]
    neighbours: list[Neighbour]
    degree: float
    votes: list[Vote]


class Question(Struct):
    """A node that this person is asked for, and nobody else until it expires."""

    lease: str
    node: Node
    until: Any
    asked: Literal["query", "audit", "stream", "again"]
    audit: Count | None
    why: str
    card: Card


class Questions(Struct):
    """Questions, and how far it is."""

    questions: list[Question]
    progress: Progress


class Happened(Struct):
    """An event of the log."""

    seq: int
    time: str
    actor: str
    kind: str
    payload: dict[str, Any]
    hash: str
    undone: bool


class History(Struct):
    """Events, and the number of the last one there is."""

    events: list[Happened]
    last: int


class Found(Struct):
    """A node that was looked for."""

    node: Node
    title: str
    label: Label | None


class FoundNodes(Struct):
    """Nodes that were looked for."""

    nodes: list[Found]


class Curves(Struct):
    """How it went, as curves and sentences."""

    labels: dict[str, Any]
    mistakes: dict[str, Any]
    audit: dict[str, Any]
    sentences: dict[str, str]


class AuditState(Struct):
    """The random check."""

    running: bool
    number: Count
    more: Count | None
    limit: Limit | None


class PersonState(Struct):
    """What a person did."""

    person: str
    role: str | None
    labels: Count
    skips: Count
    undone: Count
    seconds_median: float | None
    last: str | None
    gold: dict[str, Any] | None


class Agreement(Struct):
    """How far people agree: Krippendorff's alpha."""

    alpha: float | None
    nodes: Count
    pairs: Count


class PeopleState(Struct):
    """Everybody, and how far they agree."""

    people: list[PersonState]
    agreement: Agreement


class Disagreement(Struct):
    """A node that people do not agree on."""

    node: Node
    title: str
    votes: list[Vote]


class Disagreements(Struct):
    """Nodes that people do not agree on."""

    nodes: list[Disagreement]


class GoldItem(Struct):
    """A node whose label is known, with which people are tested."""

    node: Node
    title: str
    label: Label


class GoldItems(Struct):
    """The gold items."""

    gold: list[GoldItem]


class Map(Struct):
    """Nodes and edges with places, in columns."""

    seq: int
    total: Count
    shown: Count
    sampled: bool
    ids: list[Node]
    titles: list[str]
    x: list[float]
    y: list[float]
    label: list[int]
    prediction: list[int]
    confidence: list[float | None]
    wanted: list[float | None]
    edges: list[int]
    classes: list[Label]


class Drawing(Struct):
    """The map is being drawn; ask again."""

    state: Literal["drawing"]


class Arrival(Struct):
    """What the learner thinks of a node that arrived, and whether its label is wanted."""

    seq: int
    hash: str
    node: Node
    prediction: Label | None
    probabilities: Probabilities
    wanted: bool
    why: str


class Image(Struct):
    """A picture that is kept now, and the name by which a node can have it."""

    name: str


class Imported(Struct):
    """Labels that were imported."""

    seq: int
    hash: str
    labels: Count


class Health(Struct):
    """How the server is."""

    status: str


class ProblemDocument(Struct):
    """What is wrong, and what to do (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    remedy: str = ""
