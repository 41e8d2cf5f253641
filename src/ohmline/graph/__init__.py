"""Graphs: who is near whom."""

from ohmline.graph import build, generate, measure
from ohmline.graph.build import Gaussian, epsilon_ball, knn
from ohmline.graph.embedding import ExponentialEmbedding
from ohmline.graph.files import Format, read, read_labels, write
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex

__all__ = [
    "ExponentialEmbedding",
    "Format",
    "Gaussian",
    "Graph",
    "NodeIndex",
    "build",
    "epsilon_ball",
    "generate",
    "knn",
    "measure",
    "read",
    "read_labels",
    "write",
]
