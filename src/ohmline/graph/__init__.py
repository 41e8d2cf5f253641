"""Graphs: who is near whom."""

from ohmline.graph import generate, measure
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex

__all__ = ["Graph", "NodeIndex", "generate", "measure"]
