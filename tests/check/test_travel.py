"""Everything pickles and copies, and goes on bit for bit; or it says why not, and what to do."""

from __future__ import annotations

import copy
import functools
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import cloudpickle
import numpy as np
import pytest

import ohmline as ohm
from fuzz.examples import INSTANCES, LEARNERS, OVER, biased, graph, points, signs, stream
from ohmline.errors import LearnerError
from ohmline.lazy_names import public_names
from ohmline.learn import OnlineLearner
from ohmline.learn.turns import TakesTurns

GRAPH = graph()
KERNEL = biased()


def make() -> ohm.Perceptron:
    return ohm.Perceptron(KERNEL)


def taught(learner: Any, *, vectors: bool = False) -> Any:
    ohm.play(learner, ohm.Stream(points(), signs()) if vectors else stream())
    return learner


def grown() -> ohm.LocalLGC:
    learner = taught(ohm.LocalLGC(GRAPH))
    learner.add_node("late")
    learner.add_edge("late", 0, 2.0)
    learner.learn_one("late", "new class")
    return learner


ONLINE: dict[str, Callable[[], Any]] = {
    **{name: made for name, made in LEARNERS.items() if name != "OneVsRest"},
    "OneVsRest, a function": lambda: taught(ohm.OneVsRest(make)),
    "OneVsRest, partial": lambda: taught(
        ohm.OneVsRest(functools.partial(ohm.Perceptron, KERNEL), classes=[1, -1])
    ),
    "OnlineManifold, full": lambda: taught(ohm.OnlineManifold(ohm.RBF(1.0), ohm.Full()), vectors=True),
    "OnlineManifold, Nystroem": lambda: taught(
        ohm.OnlineManifold(ohm.RBF(1.0), ohm.Nystroem(4)), vectors=True
    ),
    "LocalManifold, forgetting": lambda: taught(ohm.LocalManifold(3, memory=4), vectors=True),
    "LocalManifold, drift": lambda: taught(ohm.LocalManifold(3, drift=True), vectors=True),
    "LocalLGC, grown": grown,
    "Perceptron, spectral": lambda: taught(ohm.Perceptron(ohm.SpectralKernel(GRAPH, rank=3))),
}
THINGS: dict[str, Callable[[], Any]] = {
    **{name: made for name, made in INSTANCES.items() if name != "OneVsRest"},
    **ONLINE,
    "Always": ohm.Always,
    "RandomRate": lambda: ohm.RandomRate(0.5),
    "VarianceAbove": lambda: ohm.VarianceAbove(0.4),
    "GapBelow": ohm.GapBelow,
    "GapAhead": ohm.GapAhead,
    "Budget": lambda: ohm.Budget(ohm.GapBelow(0.5), labels=3),
    "MaxProgress": ohm.MaxProgress,
    "MinMargin": ohm.MinMargin,
    "Random": ohm.Random,
    "sum of kernels": lambda: ohm.LaplacianKernel(GRAPH) + ohm.SpectralKernel(GRAPH, rank=1),
    "kernel times a number": lambda: 2.5 * ohm.SolverKernel(GRAPH, b=0.5),
    "Linear": ohm.Linear,
    "Audit": lambda: ohm.bound.Audit({0: "a", 1: "b", 2: "a"}),
    "trace with a budget": lambda: ohm.play(ohm.LocalLGC(GRAPH), stream(), ohm.Budget(labels=2)),
    "Predictions": lambda: LEARNERS["LocalLGC"]().predict_many(),
    "Suggestions": lambda: ohm.suggest(LEARNERS["LocalLGC"](), k=2),
    "Confusion": lambda: INSTANCES["Trace"]().confusion(),
    "Measures": lambda: INSTANCES["Trace"]().measures(),
}
WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "oldest pickle": lambda thing: pickle.loads(pickle.dumps(thing, protocol=2)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


def same(a: Any, b: Any) -> bool:
    return a.keys() == b.keys() and all(
        np.array_equal(a[k], b[k], equal_nan=a[k].dtype.kind == "f") for k in a
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", THINGS)
def test_everything_travels(name: str, way: str) -> None:
    thing = THINGS[name]()
    found = WAYS[way](thing)
    assert type(found) is type(thing)
    assert repr(found) == repr(thing)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ONLINE)
def test_a_learner_goes_on_bit_for_bit_and_alone(name: str, way: str) -> None:
    learner = ONLINE[name]()
    vectors = "Manifold" in name
    rest = list(zip(points(), signs(), strict=True)) if vectors else [(2, 1), (3, -1), (0, 1), (5, -1)]
    before = learner.snapshot()
    found = WAYS[way](learner)
    for x, y in rest:
        assert found.view_one(x) == learner.view_one(x)
        assert found.learn_one(x, y) == learner.learn_one(x, y)
    assert same(found.snapshot(), learner.snapshot())
    again = WAYS[way](ONLINE[name]())
    again.learn_one(*rest[0])
    assert same(ONLINE[name]().snapshot(), before)  # making one is repeatable, so the next line can fail
    kept = ONLINE[name]()
    WAYS[way](kept).learn_one(*rest[0])
    assert same(kept.snapshot(), before), "what the copy learned reached the original"


@pytest.mark.parametrize("name", ["Graph", "Stream", "Trace", "Certificate"])
def test_records_are_equal_after_the_trip(name: str) -> None:
    thing = INSTANCES[name]()
    found = WAYS["pickle"](thing)
    if name == "Stream":
        assert list(found) == list(thing)
    elif name == "Trace":
        assert found.predictions == thing.predictions
        assert np.array_equal(found.margin, thing.margin)
        assert ohm.bound.best_bound(found) == ohm.bound.best_bound(thing)
    else:
        assert found == thing


def test_a_lambda_is_refused_with_the_remedy() -> None:
    learner = taught(ohm.OneVsRest(lambda: ohm.Perceptron(KERNEL)))
    for thing in (learner, INSTANCES["Trace"](), ohm.play(learner, stream())):
        if thing is learner or thing.learner is learner:
            with pytest.raises(LearnerError, match=r"its make is .*<lambda>.*functools\.partial"):
                pickle.dumps(thing)
    with pytest.raises(LearnerError, match="OneVsRest cannot be pickled"):
        pickle.dumps(ohm.OneVsRest(functools.partial(lambda kernel: ohm.Perceptron(kernel), KERNEL)))

    def inner() -> ohm.Perceptron:
        return ohm.Perceptron(KERNEL)

    with pytest.raises(LearnerError, match=r"inner.*defined at the top of a module"):
        pickle.dumps(ohm.OneVsRest(inner))


def test_a_lambda_may_be_copied_and_written_by_cloudpickle() -> None:
    learner = taught(ohm.OneVsRest(lambda: ohm.Perceptron(KERNEL)))
    for found in (copy.deepcopy(learner), copy.copy(learner), cloudpickle.loads(cloudpickle.dumps(learner))):
        assert same(found.snapshot(), learner.snapshot())
        assert found.learn_one(2, 1) == copy.deepcopy(learner).learn_one(2, 1)


@pytest.mark.parametrize(
    "machine",
    [
        lambda weigh: ohm.LapSVM(ohm.RBF(1.0), weigh),
        lambda weigh: ohm.LapSVM(weigh, ohm.RBF(1.0)),
        lambda weigh: ohm.LabelledOnly(weigh),
        lambda weigh: ohm.learn.MultiviewSVM([0], [1], kernel=weigh),
    ],
    ids=["weights", "kernel", "labelled only", "multiview"],
)
def test_batch_learners_with_a_lambda_say_so(machine: Callable[[Any], Any]) -> None:
    with pytest.raises(LearnerError, match=r"cannot be pickled: its (kernel|weights) is .*<lambda>"):
        pickle.dumps(machine(lambda a, b: ohm.RBF(1.0)(a, b)))
    assert pickle.loads(pickle.dumps(machine(ohm.RBF(1.0)))) is not None


def test_a_learner_goes_on_in_another_process() -> None:
    learner = ONLINE["LocalLGC"]()
    script = "import pickle, sys; l = pickle.load(sys.stdin.buffer); print(l.view_one(2), l.learn_one(2, 1))"
    done = subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps(learner), capture_output=True, check=True
    )
    assert done.stdout.decode().split("\n")[0] == f"{learner.view_one(2)} {learner.learn_one(2, 1)}"


# --- every learner is under the law --------------------------------------------------------------


def test_no_online_learner_is_left_out() -> None:
    kinds = {
        name
        for name in public_names("ohmline.learn")
        if isinstance(kind := getattr(ohm.learn, name), type)
        and issubclass(kind, OnlineLearner)
        and not kind.__abstractmethods__
    }
    assert kinds == {type(made()).__name__ for made in ONLINE.values()}
    assert set(OVER) <= set(LEARNERS)


@pytest.mark.parametrize("name", ONLINE)
def test_a_second_thread_is_refused_by_name_and_readers_are_not(name: str) -> None:
    learner = ONLINE[name]()
    assert isinstance(learner, TakesTurns)
    x, y = (points()[0], 1) if "Manifold" in name else (2, 1)
    said: list[Any] = []

    def other() -> None:
        try:
            said.append(learner.predict_one(x))
            learner.learn_one(x, y)
        except Exception as error:
            said.append(error)

    before = learner.snapshot()
    with learner.alone():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(timeout=30)
        assert not thread.is_alive()
    assert len(said) == 2
    assert isinstance(said[1], LearnerError)
    assert f"this {type(learner).__name__} is being changed" in str(said[1])
    assert same(learner.snapshot(), before)
    learner.learn_one(x, y)


# --- and can be seen in a notebook ---------------------------------------------------------------

HOSTILE = "<script>alert('x')</script>"


@pytest.mark.parametrize(
    "name",
    [
        *ONLINE,
        *("Graph", "Trace", "Certificate", "Predictions", "Suggestions", "Measures", "Confusion"),
        *("Harmonic", "LLGC", "LabelledOnly", "LapSVM", "MultiviewSVM"),
    ],
)
def test_a_notebook_shows_it_compactly(name: str) -> None:
    thing = THINGS[name]()
    html = thing._repr_html_()
    assert html.startswith('<div class="ohmline">')
    assert type(thing).__name__ in html
    assert len(html) < 6000
    assert "http" not in html
    assert "src=" not in html


@pytest.mark.parametrize("kind", [ohm.Harmonic, ohm.LLGC, ohm.LapSVM, ohm.LabelledOnly])
def test_a_learner_that_has_seen_nothing_is_shown_too(kind: Any) -> None:
    assert kind.__name__ in kind()._repr_html_()


def test_nothing_that_users_name_reaches_a_notebook_unescaped() -> None:
    hostile = ohm.Graph.from_edges([(HOSTILE, "b"), ("b", "c" * 5000)])
    learner = ohm.LocalLGC(hostile, classes=[HOSTILE, "d" * 5000])
    trace = ohm.play(learner, ohm.Stream([HOSTILE, "b"], [HOSTILE, HOSTILE]))
    certificate = ohm.bound.Certificate(
        HOSTILE, 3.0, 1, {HOSTILE: 2.0}, (ohm.bound.Assumption(HOSTILE, False),)
    )
    void = ohm.bound.Certificate(HOSTILE, 3.0, 1, {}, (ohm.bound.Assumption(HOSTILE, True, False),))
    table, wanted = learner.predict_many(), ohm.suggest(learner, k=2)
    for thing in (
        hostile,
        learner,
        trace,
        certificate,
        void,
        table,
        wanted,
        trace.confusion(),
        trace.measures(),
    ):
        html = thing._repr_html_()
        assert "<script" not in html
        assert len(html) < 6000
    for thing in (hostile, learner, certificate, table, trace.confusion()):
        assert "&lt;script&gt;" in thing._repr_html_()
