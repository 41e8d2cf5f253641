"""The laws of a learner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.bound.contract import Bound
from ohmline.check.law import demand
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.graph.graph import Graph
from ohmline.learn.contract import OnlineLearner, State
from ohmline.query.stream import Always, StreamQuery

NEAR_TIE = 1e-7
"""Relative size of a margin below which a renaming may turn a prediction."""


@dataclass(frozen=True)
class Subject:
    """A learner under the laws: how to make one over a graph, and how to bring one back."""

    make: Callable[[Graph], OnlineLearner[Any, Any]]
    restore: Callable[[State, Graph], OnlineLearner[Any, Any]]
    bound: Callable[[], Bound] | None = None
    """The theorem that limits its mistakes, if there is one."""
    equivariant: bool = True
    """Whether renaming the nodes renames the predictions; False for learners with coins of their own
    or with truncated solves, whose rounding depends on the order of the nodes."""


def learner(
    subject: Subject,
    graph: Graph,
    stream: Stream,
    *,
    query: StreamQuery | None = None,
    comparator: Any = None,
) -> None:
    """Run every law on one graph and stream; raises ``LawBroken`` with what went wrong."""
    query = Always() if query is None else query
    prediction_is_pure(subject, graph, stream)
    snapshot_is_invisible(subject, graph, stream)
    trace = compiled_equals_events(subject, graph, stream, query)
    scores_are_finite(trace)
    if subject.equivariant:
        renaming_commutes(subject, graph, stream, query)
    if subject.bound is not None:
        certificate_is_never_beaten(subject, trace, comparator)


def prediction_is_pure(subject: Subject, graph: Graph, stream: Stream) -> None:
    """Asking for predictions in between changes nothing."""
    quiet, nosy = subject.make(graph), subject.make(graph)
    for t, (x, y) in enumerate(stream):
        first = nosy.predict_one(x)
        for other in list(stream.nodes)[:5]:
            nosy.predict_one(other)
            nosy.view_one(other)
        demand(nosy.predict_one(x) == first, "prediction is pure", f"asked twice at trial {t + 1}")
        a, b = quiet.learn_one(x, y), nosy.learn_one(x, y)
        demand(a == b, "prediction is pure", f"trial {t + 1} gave {b} after predictions, {a} without")
    demand(
        _same_state(quiet.snapshot(), nosy.snapshot()), "prediction is pure", "the end states are different"
    )


def snapshot_is_invisible(subject: Subject, graph: Graph, stream: Stream) -> None:
    """A learner that is stored and brought back at every trial learns the same, bit by bit."""
    steady, stored = subject.make(graph), subject.make(graph)
    for t, (x, y) in enumerate(stream):
        stored = subject.restore(stored.snapshot(), graph)
        a, b = steady.view_one(x), stored.view_one(x)
        demand(
            a.prediction == b.prediction and _equal(a.margin, b.margin),
            "a snapshot is invisible",
            f"trial {t + 1}: {b} after restoring, {a} without",
        )
        steady.learn_one(x, y)
        stored.learn_one(x, y)
    for name, array in steady.snapshot().items():
        demand(array.dtype.kind in "fiubU", "a snapshot is plain arrays", f"{name} has dtype {array.dtype}")


def compiled_equals_events(subject: Subject, graph: Graph, stream: Stream, query: StreamQuery) -> Trace:
    """The looping and the streaming driver give the same trace, bit by bit."""
    fast = play(subject.make(graph), stream, query, compiled=True)
    slow = play(subject.make(graph), stream, query, compiled=False)
    for name in ("predictions", "margin", "variance", "asked_at", "updated", "progress"):
        a, b = getattr(fast, name), getattr(slow, name)
        if isinstance(a, list):
            where = [t for t, pair in enumerate(zip(a, b, strict=True)) if pair[0] != pair[1]]
        else:
            where = np.flatnonzero(~((a == b) | (_nan(a) & _nan(b)))).tolist()
        demand(
            not where,
            "compiled equals per event",
            f"{name} differs first at trial {where[0] + 1}: {a[where[0]]} and {b[where[0]]}" if where else "",
        )
    demand(
        _same_state(fast.learner.snapshot(), slow.learner.snapshot()),
        "compiled equals per event",
        "the end states are different",
    )
    return fast


def scores_are_finite(trace: Trace) -> None:
    """No margin is NaN or infinite."""
    bad = np.flatnonzero(~np.isfinite(trace.margin))
    demand(
        not len(bad), "scores are finite", f"trial {bad[0] + 1}: {trace.margin[bad[0]]}" if len(bad) else ""
    )


def renaming_commutes(
    subject: Subject, graph: Graph, stream: Stream, query: StreamQuery, *, seed: int = 0
) -> None:
    """Other names and another order of the nodes give the same game, up to the first near tie."""
    order = np.random.default_rng(seed).permutation(graph.n)
    names = {node: ("renamed", k) for k, node in enumerate(graph.nodes)}
    turned = graph.subgraph([graph.nodes[int(k)] for k in order])
    u, v, w = turned.edges()
    renamed = Graph.from_edges(
        [
            (names[turned.nodes[int(a)]], names[turned.nodes[int(b)]], float(c))
            for a, b, c in zip(u, v, w, strict=True)
        ],
        nodes=[names[node] for node in turned.nodes],
        signed=graph.signed,
    )
    plain = play(subject.make(graph), stream, query)
    other = play(
        subject.make(renamed),
        Stream([names[x] for x in stream.nodes], stream.labels, revealed=stream.revealed),
        query,
    )
    scale = float(np.abs(plain.margin).max(initial=0.0))
    for t, (a, b) in enumerate(zip(plain.margin, other.margin, strict=True)):
        demand(
            abs(a - b) <= NEAR_TIE * max(scale, 1.0),
            "renaming commutes",
            f"the margin at trial {t + 1} is {a:g}, after renaming {b:g}",
        )
        if plain.predictions[t] != other.predictions[t]:
            demand(
                abs(a) <= NEAR_TIE * max(scale, 1.0),
                "renaming commutes",
                f"trial {t + 1}: {plain.predictions[t]!r} became {other.predictions[t]!r} at margin {a:g}",
            )
            return
        if abs(a) <= NEAR_TIE * max(scale, 1.0) and a != b:
            return  # a near tie may go either way, and what follows with it
        if plain.asked_at[t] != other.asked_at[t]:
            return


def certificate_is_never_beaten(subject: Subject, trace: Trace, comparator: Any) -> None:
    """Where the assumptions hold, the mistakes stay within the certificate."""
    assert subject.bound is not None
    certificate = subject.bound().certify(trace, comparator)
    demand(
        not certificate.valid or certificate.charged <= certificate.value * (1 + 1e-9) + 1e-9,
        "a certificate is never beaten",
        f"{certificate.charged} mistakes against {certificate}",
    )


def _same_state(a: State, b: State) -> bool:
    return a.keys() == b.keys() and all(
        a[key].shape == b[key].shape and bool(np.all((a[key] == b[key]) | (_nan(a[key]) & _nan(b[key]))))
        for key in a
    )


def _nan(array: Any) -> Any:
    return np.isnan(array) if np.asarray(array).dtype.kind == "f" else np.zeros(np.shape(array), bool)


def _equal(a: float, b: float) -> bool:
    return a == b or (np.isnan(a) and np.isnan(b))
