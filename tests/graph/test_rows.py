"""A graph's arrays are checked once, owned, and never change afterwards."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import ohmline as ohm
from ohmline.errors import GraphError, OhmlineError, ParameterError, ShapeError, UnknownPosition, WeightError
from ohmline.graph import Graph, NodeIndex

PTR, IDX, W = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1]), np.array([1.0, 1.0, 2.0, 2.0])


def raw(ptr: Any = PTR, idx: Any = IDX, w: Any = W, n: int = 3) -> sparse.csr_array:
    """A matrix as a careless caller may hand it over: scipy itself is not asked whether it makes sense."""
    matrix = sparse.csr_array((n, n))
    matrix.indptr, matrix.indices, matrix.data = np.array(ptr), np.array(idx), w
    return matrix


def test_a_good_matrix_is_taken() -> None:
    assert Graph(raw(), NodeIndex("abc")) == Graph.from_edges([("a", "b"), ("b", "c", 2.0)])


@pytest.mark.parametrize(
    ("adjacency", "error", "message"),
    [
        (raw(idx=[1, 0, 10**7, 1]), GraphError, "index 10000000"),
        (raw(idx=[1, 0, -1, 1]), GraphError, "index -1"),
        (raw(idx=[1.0, 0.0, 2.0, 1.0]), GraphError, "whole numbers"),
        (raw(ptr=[0, 1, 3, 9]), GraphError, "row pointers"),
        (raw(ptr=[0, 3, 1, 4]), GraphError, "row pointers"),
        (raw(ptr=[1, 1, 3, 4]), GraphError, "row pointers"),
        (raw(ptr=[0, 1, 4]), GraphError, "row pointers"),
        (raw(w=W[:3]), GraphError, "3 weights"),
        (raw(idx=[1, 2, 0, 1]), GraphError, "ascend"),
        (raw(idx=[0, 0, 2, 1]), GraphError, "diagonal"),
        (raw(idx=[2, 0, 2, 1]), GraphError, "symmetric"),
        (raw(w=np.array([1.0, 3.0, 2.0, 2.0])), GraphError, "weigh the same"),
        (raw(w=np.array([1.0, 1.0, np.nan, np.nan])), WeightError, "nan"),
        (raw(w=np.array([1.0, 1.0, -2.0, -2.0])), WeightError, "-2.0"),
        (raw(w=np.array([1.0, 1.0, 0.0, 0.0])), WeightError, "0.0"),
        (raw(w=np.array([1, 1, 2, 2], complex)), WeightError, "real numbers"),
        (raw(n=4), ShapeError, "3 nodes"),
        (np.eye(3), GraphError, "csr_array"),
        (None, GraphError, "csr_array"),
    ],
)
def test_a_bad_matrix_is_refused(adjacency: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Graph(adjacency, NodeIndex(3))


def test_nobody_can_change_a_graph() -> None:
    matrix = sparse.csr_array((W.copy(), IDX.copy(), PTR.copy()), shape=(3, 3))
    graph = Graph(matrix, NodeIndex(3))
    before = graph.fingerprint
    matrix.indices[:] = 10**7
    matrix.data[:] = np.nan
    copy = pickle.loads(pickle.dumps(graph))
    for one in (graph, copy):
        assert one.indices.tolist() == IDX.tolist()
        for array in (one.indptr, one.indices, one.weights, one.degree, one.component_of):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 5
        for name in ("indices", "nodes", "signed", "extra"):
            with pytest.raises(GraphError, match="never changes"):
                setattr(one, name, None)
    assert copy.fingerprint == before


def test_nobody_can_change_a_stream() -> None:
    points, labels, shown = np.arange(6.0).reshape(3, 2), np.array([1, -1, 1]), np.array([True, True, False])
    for nodes in (points, np.array([0, 1, 2]), ["a", "b", "c"]):
        stream = ohm.Stream(nodes, labels, revealed=shown)
        before = [str(trial) for trial in stream]
        nodes[0] = nodes[1]
        labels[:], shown[:] = labels[::-1].copy(), ~shown
        copy = pickle.loads(pickle.dumps(stream))
        for one in (stream, copy):
            assert [str(trial) for trial in one] == before
            for array in (one.codes, one.revealed):
                with pytest.raises(ValueError, match="read-only"):
                    array[0] = 5
            with pytest.raises(ParameterError, match="never changes"):
                one.codes = np.array([10**7] * 3)
        labels[:], shown[:] = [1, -1, 1], [True, True, False]


@pytest.mark.parametrize(
    "parts",
    [
        ([0, 1], [0, 10**7], ("a",), [True, True]),
        ([0, 1], [0, -2], ("a",), [True, True]),
        ([0, 1], [0, -1], ("a",), [True, True]),
        ([0, 1], [0, 0], ("a",), [True]),
        ([0, 1], [0], ("a",), [True, True]),
        ([0, 1], [0.0, 0.0], ("a",), [True, True]),
        ([0, 1], [0, 0], ("a",), [1, 1]),
        (3, [0], ("a",), [True]),
    ],
)
def test_parts_that_are_no_stream_are_refused(parts: Any) -> None:
    with pytest.raises(OhmlineError):
        ohm.Stream.made(*parts)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ohm.Stream([0, 1, 2], [1, 1, 1], revealed=[False]),
        lambda: ohm.Stream([0, 1, 2], [1, 1, 1], revealed=["no"] * 3),
        lambda: ohm.Stream([0, 1], [1, 1]).take(-1),
        lambda: ohm.Stream([0, 1], [1, 1]).take(1.0),
        lambda: ohm.Stream([0, 1], [1, 1]).repeated(-1),
        lambda: ohm.Stream([0, 1], [1, 1]).repeated(10**15),
        lambda: ohm.Stream([0, 1], [1, 1]).ordered([0.5]),
        lambda: ohm.Stream([0, 1], [1, 1]).ordered([2]),
        lambda: ohm.Stream([0, 1], [1, 1]).shuffled("0"),
        lambda: ohm.Stream([0, 1], [1, 1]).binary([1]),
        lambda: ohm.Stream(np.ma.array([0, 1], mask=[0, 1]), [1, 1]),
        lambda: ohm.Stream([0, 1], np.ones((2, 1), int)),
        lambda: Graph.from_edges([(float("inf"), 1)]),
        lambda: Graph.from_edges(np.array([[np.inf, 1.0]])),
        lambda: Graph.from_columns([0], [1], np.ma.array([1.0], mask=[1])),
        lambda: Graph.from_columns([0], [1], ["1.0"]),
        lambda: Graph.from_edges([(0, 1)], signed="no"),
        lambda: Graph.from_edges([(0, 1, 10**400)]),
        lambda: Graph.from_edges(3),
        lambda: Graph.from_scipy([[0, 1], [1]]),
        lambda: NodeIndex(True),
        lambda: NodeIndex(10**400),
        lambda: NodeIndex(3).positions(3),
        lambda: NodeIndex(3).with_node(float("inf")),
    ],
)
def test_silent_nonsense_is_refused(call: Any) -> None:
    with pytest.raises(OhmlineError):
        call()


def test_positions_beyond_the_nodes_are_refused() -> None:
    for nodes in (NodeIndex(3), NodeIndex("abc")):
        assert len(list(nodes)) == 3
        assert nodes[-1] == list(nodes)[-1]
        for place in (3, -4, 10**400):
            with pytest.raises(UnknownPosition, match="beyond the 3 nodes"):
                nodes[place]
