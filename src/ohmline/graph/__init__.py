"""Graphs: who is near whom."""

from ohmline.graph import build as build
from ohmline.graph import generate as generate
from ohmline.graph import measure as measure
from ohmline.graph.build import Gaussian as Gaussian
from ohmline.graph.build import Search as Search
from ohmline.graph.build import epsilon_ball as epsilon_ball
from ohmline.graph.build import knn as knn
from ohmline.graph.directed import directions as directions
from ohmline.graph.edges import Parallel as Parallel
from ohmline.graph.embedding import ExponentialEmbedding as ExponentialEmbedding
from ohmline.graph.files import FileLimits as FileLimits
from ohmline.graph.files import Format as Format
from ohmline.graph.files import convert as convert
from ohmline.graph.files import read as read
from ohmline.graph.files import read_labels as read_labels
from ohmline.graph.files import read_nodes as read_nodes
from ohmline.graph.files import write as write
from ohmline.graph.graph import Graph as Graph
from ohmline.graph.labels import labels_from_sql as labels_from_sql
from ohmline.graph.labels import labels_of as labels_of
from ohmline.graph.nodes import NodeIndex as NodeIndex
from ohmline.graph.random_trees import Draw as Draw
from ohmline.graph.random_trees import spanning_tree as spanning_tree
from ohmline.graph.relations import Relations as Relations
