"""Every learner and kernel keeps the public laws, on graphs of every kind."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import MultinomialNB

import ohmline as ohm
from graphs import games, graphs
from ohmline.bound import Bound
from ohmline.check import LawBroken, Subject
from ohmline.compiled import implements
from ohmline.kernel.space import entry, evaluate, shift, sqlength
from ohmline.learn.lgc.lookahead import WORTHWHILE
from ohmline.learn.node_learner import BinaryKernelLearner
from ohmline.learn.step import learn, view


def biased(graph: ohm.Graph) -> ohm.Kernel:
    return ohm.LaplacianKernel(graph) + ohm.Constant(0.5)


def ridged(graph: ohm.Graph) -> ohm.Kernel:
    return ohm.LaplacianKernel(graph) + ohm.Constant(0.5) + ohm.Ridge(0.3)


def low_rank(graph: ohm.Graph) -> ohm.Kernel:
    # Rank n: a cut inside a repeated eigenvalue would make the features depend on the names.
    return ohm.SpectralKernel(graph, rank=graph.n, shift=0.1)


def two_types(graph: ohm.Graph) -> ohm.Relations:
    """The edges of a graph, and others: each end to the next edge's, with a direction."""
    s, t, _ = graph.edges()
    if not len(s):
        return ohm.Relations({"near": graph, "after": graph})
    names = [*([graph.nodes[int(i)] for i in each] for each in (s, t, np.roll(s, 1)))]
    columns = ohm.Relations.from_columns(
        names[0], names[2], ["after"] * len(s), nodes=graph.nodes, directed=True
    )
    return ohm.Relations({"near": graph, **columns.graphs}, columns.directions)


def two_columns(graph: ohm.Graph) -> ohm.NodeFeatures:
    """Two numbers for each node, by position."""
    return ohm.NodeFeatures(np.random.default_rng(0).random((graph.n, 2)), graph)


@dataclass(frozen=True)
class Case:
    subject: Subject
    classes: int = 2


def over(
    kernel: Callable[[ohm.Graph], ohm.Kernel],
    learner: type[Any],
    make: Callable[[ohm.Kernel], Any] | None = None,
    bound: Callable[[], Bound] | None = None,
    classes: int = 2,
    exact: bool = True,
) -> Case:
    return Case(
        Subject(
            make=lambda graph: (make or learner)(kernel(graph)),
            restore=lambda state, graph: learner.restore(state, kernel(graph)),
            bound=bound,
            over=make or learner,
            exact=exact,
        ),
        classes,
    )


LEARNERS = {
    "perceptron, dense": over(biased, ohm.Perceptron, bound=ohm.bound.PerceptronBound),
    "perceptron, ridge": over(ridged, ohm.Perceptron, bound=ohm.bound.PerceptronBound),
    "perceptron, low rank": over(low_rank, ohm.Perceptron, bound=ohm.bound.PerceptronBound),
    "passive-aggressive": over(biased, ohm.PassiveAggressive),
    "passive-aggressive, limited, columns": over(
        lambda g: ohm.SolverKernel(g, b=0.5), ohm.PassiveAggressive, lambda k: ohm.PassiveAggressive(k, 0.3)
    ),
    "1-proj": over(biased, ohm.Projection, ohm.Projection.one_proj, ohm.bound.ProjectionBound),
    "C-proj": over(biased, ohm.Projection, ohm.Projection.c_proj, ohm.bound.ProjectionBound),
    "C-proj, columns": over(
        lambda g: ohm.SolverKernel(g, b=0.5), ohm.Projection, ohm.Projection.c_proj, ohm.bound.ProjectionBound
    ),
    "minimum norm, columns": over(  # an entry may be read from either of its columns
        lambda g: ohm.SolverKernel(g, b=0.5),
        ohm.Projection,
        ohm.Projection.min_norm,
        ohm.bound.ProjectionBound,
        exact=False,
    ),
    "minimum norm": over(ridged, ohm.Projection, ohm.Projection.min_norm, ohm.bound.ProjectionBound),
    "1-proj, aggressive, low rank": over(
        low_rank, ohm.Projection, lambda k: ohm.Projection(k, aggressive=True), ohm.bound.ProjectionBound
    ),
    "pounce": over(ohm.LaplacianKernel, ohm.Pounce, bound=ohm.bound.PounceBound),
    "pounce, ridge": over(ridged, ohm.Pounce),
    "pounce, columns": over(lambda g: ohm.SolverKernel(g), ohm.Pounce, bound=ohm.bound.PounceBound),
    "perceptron, columns": over(lambda g: ohm.SolverKernel(g, b=0.5), ohm.Perceptron),
    "online LGC": over(low_rank, ohm.OnlineLGC, bound=ohm.bound.OnlineLGCBound),
    "online LGC, every label": over(
        low_rank, ohm.OnlineLGC, lambda k: ohm.OnlineLGC(k, mistake_driven=False)
    ),
    "shared LGC": over(low_rank, ohm.SharedLGC, classes=3),
    "local LGC, exact": Case(
        Subject(
            make=lambda g: ohm.LocalLGC(g, tolerance=1e-12, caution=1e12),
            restore=lambda s, g: ohm.LocalLGC.restore(s, g),
        ),
        classes=3,
    ),
    "local LGC": Case(
        Subject(
            make=ohm.LocalLGC,
            restore=lambda s, g: ohm.LocalLGC.restore(s, g),
            equivariant=False,  # a truncated solve depends on the order of the neighbours
        ),
        classes=3,
    ),
    "local LGC, two classes of a node": Case(
        Subject(
            make=lambda g: ohm.LocalLGC(g, classes_kept=2),
            restore=lambda s, g: ohm.LocalLGC.restore(s, g),
            equivariant=False,
        ),
        classes=3,
    ),
    "local LGC, prior": Case(
        Subject(
            make=lambda g: ohm.LocalLGC(g, prior=two_columns(g)),
            restore=lambda s, g: ohm.LocalLGC.restore(s, (g, two_columns(g))),
            equivariant=False,
        ),
        classes=3,
    ),
    "local LGC, prior, declared": Case(
        Subject(
            make=lambda g: ohm.LocalLGC(
                g, ["class 2", "class 1", "class 0", "never"], prior=(two_columns(g), MultinomialNB())
            ),
            restore=lambda s, g: ohm.LocalLGC.restore(s, (g, (two_columns(g), MultinomialNB()))),
            equivariant=False,
        ),
        classes=3,
    ),
    "compatibility": Case(
        Subject(make=ohm.Compatibility, restore=lambda s, g: ohm.Compatibility.restore(s, g)), classes=3
    ),
    "typed LGC": Case(
        Subject(
            make=lambda g: ohm.TypedLGC(two_types(g)),
            restore=lambda s, g: ohm.TypedLGC.restore(s, two_types(g)),
            equivariant=False,  # a truncated solve depends on the order of the neighbours
        ),
        classes=3,
    ),
    "cluster specialists": Case(
        Subject(
            make=lambda g: ohm.ClusterSpecialists(g, trees=4, share=0.05),
            restore=lambda s, g: ohm.ClusterSpecialists.restore(s, g),
            equivariant=False,  # the trees are drawn by position
        ),
        classes=3,
    ),
    "drifting LGC": Case(
        Subject(
            make=lambda g: ohm.DriftingLGC(g, trees=1),
            restore=lambda s, g: ohm.DriftingLGC.restore(s, g),
            equivariant=False,  # the trees are drawn by position
        ),
        classes=3,
    ),
    "drifting, declared": Case(
        Subject(
            make=lambda g: ohm.DriftingLGC(
                g, ["class 2", "class 1", "class 0", "never"], memory=3.0, trees=2
            ),
            restore=lambda s, g: ohm.DriftingLGC.restore(s, g),
            equivariant=False,
        ),
        classes=3,
    ),
    "conformal sets": Case(
        Subject(
            make=lambda g: ohm.ConformalSets(
                ohm.LocalLGC(g, tolerance=1e-12, caution=1e12), [0.5, 0.9], step=0.2
            ),
            restore=lambda s, g: ohm.ConformalSets.restore(s, ohm.LocalLGC(g, tolerance=1e-12, caution=1e12)),
        ),
        classes=3,
    ),
    "nearest, geodesic": Case(
        Subject(make=ohm.NearestNeighbour, restore=lambda s, g: ohm.NearestNeighbour.restore(s, g))
    ),
    "nearest, resistance": Case(
        Subject(
            make=lambda g: ohm.NearestNeighbour(g, ohm.Distance.RESISTANCE),
            restore=lambda s, g: ohm.NearestNeighbour.restore(s, g),
        )
    ),
    "nearest, three": Case(
        Subject(
            make=lambda g: ohm.NearestNeighbour(g, k=3),
            restore=lambda s, g: ohm.NearestNeighbour.restore(s, g),
        )
    ),
    "nearest, four, resistance": Case(
        Subject(
            make=lambda g: ohm.NearestNeighbour(g, ohm.Distance.RESISTANCE, k=4),
            restore=lambda s, g: ohm.NearestNeighbour.restore(s, g),
        )
    ),
    "spanning tree": Case(
        Subject(
            make=ohm.SpanningTree,
            restore=lambda s, g: ohm.SpanningTree.restore(s, g),
            equivariant=False,  # the names decide which tree is drawn
            bound=ohm.bound.SpanningTreeBound,
        ),
        classes=3,
    ),
    "weighted trees": Case(
        Subject(
            make=lambda g: ohm.WeightedTree(g, trees=3),
            restore=lambda s, g: ohm.WeightedTree.restore(s, g),
            equivariant=False,
            bound=ohm.bound.WeightedTreeBound,
        ),
        classes=3,
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
    queries: list[Any] = [ohm.Always(), ohm.RandomRate(0.5), ohm.Budget(ohm.Always(), 4)]
    if "LGC" in name and "drifting" not in name:  # with a variance
        queries += [ohm.VarianceAbove(0.4), ohm.GapBelow(0.5), ohm.Budget(ohm.GapBelow(2.0), 3)]
        queries += [ohm.GapAhead(2.0, repeats=1), ohm.Budget(ohm.GapAhead(9.0), 5)]
    query = data.draw(st.sampled_from(queries))
    ohm.check.learner(case.subject, graph, stream.label_rate(0.9), query=query)


@pytest.mark.parametrize("rings", [False, True])
@settings(max_examples=15)
@given(data=st.data())
def test_halving_keeps_the_laws_on_forests_and_beyond(rings: bool, data: st.DataObject) -> None:
    most = 8 if rings else 12
    graph, stream, labelling = data.draw(
        games(extra_edges=rings, weighted=False, max_nodes=most, named=data.draw(st.booleans()))
    )
    budget = int(ohm.graph.measure.cut(graph, labelling))
    subject = Subject(
        make=lambda g: ohm.Halving(g, budget),
        restore=lambda s, g: ohm.Halving.restore(s, g),
        bound=ohm.bound.HalvingBound,
    )
    ohm.check.learner(subject, graph, stream, comparator=labelling)


@pytest.mark.parametrize("basis", [ohm.Full(), ohm.Buffer(8), ohm.RPTree(4), ohm.Nystroem(6)])
@settings(max_examples=5)
@given(seed=st.integers(0, 1000))
def test_online_manifold_keeps_the_laws_on_vectors(basis: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((30, 2))
    stream = ohm.Stream(points, np.where(points[:, 0] > 0, 1, -1)).label_rate(0.4, seed)
    subject = Subject(
        make=lambda g: ohm.OnlineManifold(ohm.RBF(0.8), basis, smoothness=ohm.Manifold(0.5)),
        restore=lambda s, g: ohm.OnlineManifold.restore(s, ohm.RBF(0.8)),
        equivariant=False,  # there is no graph to rename
    )
    ohm.check.learner(subject, ohm.Graph.from_edges([(0, 1)]), stream)


@pytest.mark.parametrize(
    "options", [{}, {"memory": 20.0}, {"drift": True}, {"classes": [1, 0, -1], "label_weight": 10.0}]
)
@settings(max_examples=5)
@given(seed=st.integers(0, 1000))
def test_local_manifold_keeps_the_laws_on_vectors(options: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((60, 2))
    stream = ohm.Stream(points, np.where(points[:, 0] > 0, 1, -1)).label_rate(0.4, seed)
    subject = Subject(
        make=lambda g: ohm.LocalManifold(20, **options),
        restore=lambda s, g: ohm.LocalManifold.restore(s),
        equivariant=False,  # there is no graph to rename
    )
    ohm.check.learner(subject, ohm.Graph.from_edges([(0, 1)]), stream, query=ohm.RandomRate(0.8))


def test_a_learner_that_prepares_for_many_nodes_agrees_with_events_to_rounding() -> None:
    rng = np.random.default_rng(0)
    for case in range(6):
        n = int(rng.integers(40, 90))
        edges = [(int(rng.integers(k)), k) for k in range(1, n)] + [
            tuple(rng.integers(n, size=2)) for _ in range(n)
        ]
        graph = ohm.Graph.from_edges([(a, b) for a, b in edges if a != b], nodes=range(n))
        kernel = ohm.SpectralKernel(graph, rank=int(rng.integers(32, 40)))
        assert kernel.space.rows.shape[1] >= WORTHWHILE
        make = functools.partial(ohm.OnlineLGC, kernel, mistake_driven=case % 2 == 0)
        trials = rng.integers(n, size=4 * n)  # more than one block, and nodes that come back within one
        stream = ohm.Stream(trials, np.where(rng.random(n) < 0.5, 1, -1)[trials])
        subject = Subject(
            make=lambda g, make=make: make(),
            restore=lambda s, g, kernel=kernel: ohm.OnlineLGC.restore(s, kernel),
            equivariant=False,
            exact=False,
        )
        for query in (ohm.VarianceAbove(0.6), ohm.GapBelow(2.0), ohm.Budget(ohm.GapBelow(5.0), 20)):
            ohm.check.learner(subject, graph, stream.label_rate(0.9), query=query)


KERNELS: dict[str, Callable[[ohm.Graph], ohm.Kernel]] = {
    "laplacian": ohm.LaplacianKernel,
    "biased": biased,
    "ridged": ridged,
    "spectral": low_rank,
    "spectral, normalised": lambda g: ohm.SpectralKernel(g, rank=min(3, g.n), normalised=True),
    "columns on demand": lambda g: ohm.SolverKernel(g, b=0.5),
    "scaled": lambda g: 2.5 * (ohm.LaplacianKernel(g) + ohm.Constant(0.2)),
    "tree": ohm.TreeKernel,
    "tree, ridged": lambda g: 2.0 * ohm.TreeKernel(g) + ohm.Constant(0.5) + ohm.Ridge(0.3),
    "columns, scaled": lambda g: 0.5 * ohm.SolverKernel(g, b=0.5, c=0.1),
    "full-rank features": lambda g: ohm.check.FullRankFeatures(biased(g)),
    "sum of two": lambda g: ohm.LaplacianKernel(g) + ohm.SpectralKernel(g, rank=1),
    "vectors": lambda g: ohm.RBF(0.7).over(np.random.default_rng(g.n).standard_normal((g.n, 2)), g.nodes),
}


@pytest.mark.parametrize("name", KERNELS)
@settings(max_examples=15)
@given(graph=graphs(named=True))
def test_kernel_keeps_the_laws(name: str, graph: ohm.Graph) -> None:
    ohm.check.kernel(KERNELS[name](graph))


class Forgetful(NamedTuple):
    """The state of a learner that is written as CONTRIBUTING says, over any kernel."""

    w: np.ndarray


class Follower(BinaryKernelLearner):
    """Adds y v_i at every label, in two halves: with a column missing between them it would be half a step."""

    kind = "Follower"

    def __init__(self, kernel: ohm.Kernel) -> None:
        self.kernel = kernel
        self.space = kernel.space
        self.state = Forgetful(np.zeros(kernel.space.width))


@implements(view, Forgetful)
def view_follower(space: Any, state: Forgetful, x: int) -> tuple[int, float]:
    margin = evaluate(space, state.w, x)
    return (1 if margin >= 0 else -1), margin


@implements(learn, Forgetful)
def learn_follower(space: Any, state: Forgetful, x: int, y: int, margin: float) -> tuple[bool, float]:
    shift(space, state.w, float(y), x)
    other = x - 1 if x > 0 else x
    shift(space, state.w, 0.25 * y * entry(space, x, other), other)
    return True, sqlength(space, x)


@settings(max_examples=10)
@given(data=st.data())
def test_a_learner_written_as_contributing_says_runs_on_every_kernel(data: st.DataObject) -> None:
    graph, stream, _ = data.draw(games())
    subject = Subject(
        make=lambda g: Follower(biased(g)),
        restore=lambda s, g: Follower.restore(s, biased(g)),
        equivariant=False,  # it looks at the node before, by position
        over=Follower,
    )
    ohm.check.learner(subject, graph, stream, query=ohm.RandomRate(0.7))


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
