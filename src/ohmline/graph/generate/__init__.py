"""Every graph family of the papers, and a few more, each with the labelling it is used with."""

from ohmline.graph.generate.clusters import barbell, noisy_barbell, thick_barbell, three_clusters
from ohmline.graph.generate.labelled import Labelled, LabelledPoints
from ohmline.graph.generate.random import (
    diffuse,
    hierarchical,
    k_out,
    random_geometric,
    stochastic_block_model,
)
from ohmline.graph.generate.simple import clique, flower, hypercube, line, octopus, ring, star, tree
from ohmline.graph.generate.space import strips, two_moons

__all__ = [
    "Labelled",
    "LabelledPoints",
    "barbell",
    "clique",
    "diffuse",
    "flower",
    "hierarchical",
    "hypercube",
    "k_out",
    "line",
    "noisy_barbell",
    "octopus",
    "random_geometric",
    "ring",
    "star",
    "stochastic_block_model",
    "strips",
    "thick_barbell",
    "three_clusters",
    "tree",
    "two_moons",
]
