"""The result of a single machine in the form that clusters write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ohmline.cluster.manifest import Part, write_part
from ohmline.cluster.tables import feature_table
from ohmline.extras import require
from ohmline.kernel import SpectralKernel


def write_kernel(kernel: SpectralKernel, folder: Path) -> tuple[Part, dict[str, Any]]:
    """The features of a kernel as one part, and what its manifest says of them."""
    arrow = require("pyarrow", "cluster")
    values, vectors = kernel.eigenpairs
    laplacian = kernel.graph.laplacian(normalised=kernel.normalised)
    residuals = np.linalg.norm(laplacian @ vectors - vectors * values, axis=0)
    nodes = list(kernel.graph.nodes)
    plain = {type(node) for node in nodes} in ({int}, {str})
    ids = arrow.array(nodes if plain else [str(node) for node in nodes])
    part = write_part(folder, 0, feature_table(ids, kernel.space.rows))
    about = {
        "nodes": kernel.n,
        "edges": len(kernel.graph.weights) // 2,
        "rank": kernel.rank,
        "normalised": kernel.normalised,
        "shift": kernel.shift,
        "eigenvalues": values.tolist(),
        "residuals": residuals.tolist(),
    }
    return part, about
