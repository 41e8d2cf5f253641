"""Graphs that live in a file, mapped into memory and shared by every process that opens it."""

from ohmline.graph.mapped.opening import GraphFile as GraphFile
from ohmline.graph.mapped.opening import open_graph as open_graph
from ohmline.graph.mapped.writing import GraphWriter as GraphWriter
from ohmline.graph.mapped.writing import write_graph as write_graph

SUFFIX = ".ohmg"
"""How the name of such a file ends."""
