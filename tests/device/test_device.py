"""What runs on a GPU gives on it what NumPy gives; without one, the same code over NumPy against plain references."""

from __future__ import annotations

import copy
import logging
import pickle
import sys
import types
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from ohmline.device import Device, choose, seam
from ohmline.device.columns import solve_block
from ohmline.device.inverse import positive_inverse
from ohmline.device.nearest import nearest_rows
from ohmline.device.products import Product
from ohmline.device.selection import smallest
from ohmline.errors import DeviceError, MissingExtra, OhmlineError, ParameterError


@pytest.fixture(params=["cpu", "gpu"])
def device(request: pytest.FixtureRequest) -> Device:
    try:
        return choose(request.param)
    except OhmlineError as error:
        pytest.skip(f"no GPU here: {error}")


def by_differences(rows: np.ndarray, k: int) -> np.ndarray:
    """Nearest rows, written down."""
    found = []
    for i, row in enumerate(rows):
        away = ((rows - row) ** 2).sum(axis=1)
        away[i] = np.inf
        found.append(np.lexsort((np.arange(len(rows)), away))[:k])
    return np.array(found)


@pytest.mark.parametrize("k", [1, 7, 40])
def test_the_smallest_of_each_row(device: Device, k: int) -> None:
    rng = np.random.default_rng(k)
    values, offset = np.round(rng.standard_normal((13, 700)), 1), np.round(rng.standard_normal(700), 1)
    where, what = smallest(device.put(values), device.put(offset), k, device)
    total = values + offset
    wanted = np.argsort(total, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(device.get(where), wanted)
    np.testing.assert_array_equal(device.get(what), np.take_along_axis(total, wanted, axis=1))


def test_a_row_of_equal_numbers(device: Device) -> None:
    values = np.zeros((2, 5000))
    values[1, 4000] = -1
    where, _ = smallest(device.put(values), device.put(np.zeros(5000)), 3, device)
    np.testing.assert_array_equal(device.get(where), [[0, 1, 2], [4000, 0, 1]])


@pytest.mark.parametrize("kind", ["normal", "grid", "copies", "far from zero"])
def test_nearest_rows(device: Device, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    rows = {
        "normal": rng.standard_normal((300, 5)),
        "grid": np.stack(np.meshgrid(np.arange(15.0), np.arange(12.0)), axis=-1).reshape(-1, 2),
        "copies": np.repeat(rng.standard_normal((5, 3)), 30, axis=0),
        "far from zero": 1e7 + rng.standard_normal((200, 4)),
    }[kind]
    monkeypatch.setattr("ohmline.device.nearest.SMALL_BYTES", 8 * len(rows) * 64)  # several blocks
    np.testing.assert_array_equal(nearest_rows(rows, 6, device), by_differences(rows, 6))


@pytest.mark.parametrize("n", [1, 5, 37, 64])
def test_inverse(device: Device, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ohmline.device.inverse.SMALL", 8)  # so that it is halved
    a = np.random.default_rng(n).standard_normal((n, 2 * n))
    matrix = a @ a.T + np.eye(n)
    found = positive_inverse(device.put(matrix), device)
    np.testing.assert_allclose(device.get(found), np.linalg.inv(matrix), rtol=1e-9, atol=1e-12)


def test_no_inverse_of_what_is_not_positive(device: Device) -> None:
    assert positive_inverse(device.put(np.array([[1.0, 2.0], [2.0, 1.0]])), device) is None


@pytest.mark.parametrize("columns", [1, 3, 40, 200])
def test_products(device: Device, columns: int) -> None:
    rng = np.random.default_rng(3)
    matrix = sparse.random_array((50, 50), density=0.1, rng=rng, format="csr")
    x, before = rng.standard_normal((2, 50, columns))
    product = Product(sparse.csr_array(matrix), device)
    put = device.put(x), device.put(before)
    np.testing.assert_allclose(device.get(product.times(put[0])), matrix @ x, atol=1e-12)
    full = product.times(put[0], scale=2.0, shift=-0.5, past=3.0, before=put[1])
    np.testing.assert_allclose(device.get(full), 2 * (matrix @ x) - 0.5 * x + 3 * before, atol=1e-12)
    np.testing.assert_array_equal(device.get(put[1]), before)


def test_block_solves(device: Device) -> None:
    rng = np.random.default_rng(4)
    a = sparse.random_array((80, 80), density=0.05, rng=rng, format="csr")
    matrix = sparse.csr_array(a + a.T + 5 * sparse.eye_array(80))
    right = rng.standard_normal((80, 4))
    right[:, 2] = 0
    solved = solve_block(matrix, right, device, tolerance=1e-12)
    np.testing.assert_allclose(solved.columns, np.linalg.solve(matrix.toarray(), right), atol=1e-10)
    lengths = np.linalg.norm(right, axis=0)
    away = np.linalg.norm(right - matrix @ solved.columns, axis=0) / np.where(lengths > 0, lengths, 1.0)
    np.testing.assert_allclose(solved.residuals, away, atol=1e-13)
    assert not solved.columns[:, 2].any()


def test_a_block_solve_that_does_not_end_says_how_far_it_came(device: Device) -> None:
    path = sparse.diags_array([-np.ones(499), 2 + 1e-9 * np.ones(500), -np.ones(499)], offsets=[-1, 0, 1])
    right = np.random.default_rng(0).standard_normal((500, 2))
    solved = solve_block(sparse.csr_array(path), right, device, most=5)
    assert solved.iterations == 5
    away = np.linalg.norm(right - path @ solved.columns, axis=0) / np.linalg.norm(right, axis=0)
    np.testing.assert_allclose(solved.residuals, away, rtol=1e-6)
    assert (solved.residuals > 1e-3).all()


@pytest.mark.parametrize("bad", ["tpu", None, 3, "GPU"])
def test_a_device_that_is_none(bad: Any) -> None:
    with pytest.raises(ParameterError, match="cpu, gpu, auto"):
        choose(bad)


class Failure(Exception):
    """What a driver raises."""


@pytest.fixture
def no_card(monkeypatch: pytest.MonkeyPatch) -> Any:
    """CuPy on a machine without a card, as far as the seam looks."""

    def count() -> int:
        raise Failure("cudaErrorNoDevice: no CUDA-capable device is detected")

    runtime = types.SimpleNamespace(getDeviceCount=count, CUDARuntimeError=Failure)
    module = types.ModuleType("cupy")
    module.cuda = types.SimpleNamespace(runtime=runtime)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cupy", module)
    seam._gpu.cache_clear()
    seam._say_once.cache_clear()
    yield
    seam._gpu.cache_clear()


@pytest.mark.usefixtures("no_card")
def test_no_card_is_said_and_auto_goes_on_without(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(DeviceError, match=r"no CUDA-capable.*use device=\"cpu\""):
        choose("gpu")
    with caplog.at_level(logging.WARNING):
        assert choose("auto").name == "cpu"
        choose("auto")
    assert len(caplog.records) == 1  # said once
    assert "without a GPU" in caplog.text


def test_without_cupy_the_message_is_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    seam._gpu.cache_clear()
    with pytest.raises(MissingExtra, match=r"pip install 'ohmline\[gpu\]'"):
        choose("gpu")
    assert choose("auto").name == "cpu"
    seam._gpu.cache_clear()


def test_more_than_the_card_has_is_refused_before_it_is_tried(device: Device) -> None:
    with pytest.raises(OhmlineError, match="GiB"):
        device.room(1e18, "a matrix")


def test_a_device_survives_a_copy(device: Device) -> None:
    assert pickle.loads(pickle.dumps(device)) == device
    assert copy.deepcopy(device) == device
    assert repr(device) == repr(device.name)
