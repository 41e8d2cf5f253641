"""A pandas index that holds the nodes says whose each row is, wherever rows stand beside the nodes of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ohmline as ohm
from ohmline.errors import ShapeError

GRAPH = ohm.Graph.from_edges([(f"n{k}", f"n{k + 1}") for k in range(8)])
TABLE = np.random.default_rng(0).dirichlet(np.ones(3), 9)
MIXED = [4, 1, 8, 0, 7, 2, 6, 3, 5]
FRAME = pd.DataFrame(TABLE, index=list(GRAPH.nodes), columns=list("abc")).iloc[MIXED]
LABELS = pd.Series(list("abcabcaab"), index=list(GRAPH.nodes)).iloc[MIXED]


def features(frame: Any) -> np.ndarray:
    return ohm.NodeFeatures(frame, GRAPH).matrix.toarray()


def chances(frame: Any) -> np.ndarray:
    return ohm.GivenProbabilities(frame, GRAPH).probabilities


def prior(frame: Any) -> np.ndarray:
    return ohm.LocalLGC(GRAPH, prior=frame).prior.probabilities


@pytest.mark.parametrize("read", [features, chances, prior])
def test_rows_go_to_the_nodes_of_the_index(read: Any) -> None:
    assert np.array_equal(read(FRAME), TABLE)
    more = pd.concat([FRAME, FRAME.iloc[[0]].set_axis(["elsewhere"])])
    assert np.array_equal(read(more), TABLE)  # as with node=, rows of other nodes are left out
    assert np.array_equal(
        read(FRAME.reset_index(drop=True)), TABLE[MIXED]
    )  # a count of the rows says nothing


@pytest.mark.parametrize("read", [features, chances, prior])
def test_an_index_of_something_else_is_refused(read: Any) -> None:
    for index in (range(9, 18), [f"m{k}" for k in range(9)], [3, 1, 2, 0, 4, 5, 6, 7, 8]):
        with pytest.raises(ShapeError, match=r"holds no node of the graph.*reset_index\(drop=True\)"):
            read(FRAME.set_axis(list(index)))
    with pytest.raises(ShapeError, match="no row for node 'n4'"):
        read(FRAME.iloc[1:])
    with pytest.raises(ShapeError, match="names a node twice"):
        read(FRAME.iloc[[0, *range(9)]])


def test_a_named_index_of_numbers_holds_nodes_even_where_it_counts() -> None:
    graph = ohm.Graph.from_edges([(2, 1), (1, 0)], nodes=[2, 1, 0])
    frame = pd.DataFrame({"node": [0, 1, 2], "x": [0.0, 1.0, 2.0]})
    assert ohm.NodeFeatures(frame.set_index("node"), graph).row(2).tolist() == [2.0]
    assert ohm.NodeFeatures(frame[["x"]], graph).row(2).tolist() == [0.0]


def test_a_series_of_labels_is_read_by_its_index() -> None:
    wanted = list("abcabcaab")
    assert ohm.Stream(GRAPH.nodes, LABELS).labels == wanted
    assert ohm.Stream(GRAPH.nodes, LABELS.reset_index(drop=True)).labels == [wanted[k] for k in MIXED]
    assert ohm.fit(GRAPH, LABELS).predict_many().labels == wanted
    said = dict(zip(GRAPH.nodes, wanted, strict=True))
    assert ohm.measure(said, LABELS).accuracy == 1.0
    assert ohm.measure(said, LABELS.reset_index(drop=True)).accuracy < 1.0
    with pytest.raises(ShapeError, match="the index of labels"):
        ohm.Stream(GRAPH.nodes, LABELS.set_axis(range(9, 18)))


def test_a_series_of_colours_is_read_by_its_index() -> None:
    colour = GRAPH.plot(LABELS).axes[0].collections[-1].get_facecolor()
    assert np.array_equal(colour, GRAPH.plot(LABELS.to_dict()).axes[0].collections[-1].get_facecolor())
    with pytest.raises(ShapeError, match="the index of color"):
        GRAPH.plot(LABELS.set_axis(range(9, 18)))
