"""A matrix that is larger than what any worker may use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from scipy.sparse.linalg import cg

from graph_parts import table_of
from ohmline.cluster import Cluster, predict

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
