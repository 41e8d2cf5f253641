"""Bounds: what a learner can promise, and proof of it."""

from ohmline.bound.contract import Assumption, Bound, Certificate
from ohmline.bound.perceptron import Fit, PerceptronBound, live_curve

__all__ = ["Assumption", "Bound", "Certificate", "Fit", "PerceptronBound", "live_curve"]
