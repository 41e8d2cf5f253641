"""Learners: a hypothesis and how it moves."""

from ohmline.learn.batch import LLGC, BatchLoss, Harmonic, LabelledOnly, LapSVM
from ohmline.learn.contract import BinaryLearner, Label, OnlineLearner, State, Update, View
from ohmline.learn.nearest import Distance, NearestNeighbour
from ohmline.learn.one_vs_rest import OneVsRest
from ohmline.learn.online_lgc import OnlineLGC, Variance
from ohmline.learn.perceptron import Perceptron
from ohmline.learn.pounce import Pounce
from ohmline.learn.shared_lgc import SharedLGC

__all__ = [
    "LLGC",
    "BatchLoss",
    "BinaryLearner",
    "Distance",
    "Harmonic",
    "Label",
    "LabelledOnly",
    "LapSVM",
    "NearestNeighbour",
    "OneVsRest",
    "OnlineLGC",
    "OnlineLearner",
    "Perceptron",
    "Pounce",
    "SharedLGC",
    "State",
    "Update",
    "Variance",
    "View",
]
