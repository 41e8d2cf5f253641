"""What was done to the blocks since they were last saved, so that it can be done again after a loss."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np

from ohmline.cluster.rows import RowBlock
from ohmline.errors import ClusterError, DataError
from ohmline.graph.files.paths import replacing


@final
@dataclass(frozen=True)
class Step:
    """One call that every host was given: a method, its arguments, what each block gets beside them, and the columns
    that go before."""

    method: str
    arguments: tuple[Any, ...]
    given: Mapping[int, Any] | None = None
    dropped: tuple[int, ...] = ()


@final
@dataclass
class Journal:
    """The last checkpoint and the steps since.

    Every step computes the same bits from the same blocks, wherever they lie. So the blocks of a checkpoint and the
    steps after it, done once more, are the blocks that were lost.

    Attributes
    ----------
    folder
        Where checkpoints lie.
    setup
        The steps that make the matrix from its files.
    steps
        The steps since the last checkpoint, those that only read left out.
    live
        The columns that are there now.
    saved
        The columns of the last checkpoint.
    number
        How many checkpoints there were.
    """

    folder: Path
    setup: list[Step] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    live: set[int] = field(default_factory=set)
    saved: frozenset[int] = frozenset()
    number: int = 0

    def place(self, number: int) -> Path:
        """The folder of a checkpoint."""
        return self.folder / f"checkpoint-{number:06d}"

    def kept(self) -> None:
        """All hosts have written the next checkpoint: from now on it counts, and the one before goes."""
        self.number, self.saved, self.steps = self.number + 1, frozenset(self.live), []
        shutil.rmtree(self.place(self.number - 1), ignore_errors=True)


def save(block: RowBlock, place: Path, columns: Sequence[int]) -> None:
    """Write columns of a block, each whole or not at all."""
    try:
        os.makedirs(place, exist_ok=True)
    except OSError as error:
        raise DataError(f"{place} cannot be made: {error.strerror}; free some room, or mend that") from None
    for x in columns:
        with replacing(column_file(place, block.number, x)) as beside, beside.open("wb") as file:
            np.save(file, block.columns[x], allow_pickle=False)


def restore(block: RowBlock, place: Path, columns: Sequence[int]) -> None:
    """Read columns of a block again."""
    for x in columns:
        file = column_file(place, block.number, x)
        try:
            block.columns[x] = np.load(file, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise ClusterError(
                f"the checkpoint {file} cannot be read ({error}); start again with a work folder that all workers see"
            ) from None


def column_file(place: Path, block: int, x: int) -> Path:
    """The file of a column in a checkpoint."""
    return place / f"{block:05d}-{x}.npy"
