"""POUNCE (paper 002)."""

from ohmline.learn.pounce.learner import Pounce as Pounce
