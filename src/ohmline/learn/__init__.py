"""Learners: a hypothesis and how it moves."""

from ohmline.learn.batch import LLGC, BatchLoss, Harmonic, LabelledOnly, LapSVM
from ohmline.learn.contract import BinaryLearner, Label, OnlineLearner, State, Update, View
from ohmline.learn.nearest import Distance, NearestNeighbour
from ohmline.learn.one_vs_rest import OneVsRest
from ohmline.learn.online_lgc import OnlineLGC, Variance
from ohmline.learn.perceptron import Perceptron

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
    "State",
    "Update",
    "Variance",
    "View",
]
