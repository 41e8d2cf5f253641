"""The smallest eigenpairs of a citation graph against SciPy's and scikit-learn's."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from ohmline.arrays import Floats
from ohmline.graph import Graph
from ohmline.kernel import SpectralKernel
from ohmline.lab.bench import Bench, Measured, target
from ohmline.lab.benches.foundation import citations

RANK, TOLERANCE = 100, 9e-16
"""Eigenpairs, and residuals (as a share of 2, the largest eigenvalue) at the level of rounding, as eigsh gives."""


def spectral_pubmed(graph: Graph | None = None, rank: int = RANK, repeat: int = 2) -> Measured:
    """d = 100 eigenpairs of PubMed's normalised Laplacian."""
    name = "a graph that was given"
    if graph is None:
        name, graph, _ = citations()
    laplacian = graph.laplacian(normalised=True)
    found: dict[str, tuple[Floats, Floats]] = {}

    def ours() -> None:
        found["ours"] = SpectralKernel(graph, rank, normalised=True, tolerance=TOLERANCE).eigenpairs

    def scipys() -> None:
        start = np.random.default_rng(0).standard_normal(graph.n)
        found["scipy"] = linalg.eigsh(laplacian, rank, which="SA", v0=start)

    def scikits() -> None:
        from sklearn.manifold import SpectralEmbedding

        adjacency = sparse.csr_matrix(graph.adjacency)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns where the graph is not connected
            SpectralEmbedding(rank, affinity="precomputed", eigen_solver="arpack", random_state=0).fit(
                adjacency
            )

    SpectralKernel(graph, min(rank, 20), normalised=True, method="filter").residuals.max()  # compiles
    mine = min(_cpu(ours) for _ in range(repeat))
    eigsh, embedding = _cpu(scipys), _cpu(scikits)
    residual = {
        key: float(np.linalg.norm(laplacian @ vectors - vectors * values, axis=0).max())
        for key, (values, vectors) in found.items()
    }
    apart = float(np.abs(found["ours"][0] - found["scipy"][0]).max())
    return Measured(
        "spectral-pubmed",
        eigsh / mine,
        'scipy.sparse.linalg.eigsh(which="SA")',
        {
            "data": name,
            "rank": rank,
            "seconds": mine,
            "reference_seconds": eigsh,
            "spectral_embedding_seconds": embedding,
            "residual": residual["ours"],
            "residual_of_the_reference": residual["scipy"],
            "eigenvalues_apart": apart,
            "targets": [
                target("at least 6 times eigsh(which='SA')", eigsh / mine, least=6),
                target("at least 6 times scikit-learn's SpectralEmbedding", embedding / mine, least=6),
                target("a residual of at most that of eigsh", residual["ours"] / residual["scipy"], most=1),
            ],
        },
    )


def _cpu(work: Callable[[], None]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


BENCHES: dict[str, Bench] = {"spectral-pubmed": spectral_pubmed}
