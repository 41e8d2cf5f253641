"""Beyond one machine: embeddings, neighbour graphs and predictions on the workers of a cluster (extra `cluster`)."""

from ohmline.cluster.embedding import embed as embed
from ohmline.cluster.engine import Cluster as Cluster
from ohmline.cluster.manifest import Manifest as Manifest
from ohmline.cluster.manifest import Part as Part
from ohmline.cluster.manifest import read_manifest as read_manifest
