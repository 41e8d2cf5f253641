"""Bounds: what a learner can promise, and proof of it."""

from ohmline.bound.contract import Assumption, Bound, Certificate
from ohmline.bound.graph_perceptron import GraphPerceptronBound
from ohmline.bound.lgc import LabelComplexity, OnlineLGCBound, OnlineLGCRegret
from ohmline.bound.partition import PartitionBound
from ohmline.bound.perceptron import Fit, PerceptronBound, live_curve
from ohmline.bound.pounce import PounceBound
from ohmline.bound.projection import ProjectionBound

__all__ = [
    "Assumption",
    "Bound",
    "Certificate",
    "Fit",
    "GraphPerceptronBound",
    "LabelComplexity",
    "OnlineLGCBound",
    "OnlineLGCRegret",
    "PartitionBound",
    "PerceptronBound",
    "PounceBound",
    "ProjectionBound",
    "live_curve",
]
