"""Kernels and neighbour graphs on a device give what they give on the CPU."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.device import Device, choose
from ohmline.errors import OhmlineError, ParameterError
from ohmline.kernel.array_rows import ArrayRows
from ohmline.kernel.eigen.smallest import _filtered
from ohmline.kernel.subspace import filtered_subspace


@pytest.fixture(params=["cpu", "gpu"])
def device(request: pytest.FixtureRequest) -> Device:
    try:
        return choose(request.param)
    except OhmlineError as error:
        pytest.skip(f"no GPU here: {error}")


def ladder(n: int) -> ohm.Graph:
    rng = np.random.default_rng(0)
    edges = [(k, k + 1, float(rng.uniform(0.5, 2))) for k in range(n - 1)]
    chords = {
        (int(min(a, b)), int(max(a, b))) for a, b in rng.integers(0, n, (n, 2)) if abs(int(a) - int(b)) > 1
    }
    return ohm.Graph.from_edges([*edges, *((a, b, 0.3) for a, b in sorted(chords))])


def test_exact_kernel(device: Device) -> None:
    graph = ladder(60)
    here, there = ohm.LaplacianKernel(graph), ohm.LaplacianKernel(graph, device=device)
    np.testing.assert_allclose(there.space.dense(), here.space.dense(), atol=1e-11)
    assert there.entry_error < 1e-10


def test_eigenpairs(device: Device) -> None:
    graph = ladder(300)
    laplacian = graph.laplacian()
    top = 2 * float(graph.degree.max())
    null = np.full((300, 1), 300**-0.5)
    exact = np.linalg.eigvalsh(laplacian.toarray())
    found = filtered_subspace(ArrayRows(laplacian, device), 8, top, tolerance=1e-11)
    np.testing.assert_allclose(found.values, exact[:8], atol=1e-9)
    _, values, vectors = _filtered(laplacian, 7, null, top, 1e-10, lambda steps: None, device)
    np.testing.assert_allclose(values, exact[:8], atol=1e-8)
    away = np.linalg.norm(laplacian @ vectors - vectors * values, axis=0)
    assert away.max() <= 1e-10 * top


def test_spectral_kernel_on_a_device(device: Device) -> None:
    graph = ladder(2000)
    kernel = ohm.SpectralKernel(graph, 6, normalised=True, device=device)
    here = ohm.SpectralKernel(graph, 6, normalised=True, method="filter")
    np.testing.assert_allclose(kernel.eigenpairs[0], here.eigenpairs[0], atol=1e-10)
    assert kernel.residuals.max() < 1e-11
    nodes = [0, 5, 900]
    for a in nodes:
        np.testing.assert_allclose(kernel.entry(a, 7), here.entry(a, 7), rtol=1e-6)
    if device.is_gpu:
        with pytest.raises(ParameterError, match="does not run on a GPU"):
            ohm.SpectralKernel(graph, 6, method="inverse", device=device)


def test_neighbour_graph(device: Device) -> None:
    X = np.random.default_rng(1).standard_normal((200, 3))
    here, there = ohm.graph.knn(X, 5), ohm.graph.knn(X, 5, device=device)
    assert there.fingerprint == here.fingerprint
    if device.is_gpu:
        with pytest.raises(ParameterError, match="searches exactly"):
            ohm.graph.knn(X, 5, device=device, search=ohm.graph.Search.CLUSTERS)


def test_scores_of_all_classes(device: Device) -> None:
    graph = ladder(80)
    labels = {0: "a", 40: "b", 79: "c"}
    for model in (ohm.LLGC, ohm.Harmonic):
        here, there = model().fit(graph, labels), model(device=device).fit(graph, labels)
        np.testing.assert_allclose(there.scores, here.scores, atol=1e-9)
