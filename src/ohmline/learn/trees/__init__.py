"""Learners on random spanning trees: a line through the graph, and the nearest label on it."""

from ohmline.learn.trees.learner import SpanningTree as SpanningTree
from ohmline.learn.trees.learner import WeightedTree as WeightedTree
