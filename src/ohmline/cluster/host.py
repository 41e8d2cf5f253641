"""What lives on a worker: some blocks of rows, and the exchange with the workers that have the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.cluster.layout import STRIP
from ohmline.cluster.rows import SCALE, RowBlock

Pair = tuple[int, int]
"""A block that is asked, and the block that asks."""

FEW = 2**20
"""Numbers that are exchanged at a time where that is more than a strip of columns: small blocks travel whole."""


class Colleague(Protocol):
    """Another host, wherever it lives."""

    async def call(self, method: str, *arguments: Any) -> Any:
        """The result of a method there."""


@final
class Host:
    """Owns blocks of rows. Coroutines exchange, threads compute, so that no host waits for one that waits for it.

    Parameters
    ----------
    folder
        Where the blocks of the matrix lie.
    bounds
        The first row of every block, and the end of the last.
    holders
        For each block, the worker that has it.
    numbers
        The blocks of this host.
    """

    def __init__(
        self, folder: Path, bounds: Sequence[int], holders: Sequence[str], numbers: Sequence[int]
    ) -> None:
        self.holders = holders
        self.blocks = {b: RowBlock(folder, b, bounds) for b in numbers}
        self.wanted: dict[Pair, Ints] = {}
        """For each block here and each that asks for rows of it: which rows."""
        self._asked: dict[str, list[Pair]] = {}
        self._counts: dict[Pair, int] = {}
        self._peers: Mapping[str, Colleague] = {}
        self._name = ""
        self._thread, self._counter = ThreadPoolExecutor(1), ThreadPoolExecutor(1)

    async def meet(self, name: str, peers: Mapping[str, Colleague]) -> None:
        """Learn who the others are."""
        self._name, self._peers = name, peers

    async def introduce(self) -> None:
        """Tell each host which of its rows are needed here, once for all products."""
        told: dict[str, dict[Pair, Ints]] = {}
        for b, block in self.blocks.items():
            for c, rows in block.needs().items():
                told.setdefault(self.holders[c], {})[c, b] = rows
                self._counts[c, b] = len(rows)
        self._asked = {name: sorted(rows) for name, rows in told.items()}
        await asyncio.gather(*(self._to(name, "expect", rows) for name, rows in told.items()))

    async def do(self, dropped: Sequence[int], method: str, *arguments: Any) -> Any:
        """Let columns go, then call a method."""
        for block in self.blocks.values():
            for x in dropped:
                block.columns.pop(x, None)
        return await getattr(self, method)(*arguments)

    async def idle(self) -> None:
        """Nothing."""

    async def expect(self, wanted: dict[Pair, Ints]) -> None:
        """Remember what another host will ask for."""
        self.wanted.update(wanted)

    async def give(self, x: int, pairs: Sequence[Pair], low: int, high: int) -> Floats:
        """The rows that were announced for these pairs, one pair after the other, columns `low` to `high`."""
        loop = (
            asyncio.get_running_loop()
        )  # not behind a product in the other thread, which may wait for these rows
        return await loop.run_in_executor(self._counter, self._rows, x, pairs, low, high)

    async def product(self, x: int, made: int, others: Sequence[tuple[float, int]], factor: float) -> None:
        """A new block: factor A x plus the others, each times its factor. The next strip travels while one is
        multiplied."""
        width = next(iter(self.blocks.values())).columns[x].shape[1]
        strip = max(STRIP, FEW // max(1, *(len(block.halo) for block in self.blocks.values())))
        strips = [(low, min(low + strip, width)) for low in range(0, width, strip)]
        coming = asyncio.ensure_future(self._foreign(x, *strips[0]))
        for block in self.blocks.values():
            block.columns[made] = np.empty((block.n, width))
        try:
            for k, (low, _) in enumerate(strips):
                foreign = await coming
                if k + 1 < len(strips):
                    coming = asyncio.ensure_future(self._foreign(x, *strips[k + 1]))
                await self._apart(self._multiply, x, made, others, factor, low, foreign)
        finally:
            coming.cancel()

    async def fold(self, unit: float) -> None:
        """Turn the weights into the matrix whose scale and diagonal the blocks have been given."""
        foreign = await self._foreign(SCALE, 0, 1)
        for b, block in self.blocks.items():
            await self._apart(block.fold, foreign[b][:, 0], unit)

    async def each(self, function: Callable[..., Any], *options: Any) -> dict[int, Any]:
        """`function(block, *options)` for every block here."""
        return {b: await self._apart(function, block, *options) for b, block in self.blocks.items()}

    async def each_of(
        self, function: Callable[..., Any], given: Mapping[int, Any], *options: Any
    ) -> dict[int, Any]:
        """`function(block, given[b], *options)` for every block b here."""
        return {b: await self._apart(function, block, given[b], *options) for b, block in self.blocks.items()}

    async def release(self) -> None:
        """Let everything go."""
        self.blocks.clear()
        self.wanted.clear()
        self._thread.shutdown(wait=False)
        self._counter.shutdown(wait=False)

    async def _foreign(self, x: int, low: int, high: int) -> dict[int, Floats]:
        """For every block here, the rows of its halo, in order."""
        names = list(self._asked)
        answers = await asyncio.gather(
            *(self._to(name, "give", x, self._asked[name], low, high) for name in names)
        )
        pieces: dict[Pair, Floats] = {}
        for name, answer in zip(names, answers, strict=True):
            place = 0
            for pair in self._asked[name]:
                pieces[pair] = answer[place : place + self._counts[pair]]
                place += self._counts[pair]
        return {b: self._joined(b, pieces, high - low) for b in self.blocks}

    def _joined(self, b: int, pieces: dict[Pair, Floats], width: int) -> Floats:
        mine = [pieces[pair] for pair in sorted(pieces) if pair[1] == b]
        return np.concatenate(mine) if mine else np.empty((0, width))

    async def _to(self, name: str, method: str, *arguments: Any) -> Any:
        if name == self._name:
            return await getattr(self, method)(*arguments)
        return await self._peers[name].call(method, *arguments)

    async def _apart(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run in the thread for computing, so that this host goes on answering others."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)

    def _rows(self, x: int, pairs: Sequence[Pair], low: int, high: int) -> Floats:
        return np.concatenate([self.blocks[c].columns[x][self.wanted[c, b], low:high] for c, b in pairs])

    def _multiply(
        self,
        x: int,
        made: int,
        others: Sequence[tuple[float, int]],
        factor: float,
        left: int,
        foreign: dict[int, Floats],
    ) -> None:
        for b, block in self.blocks.items():
            block.multiply(x, made, others, factor, left, foreign.pop(b))
