"""The one place that knows NumPy from CuPy."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import linalg, sparse

from ohmline.arrays import Floats
from ohmline.checks import room, shown
from ohmline.errors import DeviceError, MissingExtra, ParameterError
from ohmline.extras import require

log = logging.getLogger(__name__)

DEVICES = ("cpu", "gpu", "auto")


@dataclass(frozen=True, eq=False)
class Device:
    """A place for arrays, with the modules that work there.

    Attributes
    ----------
    name
        "cpu" or "gpu".
    title
        What it is, for reports: "NumPy", or the name of the card.
    xp
        The module of dense arrays: `numpy` or `cupy`.
    """

    name: str
    title: str
    xp: Any

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, in whatever process, is the place of that name there."""
        return choose, (self.name,)

    def __eq__(self, other: object) -> bool:
        return self.name == (other.name if isinstance(other, Device) else other)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return repr(self.name)

    @property
    def is_gpu(self) -> bool:
        """Whether arrays live on a GPU."""
        return self.name == "gpu"

    def put(self, array: Any) -> Any:
        """The array there; not copied where it is there already."""
        return self.xp.asarray(array)

    def get(self, array: Any) -> Any:
        """The array here, as NumPy has it."""
        return array.get() if hasattr(array, "get") else np.asarray(array)

    def csr(self, matrix: sparse.csr_array) -> Any:
        """A sparse matrix there, with 4-byte positions."""
        if not self.is_gpu:
            return sparse.csr_array(matrix)
        if max(matrix.shape[0], matrix.nnz) >= 2**31:
            raise DeviceError(
                f"a matrix of {matrix.nnz} entries has more than a GPU's library can number (2^31); "
                'use device="cpu" or a cluster'
            )
        module = require("cupyx.scipy.sparse", "gpu")
        parts = (matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32))
        return module.csr_matrix(tuple(self.put(part) for part in parts), shape=matrix.shape)

    def solve_lower(self, factor: Any, right: Any) -> Any:
        """Solve with a lower triangular matrix."""
        if not self.is_gpu:
            return linalg.solve_triangular(factor, right, lower=True, check_finite=False)
        return require("cupyx.scipy.linalg", "gpu").solve_triangular(
            factor, right, lower=True, check_finite=False
        )

    def room(self, size: float, what: str) -> None:
        """Refuse what would not fit there, before it is tried: `size` in bytes, `what` in words."""
        if not self.is_gpu:
            room(size, what)
            return
        pool = self.xp.get_default_memory_pool()
        free = self.xp.cuda.Device().mem_info[0] + pool.free_bytes()
        if size > free:
            raise DeviceError(
                f"{what} would take {size / 2**30:.3g} GiB on the GPU, where {free / 2**30:.3g} GiB are free; "
                'make it smaller, or use device="cpu"'
            )

    @contextmanager
    def guarded(self, what: str) -> Iterator[None]:
        """Say in words when the GPU fails or is full, and give its memory back."""
        if not self.is_gpu:
            yield
            return
        cuda = self.xp.cuda
        try:
            yield
        except (cuda.memory.OutOfMemoryError, cuda.runtime.CUDARuntimeError) as error:
            traceback.clear_frames(error.__traceback__)  # their arrays would stay on the card with the error
            self.xp.get_default_memory_pool().free_all_blocks()
            full = isinstance(error, cuda.memory.OutOfMemoryError)
            said, remedy = ("does not fit", "make it smaller, or use") if full else ("failed", "use")
            raise DeviceError(f'{what} {said} on the GPU ({error}); {remedy} device="cpu"') from None

    def wait(self) -> None:
        """Wait until everything that was begun there is done, as a clock must."""
        if self.is_gpu:
            self.xp.cuda.Device().synchronize()


CPU = Device("cpu", "NumPy", np)


def choose(device: str | Device = "cpu") -> Device:
    """The place of that name.

    Parameters
    ----------
    device
        "cpu", "gpu" (an error says what is missing), or "auto": a GPU where there is one, the CPU with a message in
        the log where there is none. A `Device` is returned as it is.

    Examples
    --------
    >>> choose("cpu").title
    'NumPy'
    """
    if isinstance(device, Device):
        return device
    if not isinstance(device, str) or device not in DEVICES:
        raise ParameterError(f"device must be one of {', '.join(DEVICES)}, got {shown(device)}")
    if device == "cpu":
        return CPU
    if device == "gpu":
        return _gpu()
    try:
        return _gpu()
    except (MissingExtra, DeviceError) as error:
        _say_once(str(error))
        return CPU


@cache
def _gpu() -> Device:
    cupy = require("cupy", "gpu")
    try:
        count = cupy.cuda.runtime.getDeviceCount()
        if count < 1:
            raise DeviceError('CuPy sees no GPU; use device="cpu", or look at what nvidia-smi says')
        title = cupy.cuda.runtime.getDeviceProperties(0)["name"]
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise DeviceError(
            f'no GPU can be used ({error}); use device="cpu", or look at what nvidia-smi says'
        ) from None
    return Device("gpu", title.decode() if isinstance(title, bytes) else str(title), cupy)


@cache
def _say_once(reason: str) -> None:
    log.warning("going on without a GPU: %s", reason)


def host_floats(array: Any, device: Device) -> Floats:
    """An array of that place as plain float64 numbers here."""
    return np.asarray(device.get(array), dtype=np.float64)
