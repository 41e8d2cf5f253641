"""The learners that `ohmline play` knows by name.

To add one, write a function that makes it from a `Table` and put it into `LEARNERS`. A binary one
makes a fresh learner of the labels -1 and +1; with more classes `play` plays one class against the rest.
Any other takes the classes itself. Each function imports its learner when it is called. Those of others are in
`ohmline.lab.plugins`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ohmline.errors import ParameterError

if TYPE_CHECKING:
    from ohmline.graph.graph import Graph
    from ohmline.kernel.contract import Kernel

EXACT_LIMIT = 6000
"""The largest number of nodes for which the exact kernel is used, unless another is asked for."""
COMMITTEE = 7
"""How many random spanning trees vote."""


class KernelName(StrEnum):
    """Which kernel a learner works in."""

    auto = "auto"
    exact = "exact"
    spectral = "spectral"


class Table:
    """What a learner is made from: the graph, and its kernels, each made once when it is needed."""

    def __init__(self, graph: Graph, kernel: KernelName = KernelName.auto, rank: int = 100) -> None:
        self.graph, self.name, self.rank = graph, kernel, min(rank, graph.n)

    @cached_property
    def kernel(self) -> Kernel:
        """The kernel that was asked for; exact on small graphs if none was."""
        from ohmline.kernel import LaplacianKernel

        small = self.graph.n <= EXACT_LIMIT
        if self.name is KernelName.exact or (self.name is KernelName.auto and small):
            return LaplacianKernel(self.graph).with_default_bias()
        return self.features

    @cached_property
    def features(self) -> Kernel:
        """The kernel of low rank."""
        from ohmline.kernel import SpectralKernel

        return SpectralKernel(self.graph, rank=self.rank)


@dataclass(frozen=True, slots=True)
class Choice:
    """One name of `--learner`."""

    text: str
    make: Callable[[Table, Sequence[Any]], Any]
    binary: bool = True
    """It knows -1 and +1 only; the classes that `make` is given are empty."""


def _perceptron(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import Perceptron

    return Perceptron(table.kernel)


def _one_proj(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import Projection

    return Projection.one_proj(table.kernel)


def _c_proj(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import Contradiction, Projection

    return Projection.c_proj(table.kernel, contradiction=Contradiction.RELABEL)


def _min_norm(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import Contradiction, Projection

    return Projection.min_norm(table.kernel, contradiction=Contradiction.RELABEL)


def _pounce(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import Pounce

    return Pounce(table.kernel)


def _nearest(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import NearestNeighbour

    return NearestNeighbour(table.graph)


def _online_lgc(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import OnlineLGC

    return OnlineLGC(table.features)


def _shared_lgc(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import SharedLGC

    return SharedLGC(table.features, classes)


def _local_lgc(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import LocalLGC

    return LocalLGC(table.graph, classes)


def _spanning_tree(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import SpanningTree

    return SpanningTree(table.graph, classes, trees=COMMITTEE)


def _weighted_tree(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import WeightedTree

    return WeightedTree(table.graph, classes, trees=COMMITTEE)


def _cluster_specialists(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import ClusterSpecialists

    return ClusterSpecialists(table.graph, classes)


def _relational(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import relational

    return relational(table.graph, classes)


def _drifting_lgc(table: Table, classes: Sequence[Any]) -> Any:
    from ohmline.learn import DriftingLGC

    return DriftingLGC(table.graph, classes)


LEARNERS: dict[str, Choice] = {
    "perceptron": Choice("the graph perceptron (paper 001)", _perceptron),
    "one-proj": Choice("projection on the latest label (paper 000)", _one_proj),
    "c-proj": Choice("projections on all labels until none is wrong (paper 000)", _c_proj),
    "min-norm": Choice("minimum norm interpolation (paper 000)", _min_norm),
    "pounce": Choice("POUNCE (paper 002)", _pounce),
    "nearest": Choice("the nearest labelled node", _nearest),
    "online-lgc": Choice("OLLGC, SSLGC with --query variance (paper 004)", _online_lgc),
    "shared-lgc": Choice("OLLGC with one matrix for all classes", _shared_lgc, binary=False),
    "spanning-tree": Choice("the nearest label on random spanning trees", _spanning_tree, binary=False),
    "weighted-tree": Choice("the same with the weights, by resistance", _weighted_tree, binary=False),
    "local-lgc": Choice("full rank by local solves", _local_lgc, binary=False),
    "cluster-specialists": Choice(
        "labels that change, on random spanning trees", _cluster_specialists, binary=False
    ),
    "relational": Choice("local-lgc, and which classes are joined by edges", _relational, binary=False),
    "drifting-lgc": Choice("local-lgc for labels that change", _drifting_lgc, binary=False),
}


AUTO = "auto"
"""The learner that suits every graph: many classes, no matrix of all pairs, and a bounded number of steps per trial."""
BEST = "local-lgc"
DRIFTING = "drifting-lgc"
"""What it is where labels change."""


def named(name: str, *, drift: bool = False) -> str:
    """The name of a learner in place of `auto`."""
    if drift and name not in (AUTO, DRIFTING):
        raise ParameterError(
            f"--drift chooses the learner, and --learner {name} another one; leave one of them out"
        )
    if name == AUTO:
        return DRIFTING if drift else BEST
    return name


def choice_of(name: str) -> Choice:
    """The learner of that name."""
    if name == AUTO:
        return LEARNERS[BEST]
    if name in LEARNERS:
        return LEARNERS[name]
    from ohmline.cli.add_ons import add_all
    from ohmline.lab import plugins

    add_all(None)
    if name not in plugins.LEARNERS:
        known = ", ".join([*LEARNERS, *plugins.LEARNERS])
        raise ParameterError(f"no learner {name!r}; choose auto or one of {known}")
    added = plugins.LEARNERS[name]

    def make(table: Table, classes: Sequence[Any]) -> Any:
        return added.make(table.graph) if added.binary else added.make(table.graph, tuple(classes))

    return Choice(added.words, make, added.binary)


def in_order(labels: Iterable[Any]) -> list[Any]:
    """The classes among labels: numbers first, then strings."""
    return sorted(set(labels), key=lambda y: (isinstance(y, str), y))


def made(choice: Choice, table: Table, classes: Sequence[Any]) -> Any:
    """The learner of a choice, for these classes; one against the rest where it knows -1 and +1 only."""
    from ohmline.learn import OneVsRest

    if not choice.binary:
        return choice.make(table, classes)
    if set(classes) <= {-1, 1}:
        return choice.make(table, ())
    return OneVsRest(lambda: choice.make(table, ()), classes=classes)
