"""A card that runs out of memory: an error in words, the memory given back, and the work done once there is room."""

from __future__ import annotations

import gc
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import ohmline as ohm
from ohmline.device import Device, choose
from ohmline.device.columns import solve_block
from ohmline.errors import DeviceError, OhmlineError


@pytest.fixture
def card() -> Device:
    try:
        return choose("gpu")
    except OhmlineError as error:
        pytest.skip(f"no GPU here: {error}")


def ring(n: int) -> ohm.Graph:
    return ohm.Graph.from_edges([(k, (k + 1) % n) for k in range(n)])


def solved(card: Device) -> Any:
    matrix = sparse.csr_array(sparse.eye_array(50_000) * 2.0)
    return solve_block(matrix, np.ones((50_000, 10)), card)


def orders(card: Device) -> Any:
    learner = ohm.OnlineLGC(ohm.SpectralKernel(ring(400), rank=30))
    rng = np.random.default_rng(0)
    some = [rng.permutation(400).tolist() for _ in range(100)]
    return ohm.play_orders(learner, {k: 1 if k < 200 else -1 for k in range(400)}, some, device=card)


WORK: dict[str, Callable[[Device], Any]] = {
    "the exact kernel": lambda card: ohm.LaplacianKernel(ring(1500), device=card).entry_error,
    "eigenpairs": lambda card: (
        ohm.SpectralKernel(ring(20_000), rank=20, tolerance=1e-3, device=card).eigenpairs
    ),
    "neighbours": lambda card: ohm.graph.knn(np.random.default_rng(0).random((4000, 64)), 5, device=card),
    "a block solve": solved,
    "many orders": orders,
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_a_full_card_is_said_and_given_back(card: Device, work: Callable[[Device], Any]) -> None:
    """The memory goes after the size was checked: here the pool gets a limit that the check does not see."""
    pool = card.xp.get_default_memory_pool()
    gc.collect()
    pool.free_all_blocks()
    before = pool.used_bytes()
    pool.set_limit(size=before + 300_000)
    try:
        with pytest.raises(DeviceError, match=r"does not fit on the GPU.*use device=\"cpu\""):
            work(card)
    finally:
        pool.set_limit(size=0)
    gc.collect()
    assert pool.used_bytes() == before
    work(card)


class Full(Exception):
    """What CuPy raises where there is no more."""


class Failure(Exception):
    """What a driver raises."""


@pytest.mark.parametrize(
    ("raised", "said"), [(Full, "does not fit on the GPU"), (Failure, "failed on the GPU")]
)
def test_the_seam_frees_what_the_failed_work_held(raised: type[Exception], said: str) -> None:
    """The same without a card: nothing that the failed work held outlives it."""
    freed: list[bool] = []
    held: list[Any] = []

    class Array:
        def __del__(self) -> None:
            held.clear()

    pool = types.SimpleNamespace(free_all_blocks=lambda: freed.append(True))
    cuda = types.SimpleNamespace(
        memory=types.SimpleNamespace(OutOfMemoryError=Full),
        runtime=types.SimpleNamespace(CUDARuntimeError=Failure),
    )
    small = Device(
        "gpu", "a small card", types.SimpleNamespace(cuda=cuda, get_default_memory_pool=lambda: pool)
    )

    def work() -> None:
        array = Array()
        held.append(id(array))
        raise raised("out of memory")

    with (
        pytest.raises(DeviceError, match=f'a matrix {said} .out of memory.*use device="cpu"'),
        small.guarded("a matrix"),
    ):
        work()
    assert freed == [True]
    assert held == []
