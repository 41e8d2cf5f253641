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


def test_a_signed_graph_is_fitted_by_default() -> None:
    graph = ohm.Graph.from_edges([("a", "b", 1.0), ("b", "c", -1.0)], signed=True)
    learner = ohm.fit(graph, {"a": 1, "c": -1})
    assert learner.predict_one("b") == 1
    frustrated = ohm.Graph.from_edges([("a", "b", 1.0), ("b", "c", -1.0), ("c", "a", 1.0)], signed=True)
    assert ohm.fit(frustrated, {"a": 1}, lambda g: ohm.Pounce(ohm.LaplacianKernel(g))).predict_one("a") == 1


def test_bad_labels_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UnknownNode, match="'nobody'"):
        ohm.fit(GRAPH, {"a": "red", "nobody": "blue"})
    assert ohm.fit(GRAPH, {"a": "red", "nobody": None}).predict_one("a") == "red"
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


def test_a_file_or_a_table_of_labels_that_change_is_learned_in_its_order(tmp_path: Path) -> None:
    import pandas as pd

    seen = [("a", "red"), ("e", "blue"), ("a", "blue"), ("c", "red"), ("a", "red"), ("d", "blue")]
    file = tmp_path / "seen.csv"
    file.write_text("node,label\n" + "".join(f"{node},{label}\n" for node, label in [*seen, ("b", "")]))
    frame = pd.DataFrame(seen, columns=["node", "label"])
    frame.to_parquet(tmp_path / "seen.parquet")
    expected = ohm.fit(GRAPH, seen, drift=True)
    for labels in (file, str(file), frame, tmp_path / "seen.parquet"):
        learner = ohm.fit(GRAPH, labels, drift=True)
        assert learner.predict_many().to_dict() == expected.predict_many().to_dict()
        assert learner.weights == expected.weights
    with pytest.raises(
        ConflictingLabels, match=r"keep one of the two; if labels change over time, pass drift=True"
    ):
        ohm.fit(GRAPH, file)
    file.write_text("node,label\na,\n")
    with pytest.raises(LabelError, match="there is no label"):
        ohm.fit(GRAPH, file, drift=True)


@pytest.mark.parametrize("drift", [False, True])
def test_an_unknown_node_has_a_remedy_that_fit_can_take(tmp_path: Path, drift: bool) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("node,label\na,red\nzoe,blue\n")
    with pytest.raises(
        UnknownNode, match=r"or give ohm.graph.labels_of\(labels, graph=graph, skip_unknown=True\)"
    ):
        ohm.fit(GRAPH, file, drift=drift)
    known = ohm.graph.labels_of(file, graph=GRAPH, skip_unknown=True)
    assert ohm.fit(GRAPH, known, drift=drift).predict_one("a") == "red"


def test_one_class_alone_is_said_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    ohm.fit(GRAPH, {"a": "red", "b": "red"})
    assert "only one class is known, 'red', so every node is predicted as it" in caplog.text
    caplog.clear()
    ohm.fit(GRAPH, LABELS)
    ohm.fit(GRAPH, {"a": "red"}, classes=["red", "blue"])
    assert "only one class" not in caplog.text


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("local-lgc", "ohm.LocalLGC"), ("drifting-lgc", "ohm.DriftingLGC"), ("no-such", "ohm.LocalLGC")],
)
def test_a_name_of_the_command_line_is_answered_with_the_object(name: str, remedy: str) -> None:
    with pytest.raises(LearnerError, match=rf"{name}.*command line.*such as {remedy}$"):
        ohm.fit(GRAPH, LABELS, name)  # type: ignore[arg-type]


def test_the_objects_that_are_named_do() -> None:
    from ohmline.job.fitting import BY_NAME

    graph = ohm.graph.generate.barbell(5).graph
    for code in BY_NAME.values():
        make = eval(code, {"ohm": ohm})
        assert ohm.fit(graph, {0: "a", 9: "b"}, make).predict_one(1) == "a"


def test_an_audit_of_nodes_that_all_have_labels_says_so() -> None:
    learner = ohm.fit(ohm.Graph.from_edges([(0, 1)]), {0: "a", 1: "b"})
    with pytest.raises(LearnerError, match="nothing to audit: every node has a label"):
        ohm.audit(learner)
