"""From edges in parts to blocks of rows: every edge goes to the owners of both its ends, through the shared folder.

Pieces are read some rows at a time and sorted by owner into runs; an owner reads its slice of every run. No worker and
no client ever has the graph, and a task that runs twice writes the same files twice.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.cluster.layout import BlockSize, block_folder, owners
from ohmline.cluster.naming import numbered
from ohmline.cluster.parts import EdgeParts
from ohmline.cluster.reading import batches, id_batches, ids_of, weights_of
from ohmline.errors import DataError, DirectedError, GraphError
from ohmline.extras import require
from ohmline.graph.edges import Parallel
from ohmline.graph.files.paths import beside_of, reason, replacing

ASSEMBLY = 64
"""Bytes for each entry of a block while it is put together."""


@final
@dataclass(frozen=True)
class Plan:
    """What every task of a shuffle knows.

    Attributes
    ----------
    parts
        The edges.
    bounds
        The first row of every block, and the end of the last.
    named
        Whether ids were numbered; else they are positions.
    folder
        The work folder.
    parallel
        What becomes of several edges between two nodes; None refuses those with different weights.
    """

    parts: EdgeParts
    bounds: tuple[int, ...]
    named: bool
    folder: Path
    parallel: Parallel | None


@final
@dataclass(frozen=True)
class Assembled:
    """A block of rows on disk: its size, the sum of its entries and the largest degree."""

    size: BlockSize
    weight: float
    top: float


def largest_id(number: int, parts: EdgeParts) -> int:
    """The largest id of a piece whose ids are positions."""
    largest = -1
    for ends in id_batches(parts, parts.pieces[number]):
        for ids in ends:
            values = ids.to_numpy()
            if len(values):
                if values.min() < 0:
                    raise GraphError(
                        f"{parts.pieces[number].path}: {values.min()} is no position; pass numbered=False for ids that "
                        "are not 0, 1, 2, ..."
                    )
                largest = max(largest, int(values.max()))
    return largest


def write_runs(number: int, plan: Plan) -> int:
    """Sort the edges of a piece by owner, both ways; how many runs were written."""
    compute = require("pyarrow.compute", "cluster")
    parts, piece = plan.parts, plan.parts.pieces[number]
    names, positions = numbered(number, plan.bounds, plan.folder) if plan.named else (None, None)
    columns = [name for name in (parts.source, parts.target, parts.weight) if name is not None]
    written = 0
    for batch in batches(piece, columns):
        ends = []
        for name in (parts.source, parts.target):
            ids = ids_of(batch, name, parts, piece)
            if positions is None:
                ends.append(ids.to_numpy())
            else:
                places = compute.index_in(ids, value_set=names).to_numpy(zero_copy_only=False)
                ends.append(positions[places])
        source, target = ends
        weights = weights_of(batch, parts, piece)
        _write_run(run_name(plan.folder, number, written), source, target, weights, plan)
        written += 1
    return written


def _write_run(path: Path, source: Ints, target: Ints, weights: Floats, plan: Plan) -> None:
    keep = (source != target) & (weights != 0)
    source, target, weights = source[keep], target[keep], weights[keep]
    _expect_positions(source, target, plan)
    rows = np.concatenate([source, target])
    owner = owners(plan.bounds, rows)
    order = np.argsort(owner, kind="stable")
    starts = np.searchsorted(owner[order], np.arange(len(plan.bounds)))
    records = np.empty(len(rows), _record(plan))
    records["row"], records["column"] = rows[order], np.concatenate([target, source])[order]
    if plan.parts.weight is not None:
        records["weight"] = np.concatenate([weights, weights])[order]
    for place, array in ((path, records), (path.with_suffix(".starts.npy"), starts)):
        with replacing(place) as beside, beside.open("wb") as out:
            np.save(out, array, allow_pickle=False)


def _expect_positions(source: Ints, target: Ints, plan: Plan) -> None:
    """Only positions of the graph go on, so that no index reaches compiled code unchecked."""
    n = plan.bounds[-1]
    for ends in (source, target):
        if len(ends) and not (ends.min() >= 0 and ends.max() < n):
            bad = ends[(ends < 0) | (ends >= n)][0]
            raise GraphError(
                f"node {bad} is not one of 0 to {n - 1}; give a larger nodes=, or pass numbered=False for other ids"
            )


def run_name(folder: Path, piece: int, run: int) -> Path:
    """The file of a run."""
    return folder / f"run-{piece:06d}-{run:06d}.npy"


def _record(plan: Plan) -> Any:
    fields = [("row", "<i8"), ("column", "<i8"), ("weight", "<f8")]
    return np.dtype(fields if plan.parts.weight is not None else fields[:2])


def assemble(block: int, plan: Plan, runs: tuple[int, ...]) -> Assembled:
    """Put the rows of a block together from the slices of all runs, and write them."""
    first, last = plan.bounds[block], plan.bounds[block + 1]
    sent = []
    for piece, count in enumerate(runs):
        for run in range(count):
            path = run_name(plan.folder, piece, run)
            starts = np.load(path.with_suffix(".starts.npy"))
            records = np.load(path, mmap_mode="r")
            sent.append(np.array(records[starts[block] : starts[block + 1]]))
    records = np.concatenate(sent) if sent else np.empty(0, _record(plan))
    del sent
    row, column = records["row"] - first, records["column"].copy()
    weight = np.ones(len(records)) if plan.parts.weight is None else records["weight"].copy()
    del records
    row, column, weight = _combined(*_sorted(row, column, weight, plan), plan, first)
    begin = np.append(0, np.cumsum(np.bincount(row, minlength=last - first)))
    degree = np.bincount(row, weights=weight, minlength=last - first)
    del row
    own = (column >= first) & (column < last)
    halo = np.unique(column[~own])
    neighbour = np.empty(len(column), np.int32 if last - first + len(halo) < 2**31 else np.int64)
    neighbour[own] = column[own] - first
    neighbour[~own] = np.searchsorted(halo, column[~own]) + (last - first)
    _write_block(
        block_folder(plan.folder, block),
        {"begin": begin, "neighbour": neighbour, "weight": weight, "degree": degree, "halo": halo},
    )
    size = BlockSize(last - first, len(neighbour), len(halo))
    return Assembled(size, float(weight.sum()), float(degree.max(initial=0.0)))


def _sorted(row: Ints, column: Ints, weight: Floats, plan: Plan) -> tuple[Ints, Ints, Floats]:
    """By row, column and weight: one number for each pair where that fits, which sorts many times faster than two."""
    n = plan.bounds[-1]
    if len(row) and (int(row.max()) + 1) * n < 2**63:
        key = row * n + column
        if plan.parts.weight is None:
            key.sort()
            return *np.divmod(key, n), weight
        order = np.argsort(key)
        key = key[order]
        if (key[1:] != key[:-1]).all():
            return row[order], column[order], weight[order]
    order = np.lexsort((weight, column, row))
    return row[order], column[order], weight[order]


def _combined(row: Ints, column: Ints, weight: Floats, plan: Plan, first: int) -> tuple[Ints, Ints, Floats]:
    """Each entry once, as `Graph.from_edges` has it."""
    begins: Bools = np.ones(len(row), np.bool_)
    begins[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
    starts = np.flatnonzero(begins)
    if len(starts) == len(row) or not len(row):
        return row, column, weight
    ends = np.append(starts[1:], len(row)) - 1
    if plan.parallel is Parallel.SUM:
        total = np.add.reduceat(weight, starts)
        if not np.isfinite(total).all():
            raise GraphError("the sum of parallel weights is too large for a number; give smaller weights")
        return row[starts], column[starts], total
    if plan.parallel is Parallel.REFUSE or (plan.parallel is None and (weight[starts] != weight[ends]).any()):
        several = weight[starts] != weight[ends] if plan.parallel is None else starts != ends
        k = int(np.flatnonzero(several)[0])
        kind = DirectedError if plan.parallel is None else GraphError
        raise kind(
            f"edge ({row[starts[k]] + first}, {column[starts[k]]}), by position, is listed several times, with weights "
            f"from {weight[starts[k]]} to {weight[ends[k]]}; list every edge once, or pass parallel='sum' or "
            "parallel='max'"
        )
    return row[starts], column[starts], weight[ends]


def _write_block(folder: Path, arrays: dict[str, Any]) -> None:
    """Write the files of a block into a folder that gets its name when they are all there."""
    beside = beside_of(folder)
    try:
        beside.mkdir(parents=True)
        for name, array in arrays.items():
            with (beside / f"{name}.npy").open("wb") as out:
                np.save(out, array, allow_pickle=False)
                out.flush()
                os.fsync(out.fileno())
        shutil.rmtree(folder, ignore_errors=True)  # of a task that ran before, on a worker that was lost
        os.rename(beside, folder)
    except OSError as error:
        raise DataError(
            f"{folder} cannot be written: {reason(error)}; name a folder on another disk, or mend that"
        ) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def remove_runs(folder: Path) -> None:
    """Runs and names are not needed once the blocks are there."""
    for pattern in ("run-*", "names-*", "numbers-*", "starts-*"):
        for path in folder.glob(pattern):
            path.unlink(missing_ok=True)
