"""The benches of solvers and eigenvectors, at a small size: what they measure is right, whatever it takes."""

from __future__ import annotations

import pytest

from ohmline.graph.generate import random_geometric
from ohmline.lab.benches.solver import blocks, cloud, plane, solver
from ohmline.lab.benches.spectral import spectral_pubmed


def test_graphs_of_the_solver_bench_are_connected() -> None:
    for make in (plane, cloud, blocks):
        graph = make(400)
        assert graph.n_components == 1
        assert graph.n > 300


@pytest.mark.slow
def test_every_solver_of_the_bench_solves_the_same_system() -> None:
    found = solver(n=800, limit=20.0)
    for table in found.details["graphs"].values():
        assert table["ours"]["residual"] < 1e-9
        for row in table["references"].values():
            assert row["residual"] < 1e-5
    assert len(found.details["targets"]) == 6


def test_the_spectral_bench_compares_equal_eigenvalues() -> None:
    found = spectral_pubmed(random_geometric(300, 0.12, seed=1).graph, rank=5, repeat=1)
    assert found.details["eigenvalues_apart"] < 1e-10
    assert found.ratio > 0
