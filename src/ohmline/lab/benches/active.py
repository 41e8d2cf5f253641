"""The cost of choosing a node by criterion (15): little more than looking at the diagonal once."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats
from ohmline.compiled import compiled
from ohmline.graph import build
from ohmline.kernel import Constant, SolverKernel
from ohmline.lab.bench import Bench, Measured, side_by_side, target
from ohmline.learn import Projection
from ohmline.query import MaxProgress

NODES = 10_000


@compiled
def pass_over(diagonal: Floats) -> int:
    """The position of the smallest K_ii: one pass over the diagonal and nothing else."""
    best = 0
    for i in range(len(diagonal)):
        if diagonal[i] < diagonal[best]:
            best = i
    return best


def choosing() -> Measured:
    """One choice of `MaxProgress` among 10,000 nodes against one pass over their diagonal."""
    points = np.random.default_rng(0).random((NODES, 2))
    kernel = SolverKernel(build.knn(points, 8)) + Constant(0.1)
    learner = Projection.one_proj(kernel, aggressive=True)
    query, rng = MaxProgress(), np.random.default_rng(0)
    open_ = np.ones(NODES, dtype=np.bool_)
    for _ in range(20):
        i = query.choose(learner, open_, rng)
        learner.learn_one(kernel.nodes[i], 1 if points[i, 0] < 0.5 else -1)
        open_[i] = False
    diagonal = kernel.diagonal()
    choice, reference = side_by_side(
        lambda: query.choose(learner, open_, rng), lambda: pass_over(diagonal), repeat=2000
    )
    return Measured(
        "active",
        reference / choice,
        f"one compiled pass over the diagonal of {NODES} nodes",
        {
            "nodes": NODES,
            "choose_us": choice * 1e6,
            "pass_us": reference * 1e6,
            "targets": [
                target("one choice costs at most 3 passes over the diagonal", choice / reference, most=3.0)
            ],
        },
    )


BENCHES: dict[str, Bench] = {"active": choosing}
