"""From a graph and labels in any form to predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import (
    ConflictingLabels,
    GraphError,
    LabelError,
    LearnerError,
    ParameterError,
    ShapeError,
    UnknownNode,
    WeightError,
)

GRAPH = ohm.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")], nodes="abcdefg")
LABELS = {"a": "red", "e": "blue"}


def forms(folder: Path) -> dict[str, Any]:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    file = folder / "labels.csv"
    file.write_text("node,label\na,red\ne,blue\nb,\n")
    columns = {"node": ["a", "b", "e"], "label": ["red", None, "blue"]}
    turned = {"other": [1, 2, 3], "label": ["red", None, "blue"], "node": ["a", "b", "e"]}
    return {
        "a dict": LABELS,
        "pairs": [("a", "red"), ["e", "blue"], ("b", None)],
        "a list": ["red", None, None, None, "blue", "", None],
        "an array": np.array(["red", None, None, None, "blue", None, np.nan], dtype=object),
        "a file": file,
        "a name": str(file),
        "polars": pl.DataFrame(columns),
        "polars, other order": pl.DataFrame(turned),
        "pandas": pd.DataFrame(columns),
        "pyarrow": pa.table(columns),
        "first two columns": pl.DataFrame({"who": ["a", "e"], "what": ["red", "blue"]}),
    }


def test_labels_come_in_any_form(tmp_path: Path) -> None:
    expected = ohm.fit(GRAPH, LABELS).snapshot()
    for name, labels in forms(tmp_path).items():
        found = ohm.fit(GRAPH, labels).snapshot()
        assert all(np.array_equal(expected[key], found[key]) for key in expected), name


def test_fit_takes_a_learner_or_what_makes_one() -> None:
    assert isinstance(ohm.fit(GRAPH, LABELS), ohm.LocalLGC)
    assert ohm.fit(GRAPH, LABELS, ohm.LocalLGC).predict_one("b") == "red"
    learner = ohm.LocalLGC(GRAPH, mu=0.1)
    assert ohm.fit(GRAPH, {"a": "red"}, learner) is learner
    assert ohm.fit(GRAPH, {"e": "blue"}, learner).predict_one("d") == "blue"
    kernel = ohm.LaplacianKernel(GRAPH) + ohm.Constant(1.0)
    binary = ohm.fit(GRAPH, {"a": 1, "e": -1}, lambda graph: ohm.Perceptron(kernel))
    assert binary.predict_many().of("b").prediction == 1


def test_a_signed_graph_needs_a_learner_that_can_take_it() -> None:
    graph = ohm.Graph.from_edges([("a", "b", 1.0), ("b", "c", -1.0), ("c", "a", 1.0)], signed=True)
    with pytest.raises(WeightError, match="Pounce"):
        ohm.fit(graph, {"a": 1})
    assert ohm.fit(graph, {"a": 1}, lambda g: ohm.Pounce(ohm.LaplacianKernel(g))).predict_one("a") == 1


def test_bad_labels_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UnknownNode, match="'nobody'"):
        ohm.fit(GRAPH, {"a": "red", "nobody": "blue"})
    with pytest.raises(UnknownNode, match="'nobody'"):
        ohm.fit(GRAPH, {"a": "red", "nobody": None})
    with pytest.raises(ConflictingLabels, match=r"'a' has the label 'red' on row 1 and 'blue' on row 2"):
        ohm.fit(GRAPH, [("a", "red"), ("a", "blue")])
    with pytest.raises(ShapeError, match="3 labels for 7 nodes"):
        ohm.fit(GRAPH, ["red", "blue", None])
    with pytest.raises(LabelError, match="there is no label"):
        ohm.fit(GRAPH, {})
    with pytest.raises(LabelError, match="not among the declared classes"):
        ohm.fit(GRAPH, LABELS, classes=["red", "green"])
    with pytest.raises(LabelError, match="not hashable"):
        ohm.fit(GRAPH, {"a": ["red"]})
    with pytest.raises(ParameterError):
        ohm.fit(GRAPH, 3)
    with pytest.raises(LabelError, match="-1 beside other classes"):
        ohm.fit(GRAPH, [0, -1, -1, -1, 2, -1, -1])
    assert set(ohm.fit(GRAPH, [1, None, None, None, -1, None, None]).predict_many().classes) == {-1, 1}
    with pytest.raises(LabelError, match="a set has no order"):
        ohm.fit(GRAPH, set("abcdefg"))
    with pytest.raises(LearnerError, match="another graph"):
        ohm.fit(GRAPH, LABELS, ohm.LocalLGC(ohm.Graph.from_edges([("a", "e")])))
    with pytest.raises(LabelError, match="one of the two"):
        ohm.LocalLGC(GRAPH).learn_many({"a": "red"}, ["blue"])  # type: ignore[arg-type]
    with pytest.raises(LearnerError, match="give them to the learner"):
        ohm.fit(GRAPH, LABELS, ohm.LocalLGC, classes=["red", "blue"])
    with pytest.raises(LearnerError, match="made 7"):
        ohm.fit(GRAPH, LABELS, lambda graph: 7)  # type: ignore[arg-type,return-value]
    with pytest.raises(LearnerError, match="learns points"):
        ohm.fit(GRAPH, LABELS, ohm.OnlineManifold())
    with pytest.raises(GraphError):
        ohm.fit("graph.csv", LABELS)  # type: ignore[arg-type]


def test_a_learner_that_refuses_keeps_what_it_knew() -> None:
    learner = ohm.LocalLGC(GRAPH, ["red", "blue"])
    ohm.fit(GRAPH, LABELS, learner)
    before = learner.snapshot()
    with pytest.raises(LabelError):
        ohm.fit(GRAPH, {"b": "red", "c": "green"}, learner)
    assert all(np.array_equal(before[key], value) for key, value in learner.snapshot().items())


def test_an_audit_begins_with_what_the_learner_predicts() -> None:
    graph = ohm.Graph.from_edges([(k, k + 1) for k in range(19)], nodes=range(25))
    learner = ohm.fit(graph, {0: "x", 19: "y"})
    check = ohm.audit(learner, seed=3)
    assert len(check) == 18  # neither the labelled nor those that no label reaches
    assert ohm.audit(learner, seed=3).next() == check.next()
    table = learner.predict_many()
    assert all(check.predictions[node] == table.of(node).prediction for node in check.predictions)
    assert len(ohm.audit(learner, labelled=[0, 19, 10])) == 17
    with pytest.raises(UnknownNode, match="'zz'"):
        ohm.audit(learner, labelled=["zz"])
    with pytest.raises(LearnerError, match="nothing to audit"):
        ohm.audit(ohm.LocalLGC(graph))
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(1.0)
    with pytest.raises(LearnerError, match="labelled="):
        ohm.audit(ohm.Perceptron(kernel))
    assert len(ohm.audit(ohm.Perceptron(kernel), labelled=[])) == 25
