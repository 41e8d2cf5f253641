"""Blocks and hosts in one process: what is exchanged, and what comes of it, beside the whole matrix."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from graph_parts import ring_of_rings, write_parts
from ohmline.cluster.host import Host
from ohmline.cluster.layout import BlockSize, Layout, block_folder, dealt, even_bounds
from ohmline.cluster.matrices import laplacian
from ohmline.cluster.parts import edge_parts
from ohmline.cluster.rows import RowBlock, blend, draw, gram, turn
from ohmline.cluster.shuffle import Plan, assemble, write_runs
from ohmline.errors import ClusterError


class Near:
    """A colleague in the same process that counts what it hands out."""

    def __init__(self, host: Host, given: list[tuple[int, ...]]) -> None:
        self.host, self.given = host, given

    async def call(self, method: str, *arguments: Any) -> Any:
        answer = await getattr(self.host, method)(*arguments)
        if method == "give":
            self.given.append(answer.shape)
        return answer


@pytest.fixture
def spread(tmp_path: Path) -> tuple[ohm.Graph, Path, tuple[int, ...]]:
    graph = ring_of_rings()
    parts, bounds = edge_parts(write_parts(graph, tmp_path / "edges")), even_bounds(graph.n, 5)
    plan = Plan(parts, bounds, False, tmp_path, None)
    runs = tuple(write_runs(k, plan) for k in range(len(parts.pieces)))
    for block in range(5):
        assemble(block, plan, runs)
    return graph, tmp_path, bounds


@pytest.mark.parametrize("normalised", [False, True])
def test_products_exchange_the_halo_and_no_more(
    spread: tuple[ohm.Graph, Path, tuple[int, ...]], normalised: bool
) -> None:
    graph, folder, bounds = spread
    holders = ["a", "b", "a", "b", "b"]
    given: list[tuple[int, ...]] = []

    async def work() -> tuple[Any, ...]:
        hosts = {
            name: Host(folder, bounds, holders, [b for b, holder in enumerate(holders) if holder == name])
            for name in "ab"
        }
        for name, host in hosts.items():
            await host.meet(name, {other: Near(hosts[other], given) for other in hosts})
        for step in (
            ("introduce",),
            ("each", laplacian, normalised),
            ("fold", 1.0),
            ("each", draw, 1, 7, 3),
            ("product", 1, 2, ((0.5, 1),), 2.0),
            ("each", blend, 3, ((1.0, 1), (np.arange(7.0), 2))),
            ("each", turn, 4, 3, np.ones((7, 2))),
        ):
            await asyncio.gather(*(host.do((), *step) for host in hosts.values()))
        blocks = {b: block for host in hosts.values() for b, block in host.blocks.items()}
        grams = [await host.each(gram, 1, 2) for host in hosts.values()]
        columns = [np.concatenate([blocks[b].columns[k] for b in range(5)]) for k in (1, 2, 3, 4)]
        for host in hosts.values():
            await host.do((1,), "idle")
            assert all(1 not in block.columns for block in host.blocks.values())
            await host.release()
        return (*columns, sum(part for each in grams for part in each.values()), blocks)

    x, image, mixed, turned, small, blocks = asyncio.run(work())
    expected = 2 * (graph.laplacian(normalised=normalised) @ x) + 0.5 * x
    np.testing.assert_allclose(image, expected, atol=1e-12)
    np.testing.assert_allclose(mixed, x + image * np.arange(7.0), atol=1e-12)
    np.testing.assert_allclose(turned, mixed.sum(axis=1, keepdims=True) * np.ones(2), atol=1e-11)
    np.testing.assert_allclose(small, x.T @ image, atol=1e-11)
    owner = np.repeat(holders, np.diff(bounds))
    foreign = sum(int((owner[block.halo] != holders[b]).sum()) for b, block in blocks.items())
    assert sum(rows for rows, columns in given if columns == 7) == foreign < graph.n


def test_random_columns_do_not_depend_on_the_blocks(spread: tuple[ohm.Graph, Path, tuple[int, ...]]) -> None:
    _, folder, bounds = spread
    whole = np.random.default_rng([9, 0]).standard_normal((bounds[-1], 3))
    drawn = np.concatenate([RowBlock(folder, b, bounds).random(3, 9) for b in range(5)])
    np.testing.assert_array_equal(drawn, whole)


def test_a_damaged_block_is_refused(spread: tuple[ohm.Graph, Path, tuple[int, ...]]) -> None:
    _, folder, bounds = spread
    file = block_folder(folder, 2) / "neighbour.npy"
    wrong = np.load(file)
    wrong[3] = 10**6
    np.save(file, wrong)
    with pytest.raises(ClusterError, match="block-00002 is damaged"):
        RowBlock(folder, 2, bounds)


def test_blocks_are_dealt_by_memory_or_refused() -> None:
    sizes = tuple(BlockSize(1000, entries, 10) for entries in (5000, 100, 100, 4000, 100))
    layout = Layout(Path("x"), even_bounds(5000, 5), sizes, False, 1.0, 1.0)
    whole = sum(size.bytes(10, 6) for size in sizes)
    held = dealt(layout, {"a": 0.6 * whole, "b": 0.6 * whole}, 10, 6)
    assert sorted(held["a"] + held["b"]) == [0, 1, 2, 3, 4]
    assert sorted(len({0, 3} & set(held[name])) for name in "ab") == [1, 1]
    assert sorted(dealt(layout, {"a": float("inf"), "b": float("inf")}, 10, 6)) == ["a", "b"]
    with pytest.raises(
        ClusterError, match=r"5,000 nodes, 4,650 edges and 10 columns need .* GiB .*add workers"
    ):
        dealt(layout, {"a": 0.4 * whole, "b": 0.4 * whole}, 10, 6)
