"""Ctrl-C gets through compiled loops that can run long, and leaves the learner as it was."""

from __future__ import annotations

import importlib
import pkgutil
from typing import get_args, get_type_hints

import pytest
from numba.core.dispatcher import Dispatcher

import ohmline
from side_by_side import control_c

CYCLIC = """
import ohmline as ohm
def made(n, bridge):
    edges = [(k, k + 1, 10.0) for k in range(n - 1)]
    edges[n // 2] = (n // 2, n // 2 + 1, bridge)
    return ohm.Projection.c_proj(ohm.LaplacianKernel(ohm.Graph.from_edges(edges)) + ohm.Constant(1.0))
stream = lambda n: ohm.Stream(range(n), [1 if k % 2 else -1 for k in range(n)])
ohm.play(made(6, 1.0), stream(6))
learner = made(1200, 1e-9)
print("go", flush=True)
try:
    while True:  # millions of projections, given up after a while
        try:
            ohm.play(learner, stream(1200))
        except ohm.OhmlineError:
            pass
except KeyboardInterrupt:
    learner.margin_one(0)
    print("stopped", flush=True)
"""

ITERATED = """
import numpy as np
import ohmline as ohm
ohm.SolverKernel(ohm.Graph.from_edges([(0, 1), (1, 2)]), method="jacobi").column(0)
rng = np.random.default_rng(0)
n = 300_000
graph = ohm.Graph.from_edges(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1))
kernel = ohm.SolverKernel(graph, tolerance=1e-14, method="jacobi")
print("go", flush=True)
try:
    kernel.column(0)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize("script", [CYCLIC, ITERATED], ids=["cyclic projection", "conjugate gradients"])
def test_control_c_gets_through(script: str) -> None:
    assert control_c(script) == ("stopped\n", 0)


def test_no_compiled_function_returns_a_named_tuple_to_python() -> None:
    """Boxing one unpickles its class; a Ctrl-C at that moment is a crash inside Numba."""
    found, walked = [], 0
    for info in pkgutil.walk_packages(ohmline.__path__, "ohmline."):
        for name, value in vars(importlib.import_module(info.name)).items():
            if not isinstance(value, Dispatcher) or value.targetoptions.get("no_cpython_wrapper"):
                continue
            walked += 1
            returned = get_type_hints(value.py_func).get("return")
            parts = (returned, *get_args(returned))
            if any(isinstance(part, type) and hasattr(part, "_fields") for part in parts):
                found.append(f"{info.name}.{name} returns {returned}")
    assert walked > 50
    assert not found, found
