"""A matrix that is larger than what any worker may use."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from scipy.sparse.linalg import cg

from graph_parts import features_of, ring_of_rings, table_of, write_parts
from ohmline.cluster import Cluster, Manifest, embed, predict
from ohmline.cluster.spread import SpreadRows

LIMIT, NODES, EACH, PARTS = 640 * 2**20, 300_000, 100, 12
RIDGE, MU = 5.0, 0.6
"""A ridge so large that few steps suffice."""


@pytest.mark.slow
def test_three_workers_hold_together_what_none_could(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    source = np.repeat(np.arange(NODES), EACH)
    target = (source + rng.integers(1, 1000, len(source))) % NODES
    (tmp_path / "edges").mkdir()
    for k, part in enumerate(np.array_split(np.arange(len(source)), PARTS)):
        pq.write_table(
            pa.table({"source": source[part], "target": target[part]}), tmp_path / "edges" / f"{k}.parquet"
        )
    known = rng.permutation(NODES)[:3000]
    labels = {int(k): int(k * 10 // NODES) % 2 for k in known}
    with Cluster.local(3, memory=LIMIT) as cluster:
        manifest = predict(
            tmp_path / "edges",
            labels,
            tmp_path / "out",
            cluster,
            ridge=RIDGE,
            mu=MU,
            steps=None,
            tolerance=1e-5,
        )
    assert manifest.about["lost_workers"] == 0
    ends = np.concatenate([source, target]), np.concatenate([target, source])
    adjacency = sparse.csr_array((np.ones(len(ends[0]), np.int8), ends), shape=(NODES, NODES))
    adjacency.data[:] = 1  # parallel edges count once
    assert 12 * adjacency.nnz > LIMIT
    assert manifest.about["edges"] == adjacency.nnz // 2
    weights = adjacency.astype(np.float64)
    precision = weights.sum(axis=1) + RIDGE
    precision[known] += 1 / MU
    q = sparse.csr_array(sparse.diags_array(precision) - weights)
    scores = np.empty((NODES, 2))
    classes = [int(name) for name in manifest.about["classes"]]
    for k, name in enumerate(classes):
        b = np.zeros(NODES)
        b[[node for node, label in labels.items() if label == name]] = 1 / MU
        scores[:, k], failed = cg(q, b, rtol=1e-7, M=sparse.diags_array(1 / precision))
        assert failed == 0
    table = table_of(tmp_path / "out", manifest)
    lead = np.abs(scores[:, 0] - scores[:, 1])
    np.testing.assert_allclose(table["margin"].to_numpy(), lead, atol=3e-5)
    sure = lead > 4e-5
    assert sure.mean() > 0.5
    said = table["prediction"].to_numpy()
    np.testing.assert_array_equal(said[sure], np.array(classes)[scores.argmax(axis=1)][sure])


CLUSTERS, SIZE, STEPS, BRIDGES = 4, 25_000, 300, 500
"""Circles of nodes, each joined with those at so many distances on its circle, and edges from circle to circle."""
FAR = 2500
"""The largest distance: what a block needs of others stays below its own rows."""


def steps() -> Any:
    """The distances at which two nodes of a circle are joined: the same on every circle."""
    return np.sort(np.random.default_rng(1).choice(np.arange(1, FAR), STEPS, replace=False))


def write_circles(folder: Path) -> int:
    """The edges in parts, without ever having them all; how many there are."""
    folder.mkdir()
    at, distance, count = np.arange(SIZE), steps(), 0
    for c in range(CLUSTERS):
        for k, some in enumerate(np.array_split(distance, 3)):
            source = np.repeat(at, len(some))
            target = (source + np.tile(some, SIZE)) % SIZE
            table = pa.table({"source": c * SIZE + source, "target": c * SIZE + target})
            pq.write_table(table, folder / f"{3 * c + k}.parquet")
            count += len(source)
    bridge = np.arange(BRIDGES * CLUSTERS)
    near = bridge // BRIDGES * SIZE + bridge % BRIDGES
    far = (near + SIZE) % (CLUSTERS * SIZE)
    pq.write_table(pa.table({"source": near, "target": far}), folder / f"{3 * CLUSTERS}.parquet")
    return count + len(near)


def normalised_laplacian(v: Any) -> Any:
    """Its product with columns, by turning the circles: no matrix is made."""
    degree = np.full((CLUSTERS, SIZE, 1), 2.0 * STEPS)
    degree[:, :BRIDGES] += 2
    scaled = v.reshape(CLUSTERS, SIZE, -1) / np.sqrt(degree)
    total = np.zeros_like(scaled)
    for s in steps():
        total += np.roll(scaled, s, axis=1) + np.roll(scaled, -s, axis=1)
    total[:, :BRIDGES] += np.roll(scaled, 1, axis=0)[:, :BRIDGES] + np.roll(scaled, -1, axis=0)[:, :BRIDGES]
    return v - (total / np.sqrt(degree)).reshape(v.shape)


def largest_memory() -> int:
    """The most memory that this process ever had, in bytes.

    Not `ru_maxrss`, which starts from what the process had that started this one, however large that was.
    """
    [peak] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return 1024 * int(peak.split()[1])


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="this system does not tell its peak memory there"
)
def test_three_workers_embed_together_what_none_could_hold(tmp_path: Path) -> None:
    edges, tolerance = write_circles(tmp_path / "edges"), 1e-7
    whole = 12 * 2 * edges  # a value of 8 bytes and a place of 4 for each end of an edge
    assert whole > LIMIT
    with Cluster.local(3, memory=LIMIT) as cluster:
        found = embed(
            tmp_path / "edges",
            tmp_path / "out",
            cluster,
            rank=CLUSTERS,
            normalised=True,
            tolerance=tolerance,
        ).about
        peaks = cluster.everywhere(largest_memory)
    assert found["lost_workers"] == 0
    assert found["edges"] == edges
    assert found["converged"]
    assert len(peaks) == 3
    assert max(peaks.values()) < whole  # nobody ever had it
    values = np.array(found["eigenvalues"])
    rows = features_of(tmp_path / "out")
    vectors = np.array([rows[k] for k in range(CLUSTERS * SIZE)]) * np.sqrt(values + found["shift"])
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(CLUSTERS), atol=1e-6)
    off = np.linalg.norm(normalised_laplacian(vectors) - vectors * values, axis=0)
    assert off.max() < 4 * tolerance
    # A circle alone has 1 - mean of cos(2 pi j s / SIZE): all but the first above .06, and the bridges move them by
    # little: at most twice the two ends of a node's bridges over its degree. So the smallest are one for each circle.
    waves = np.fft.rfft(np.bincount(steps(), minlength=SIZE)).real / STEPS
    assert 1 - waves[1:].max() - 4 / (2 * STEPS) > 0.05 > values.max()


def pid(task: int) -> int:
    return os.getpid()


def predicted(edges: Path, out: Path, cluster: Cluster) -> Manifest:
    return predict(edges, {0: "a", 40: "b"}, out, cluster, nodes=4_300_000, steps=3, blocks=6)


def embedded(edges: Path, out: Path, cluster: Cluster) -> Manifest:
    return embed(edges, out, cluster, rank=3, nodes=1_100_000, tolerance=0.3, blocks=6)


@pytest.mark.slow
@pytest.mark.parametrize(("work", "step"), [(predicted, 8), (embedded, 6)])
def test_a_lost_worker_is_waited_for_where_the_others_have_no_room_for_its_rows(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    work: Callable[[Path, Path, Cluster], Manifest],
    step: int,
) -> None:
    """Nearly all nodes are isolated, so that columns fill the memory and steps take no time."""
    edges = write_parts(ring_of_rings(), tmp_path / "edges")
    with Cluster.local(3, memory=LIMIT) as cluster:
        undisturbed = work(edges, tmp_path / "one", cluster)
        call, made, fewest = SpreadRows._call, [], [3]
        room, before, killed = Cluster.room, set(cluster.room()), [False]

        def killing(self: SpreadRows, *arguments: Any) -> Any:
            made.append(arguments)
            if len(made) == step:
                victim = cluster.map(pid, [0])[0]
                assert victim != os.getpid()
                os.kill(victim, signal.SIGKILL)
                killed[0] = True
            return call(self, *arguments)

        def counted(self: Cluster) -> dict[str, float]:
            found = room(self)
            if killed[0]:  # however soon the successor came, at first it is not there
                killed[0] = False
                found = {worker: bytes_left for worker, bytes_left in found.items() if worker in before}
            fewest.append(len(found))
            return found

        monkeypatch.setattr(SpreadRows, "_call", killing)
        monkeypatch.setattr(Cluster, "room", counted)
        disturbed = work(edges, tmp_path / "two", cluster)
    assert len(made) > step + 5
    assert disturbed.about["lost_workers"] == 1
    assert min(fewest) == 2  # two were asked, and had no room
    assert disturbed.parts == undisturbed.parts
