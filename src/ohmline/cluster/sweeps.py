"""Work that falls into independent pieces, one task each: experiments of the papers, and benchmarks."""

from __future__ import annotations

from collections.abc import Sequence

from ohmline.cluster.engine import Cluster
from ohmline.errors import DataError
from ohmline.lab import bench, experiment


def reproduce_all(
    cluster: Cluster, ids: Sequence[str], *, seed: int, quick: bool
) -> list[experiment.Reproduction | DataError]:
    """Each experiment on some worker; the error where a worker does not have its data."""
    return cluster.map(_reproduced, ids, seed, quick)


def _reproduced(id: str, seed: int, quick: bool) -> experiment.Reproduction | DataError:
    try:
        return experiment.run(experiment.find(id), seed=seed, quick=quick)
    except DataError as error:
        return error


def bench_all(cluster: Cluster, names: Sequence[str]) -> list[bench.Measured]:
    """Each benchmark on some worker, beside its reference there."""
    return cluster.map(bench.run, names)
