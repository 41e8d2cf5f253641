"""Ohmline learns the labels of a graph's nodes online.

A node comes up, the learner predicts, a query may ask for the label, the learner learns, and a
bound proves a limit on the mistakes::

    graph -> kernel -> learner <- query
      stream -> play -> trace -> bound -> certificate

Everything named in ``__all__`` is imported on first use, so ``import ohmline`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ohmline.errors import OhmlineError
from ohmline.version import __version__ as __version__

if TYPE_CHECKING:
    from ohmline import bound, check, data, game, graph, kernel, learn, query
    from ohmline.game import Stream, Trace, play, play_active, tune
    from ohmline.graph import ExponentialEmbedding, Graph
    from ohmline.kernel import (
        RBF,
        Constant,
        Kernel,
        LaplacianKernel,
        Linear,
        Ridge,
        SolverKernel,
        SpectralKernel,
    )
    from ohmline.learn import (
        LLGC,
        BinaryLearner,
        Buffer,
        Contradiction,
        Distance,
        Full,
        Halving,
        Harmonic,
        LabelledOnly,
        LapSVM,
        LocalLGC,
        Manifold,
        Multiview,
        NearestNeighbour,
        Nystroem,
        OneVsRest,
        OnlineLearner,
        OnlineLGC,
        OnlineManifold,
        Perceptron,
        Pounce,
        Printed,
        Projection,
        Proximal,
        RPTree,
        SharedLGC,
        Strategy,
        Update,
        Variance,
    )
    from ohmline.query import (
        Always,
        Budget,
        GapBelow,
        MaxProgress,
        MinMargin,
        Random,
        RandomRate,
        VarianceAbove,
    )

_HOME = {
    "graph": ["ExponentialEmbedding", "Graph"],
    "kernel": [
        "SolverKernel",
        "RBF",
        "Constant",
        "Kernel",
        "LaplacianKernel",
        "Linear",
        "Ridge",
        "SpectralKernel",
    ],
    "learn": [
        "Halving",
        "Buffer",
        "Full",
        "Manifold",
        "Multiview",
        "Nystroem",
        "Printed",
        "Proximal",
        "RPTree",
        "OnlineManifold",
        "Strategy",
        "Contradiction",
        "Projection",
        "Pounce",
        "SharedLGC",
        "Variance",
        "OnlineLGC",
        "LLGC",
        "Harmonic",
        "LabelledOnly",
        "LapSVM",
        "LocalLGC",
        "BinaryLearner",
        "Distance",
        "NearestNeighbour",
        "OneVsRest",
        "OnlineLearner",
        "Perceptron",
        "Update",
    ],
    "query": [
        "Random",
        "MinMargin",
        "MaxProgress",
        "Always",
        "Budget",
        "GapBelow",
        "RandomRate",
        "VarianceAbove",
    ],
    "game": ["play_active", "tune", "Stream", "Trace", "play"],
    "bound": [],
    "data": [],
    "check": [],
}
_PACKAGE_OF = {name: package for package, names in _HOME.items() for name in names}

__all__ = [
    "LLGC",
    "RBF",
    "Always",
    "BinaryLearner",
    "Budget",
    "Buffer",
    "Constant",
    "Contradiction",
    "Distance",
    "ExponentialEmbedding",
    "Full",
    "GapBelow",
    "Graph",
    "Halving",
    "Harmonic",
    "Kernel",
    "LabelledOnly",
    "LapSVM",
    "LaplacianKernel",
    "Linear",
    "LocalLGC",
    "Manifold",
    "MaxProgress",
    "MinMargin",
    "Multiview",
    "NearestNeighbour",
    "Nystroem",
    "OhmlineError",
    "OneVsRest",
    "OnlineLGC",
    "OnlineLearner",
    "OnlineManifold",
    "Perceptron",
    "Pounce",
    "Printed",
    "Projection",
    "Proximal",
    "RPTree",
    "Random",
    "RandomRate",
    "Ridge",
    "SharedLGC",
    "SolverKernel",
    "SpectralKernel",
    "Strategy",
    "Stream",
    "Trace",
    "Update",
    "Variance",
    "VarianceAbove",
    "bound",
    "check",
    "data",
    "game",
    "graph",
    "kernel",
    "learn",
    "play",
    "play_active",
    "query",
    "tune",
]


def __getattr__(name: str) -> Any:
    if name in _PACKAGE_OF:
        return getattr(import_module(f"ohmline.{_PACKAGE_OF[name]}"), name)
    if name in _HOME:
        return import_module(f"ohmline.{name}")
    raise AttributeError(f"module 'ohmline' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
