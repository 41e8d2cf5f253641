"""The smoothest functions on a graph that no single machine holds."""

from __future__ import annotations

import logging
import os
from typing import Any, Literal

import numpy as np

from ohmline.checks import count, flag, instance, non_negative, positive, seed_of
from ohmline.cluster.engine import Cluster
from ohmline.cluster.loading import load
from ohmline.cluster.manifest import Manifest, finish, result_folder
from ohmline.cluster.matrices import laplacian
from ohmline.cluster.parts import edge_parts
from ohmline.cluster.spread import CHECKPOINT, SpreadRows
from ohmline.cluster.tables import write_features
from ohmline.errors import ParameterError
from ohmline.kernel.subspace import filtered_subspace
from ohmline.progress import Advance, reporting

log = logging.getLogger(__name__)

LIVE = 6
"""Blocks of columns that are there at once in the iteration."""


def embed(
    edges: str | os.PathLike[str],
    out: str | os.PathLike[str],
    cluster: Cluster,
    *,
    rank: int = 100,
    normalised: bool = False,
    shift: float = 1e-4,
    tolerance: float = 1e-8,
    source: str | None = None,
    target: str | None = None,
    weight: str | Literal[False] | None = None,
    numbered: bool = True,
    nodes: int | None = None,
    parallel: Any = None,
    blocks: int | None = None,
    seed: int = 0,
    checkpoint: float = CHECKPOINT,
    progress: Advance | bool | None = None,
) -> Manifest:
    """Write the features of all nodes, as `SpectralKernel` has them, for edges in partitioned Parquet.

    The d smallest eigenpairs of the Laplacian by Chebyshev-filtered subspace iteration: workers keep rows of the matrix
    and of the vectors, exchange the rows that they need of each other, and send small matrices to this process. Where
    blocks are the same, so is every bit of the result, however many workers there are and whichever are lost.

    Parameters
    ----------
    edges
        A folder of Parquet files, a pattern such as `"edges/*.parquet"`, or one file, which all workers see under the
        same name. All parts have the same columns.
    out
        The folder to write, which must not exist: parts with the columns `node` and `features`, and `_manifest.json`
        with the eigenvalues and residuals, written last. Workers keep what they need on the way beside it, so that it
        must be a place that they all see.
    cluster
        The workers.
    rank
        d, the number of eigenpairs, at least 1. Default 100.
    normalised
        Take the normalised Laplacian D^-1/2 L D^-1/2 instead of L. Default False.
    shift
        What is added to every eigenvalue before the features are scaled by their roots, above 0. Default 1e-4.
    tolerance
        The residual at which the iteration ends, as a share of a bound on the largest eigenvalue. Default 1e-8.
    source, target, weight
        The columns of the ends and of the weights; by default those with the usual names, or the only two or
        three. False as the weight for edges that all weigh 1.
    numbered
        Whether whole numbers as ids are the positions 0, 1, 2, ...; False for any other numbers, which are then
        numbered like strings. Default True.
    nodes
        The number of nodes, for positions; None (default) for the largest id plus one.
    parallel
        What becomes of several edges between two nodes: `"sum"`, `"max"` or `"refuse"`; None (default) counts equal
        ones once and refuses others.
    blocks
        How many blocks of rows; None (default) for two for each worker, or more where memory asks for it.
    seed
        Draws the start. Default 0.
    checkpoint
        Seconds of work that may have to be done again when a worker is lost. Default 120.
    progress
        True for a bar, or a function of the steps made. Default None.

    Returns
    -------
    Manifest
        The parts; `about` has the eigenvalues, the residuals, the number of products, and whether all residuals are
        within the tolerance: what did not converge is kept and said, not thrown away.
    """
    instance(cluster, Cluster, "cluster", "make one with Cluster.connect or Cluster.local")
    d, seed = count(rank, "rank", least=1), seed_of(seed)
    normalised, shift = flag(normalised, "normalised"), positive(shift, "shift")
    tolerance, checkpoint = positive(tolerance, "tolerance"), non_negative(checkpoint, "checkpoint")
    parts = edge_parts(edges, source, target, weight)
    with result_folder(out) as folder:
        layout = load(
            cluster,
            parts,
            folder / "work",
            numbered=numbered,
            nodes=nodes,
            parallel=parallel,
            blocks=blocks,
            columns=d + max(8, d // 4),
            live=LIVE,
        )
        if d > layout.n:
            raise ParameterError(f"rank {rank} is above the number of nodes, {layout.n}; lower it")
        width = min(layout.n, d + max(8, d // 4))
        with SpreadRows(cluster, layout, columns=width, live=LIVE, checkpoint=checkpoint) as rows:
            rows.shape(laplacian, normalised)
            top = 2.0 if normalised else 2 * layout.top or 1.0
            with reporting(progress, "filtering", None) as advance:
                found = filtered_subspace(
                    rows, d, top, tolerance=tolerance, seed=seed, heard=lambda products, residual: advance(1)
                )
            if not found.converged:
                log.warning(
                    "the %d smallest eigenpairs did not converge: after %d products the largest residual is %.3g; what "
                    "was found is kept with its residuals; raise the tolerance, or lower the rank",
                    *(d, found.products, found.residuals.max()),
                )
            values = np.maximum(found.values, 0.0)
            signs = np.where(rows.extremes(found.vectors) < 0, -1.0, 1.0)
            features = rows.turn(found.vectors, np.diag(signs / np.sqrt(values + shift)))
            written = rows.read(write_features, features, folder)
            losses = rows.losses
        about = {
            "nodes": layout.n,
            "edges": layout.entries // 2,
            "rank": d,
            "normalised": normalised,
            "shift": shift,
            "eigenvalues": values.tolist(),
            "residuals": found.residuals.tolist(),
            "converged": found.converged,
            "products": found.products,
            "lost_workers": losses,
        }
        return finish(folder, "embedding", written, about)
