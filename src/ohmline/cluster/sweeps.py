"""Work that falls into independent pieces, one task each: experiments of the papers, and benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ohmline.cluster.engine import Cluster
from ohmline.errors import OhmlineError
from ohmline.lab import bench
from ohmline.lab.plugins import loaded_files
from ohmline.lab.runs import Outcome, attempt


def reproduce_each(
    cluster: Cluster, ids: Sequence[str], *, seed: int, quick: bool
) -> Iterator[tuple[str, Outcome]]:
    """Each experiment on some worker, as they end; the error where a worker does not have its data, or it failed.

    Files of one's own that are loaded here are loaded there, too, from the same place.
    """
    return cluster.each(attempt, ids, seed, quick, loaded_files())


def bench_all(cluster: Cluster, names: Sequence[str]) -> list[bench.Measured | OhmlineError]:
    """Each benchmark on some worker, beside its reference there; the error where that worker cannot measure it."""
    return cluster.map(bench.attempt, names)
