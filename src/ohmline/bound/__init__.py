"""Bounds: what a learner can promise, and proof of it."""

from ohmline.bound.contract import Assumption, Bound, Certificate

__all__ = ["Assumption", "Bound", "Certificate"]
