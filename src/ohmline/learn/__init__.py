"""Learners: a hypothesis and how it moves."""

from ohmline.learn.contract import BinaryLearner, Label, OnlineLearner, State, Update, View
from ohmline.learn.perceptron import Perceptron

__all__ = ["BinaryLearner", "Label", "OnlineLearner", "Perceptron", "State", "Update", "View"]
