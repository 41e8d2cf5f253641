"""Beyond one machine: embeddings, neighbour graphs and predictions on the workers of a cluster (extra `cluster`).

Names are imported on first use: a worker reads only what its own work needs.
"""

from typing import TYPE_CHECKING

from ohmline.lazy_names import attach

if TYPE_CHECKING:
    from ohmline.cluster.embedding import embed as embed
    from ohmline.cluster.engine import Cluster as Cluster
    from ohmline.cluster.manifest import Manifest as Manifest
    from ohmline.cluster.manifest import Part as Part
    from ohmline.cluster.manifest import read_manifest as read_manifest
    from ohmline.cluster.neighbours import knn as knn
    from ohmline.cluster.predicting import predict as predict
else:
    __getattr__, __dir__ = attach(__name__)
