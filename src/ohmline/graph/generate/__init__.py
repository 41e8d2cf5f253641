"""Every graph family of the papers, and a few more, each with the labelling it is used with."""

from ohmline.graph.generate.clusters import barbell as barbell
from ohmline.graph.generate.clusters import noisy_barbell as noisy_barbell
from ohmline.graph.generate.clusters import thick_barbell as thick_barbell
from ohmline.graph.generate.clusters import three_clusters as three_clusters
from ohmline.graph.generate.labelled import Labelled as Labelled
from ohmline.graph.generate.labelled import LabelledPoints as LabelledPoints
from ohmline.graph.generate.random import diffuse as diffuse
from ohmline.graph.generate.random import hierarchical as hierarchical
from ohmline.graph.generate.random import k_out as k_out
from ohmline.graph.generate.random import random_geometric as random_geometric
from ohmline.graph.generate.random import stochastic_block_model as stochastic_block_model
from ohmline.graph.generate.simple import clique as clique
from ohmline.graph.generate.simple import flower as flower
from ohmline.graph.generate.simple import hypercube as hypercube
from ohmline.graph.generate.simple import line as line
from ohmline.graph.generate.simple import octopus as octopus
from ohmline.graph.generate.simple import ring as ring
from ohmline.graph.generate.simple import star as star
from ohmline.graph.generate.simple import tree as tree
from ohmline.graph.generate.space import strips as strips
from ohmline.graph.generate.space import two_moons as two_moons
