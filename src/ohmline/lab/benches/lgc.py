"""One pass of paper 004's learners at rank 100, against what the machine can do."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.compiled import compiled, dot
from ohmline.game import Stream, play
from ohmline.kernel import SpectralKernel
from ohmline.lab.bench import Bench, Measured, side_by_side, target
from ohmline.lab.benches.foundation import citations
from ohmline.learn import OnlineLGC
from ohmline.learn.lgc.lookahead import LONGEST
from ohmline.query import Always, VarianceAbove

RANK, MU, KAPPA = 100, 1e-3, 0.4


def literal_pass(rows: Floats, order: Ints, labels: Ints, kappa: float | None) -> int:
    """Algorithm 1 (or 2, with `kappa`) as a NumPy loop, with Sherman and Morrison's identity."""
    d = rows.shape[1]
    inverse, w, mistakes = np.eye(d) / MU, np.zeros(d), 0
    for t, i in enumerate(order, start=1):
        m, y = rows[i], labels[i]
        margin = w @ m
        mistakes += (margin >= 0) != (y > 0)
        if kappa is not None:
            q = m @ inverse @ m
            if q / (1 + q) <= t**-kappa:
                continue
        if y * margin <= 0:
            g = inverse @ m
            q = m @ g
            inverse = inverse - np.outer(g, g) / (1 + q)
            w = w + g * (y - margin) / (1 + q)
    return int(mistakes)


@compiled
def bare_products(rows: Floats, matrix: Floats, out: Floats, block: int) -> None:
    """The limit of SSLGC: every row times the matrix, a block at a time, and nothing else."""
    for start in range(0, rows.shape[0], block):
        size = min(block, rows.shape[0] - start)
        np.dot(rows[start : start + size], matrix, out[:size])


@compiled
def bare_traffic(rows: Floats, order: Ints, updated: Bools, matrix: Floats, w: Floats) -> float:
    """The floor of OLLGC: read every row; on an update read the matrix, then read and write it."""
    flat, total = matrix.ravel(), 0.0
    for t in range(order.shape[0]):
        total += dot(rows[order[t]], w, w.shape[0])
        if updated[t]:
            total += dot(flat, flat, flat.shape[0])
            for k in range(flat.shape[0]):
                flat[k] *= 0.999
    return total


def lgc_pass() -> Measured:
    """SSLGC in blocks against the bare matrix product, OLLGC against its memory traffic."""
    name, graph, labels = citations()
    kernel = SpectralKernel(graph, rank=RANK)
    rows, n = kernel.space.rows, graph.n
    order = np.random.default_rng(0).permutation(n)
    stream = Stream(order, labels[order])
    gathered = np.ascontiguousarray(rows[order])
    matrix, out = np.eye(RANK) / MU, np.empty((LONGEST, RANK))
    always, query = Always(), VarianceAbove(KAPPA)
    online, selective = play(OnlineLGC(kernel, MU), stream), play(OnlineLGC(kernel, MU), stream, query)
    play(OnlineLGC(kernel, MU, dtype=np.float32), stream, query)
    bare_products(gathered, matrix, out, LONGEST)
    bare_traffic(rows, order, online.updated, matrix.copy(), rows[0])
    ollgc, sslgc, streaming, single, product, traffic = side_by_side(
        lambda: play(OnlineLGC(kernel, MU), stream, always),
        lambda: play(OnlineLGC(kernel, MU), stream, query),
        lambda: play(OnlineLGC(kernel, MU, blocked=False), stream, query),
        lambda: play(OnlineLGC(kernel, MU, dtype=np.float32), stream, query),
        lambda: bare_products(gathered, matrix, out, LONGEST),
        lambda: bare_traffic(rows, order, online.updated, matrix.copy(), rows[0]),
        repeat=20,
    )
    literal_online, literal_selective = side_by_side(
        lambda: literal_pass(rows, order, labels, None),
        lambda: literal_pass(rows, order, labels, KAPPA),
        repeat=3,
    )
    # Products of A^-1 with every row, two dots per row, and A^-1 less one outer product per update.
    flops = 2 * RANK**2 * (n + int(selective.updated.sum())) + 4 * RANK * n
    same_flops = product * flops / (2 * RANK**2 * n)
    return Measured(
        "lgc-pass",
        literal_selective / sslgc,
        "a literal NumPy loop of SSLGC with Sherman and Morrison's identity",
        {
            "data": name,
            "rank": RANK,
            "trials": n,
            "sslgc_seconds": sslgc,
            "sslgc_streaming_seconds": streaming,
            "sslgc_single_precision_seconds": single,
            "sslgc_mistakes": selective.mistakes,
            "sslgc_mistakes_of_the_literal_loop": literal_pass(rows, order, labels, KAPPA),
            "sslgc_labels": selective.asked,
            "sslgc_literal_seconds": literal_selective,
            "matrix_product_seconds": same_flops,
            "ollgc_seconds": ollgc,
            "ollgc_mistakes": online.mistakes,
            "ollgc_mistakes_of_the_literal_loop": literal_pass(rows, order, labels, None),
            "ollgc_updates": int(online.updated.sum()),
            "ollgc_literal_seconds": literal_online,
            "memory_traffic_seconds": traffic,
            "targets": [
                target("SSLGC at least 10 times a literal NumPy loop", literal_selective / sslgc, least=10),
                target("OLLGC at least 10 times a literal NumPy loop", literal_online / ollgc, least=10),
                target("SSLGC at least 0.7 of the bare matrix product", same_flops / sslgc, least=0.7),
                target("OLLGC at most 2 times its memory traffic", ollgc / traffic, most=2),
            ],
        },
    )


BENCHES: dict[str, Bench] = {"lgc-pass": lgc_pass}
