"""OLLGC, its many-class form, and the selective sampling that they serve (paper 004)."""

from ohmline.learn.lgc.learner import OnlineLGC as OnlineLGC
from ohmline.learn.lgc.ridge_regression import Variance as Variance
from ohmline.learn.lgc.shared import SharedLGC as SharedLGC
