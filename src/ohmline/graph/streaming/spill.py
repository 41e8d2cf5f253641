"""Edges on disk, between the pass that reads them and the one that puts them into rows."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray, Floats
from ohmline.errors import DataError

PART = 1 << 17
"""Edges that are read back at a time."""
NONE = np.empty(0)
"""The weights of edges that all weigh 1."""


@final
class Spill:
    """A temporary file of pairs of codes, and one of weights once there is one that is not 1.

    Parameters
    ----------
    folder
        Where the files lie while they are there; None for the system's folder (TMPDIR).
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._codes = self._opened()
        self._weights: Any = None
        self.rows = 0

    @property
    def weighted(self) -> bool:
        """Whether a weight other than 1 came."""
        return self._weights is not None

    def append(self, codes: AnyArray, weights: Floats) -> None:
        """More edges; no weights means that all are 1."""
        with self._room():
            if len(weights) and self._weights is None and not (weights == 1.0).all():
                self._weights = self._opened()
                for low in range(0, self.rows, PART):
                    self._weights.write(np.ones(min(PART, self.rows - low)).data)
            self._codes.write(codes.data)
            if self._weights is not None:
                self._weights.write((weights if len(weights) else np.ones(len(codes))).data)
        self.rows += len(codes)

    @contextmanager
    def _room(self) -> Iterator[None]:
        """Say where room is missing when it is."""
        try:
            yield
        except OSError as error:
            raise DataError(
                f"the edges need room on disk while they are read, and {self._folder or tempfile.gettempdir()} has "
                f"none left ({error.strerror}); set TMPDIR to a folder with more room"
            ) from None

    def parts(self) -> Iterator[tuple[AnyArray, Floats]]:
        """All edges again, some at a time."""
        codes, weights = np.empty((PART, 2), np.int32), np.empty(PART if self.weighted else 0)
        with self._room():
            for file in (self._codes, self._weights):
                if file is not None:
                    file.flush()
                    file.seek(0)
        for low in range(0, self.rows, PART):
            size = min(PART, self.rows - low)
            self._codes.readinto(codes[:size].data.cast("B"))
            if self.weighted:
                self._weights.readinto(weights[:size].data.cast("B"))
            yield codes[:size], weights[:size]

    def close(self) -> None:
        """The files are gone."""
        for file in (self._codes, self._weights):
            if file is not None:
                with suppress(OSError):  # a full disk takes no last bytes, and nobody needs them
                    file.close()

    def _opened(self) -> Any:
        return tempfile.TemporaryFile(dir=self._folder, buffering=1 << 20)
