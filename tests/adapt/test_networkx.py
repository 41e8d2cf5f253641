"""networkx in, node attributes out."""

from __future__ import annotations

import pytest

import ohmline as ohm
from ohmline.adapt.networkx import label_nodes, play_nodes
from ohmline.errors import DirectedError, LabelError

nx = pytest.importorskip("networkx")


def karate():
    graph = nx.karate_club_graph()
    for node in graph:
        graph.nodes[node]["side"] = 1 if graph.nodes[node]["club"] == "Officer" else -1
    return graph


def perceptron(graph):
    return ohm.Perceptron(ohm.LaplacianKernel(graph) + ohm.Constant(0.1))


def test_harmonic_predictions_agree_with_networkx():
    graph = karate()
    for node in (0, 33, 5, 28):
        graph.nodes[node]["label"] = graph.nodes[node]["side"]
    theirs = nx.algorithms.node_classification.harmonic_function(graph, max_iter=2000, label_name="label")
    assert list(label_nodes(graph).values()) == theirs


def test_the_method_is_the_callers():
    graph = nx.path_graph(4)
    graph.nodes[0]["label"], graph.nodes[3]["label"] = "a", "b"
    answers = label_nodes(graph, method=ohm.LLGC(0.5), prediction="said")
    assert answers == {0: "a", 1: "a", 2: "b", 3: "b"}
    assert dict(graph.nodes(data="said")) == answers


def test_a_node_that_no_label_reaches_is_not_guessed():
    graph = nx.path_graph(2)
    graph.add_node("alone")
    graph.nodes[0]["label"] = "a"
    assert label_nodes(graph) == {0: "a", 1: "a", "alone": None}


def test_playing_writes_what_was_said_before_the_label_came():
    graph = karate()
    trace = play_nodes(graph, perceptron, label="side", seed=3)
    assert trace.mistakes < 10
    said = dict(zip(trace.nodes, trace.predictions, strict=True))
    assert dict(graph.nodes(data="prediction")) == said
    wrong = sum(graph.nodes[v]["prediction"] != graph.nodes[v]["side"] for v in graph)
    assert wrong == trace.mistakes


def test_the_query_limits_the_labels():
    trace = play_nodes(karate(), perceptron, label="side", query=ohm.Budget(ohm.Always(), labels=5))
    assert trace.asked == 5


def test_unlabelled_and_directed_graphs_are_refused():
    with pytest.raises(LabelError, match="no node has the attribute 'label'"):
        label_nodes(nx.path_graph(3))
    with pytest.raises(DirectedError, match="directed"):
        label_nodes(nx.path_graph(3, create_using=nx.DiGraph))
