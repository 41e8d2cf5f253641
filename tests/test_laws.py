"""Every learner and kernel keeps the public laws, on graphs of every kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games, graphs
from ohmline.check import LawBroken, Subject
from ohmline.learn.perceptron import Perceptron


def biased(graph: ohm.Graph) -> ohm.Kernel:
    return ohm.LaplacianKernel(graph) + ohm.Constant(0.5)


def ridged(graph: ohm.Graph) -> ohm.Kernel:
    return ohm.LaplacianKernel(graph) + ohm.Constant(0.5) + ohm.Ridge(0.3)


def low_rank(graph: ohm.Graph) -> ohm.Kernel:
    # Rank n: a cut inside a repeated eigenvalue would make the features depend on the names.
    return ohm.SpectralKernel(graph, rank=graph.n, shift=0.1)


@dataclass(frozen=True)
class Case:
    subject: Subject
    classes: int = 2


def over(kernel: Callable[[ohm.Graph], ohm.Kernel], learner: type[Perceptron]) -> Case:
    return Case(
        Subject(
            make=lambda graph: learner(kernel(graph)),
            restore=lambda state, graph: learner.restore(state, kernel(graph)),
        )
    )


LEARNERS = {
    "perceptron, dense": over(biased, ohm.Perceptron),
    "perceptron, ridge": over(ridged, ohm.Perceptron),
    "perceptron, low rank": over(low_rank, ohm.Perceptron),
    "nearest, geodesic": Case(
        Subject(make=ohm.NearestNeighbour, restore=lambda s, g: ohm.NearestNeighbour.restore(s, g))
    ),
    "nearest, resistance": Case(
        Subject(
            make=lambda g: ohm.NearestNeighbour(g, ohm.Distance.RESISTANCE),
            restore=lambda s, g: ohm.NearestNeighbour.restore(s, g),
        )
    ),
    "one vs rest, learned": Case(
        Subject(
            make=lambda g: ohm.OneVsRest(lambda: ohm.Perceptron(biased(g))),
            restore=lambda s, g: ohm.OneVsRest.restore(s, lambda: ohm.Perceptron(biased(g))),
        ),
        classes=3,
    ),
    "one vs rest, declared": Case(
        Subject(
            make=lambda g: ohm.OneVsRest(
                lambda: ohm.Perceptron(biased(g)), classes=["class 0", "class 1", "class 2"]
            ),
            restore=lambda s, g: ohm.OneVsRest.restore(s, lambda: ohm.Perceptron(biased(g))),
        ),
        classes=3,
    ),
}


@pytest.mark.parametrize("name", LEARNERS)
@settings(max_examples=15)
@given(data=st.data())
def test_learner_keeps_the_laws(name: str, data: st.DataObject) -> None:
    case = LEARNERS[name]
    graph, stream, _ = data.draw(games(classes=case.classes, named=data.draw(st.booleans())))
    query = data.draw(st.sampled_from([ohm.Always(), ohm.RandomRate(0.5), ohm.Budget(ohm.Always(), 4)]))
    ohm.check.learner(case.subject, graph, stream.label_rate(0.9), query=query)


KERNELS: dict[str, Callable[[ohm.Graph], ohm.Kernel]] = {
    "laplacian": ohm.LaplacianKernel,
    "biased": biased,
    "ridged": ridged,
    "spectral": low_rank,
    "spectral, normalised": lambda g: ohm.SpectralKernel(g, rank=min(3, g.n), normalised=True),
    "sum of two": lambda g: ohm.LaplacianKernel(g) + ohm.SpectralKernel(g, rank=1),
    "vectors": lambda g: ohm.RBF(0.7).over(np.random.default_rng(g.n).standard_normal((g.n, 2)), g.nodes),
}


@pytest.mark.parametrize("name", KERNELS)
@settings(max_examples=15)
@given(graph=graphs(named=True))
def test_kernel_keeps_the_laws(name: str, graph: ohm.Graph) -> None:
    ohm.check.kernel(KERNELS[name](graph))


class Impure(ohm.learn.BinaryLearner[int]):
    """Breaks the first law: each prediction moves it."""

    def __init__(self) -> None:
        self.margin = 1.0

    def margin_one(self, x: int) -> float:
        self.margin = -self.margin
        return self.margin

    def view_one(self, x: int) -> ohm.learn.View[ohm.learn.Label]:
        return ohm.learn.View(1, 1.0, float("nan"))

    def learn_one(self, x: int, y: ohm.learn.Label | None) -> ohm.Update:
        return ohm.Update(None, False, 0.0)

    def snapshot(self) -> ohm.learn.State:
        return {"margin": np.array(self.margin)}

    @classmethod
    def restore(cls, state: ohm.learn.State, kernel: object) -> Impure:
        return cls()


def test_a_broken_law_is_named() -> None:
    graph = ohm.Graph.from_edges([(0, 1)])
    subject = Subject(make=lambda g: Impure(), restore=Impure.restore)
    with pytest.raises(LawBroken, match="prediction is pure"):
        ohm.check.learner(subject, graph, ohm.Stream([0, 1], [1, -1]))
