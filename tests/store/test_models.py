"""Learners in files: what is loaded goes on bit for bit, and what is damaged or does not belong is refused."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import ohmline as ohm
from ohmline.errors import (
    DataError,
    FileFormatError,
    LearnerError,
    OhmlineError,
    ParameterError,
    SnapshotError,
)
from ohmline.store.container import VERSION

FILES = Path(__file__).parent / "files"
RING = ohm.Graph.from_edges(
    [(k, (k + 1) % 12) for k in range(12)] + [(0, 5, 0.5), (13, 14, 2.0)], nodes=range(15)
)
NAMED = ohm.Graph.from_edges([("a", "b", 0.5), ("b", ("c", 1)), (("c", 1), 4.5), (4.5, "a")])
TREE = ohm.Graph.from_edges([(0, 1), (1, 2), (1, 3), (3, 4)])
POINTS = np.random.default_rng(0).normal(size=(15, 2))
FAR = ohm.Graph.from_edges([(k, (5 * k + 3) % 15) for k in range(15)], nodes=range(15), parallel="max")
DIRECTED = ohm.graph.directions([(k, (k * k + 1) % 15, 1.0 + k) for k in range(15)], nodes=range(15))
LAPLACE = ohm.LaplacianKernel(RING)

LEARNERS: dict[str, Callable[[], Any]] = {
    "Perceptron": lambda: ohm.Perceptron(LAPLACE + ohm.Constant(1.0)),
    "Perceptron, scaled with a ridge": lambda: ohm.Perceptron(
        2 * LAPLACE + ohm.Constant(1.0) + ohm.Ridge(0.5)
    ),
    "Perceptron, sum": lambda: ohm.Perceptron(LAPLACE + ohm.RBF(1.0).over(POINTS, nodes=RING.nodes)),
    "Perceptron, linear": lambda: ohm.Perceptron(ohm.Linear().over(POINTS) + ohm.Constant(0.1)),
    "Perceptron, solver": lambda: ohm.Perceptron(ohm.SolverKernel(RING, b=1.0, columns=4)),
    "Perceptron, scaled solver": lambda: ohm.Perceptron(
        3 * ohm.SolverKernel(RING, columns=4) + ohm.Constant(1.0) + ohm.Ridge(0.1)
    ),
    "PassiveAggressive": lambda: ohm.PassiveAggressive(LAPLACE + ohm.Constant(1.0), 0.5),
    "Pounce": lambda: ohm.Pounce(LAPLACE),
    "Pounce, embedding": lambda: ohm.Pounce(ohm.ExponentialEmbedding(POINTS, 30.0)),
    "Pounce, limit of the embedding": lambda: ohm.Pounce(ohm.ExponentialEmbedding(POINTS, np.inf)),
    "Projection": lambda: ohm.Projection.min_norm(LAPLACE + ohm.Constant(1.0) + ohm.Ridge(0.1)),
    "OnlineLGC": lambda: ohm.OnlineLGC(ohm.SpectralKernel(RING, rank=6), mu=0.5),
    "NearestNeighbour": lambda: ohm.NearestNeighbour(RING),
    "SharedLGC": lambda: ohm.SharedLGC(ohm.SpectralKernel(RING, rank=6)),
    "LocalLGC": lambda: ohm.LocalLGC(RING),
    "LocalLGC, declared": lambda: ohm.LocalLGC(RING, classes=[1, -1], mu=0.3),
    "OneVsRest": lambda: ohm.OneVsRest(
        lambda: ohm.Projection.one_proj(LAPLACE + ohm.Constant(1.0) + ohm.Ridge(0.1))
    ),
    "OneVsRest, declared": lambda: ohm.OneVsRest(
        lambda: ohm.OnlineLGC(ohm.SpectralKernel(RING, rank=6)), [1, -1]
    ),
    "OnlineLogistic": lambda: ohm.OnlineLogistic(ohm.NodeFeatures(POINTS, RING, averaged=True)),
    "GivenProbabilities": lambda: given(),
    "FeatureLearner": lambda: ohm.FeatureLearner(
        ohm.NodeFeatures(POINTS, RING), ohm.OnlineManifold(ohm.RBF(1.0), ohm.Buffer(20), late_classes=True)
    ),
    "Blend": lambda: ohm.Blend(
        [ohm.LocalLGC(RING), ohm.OnlineLogistic(ohm.NodeFeatures(POINTS, RING)), given()]
    ),
    "Compatibility": lambda: ohm.Compatibility(DIRECTED),
    "TypedLGC": lambda: ohm.TypedLGC({"near": RING, "far": FAR}),
    "relational": lambda: ohm.relational(DIRECTED),
    "ConformalSets": lambda: ohm.ConformalSets(
        ohm.Blend([ohm.LocalLGC(RING), given()]), [0.8, 0.95], window=20
    ),
    "Blend by fixed share": lambda: ohm.Blend([ohm.LocalLGC(RING), given()], ohm.FixedShare()),
    "ClusterSpecialists": lambda: ohm.ClusterSpecialists(RING, trees=3),
    "DriftingLGC": lambda: ohm.DriftingLGC(RING, trees=2),
    "Blend of blends": lambda: ohm.Blend(
        [
            ohm.Blend(
                [ohm.Perceptron(LAPLACE + ohm.Constant(1.0)), ohm.NearestNeighbour(RING)], ohm.Majority()
            ),
            ohm.OneVsRest(lambda: ohm.Perceptron(LAPLACE + ohm.Constant(1.0)), [1, -1]),
        ],
        ohm.Mixture(),
    ),
}


def given() -> ohm.GivenProbabilities:
    chances = np.random.default_rng(1).dirichlet([1.0, 1.0], 15)
    return ohm.GivenProbabilities(chances, RING, [1, -1])


def trials(seed: int, n: int = 40) -> list[tuple[int, int]]:
    rng = np.random.default_rng(seed)
    nodes = rng.integers(0, 15, size=n)
    return [(int(node), 1 if node < 6 else -1) for node in nodes]


def taught(name: str) -> Any:
    learner = LEARNERS[name]()
    for node, label in trials(1):
        learner.learn_one(node, label)
    return learner


def views(learner: Any, nodes: Any = range(15)) -> list[Any]:
    return [(learner.view_one(x), repr(learner.variance_one(x))) for x in nodes]


def assert_equal_states(one: Any, two: Any) -> None:
    first, second = one.snapshot(), two.snapshot()
    assert first.keys() == second.keys()
    for key in first:
        assert first[key].dtype == second[key].dtype, key
        assert np.array_equal(first[key], second[key], equal_nan=first[key].dtype.kind == "f"), key


@pytest.mark.parametrize("name", LEARNERS)
def test_a_loaded_learner_goes_on_bit_for_bit(name: str, tmp_path: Path) -> None:
    learner = taught(name)
    path = ohm.save(learner, tmp_path / "model.ohm")
    loaded = ohm.load(path)
    assert type(loaded) is type(learner)
    assert_equal_states(learner, loaded)
    assert views(learner) == views(loaded)
    for node, label in trials(2):
        assert learner.learn_one(node, label) == loaded.learn_one(node, label)
    assert_equal_states(learner, loaded)
    again = ohm.save(loaded, tmp_path / "again.ohm")
    assert views(ohm.load(again)) == views(learner)


def test_halving_and_a_manifold_learner_too(tmp_path: Path) -> None:
    halving = ohm.Halving(TREE, 2)
    halving.learn_one(0, 1)
    loaded = ohm.load(ohm.save(halving, tmp_path / "halving.ohm"))
    assert loaded.labellings == halving.labellings
    manifold = ohm.OnlineManifold(classes=["in", "out"])
    for k, x in enumerate(np.random.default_rng(0).normal(size=(150, 2))):
        manifold.learn_one(x, ("in" if x @ x < 1 else "out") if k % 5 == 0 else None)
    loaded = ohm.load(ohm.save(manifold, tmp_path / "manifold.ohm"))
    assert views(loaded, POINTS) == views(manifold, POINTS)


def test_a_classifier_of_another_library_cannot_be_in_a_file(tmp_path: Path) -> None:
    learner = ohm.FeatureLearner(ohm.NodeFeatures(POINTS, RING), GaussianNB())
    for each in (learner, ohm.Blend([ohm.LocalLGC(RING), learner])):
        with pytest.raises(SnapshotError, match=r"GaussianNB\(\) is of another library"):
            ohm.save(each, tmp_path / "model.ohm")
    assert not (tmp_path / "model.ohm").exists()


def test_ids_of_every_kind_come_back(tmp_path: Path) -> None:
    learner = ohm.LocalLGC(NAMED)
    learner.learn_one(("c", 1), "x")
    learner.add_node("new")
    learner.add_edge("new", "a", 2.0)
    loaded = ohm.load(ohm.save(learner, tmp_path / "model.ohm"))
    assert list(loaded.nodes) == list(learner.nodes)
    assert loaded.graph == learner.graph
    assert loaded.predict_one("new") == "x"
    with pytest.raises(SnapshotError, match=r"node .* cannot be written into a file"):
        ohm.save(ohm.LocalLGC(ohm.Graph.from_edges([(frozenset({1}), 2)])), tmp_path / "bad.ohm")
    assert not (tmp_path / "bad.ohm").exists()


def test_another_process_goes_on_as_this_one_does(tmp_path: Path) -> None:
    learner = taught("LocalLGC")
    path = ohm.save(learner, tmp_path / "model.ohm")
    script = (
        "import sys, json, ohmline as ohm; m = ohm.load(sys.argv[1]); m.learn_one(3, 1); "
        "print(json.dumps([[m.view_one(x).margin.hex(), m.predict_one(x)] for x in range(15)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    )
    learner.learn_one(3, 1)
    assert json.loads(done.stdout) == [
        [learner.view_one(x).margin.hex(), learner.predict_one(x)] for x in range(15)
    ]


def test_a_file_without_its_graph_asks_for_it(tmp_path: Path) -> None:
    learner = taught("LocalLGC")
    path = ohm.save(learner, tmp_path / "model.ohm", graph=False)
    with pytest.raises(SnapshotError, match=r"holds no graph.*15 nodes.*load\(path, graph=graph\)"):
        ohm.load(path)
    assert views(ohm.load(path, graph=RING)) == views(learner)
    edges = [(k, (k + 1) % 12) for k in range(12)]
    heavier = ohm.Graph.from_edges([*edges, (0, 5, 0.6), (13, 14, 2.0)], nodes=range(15))
    with pytest.raises(SnapshotError, match="saved over another graph"):
        ohm.load(path, graph=heavier)
    whole = ohm.save(learner, tmp_path / "whole.ohm")
    with pytest.raises(SnapshotError, match="saved over another graph"):
        ohm.load(whole, graph=heavier)
    assert path.stat().st_size < whole.stat().st_size


def test_the_same_learner_gives_the_same_bytes(tmp_path: Path) -> None:
    one = ohm.save(taught("OnlineLGC"), tmp_path / "one.ohm").read_bytes()
    assert one == ohm.save(taught("OnlineLGC"), tmp_path / "two.ohm").read_bytes()


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_files_of_every_format_stay_readable(version: int) -> None:
    for kind in ("local", "many"):
        loaded = ohm.load(FILES / f"format{version}_{kind}.ohm")
        expected = json.loads((FILES / f"format{version}_{kind}.json").read_text())
        assert [loaded.predict_one(node) for node in loaded.nodes] == expected


def test_a_newer_format_is_refused_by_name(tmp_path: Path) -> None:
    path = ohm.save(taught("Pounce"), tmp_path / "model.ohm")
    newer = rewritten(path, tmp_path / "newer.ohm", version=VERSION + 1)
    with pytest.raises(
        FileFormatError, match=rf"has format {VERSION + 1}.*reads formats up to {VERSION}.*upgrade"
    ):
        ohm.load(newer)


def rewritten(path: Path, to: Path, **changes: Any) -> Path:
    """The file with another header."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            raw = old.read(name)
            if name == "header.json":
                raw = json.dumps(json.loads(raw) | changes).encode()
            new.writestr(name, raw)
    return to


@pytest.mark.parametrize(
    "changes",
    [
        {"learner": "Nothing"},
        {"learner": "Perceptron"},
        {"learner": ["LocalLGC"]},
        {"place": None},
        {"place": {"kind": "Graph", "graph": 7}},
        {"place": {"kind": "Graph", "graph": -1}},
        {"place": {"kind": "Graph"}},
        {
            "place": {
                "kind": "KernelWithTerms",
                "origin": {"kind": "LaplacianKernel", "graph": 0},
                "factor": -1,
            }
        },
        {"graphs": []},
        {
            "graphs": [
                {"fingerprint": "0", "nodes": 1, "edges": 1, "ids": 15, "signed": False, "dropped_loops": 0}
            ]
        },
        {"graphs": [{"ids": 10**12}]},
        {"arrays": "all"},
        {"arrays": ["missing"]},
        {"version": "1"},
        {"version": 0},
        {"format": "zip"},
    ],
)
def test_a_header_that_says_something_else_is_refused(changes: dict[str, Any], tmp_path: Path) -> None:
    path = ohm.save(taught("LocalLGC"), tmp_path / "model.ohm")
    with pytest.raises(OhmlineError):
        ohm.load(rewritten(path, tmp_path / "changed.ohm", **changes))


def test_damaged_and_truncated_files_are_refused_or_whole(tmp_path: Path) -> None:
    """Every cut is refused; a flipped byte is refused, or falls where it changes nothing."""
    learner = taught("SharedLGC")
    path = ohm.save(learner, tmp_path / "model.ohm")
    whole, wanted = path.read_bytes(), views(learner)
    rng = np.random.default_rng(0)
    bad = tmp_path / "bad.ohm"
    for length in {0, 1, 30, len(whole) - 1, *rng.integers(0, len(whole), size=60).tolist()}:
        bad.write_bytes(whole[:length])
        with pytest.raises(OhmlineError):
            ohm.load(bad)
    refused = 0
    for _ in range(300):
        damaged = bytearray(whole)
        for place in rng.integers(0, len(whole), size=rng.integers(1, 4)):
            damaged[place] ^= int(rng.integers(1, 256))
        bad.write_bytes(bytes(damaged))
        try:
            loaded = ohm.load(bad)
        except OhmlineError:
            refused += 1
        else:
            assert views(loaded) == wanted
    assert refused > 200


def test_what_is_no_model_file_is_said_to_be_none(tmp_path: Path) -> None:
    text = tmp_path / "edges.csv"
    text.write_text("a,b\n")
    with pytest.raises(FileFormatError, match=r"edges\.csv is no model file"):
        ohm.load(text)
    archive = tmp_path / "other.zip"
    with zipfile.ZipFile(archive, "w") as other:
        other.writestr("x", "y")
    with pytest.raises(FileFormatError, match=r"not a file that ohmline\.save wrote"):
        ohm.load(archive)
    with pytest.raises(DataError, match="does not exist"):
        ohm.load(tmp_path / "nothing.ohm")
    with pytest.raises(DataError, match="is a folder"):
        ohm.load(tmp_path)
    with pytest.raises(DataError, match=r"the folder .* does not exist"):
        ohm.save(taught("Pounce"), tmp_path / "nowhere" / "model.ohm")


def test_a_small_file_cannot_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ohm.save(taught("Pounce"), tmp_path / "model.ohm")
    bomb = tmp_path / "bomb.ohm"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        new.writestr("zeros", bytes(2**24))
    monkeypatch.setenv("OHMLINE_MEMORY", "0.01")
    with pytest.raises(ParameterError, match="OHMLINE_MEMORY"):
        ohm.load(bomb)


def test_what_cannot_be_written_is_refused_before_anything_is(tmp_path: Path) -> None:
    class Mine(ohm.OnlineLearner):  # type: ignore[type-arg]
        def predict_one(self, x: Any) -> Any: ...
        def learn_one(self, x: Any, y: Any) -> Any: ...
        def view_one(self, x: Any) -> Any: ...
        def snapshot(self) -> Any: ...
        @classmethod
        def restore(cls, state: Any, kernel: Any) -> Any: ...

    path = tmp_path / "model.ohm"
    path.write_text("what was there")
    with pytest.raises(SnapshotError, match="Mine is not a learner of this library"):
        ohm.save(Mine(), path)
    with pytest.raises(LearnerError, match="learner must be"):
        ohm.save(RING, path)  # type: ignore[arg-type]
    with pytest.raises(SnapshotError, match="graph must be a Graph"):
        ohm.load(ohm.save(taught("Pounce"), tmp_path / "p.ohm"), graph="ring")  # type: ignore[arg-type]
    assert path.read_text() == "what was there"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.ohm", "p.ohm"]


SAVING = """
import sys, numpy as np, ohmline as ohm
graph = ohm.Graph.from_edges([(k, k + 1) for k in range(60000)])
learner = ohm.LocalLGC(graph)
learner.learn_one(0, "a")
print("ready", flush=True)
k = 0
while True:
    k += 1
    learner.learn_one(k, "a" if k % 2 else "b")
    ohm.save(learner, sys.argv[1])
"""


def test_a_killed_save_leaves_a_whole_file(tmp_path: Path) -> None:
    """SIGKILL at random moments of saving again and again: the file is always one that loads."""
    path = tmp_path / "model.ohm"
    rng = np.random.default_rng(0)
    loads = 0
    for _ in range(4):
        with subprocess.Popen([sys.executable, "-c", SAVING, str(path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(float(rng.uniform(0.1, 0.8)))
            process.send_signal(signal.SIGKILL)
        if path.exists():
            assert ohm.load(path).predict_one(0) == "a"
            loads += 1
    assert loads


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = ohm.save(taught("Pounce"), tmp_path / "model.ohm")
    before = path.read_bytes()
    large = ohm.LocalLGC(ohm.Graph.from_edges([(k, k + 1, 1 + k * 1e-3) for k in range(20000)]))

    def small_disk() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))

    child = os.fork()
    if child == 0:
        small_disk()
        try:
            ohm.save(large, path)
        except DataError as error:
            os._exit(7 if "cannot be written" in str(error) else 8)
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model.ohm"]


def test_a_learner_of_relations_goes_on_over_the_graph_that_it_was_made_of(tmp_path: Path) -> None:
    # The union of its types weighs edges in units of its own, which makes it another graph than the one that one has.
    graph = ohm.Graph.from_edges([(0, 1, 5.0), (1, 2, 7.0), (2, 3, 1.0)])
    learner = ohm.fit(graph, {0: "a", 3: "b"}, ohm.relational)
    whole, bare = ohm.save(learner, tmp_path / "whole.ohm"), tmp_path / "bare.ohm"
    ohm.save(learner, bare, graph=False)
    for path in (whole, bare):
        again = ohm.load(path, graph=graph)
        assert again.learners[1].relations["edges"] is graph
        assert np.array_equal(
            again.predict_many().probabilities, learner.predict_many().probabilities, equal_nan=True
        )
        with pytest.raises(SnapshotError, match="saved over another graph"):
            ohm.load(path, graph=ohm.Graph.from_edges([(0, 1, 5.0), (1, 2, 7.5), (2, 3, 1.0)]))
    with pytest.raises(SnapshotError, match="holds no graph"):
        ohm.load(bare)


def test_a_file_without_graphs_is_refused_where_one_graph_would_not_do(tmp_path: Path) -> None:
    one, two = ohm.Graph.from_edges([(0, 1), (1, 2)]), ohm.Graph.from_edges([(0, 2), (1, 2)])
    for learner in (
        ohm.relational({"cites": one, "author": two}),
        ohm.Blend([ohm.LocalLGC(one), ohm.LocalLGC(two)]),
    ):
        learner.learn_one(0, "a")
        with pytest.raises(SnapshotError, match=r"different graphs, and load takes one.*graph=True"):
            ohm.save(learner, tmp_path / "model.ohm", graph=False)
        assert not (tmp_path / "model.ohm").exists()
        assert ohm.load(ohm.save(learner, tmp_path / "whole.ohm")).predict_one(1) == learner.predict_one(1)
        (tmp_path / "whole.ohm").unlink()
