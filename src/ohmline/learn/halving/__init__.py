"""The halving algorithm (paper 001, section 5.2)."""

from ohmline.learn.halving.learner import Halving as Halving
