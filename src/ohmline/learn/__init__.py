"""Learners: a hypothesis and how it moves."""

from ohmline.learn.batch import LLGC, Harmonic, LabelledOnly, LapSVM
from ohmline.learn.contract import BinaryLearner, Label, OnlineLearner, State, Update, View
from ohmline.learn.corrective import Contradiction, Strategy
from ohmline.learn.halving import Halving
from ohmline.learn.lgc_step import Variance
from ohmline.learn.local_lgc import Certainty, LocalLGC
from ohmline.learn.manifold import (
    Bandwidth,
    Buffer,
    Full,
    Keep,
    KernelFunction,
    Loss,
    Manifold,
    Multiview,
    Nystroem,
    OnlineManifold,
    Printed,
    Proximal,
    Pursuit,
    RPTree,
    Smoothness,
)
from ohmline.learn.nearest import Distance, NearestNeighbour
from ohmline.learn.one_vs_rest import OneVsRest
from ohmline.learn.online_lgc import OnlineLGC
from ohmline.learn.perceptron import Perceptron
from ohmline.learn.pounce import Pounce
from ohmline.learn.projection import Projection
from ohmline.learn.risk import ManifoldRisk
from ohmline.learn.shared_lgc import SharedLGC

__all__ = [
    "LLGC",
    "Bandwidth",
    "BinaryLearner",
    "Buffer",
    "Certainty",
    "Contradiction",
    "Distance",
    "Full",
    "Halving",
    "Harmonic",
    "Keep",
    "KernelFunction",
    "Label",
    "LabelledOnly",
    "LapSVM",
    "LocalLGC",
    "Loss",
    "Manifold",
    "ManifoldRisk",
    "Multiview",
    "NearestNeighbour",
    "Nystroem",
    "OneVsRest",
    "OnlineLGC",
    "OnlineLearner",
    "OnlineManifold",
    "Perceptron",
    "Pounce",
    "Printed",
    "Projection",
    "Proximal",
    "Pursuit",
    "RPTree",
    "SharedLGC",
    "Smoothness",
    "State",
    "Strategy",
    "Update",
    "Variance",
    "View",
]
