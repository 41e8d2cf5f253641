"""Certificates that look forward: never beaten, and void or refused where what they rest on is not so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.bound import further
from ohmline.errors import KernelError, LabelError, ParameterError, UnknownNode


def random_graph(rng: np.random.Generator, n: int) -> ohm.Graph:
    edges = [(k, int(rng.integers(0, k))) for k in range(1, n) if rng.random() > 0.1]
    edges += [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(int(rng.integers(0, 2 * n)))]
    edges = sorted({(min(e), max(e)) for e in edges} | {(0, n - 1)})
    weights = 10.0 ** rng.uniform(-2, 2, size=len(edges)) if rng.random() < 0.5 else np.ones(len(edges))
    return ohm.Graph.from_edges(
        [(int(a), int(b), float(w)) for (a, b), w in zip(edges, weights, strict=True)], nodes=range(n)
    )


def cut_of(graph: ohm.Graph, labels: Any) -> float:
    a, b, weights = graph.edges()
    return float(weights[np.asarray(labels)[a] != np.asarray(labels)[b]].sum())


def interpolated(matrix: Any, seen: list[int], targets: Any) -> Any:
    """The values of the function of smallest norm through the targets, at every node; literal."""
    if not seen:
        return np.zeros((len(matrix), targets.shape[1]))
    return matrix[:, seen] @ np.linalg.solve(matrix[np.ix_(seen, seen)], targets[seen])


def is_mistake(values: Any, label: int) -> bool:
    """A wrong prediction or a tie, of one function or of one for each class."""
    if len(values) == 1:
        return bool((1 if label == 0 else -1) * values[0] <= 1e-12)
    others = np.delete(values, label)
    return bool(values[label] <= others.max() + 1e-12)


def mistakes_to_come(matrix: Any, labels: Any, seen: list[int], targets: Any, greedy: bool, rng: Any) -> int:
    """Reveal the rest in random order, or always the node that would be a mistake now."""
    seen, rest, count = list(seen), [i for i in range(len(labels)) if i not in seen], 0
    while rest:
        values = interpolated(matrix, seen, targets)
        wrong = [i for i in rest if is_mistake(values[i], labels[i])]
        node = wrong[0] if greedy and wrong else int(rng.choice(rest))
        count += node in wrong
        seen.append(node)
        rest.remove(node)
    return count


def attack(number: int, greedy: bool) -> float:
    """One instance; how much of the certificate was used."""
    rng = np.random.default_rng([number, greedy])
    n = int(rng.integers(3, 14))
    graph = random_graph(rng, n)
    classes = int(rng.integers(2, 4))
    labels = rng.integers(0, classes, size=n)
    if rng.random() < 0.5:  # smooth labels: each takes that of a node before it
        for k in range(1, n):
            labels[k] = labels[rng.integers(0, k)] if rng.random() < 0.8 else labels[k]
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(float(10.0 ** rng.uniform(-1, 2)))
    if rng.random() < 0.5:
        kernel = kernel + ohm.Ridge(float(10.0 ** rng.uniform(-3, 0)))
    if rng.random() < 0.3:
        kernel = float(10.0 ** rng.uniform(-1, 1)) * kernel
    seen = rng.choice(n, size=int(rng.integers(1, n)), replace=False).tolist()
    one_hot = np.where(labels[:, None] == np.arange(classes), 1.0, -1.0)
    targets = one_hot if classes > 2 else one_hot[:, :1]
    found = further(kernel, {i: int(labels[i]) for i in seen}, classes=range(classes))
    cut = cut_of(graph, labels)
    assert found.least_cut <= cut * (1 + 1e-9)
    certificate = found.at_most(cut)
    assert certificate.valid
    came = mistakes_to_come(kernel.space.dense(), labels, seen, targets, greedy, rng)
    assert came <= certificate.value, f"instance {number}: {came} mistakes against {certificate}"
    return came / max(certificate.value, 1)


@pytest.mark.parametrize("part", range(4))
def test_the_mistakes_to_come_are_limited(part: int) -> None:
    used = [attack(k, greedy=k % 5 == 0) for k in range(100 * part, 100 * (part + 1))]
    assert max(used) > 0.2, "a certificate far above what comes would show nothing"


@pytest.mark.slow
def test_five_thousand_random_and_five_hundred_greedy_games() -> None:
    for number in range(5000):
        attack(1000 + number, greedy=False)
    for number in range(500):
        attack(1000 + number, greedy=True)


def test_a_path_uses_the_whole_certificate() -> None:
    """Node 0 of a path is +1, all others -1 beyond a cut of 1: the next node is a mistake, and no other one."""
    path = ohm.Graph.from_edges([(k, k + 1) for k in range(6)])
    kernel = ohm.LaplacianKernel(path) + ohm.Constant(1e6)
    labels = [1, -1, -1, -1, -1, -1, -1]
    found = further(kernel, {0: 1})
    assert found.at_most(cut=1).value >= 1
    assert further(kernel, {0: 1, 1: -1}).least_cut == pytest.approx(1, rel=1e-3)
    assert further(kernel, {0: 1, 1: -1}).at_most(cut=1).value == 0
    assert cut_of(path, labels) == 1


def test_without_the_limit_on_the_cut_more_mistakes_come() -> None:
    """The assumption that is not checked: labels that cut more than was said beat the number."""
    clique = ohm.Graph.from_edges([(a, b) for a in range(16) for b in range(a)])
    kernel = ohm.LaplacianKernel(clique) + ohm.Constant(100.0)
    labels = np.arange(16) % 2
    promised = further(kernel, {0: 0}).at_most(cut=1)
    targets = np.where(labels == 0, 1.0, -1.0)[:, None]
    came = mistakes_to_come(kernel.space.dense(), labels, [0], targets, True, np.random.default_rng(0))
    assert came > promised.value
    assert not promised.proven
    assert "cut a weight of at most 1" in str(promised)


def test_an_undeclared_class_is_assumed_away() -> None:
    """The other assumption: two classes seen, a third one comes, and every node of it is a mistake."""
    star = ohm.Graph.from_edges([(0, k) for k in range(1, 9)])
    kernel = ohm.LaplacianKernel(star) + ohm.Constant(100.0) + ohm.Ridge(1e-6)
    two = further(kernel, {0: "a", 1: "b"})
    assert two.at_most(cut=1).value < 7, "nodes 2 to 8 of class c would all be mistakes"
    assert any("no classes but those seen" in a.text and not a.checked for a in two.at_most(1).assumptions)
    three = further(kernel, {0: "a", 1: "b"}, classes="abc")
    assert three.at_most(cut=8).value >= 7


def test_labels_that_cut_more_than_was_said_void_the_certificate() -> None:
    path = ohm.Graph.from_edges([(k, k + 1) for k in range(9)])
    kernel = ohm.LaplacianKernel(path) + ohm.Constant(1000.0)
    found = further(kernel, {k: k % 2 for k in range(10) if k != 5})
    assert found.least_cut > 6
    certificate = found.at_most(cut=2)
    assert not certificate.valid
    assert "void" in str(certificate)


def test_farther_labels_leave_less_open() -> None:
    """On digits the limit falls as labels come, faster where each is the farthest from those before."""
    X = np.random.default_rng(0).normal(size=(120, 2)) + np.repeat([[0, 0], [6, 0]], 60, axis=0)
    graph = ohm.graph.knn(X, 5)
    labels = np.repeat([0, 1], 60)
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(10.0)
    seen = {0: 0, 60: 1}
    limits = []
    while len(seen) < 40:
        found = further(kernel, seen, classes=[0, 1])
        limits.append(found.at_most(cut_of(graph, labels)).value)
        matrix = kernel.space.dense()
        rest = [i for i in range(120) if i not in seen]
        columns = matrix[np.ix_(list(seen), rest)]
        known = np.linalg.solve(matrix[np.ix_(list(seen), list(seen))], columns)
        variance = np.diagonal(matrix)[rest] - (columns * known).sum(axis=0)
        assert found.open[0] == pytest.approx(variance.max(), rel=1e-6)
        node = rest[int(variance.argmax())]
        seen[node] = int(labels[node])
    assert limits[-1] < limits[0]


def test_the_solver_kernel_gives_the_same() -> None:
    graph = ohm.Graph.from_edges([(k, k + 1) for k in range(15)] + [(0, 8), (3, 12)])
    dense = further(ohm.LaplacianKernel(graph) + ohm.Constant(2.0), {0: 1, 9: -1})
    sparse = further(ohm.SolverKernel(graph, b=2.0), {0: 1, 9: -1})
    assert sparse.energy == pytest.approx(dense.energy)
    assert np.allclose(sparse.open, dense.open)
    assert sparse.at_most(3).value == dense.at_most(3).value


def test_only_the_nodes_that_can_come_count() -> None:
    path = ohm.Graph.from_edges([(k, k + 1) for k in range(9)])
    kernel = ohm.LaplacianKernel(path) + ohm.Constant(10.0)
    assert further(kernel, {0: 1}, nodes=[4, 5]).at_most(100).value == 2
    assert further(kernel, {0: 1}, nodes=[]).at_most(100).value == 0
    with pytest.raises(ParameterError, match="node 0 is labelled already"):
        further(kernel, {0: 1}, nodes=[0, 1])


def test_bad_input_is_named() -> None:
    path = ohm.Graph.from_edges([(0, 1), (1, 2)])
    laplacian = ohm.LaplacianKernel(path)
    kernel = laplacian + ohm.Constant(1.0)
    with pytest.raises(KernelError, match="has no bias"):
        further(laplacian, {0: 1})
    with pytest.raises(KernelError, match="not the kernel of a graph with positive weights"):
        further(ohm.SpectralKernel(path, rank=2) + ohm.Constant(1.0), {0: 1})
    signed = ohm.Graph.from_edges([(0, 1, -1.0), (1, 2, 1.0), (0, 2, 1.0)], signed=True)
    with pytest.raises(KernelError, match="positive weights"):
        further(ohm.LaplacianKernel(signed) + ohm.Constant(1.0), {0: 1})
    with pytest.raises(LabelError, match="labels are empty"):
        further(kernel, {})
    with pytest.raises(LabelError, match="a label is missing"):
        further(kernel, {0: None})
    with pytest.raises(LabelError, match="label 'c' is not among the classes"):
        further(kernel, {0: "c"}, classes=["a", "b"])
    with pytest.raises(UnknownNode):
        further(kernel, {9: 1})
    with pytest.raises(ParameterError, match="cut must be"):
        further(kernel, {0: 1}).at_most(-1.0)
