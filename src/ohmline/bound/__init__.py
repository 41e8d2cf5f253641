"""Bounds: what a learner can promise, and proof of it."""

from ohmline.bound.best import best_bound
from ohmline.bound.contract import Assumption, Bound, Certificate
from ohmline.bound.embedding import EmbeddingBound
from ohmline.bound.geometry import NoisyNorm, PointLengths, noisy_norm, point_lengths
from ohmline.bound.graph_perceptron import GraphPerceptronBound
from ohmline.bound.halving import HalvingBound, labelling_bits
from ohmline.bound.lgc import LabelComplexity, OnlineLGCBound, OnlineLGCRegret
from ohmline.bound.partition import PartitionBound
from ohmline.bound.perceptron import Fit, PerceptronBound, live_curve
from ohmline.bound.pounce import PounceBound
from ohmline.bound.projection import ProjectionBound

__all__ = [
    "Assumption",
    "Bound",
    "Certificate",
    "EmbeddingBound",
    "Fit",
    "GraphPerceptronBound",
    "HalvingBound",
    "LabelComplexity",
    "NoisyNorm",
    "OnlineLGCBound",
    "OnlineLGCRegret",
    "PartitionBound",
    "PerceptronBound",
    "PointLengths",
    "PounceBound",
    "ProjectionBound",
    "best_bound",
    "labelling_bits",
    "live_curve",
    "noisy_norm",
    "point_lengths",
]
