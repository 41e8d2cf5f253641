"""Learners: a hypothesis and how it moves."""

from ohmline.learn.batch import LLGC, Harmonic, LabelledOnly, LapSVM
from ohmline.learn.contract import BinaryLearner, Label, OnlineLearner, State, Update, View
from ohmline.learn.corrective import Contradiction, Strategy
from ohmline.learn.halving import Halving
from ohmline.learn.local_lgc import Certainty, LocalLGC
from ohmline.learn.manifold import (
    Buffer,
    Full,
    Keep,
    Loss,
    Manifold,
    Multiview,
    OnlineManifold,
    Printed,
    Proximal,
)
from ohmline.learn.nearest import Distance, NearestNeighbour
from ohmline.learn.one_vs_rest import OneVsRest
from ohmline.learn.online_lgc import OnlineLGC, Variance
from ohmline.learn.perceptron import Perceptron
from ohmline.learn.pounce import Pounce
from ohmline.learn.projection import Projection
from ohmline.learn.shared_lgc import SharedLGC

__all__ = [
    "LLGC",
    "BinaryLearner",
    "Buffer",
    "Certainty",
    "Contradiction",
    "Distance",
    "Full",
    "Halving",
    "Harmonic",
    "Keep",
    "Label",
    "LabelledOnly",
    "LapSVM",
    "LocalLGC",
    "Loss",
    "Manifold",
    "Multiview",
    "NearestNeighbour",
    "OneVsRest",
    "OnlineLGC",
    "OnlineLearner",
    "OnlineManifold",
    "Perceptron",
    "Pounce",
    "Printed",
    "Projection",
    "Proximal",
    "SharedLGC",
    "State",
    "Strategy",
    "Update",
    "Variance",
    "View",
]
