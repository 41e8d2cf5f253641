"""The laws of a learner."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.bound.contract import Bound
from ohmline.check.kernels import FullRankFeatures
from ohmline.check.law import demand
from ohmline.errors import KernelError, OhmlineError
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.graph.graph import Graph
from ohmline.kernel.contract import Kernel
from ohmline.kernel.laplacian import LaplacianKernel
from ohmline.kernel.solver import SolverKernel
from ohmline.kernel.terms import Constant
from ohmline.learn.contract import OnlineLearner, State
from ohmline.learn.node_learner import NodeLearner
from ohmline.query.stream import Always

NEAR_TIE = 1e-7
"""Relative size of a margin below which a renaming may change a prediction."""


@dataclass(frozen=True)
class Subject:
    """A learner under the laws: how to make one over a graph, and how to bring one back.

    Attributes
    ----------
    make
        A fresh learner over a graph.
    restore
        The learner of a snapshot over a graph.
    bound
        The theorem that limits its mistakes, if there is one.
    equivariant
        Whether renaming the nodes renames the predictions; False for learners with coins of their own
        or with truncated solves, whose rounding depends on the order of the nodes.
    over
        A fresh learner over a kernel, for learners that have one: every form of the kernel must give the same game.
    exact
        Whether games agree to the bit however they are driven; False where they agree to rounding, because
        something is computed in another order.
    """

    make: Callable[[Graph], OnlineLearner[Any, Any]]
    restore: Callable[[State, Graph], OnlineLearner[Any, Any]]
    bound: Callable[[], Bound] | None = None
    equivariant: bool = True
    over: Callable[[Kernel], OnlineLearner[Any, Any]] | None = None
    exact: bool = True


def learner(
    subject: Subject,
    graph: Graph,
    stream: Stream,
    *,
    query: Any = None,
    comparator: Any = None,
) -> None:
    """Run every law on one graph and stream; raises `LawBroken` with what went wrong.

    Parameters
    ----------
    subject
        The learner under the laws.
    graph
        The graph that learners are made over.
    stream
        Trials over its nodes.
    query
        A query on the stream; `Always()` by default.
    comparator
        A labelling of every node, for the bound; None (default) for its live form.
    """
    query = Always() if query is None else query
    prediction_is_pure(subject, graph, stream)
    snapshot_is_invisible(subject, graph, stream)
    a_refusal_changes_nothing(subject, graph, stream)
    trace = compiled_equals_events(subject, graph, stream, query)
    scores_are_finite(trace)
    if subject.over is not None:
        every_kernel_gives_the_same_game(subject.over, graph, stream, query)
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
            nosy.variance_one(other)
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
        close = _equal(a.margin, b.margin) if subject.exact else abs(a.margin - b.margin) <= NEAR_TIE
        demand(
            close and (a.prediction == b.prediction or a.margin != b.margin),
            "a snapshot is invisible",
            f"trial {t + 1}: {b} after restoring, {a} without",
        )
        if a.prediction != b.prediction:
            return  # rounding has decided a near tie, and what follows may differ
        steady.learn_one(x, y)
        stored.learn_one(x, y)
    for name, array in steady.snapshot().items():
        demand(array.dtype.kind in "fiubU", "a snapshot is plain arrays", f"{name} has dtype {array.dtype}")


def a_refusal_changes_nothing(subject: Subject, graph: Graph, stream: Stream) -> None:
    """A game or a snapshot that is refused leaves the learner byte for byte as it was, and no error is a raw one."""
    law = "a refusal changes nothing"
    learner = subject.make(graph)
    half = len(stream) // 2
    play(learner, stream.take(half))
    before = learner.snapshot()
    bad = [*list(stream)[half:], (_Nowhere(), stream.labels[0] if len(stream) else None)]
    for compiled in (True, False):
        try:
            play(learner, bad, compiled=compiled)
        except OhmlineError:
            pass
        except Exception as error:
            demand(False, law, f"an unknown thing raised {error!r}")
        else:
            demand(False, law, "an unknown thing was accepted")
        demand(_same_state(before, learner.snapshot()), law, f"a game of an unknown thing, {compiled=}, did")
    for what, damaged in damages(before):
        try:
            subject.restore(damaged, graph)
        except OhmlineError:
            pass
        except Exception as error:
            demand(False, law, f"a snapshot with {what} raised {error!r}")
        if isinstance(learner, NodeLearner):
            try:
                learner.load(damaged)
            except OhmlineError:
                demand(_same_state(before, learner.snapshot()), law, f"a refused snapshot with {what} did")
            else:
                learner.load(before)


def damages(state: State) -> Iterator[tuple[str, State]]:
    """A snapshot with one array missing, of another type or shape, or with an entry that is out of range.

    Parameters
    ----------
    state
        What `snapshot` gave.

    Yields
    ------
    tuple
        What is wrong, in words, and the damaged snapshot.
    """
    for name, array in state.items():
        yield f"no {name}", {key: value for key, value in state.items() if key != name}
        yield f"{name} one row longer", {**state, name: np.append(np.atleast_1d(array), array.ravel()[:1])}
        yield f"{name} as text", {**state, name: np.array("damaged")}
        yield f"{name} as an object", {**state, name: np.array(None)}
        for offset in (10**7, -(10**7), np.nan) if array.dtype.kind in "iuf" and array.size else ():
            changed = np.array(array)
            with np.errstate(invalid="ignore"):
                changed.flat[0] = np.asarray(offset).astype(array.dtype) + array.flat[0]
            yield f"{name} off by {offset}", {**state, name: changed}


class _Nowhere:
    """A thing that no learner knows."""


def compiled_equals_events(subject: Subject, graph: Graph, stream: Stream, query: Any) -> Trace:
    """The loop, single events and a stream drawn item by item give the same trace, bit by bit."""
    fast = play(subject.make(graph), stream, query, compiled=True)
    slow = play(subject.make(graph), stream, query, compiled=False)
    drawn = play(subject.make(graph), iter(stream), query)
    demand(drawn.predictions == slow.predictions, "drawn equals listed", "the predictions differ")
    demand(
        bool(np.array_equal(drawn.asked_at, slow.asked_at)), "drawn equals listed", "other labels were asked"
    )
    if not subject.exact:
        same_up_to_rounding(fast, slow, "compiled equals per event")
        return fast
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


def every_kernel_gives_the_same_game(
    over: Callable[[Kernel], OnlineLearner[Any, Any]],
    graph: Graph,
    stream: Stream,
    query: Any,
    *,
    b: float = 0.5,
) -> None:
    """A dense matrix, its full-rank features and columns on demand are one kernel, or one is refused by name.

    The kernel of columns holds two at a time where that is enough, so that columns come and go.
    """
    dense = LaplacianKernel(graph) + Constant(b)
    plain = play(over(dense), stream, query)
    forms: list[Kernel] = [FullRankFeatures(dense)]
    if not graph.signed:
        forms += [SolverKernel(graph, b=b, columns=k) for k in (max(2, graph.n), 2)]
    for kernel in forms:
        try:
            other = play(over(kernel), stream, query)
        except KernelError as refusal:
            known = "columns" in str(refusal)
            demand(known, "every kernel gives the same game", f"{kernel!r} failed: {refusal}")
            continue
        same_up_to_rounding(plain, other, "every kernel gives the same game", f"over {kernel!r}, ")


def same_up_to_rounding(one: Trace, other: Trace, law: str, where: str = "") -> None:
    """The same game, up to the first trial that rounding may decide."""
    scale = max(float(np.abs(one.margin).max(initial=0.0)), 1.0)
    for t, (a, b) in enumerate(zip(one.margin, other.margin, strict=True)):
        demand(
            abs(a - b) <= NEAR_TIE * scale,
            law,
            f"{where}the margin at trial {t + 1} is {a:g} one way and {b:g} the other",
        )
        if abs(a) <= NEAR_TIE * scale and a != b:
            return  # a near tie may go either way, and what follows depends on it
        demand(
            one.predictions[t] == other.predictions[t],
            law,
            f"{where}trial {t + 1}: {one.predictions[t]!r} and {other.predictions[t]!r}",
        )
        if one.asked_at[t] != other.asked_at[t]:
            return  # rounding may decide a query too


def renaming_commutes(subject: Subject, graph: Graph, stream: Stream, query: Any, *, seed: int = 0) -> None:
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
    same_up_to_rounding(plain, other, "renaming commutes")


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
