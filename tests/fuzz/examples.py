"""One valid example of everything public, on top of which a single argument is spoiled."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sqlite3
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB

import ohmline as ohm
from fuzz.nasty import graph
from ohmline.labelling import Session

MODULES = (
    "ohmline",
    "ohmline.graph",
    "ohmline.graph.build",
    "ohmline.graph.generate",
    "ohmline.graph.measure",
    "ohmline.kernel",
    "ohmline.learn",
    "ohmline.query",
    "ohmline.game",
    "ohmline.bound",
    "ohmline.data",
    "ohmline.adapt.networkx",
    "ohmline.labelling",
    "ohmline.recipes",
    "ohmline.sources",
)
RECORDS = frozenset(
    [
        "EstimatedDiagonal",
        "ExactScores",
        "Update",
        "View",
        "Certainty",
        "Tried",
        "Tuned",
        "Sight",
        "Suggestion",
        "Suggestions",
        "Labelled",
        "LabelledPoints",
        "Cover",
        "Assumption",
        "Certificate",
        "ComparedLengths",
        "Monotonicity",
        "SplitNorm",
        "ErrorLimit",
        "Learned",
        "Prediction",
        "Predictions",
        "Further",
        "MarginErrors",
        "NoisyNorm",
        "PointLengths",
        "PartitionNorm",
        "Projected",
        "SufficientScale",
        "EnergyParts",
        "ExpectedMistakes",
        "LeastEnergy",
        "Entry",
        "KernelFunction",
        "Trace",
        "Log",
        "Confusion",
        "Measures",
        "Remote",
        "Neighbour",
        "Opinion",
        "Progress",
        "Question",
        "Item",
        "Pumped",
    ]
)
"""Records that the package makes and nobody else: their fields are not a door."""
INTERNAL = frozenset(
    [
        "space",
        "restage",
        "watch",
        "unmoved",
        "take_over",
        "alone",
        "supply",
        "fetching",
        "made_of",
        "expected",
        "settings",
        "start",
        "check",
        "choose",
        "choose_many",
        "scores",
        "solve",
        "slopes",
        "energy",
        "step",
        "settle",
        "sample",
        "mro",
        "count",
        "index",
        "asks",
        "wants",
        "weights",
        "ready",
        "learn_event",
        "learn_compiled",
        "checkpoint",
        "endless",
    ]
)
"""What a learner, a basis or a query tells its driver: called with what the package itself made."""


def biased() -> ohm.Kernel:
    return ohm.LaplacianKernel(graph()) + ohm.Constant(1.0)


def spectral() -> ohm.Kernel:
    return ohm.SpectralKernel(graph(), rank=4)


def points() -> Any:
    return np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [5.0, 6.0], [6.0, 5.0]])


def signs() -> Any:
    return np.array([1, 1, 1, -1, -1, -1])


def stream() -> ohm.Stream:
    return ohm.Stream([0, 5, 1, 4], [1, -1, 1, -1])


def trace() -> ohm.Trace:
    return ohm.play(ohm.Perceptron(biased()), stream())


def file(name: str, text: str) -> Callable[[], Path]:
    def make() -> Path:
        path = Path(name)
        path.write_text(text)
        return path

    return make


def manifold() -> ohm.OnlineManifold:
    learner = ohm.OnlineManifold(ohm.RBF(1.0), ohm.Buffer(4), smoothness=ohm.Manifold(1.0))
    ohm.play(learner, ohm.Stream(points(), signs()))
    return learner


def local_manifold() -> ohm.LocalManifold:
    learner = ohm.LocalManifold(4)
    ohm.play(learner, ohm.Stream(points(), signs()))
    return learner


def saved() -> Path:
    path = Path("model.ohm")
    ohm.save(ohm.LocalLGC(graph()), path)
    return path


def written() -> Path:
    path = Path("graph.ohmg")
    graph().write(path)
    return path


def taught(learner: Any) -> Any:
    ohm.play(learner, stream())
    return learner


def words() -> ohm.NodeFeatures:
    return ohm.NodeFeatures([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 1]], graph())


def given() -> ohm.GivenProbabilities:
    return ohm.GivenProbabilities(np.full((6, 2), 0.5), graph(), [1, -1])


def members() -> list[Any]:
    return [ohm.LocalLGC(graph()), ohm.OnlineLogistic(words())]


def pyg_data() -> Any:
    rows = np.repeat(np.arange(6), np.diff(graph().indptr))
    ends = np.stack([rows, graph().indices])
    return SimpleNamespace(edge_index=ends, edge_weight=graph().weights, num_nodes=6)


def labelled_networkx() -> Any:
    found = nx.path_graph(4)
    found.nodes[0]["label"], found.nodes[3]["label"] = "a", "b"
    return found


LEARNERS: dict[str, Callable[[], Any]] = {
    "Perceptron": lambda: taught(ohm.Perceptron(biased())),
    "Perceptron over columns": lambda: taught(ohm.Perceptron(ohm.SolverKernel(graph(), b=1.0))),
    "PassiveAggressive": lambda: taught(ohm.PassiveAggressive(biased())),
    "Projection": lambda: taught(ohm.Projection.one_proj(biased())),
    "Projection.c_proj": lambda: taught(ohm.Projection.c_proj(biased())),
    "Projection.min_norm": lambda: taught(ohm.Projection.min_norm(biased())),
    "Pounce": lambda: taught(ohm.Pounce(ohm.LaplacianKernel(graph()))),
    "Pounce over an embedding": lambda: taught(ohm.Pounce(ohm.ExponentialEmbedding(points(), 1.0))),
    "OnlineLGC": lambda: taught(ohm.OnlineLGC(spectral())),
    "SharedLGC": lambda: taught(ohm.SharedLGC(spectral())),
    "LocalLGC": lambda: taught(ohm.LocalLGC(graph())),
    "NearestNeighbour": lambda: taught(ohm.NearestNeighbour(graph())),
    "SpanningTree": lambda: taught(ohm.SpanningTree(graph())),
    "WeightedTree": lambda: taught(ohm.WeightedTree(graph(), trees=3)),
    "ClusterSpecialists": lambda: taught(ohm.ClusterSpecialists(graph(), trees=3)),
    "DriftingLGC": lambda: taught(ohm.DriftingLGC(graph(), trees=2)),
    "Blend by fixed share": lambda: taught(ohm.Blend(members(), ohm.FixedShare())),
    "Halving": lambda: taught(ohm.Halving(graph(), 2)),
    "OneVsRest": lambda: taught(ohm.OneVsRest(lambda: ohm.Perceptron(biased()))),
    "OnlineLogistic": lambda: taught(ohm.OnlineLogistic(words())),
    "FeatureLearner": lambda: taught(ohm.FeatureLearner(words(), MultinomialNB())),
    "GivenProbabilities": lambda: taught(given()),
    "Blend": lambda: taught(ohm.Blend(members())),
    "Compatibility": lambda: taught(ohm.Compatibility(relations())),
    "TypedLGC": lambda: taught(ohm.TypedLGC(relations())),
    "ConformalSets": lambda: taught(ohm.ConformalSets(ohm.LocalLGC(graph()))),
    "OnlineManifold": manifold,
    "OnlineManifold over a tree": lambda: tree_manifold(),
    "LocalManifold": local_manifold,
}
OVER: dict[str, Callable[[], Any]] = {
    "Perceptron over columns": lambda: ohm.SolverKernel(graph(), b=1.0),
    "Pounce": lambda: ohm.LaplacianKernel(graph()),
    "Pounce over an embedding": lambda: ohm.ExponentialEmbedding(points(), 1.0),
    "OnlineLGC": spectral,
    "SharedLGC": spectral,
    "LocalLGC": graph,
    "NearestNeighbour": graph,
    "SpanningTree": graph,
    "WeightedTree": graph,
    "ClusterSpecialists": graph,
    "DriftingLGC": graph,
    "Blend by fixed share": lambda: members(),
    "Halving": graph,
    "OneVsRest": lambda: lambda: ohm.Perceptron(biased()),
    "OnlineLogistic": lambda: words(),
    "FeatureLearner": lambda: (words(), MultinomialNB()),
    "GivenProbabilities": lambda: given(),
    "Blend": lambda: members(),
    "Compatibility": lambda: relations(),
    "TypedLGC": lambda: relations(),
    "ConformalSets": lambda: ohm.LocalLGC(graph()),
    "OnlineManifold": lambda: ohm.RBF(1.0),
    "OnlineManifold over a tree": lambda: ohm.RBF(1.0),
    "LocalManifold": lambda: None,
}
"""What a snapshot of each learner is restored over; the biased kernel where nothing is said."""


def tree_manifold() -> ohm.OnlineManifold:
    learner = ohm.OnlineManifold(ohm.RBF(1.0), ohm.RPTree(4, points=2), smoothness=ohm.Manifold(1.0))
    ohm.play(learner, ohm.Stream(points(), signs()))
    return learner


def relations() -> ohm.Relations:
    return ohm.Relations({"near": graph(), "same targets": graph()})


def journal() -> str:
    """The name of a journal that does not exist yet."""
    return tempfile.mktemp(suffix=".jsonl")


INSTANCES: dict[str, Callable[[], Any]] = {
    "Session": lambda: Session(graph(), ["red", "blue"], journal=journal()),
    **LEARNERS,
    "NodeFeatures": words,
    "Graph": graph,
    "Relations": lambda: relations(),
    "NodeIndex": lambda: graph().nodes,
    "Stream": stream,
    "Trace": trace,
    "LaplacianKernel": lambda: ohm.LaplacianKernel(graph()),
    "KernelWithTerms": biased,
    "SolverKernel": lambda: ohm.SolverKernel(graph(), b=1.0),
    "SpectralKernel": spectral,
    "TreeKernel": lambda: ohm.TreeKernel(graph()),
    "PointKernel": lambda: ohm.RBF(1.0).over(points()),
    "RBF": lambda: ohm.RBF(1.0),
    "Constant": lambda: ohm.Constant(1.0),
    "ExponentialEmbedding": lambda: ohm.ExponentialEmbedding(points(), 1.0),
    "Until": lambda: ohm.Until(trials=3),
    "Suggestions": lambda: ohm.suggest(taught(ohm.LocalLGC(graph())), 2),
    "Harmonic": lambda: ohm.Harmonic().fit(graph(), {0: "a", 5: "b"}),
    "LLGC": lambda: ohm.LLGC().fit(graph(), {0: "a", 5: "b"}),
    "LabelledOnly": lambda: ohm.LabelledOnly(ohm.RBF(1.0)).fit(points(), signs()),
    "LapSVM": lambda: ohm.LapSVM(ohm.RBF(1.0), ohm.RBF(1.0)).fit(points(), signs()),
    "MultiviewSVM": lambda: ohm.learn.MultiviewSVM([0], [1], kernel=ohm.RBF(1.0)).fit(points(), signs()),
    "Dataset": lambda: ohm.data.Dataset("six", graph(), ["a", "a", "a", "b", "b", "b"], ("a", "b")),
    "PerceptronBound": ohm.bound.PerceptronBound,
    "Spirals": ohm.Spirals,
    "SwissRoll": ohm.SwissRoll,
    "Images": lambda: ohm.Images(np.zeros((4, 8, 8)), [0, 1, 0, 1]),
    "Gaussian": ohm.graph.Gaussian,
    "Certificate": lambda: ohm.bound.PerceptronBound().certify(trace()),
}

BY_NAME: dict[str, Callable[[], Any]] = {
    "graph": graph,
    "kernel": biased,
    "learner": lambda: ohm.Perceptron(biased()),
    "learners": lambda: members(),
    "relations": lambda: relations(),
    "types": lambda: {"near": graph()},
    "features": lambda: words(),
    "model": MultinomialNB,
    "rows": lambda: np.ones((6, 2)),
    "probabilities": lambda: np.full((6, 2), 0.5),
    "stream": stream,
    "other": stream,
    "trace": trace,
    "query": ohm.Always,
    "nodes": lambda: [0, 1, 2, 3, 4, 5],
    "xs": lambda: [0, 1],
    "node": lambda: 2,
    "source": lambda: 0,
    "ground": lambda: 5,
    "u": lambda: 0,
    "v": lambda: 3,
    "a": lambda: 0,
    "b": lambda: 5,
    "x": lambda: 2,
    "y": lambda: 1,
    "place": lambda: 2,
    "code": lambda: 1,
    "labels": signs,
    "label": lambda: 1,
    "positive": lambda: 1,
    "points": points,
    "X": points,
    "lengths": lambda: np.ones(3),
    "distances": lambda: np.abs(np.arange(6.0)[:, None] - np.arange(6.0)),
    "positions": lambda: np.array([0, 2]),
    "rank": lambda: 2,
    "factor": lambda: 2.0,
    "width": lambda: 1.0,
    "rho": lambda: 1.0,
    "radius": lambda: 2.0,
    "rate": lambda: 0.5,
    "p": lambda: 0.5,
    "c": lambda: 0.5,
    "alpha": lambda: 0.5,
    "n": lambda: 6,
    "m": lambda: 3,
    "q": lambda: 6,
    "k": lambda: 2,
    "d": lambda: 3,
    "t": lambda: 2,
    "time": lambda: 2,
    "times": lambda: 2,
    "trials": lambda: 2,
    "seconds": lambda: 1.0,
    "size": lambda: 4,
    "leaves": lambda: 4,
    "edges": lambda: [(0, 1), (1, 2, 2.0)],
    "sources": lambda: [0, 1],
    "targets": lambda: [1, 2],
    "adjacency": lambda: sparse.csr_array(np.array([[0, 1.0], [1.0, 0]])),
    "ids": lambda: ["a", "b"],
    "order": lambda: [1, 0],
    "cut_budget": lambda: 2,
    "make": lambda: lambda: ohm.Perceptron(biased()),
    "concepts": signs,
    "concept": signs,
    "noisy": signs,
    "comparator": signs,
    "checkpoints": lambda: [1, 2],
    "pool": lambda: range(6),
    "selections": lambda: 2,
    "grid": lambda: {"mu": [0.1, 0.2]},
    "images": lambda: np.zeros((4, 8, 8)),
    "name": lambda: "karate",
    "path": file("graph.csv", "a,b\nb,c\n"),
    "oracle": lambda: None,
    "state": dict,
    "tolerance": lambda: 1e-3,
    "weight": lambda: 2.0,
    "read": lambda: lambda: 1,
    "mask": lambda: np.array([True] * 6),
    "came": lambda: [True, False, True, False, False, False],
    "again": lambda: 0.5,
    "matrix": lambda: [[2.0, -1.0], [-1.0, 2.0]],
    "means": lambda: None,
    "predictions": lambda: {0: "a", 1: "b", 2: "a"},
    "sets": lambda: [ohm.HalfSpace([1.0, 0.0]), ohm.HalfSpace([0.0, 1.0])],
    "start": lambda: [0.0, 0.0],
    "run": lambda: ohm.project_online([ohm.HalfSpace([1.0, 0.0])], [0.0, 0.0]),
    "length": lambda: 1.0,
}
USUAL_COLUMNS: dict[str, Callable[[], Any]] = {
    "source": lambda: "source",
    "target": lambda: "target",
    "weight": lambda: "weight",
}
EXTRAS = {"Graph.to_pyg": "torch_geometric"}
"""What needs a library that is too large to be installed for tests."""
SPECIAL: dict[str, dict[str, Callable[[], Any]]] = {
    "Session": {"classes": lambda: ["red", "blue"], "journal": journal},
    "Session.answer": {"label": lambda: "red"},
    "find": {"name": lambda: "citations"},
    "demo": {
        "folder": lambda: tempfile.mktemp(),
        "name": lambda: "citations",
        "size": lambda: 20,
    },
    "from_iterable": {"values": lambda: ["a", {"node": "b"}], "name": lambda: "mine"},
    "follow_file": {
        "path": file("arrivals.jsonl", '{"node": "a"}\n'),
        "mark": lambda: tempfile.mktemp(),
        "aside": lambda: tempfile.mktemp(),
        "poll": lambda: None,
    },
    "redis_stream": {
        "url": lambda: "redis://localhost:6379",
        "stream": lambda: "nodes",
        "wait": lambda: None,
    },
    "pump": {
        "source": list,
        "into": lambda: SimpleNamespace(do=lambda command, actor: None),
    },
    "Graph": {"nodes": lambda: ohm.graph.NodeIndex(2)},
    "Graph.from_edges": {"nodes": lambda: None},
    "Graph.from_columns": {"nodes": lambda: None, "weights": lambda: [1.0, 2.0]},
    "Relations": {"directions": lambda: None},
    "Relations.from_edges": {"edges": lambda: [(0, 1, "near"), (1, 2, "far", 2.0)], "nodes": lambda: None},
    "Relations.from_columns": {
        "types": lambda: ["near", "far"],
        "weights": lambda: [1.0, 2.0],
        "nodes": lambda: None,
    },
    "Relations.of": {"name": lambda: "near"},
    "Relations.union": {"weights": lambda: {"near": 1.0}},
    "Compatibility.ratios": {"name": lambda: "near"},
    "directions": {"edges": lambda: [(0, 1), (1, 2)], "nodes": lambda: None},
    "Graph.from_scipy": {"nodes": lambda: None},
    "Graph.from_networkx": {"graph": labelled_networkx, "weight": lambda: "weight"},
    "Graph.from_igraph": {
        "graph": lambda: graph().to_igraph(),
        "weight": lambda: "weight",
        "nodes": lambda: None,
    },
    "Graph.from_pyg": {"data": pyg_data, "weight": lambda: "edge_weight", "nodes": lambda: None},
    "Graph.from_pandas": {"frame": lambda: graph().to_pandas()} | USUAL_COLUMNS,
    "Graph.from_polars": {"frame": lambda: graph().to_polars()} | USUAL_COLUMNS,
    "Graph.from_arrow": {"table": lambda: graph().to_arrow()} | USUAL_COLUMNS,
    "Graph.from_duckdb": {"relation": lambda: "SELECT 1 AS source, 2 AS target, 0.5 AS weight"}
    | USUAL_COLUMNS,
    "Graph.from_sql": {
        "connection": lambda: sqlite3.connect(":memory:"),
        "query": lambda: "SELECT 1 AS source, 2 AS target, 0.5 AS weight",
    }
    | USUAL_COLUMNS,
    "labels_from_sql": {
        "connection": lambda: sqlite3.connect(":memory:"),
        "query": lambda: "SELECT 1 AS node, 2 AS label",
        "node": lambda: None,
        "label": lambda: None,
    },
    "labels_of": {"labels": lambda: {0: "a", 5: "b"}, "node": lambda: None, "label": lambda: None},
    "read": {
        **USUAL_COLUMNS,
        "path": file("edges.csv", "source,target,weight\na,b,1\nb,c,2\n"),
        "nodes": lambda: None,
    },
    "read_nodes": {"path": file("nodes.csv", "node,text\n0,x\n1,y\n"), "node": lambda: None},
    "Graph.read": {"path": file("edges.csv", "source,target,weight\na,b,1\nb,c,2\n")},
    "convert": {
        **USUAL_COLUMNS,
        "edges": file("edges.csv", "source,target,weight\na,b,1\nb,c,2\n"),
        "path": lambda: "written.ohmg",
    },
    "Graph.open": {"path": lambda: written()},
    "Graph.write": {"path": lambda: "written.csv"},
    "Graph.to_networkx": {"attributes": lambda: {"label": {0: "a"}}},
    "Graph.to_igraph": {"attributes": lambda: {"label": {0: "a"}}},
    "Graph.to_pyg": {"attributes": lambda: {"label": {0: "a"}}},
    "Graph.with_facts": {"facts": lambda: {"rows": 6}},
    "Graph.subgraph": {"nodes": lambda: [0, 1]},
    "KernelWithTerms.plus": {"b": lambda: 1.0, "c": lambda: 1.0},
    "GivenProbabilities": {"classes": lambda: [1, -1]},
    "NodeFeatures": {},
    "NodeFeatures.of_entries": {
        "values": lambda: np.ones(2),
        "indices": lambda: np.array([0, 1]),
        "indptr": lambda: np.array([0, 1, 2, 2, 2, 2, 2]),
        "width": lambda: 2,
    },
    "OnlineLGC": {"kernel": spectral},
    "SharedLGC": {"kernel": spectral},
    "Buffer": {},
    "LapSVM": {"kernel": lambda: ohm.RBF(1.0), "weights": lambda: ohm.RBF(1.0)},
    "LabelledOnly": {"kernel": lambda: ohm.RBF(1.0)},
    "OnlineManifold": {"kernel": lambda: ohm.RBF(1.0)},
    "Constant": {"b": lambda: 1.0},
    "SolverKernel": {"b": lambda: 1.0},
    "SpectralKernel": {"rank": lambda: 3},
    "LocalLGC.add_node": {"node": lambda: "new"},
    "LocalLGC.forget_one": {"x": lambda: 0},
    "SpanningTree.forget_one": {"x": lambda: 0},
    "WeightedTree.forget_one": {"x": lambda: 0},
    "SpanningTree.codes_of": {"labels": lambda: ["p"]},
    "WeightedTree.codes_of": {"labels": lambda: ["p"]},
    "ClusterSpecialists.codes_of": {"labels": lambda: ["p"]},
    "DriftingLGC.codes_of": {"labels": lambda: ["p"]},
    "DriftingLGC.advance_to": {"time": lambda: 1e6},
    "NodeIndex.with_node": {"node": lambda: "new"},
    "ExponentialEmbedding": {"a": lambda: 1.0, "nodes": lambda: None},
    "ExponentialEmbedding.from_distances": {"a": lambda: 1.0, "nodes": lambda: None},
    "Budget": {"labels": lambda: 2, "query": ohm.Always},
    "Until": {"labels": lambda: 2},
    "Until.reached": {"labels": lambda: 2},
    "ManifoldRisk": {"smoothness": lambda: ohm.Manifold(1.0)},
    "Stream": {"nodes": lambda: [0, 1, 2, 3, 4, 5], "labels": signs},
    "Stream.made": {
        "codes": lambda: np.array([0, 0, 1, 1, 1, 1]),
        "classes": lambda: ("a", "b"),
        "revealed": lambda: np.ones(6, bool),
    },
    "Images": {"labels": lambda: [0, 1, 0, 1]},
    "Dataset": {"labels": lambda: ["a"] * 3 + ["b"] * 3},
    "Vectors": {"is_test": lambda: np.zeros(6, bool)},
    "Multiview": {},
    "follow": {"learner": manifold, "points": lambda: list(zip(points(), signs(), strict=True))},
    "Disagreement": {"other": lambda: ohm.LocalLGC(graph(), ridge=0.01)},
    "suggest": {"query": ohm.Uncertainty, "k": lambda: 2, "learner": lambda: taught(ohm.LocalLGC(graph()))},
    "play_active": {"query": ohm.Random, "learner": lambda: ohm.Projection.one_proj(biased())},
    "play_adversary": {"learner": lambda: ohm.Perceptron(biased())},
    "play_orders": {
        "learner": lambda: ohm.Perceptron(biased()),
        "labels": lambda: {0: 1, 1: 1, 2: 1, 3: -1, 4: -1, 5: -1},
        "orders": lambda: [[0, 1, 2], [2, 1, 5]],
    },
    "Orders": {"mistaken": lambda: np.zeros((2, 3), bool)},
    "read_points": {"path": file("points.csv", "p,q,label\n0,1,a\n1,0,b\n"), "label": lambda: "label"},
    "tune": {"make": lambda: lambda mu: ohm.OnlineLGC(spectral(), mu), "jobs": lambda: 1},
    "write": {"path": lambda: "written.csv"},
    "save": {"path": lambda: "written.ohm"},
    "load": {"path": lambda: saved()},
    "HalfSpace": {"x": lambda: [1.0, 2.0]},
    "certify_moves": {"comparator": lambda: [2.0, 2.0]},
    "energy_parts": {"u": lambda: [1.0, -1.0]},
    "least_energy": {"positions": lambda: [0, 1], "labels": lambda: [1, -1]},
    "read_labels": {
        "path": file("labels.csv", "node,label\n0,1\n1,-1\n"),
        "node": lambda: None,
        "label": lambda: None,
    },
    "diffuse": {"labels": lambda: {0: 1, 5: -1}},
    "margin_errors": {
        "trace": lambda: ohm.play(ohm.OnlineLGC(spectral()), stream()),
        "means": lambda: signs().astype(float),
    },
    "measure": {"labels": lambda: {0: "a", 2: "b"}},
    "audit": {"learner": lambda: taught(ohm.LocalLGC(graph()))},
    "further": {"labels": lambda: {0: 1, 5: -1}},
    "flower": {"p": lambda: 3, "m": lambda: 3},
    "octopus": {"p": lambda: 3, "m": lambda: 3},
    "k_out": {"q": lambda: 6},
    "noisy_barbell": {"m": lambda: 4},
    "thick_barbell": {"m": lambda: 4, "edges": lambda: 2},
    "three_clusters": {"m": lambda: 4, "edges": lambda: 2},
    "hierarchical": {"q": lambda: 8},
    "stochastic_block_model": {"sizes": lambda: [3, 3], "probabilities": lambda: [[0.9, 0.1], [0.1, 0.9]]},
    "noisy_norm": {"b": lambda: 1.0},
    "compared_lengths": {"other": biased, "coefficients": lambda: np.ones(6)},
    "split_norm": {"first": biased, "second": biased, "u": lambda: signs().astype(float)},
    "monotonicity": {"weaker": graph},
    "is_here": {"name": lambda: "karate"},
    "label_nodes": {"graph": labelled_networkx, "label": lambda: "label", "weight": lambda: "weight"},
    "play_nodes": {
        "graph": labelled_networkx,
        "learner": lambda: ohm.LocalLGC,
        "label": lambda: "label",
        "weight": lambda: "weight",
    },
    "Dataset.label_of": {"node": lambda: 0},
    "Dataset.signs": {"positive": lambda: "a"},
    "Stream.breadth_first": {},
    "LaplacianKernel.sqnorm": {"u": lambda: signs().astype(float)},
    "SpectralKernel.features_of_new": {"neighbours": lambda: [0, 1], "weights": lambda: [1.0, 2.0]},
    "Harmonic.fit": {"labels": lambda: {0: "a", 5: "b"}},
    "LLGC.fit": {"labels": lambda: {0: "a", 5: "b"}},
    "Harmonic.predict": {},
    "LapSVM.fit": {},
    "MultiviewSVM.fit": {},
    "PerceptronBound.certify": {},
    "Halving": {},
    "OneVsRest.admit": {"labels": lambda: ["p", "q"]},
    "LocalLGC.codes_of": {"labels": lambda: ["p"]},
    "GraphPerceptronBound": {"concept": lambda: None},
}
for _name in (
    "KernelWithTerms",
    "SolverKernel",
    "SpectralKernel",
    "PointKernel",
    "LaplacianKernel",
    "TreeKernel",
):
    SPECIAL[f"{_name}.sqnorm"] = {"u": lambda: signs().astype(float)}
    SPECIAL[f"{_name}.plus"] = {"b": lambda: 1.0, "c": lambda: 1.0}
for _name in LEARNERS:
    SPECIAL[f"{_name}.learn_many"] = {"nodes": lambda: [0, 5], "labels": lambda: [1, -1]}
for _name in ("OnlineManifold", "OnlineManifold over a tree", "LocalManifold"):
    SPECIAL[f"{_name}.learn_many"] = {"nodes": points, "labels": signs}
    for _method in ("predict_many", "predict_proba_many"):
        SPECIAL[f"{_name}.{_method}"] = {"nodes": points}
    for _method in (
        *(
            "predict_one",
            "view_one",
            "learn_one",
            "margin_one",
            "scores_one",
            "predict_proba_one",
            "locate",
            "look",
        ),
    ):
        SPECIAL[f"{_name}.{_method}"] = {"x": lambda: [0.5, 0.5], "place": lambda: np.array([0.5, 0.5])}
    SPECIAL[f"{_name}.spread"] = SPECIAL[f"{_name}.variance_one"] = SPECIAL[f"{_name}.look"]
    SPECIAL[f"{_name}.locate_all"] = {"xs": points}


@cache
def targets() -> dict[str, tuple[Callable[[], Any], tuple[str, ...]]]:
    """By name: what gives the callable afresh, and the parameters that can be spoiled."""
    found: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {}
    for module in map(importlib.import_module, MODULES):
        for name in dir(module):
            thing = getattr(module, name)
            ours = getattr(thing, "__module__", "").startswith("ohmline.")
            foreign = (
                module.__name__.endswith(("build", "networkx")) and thing.__module__ != module.__name__
                if ours
                else True
            )
            if name.startswith("_") or not callable(thing) or not ours or foreign or name in RECORDS:
                continue
            if inspect.isclass(thing) and (inspect.isabstract(thing) or issubclass(thing, BaseException)):
                continue
            if inspect.isclass(thing) and hasattr(thing, "__members__"):
                continue
            if name not in INTERNAL:
                found.setdefault(name, (lambda thing=thing: thing, _parameters(thing)))
            if inspect.isclass(thing):
                for method, value in inspect.getmembers(thing, inspect.ismethod):
                    if not method.startswith("_") and method not in INTERNAL and method != "restore":
                        found[f"{name}.{method}"] = (lambda value=value: value, _parameters(value))
    for name, make in INSTANCES.items():
        thing = make()
        for method, value in inspect.getmembers(type(thing), inspect.isfunction):
            if (
                method.startswith("_")
                or method in INTERNAL
                or f"{name}.{method}" in found
                or method == "restore"
            ):
                continue
            if value.__module__.startswith("ohmline.") and len(_parameters(value)) > 1:
                if importlib.util.find_spec(EXTRAS.get(f"{name}.{method}", "numpy")) is None:
                    continue
                spoiled = _parameters(value)[1:]
                found[f"{name}.{method}"] = (
                    lambda make=make, method=method: getattr(make(), method),
                    spoiled,
                )
    return found


def _parameters(thing: Any) -> tuple[str, ...]:
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    try:
        return tuple(n for n, p in inspect.signature(thing).parameters.items() if p.kind in kinds)
    except ValueError:
        return ()


def arguments(name: str, thing: Any, spoiled: str | None = None) -> dict[str, Any]:
    """Valid arguments of a target: those it needs, and the spoiled one."""
    special = SPECIAL.get(name, {})
    given: dict[str, Any] = {}
    for parameter, p in inspect.signature(thing).parameters.items():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        if parameter in special:
            given[parameter] = special[parameter]()
        elif p.default is p.empty:
            given[parameter] = BY_NAME[parameter]()
    return given
