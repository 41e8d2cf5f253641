"""Columns of L+ on three graphs of 100,000 nodes, against other solvers of the same systems.

A reference that may never end runs in a process of its own with a time limit; where the limit was reached, its figure
is that limit, and the details say "more than".
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse import linalg as sparse_linalg

from ohmline.arrays import Floats
from ohmline.graph import Graph
from ohmline.kernel import SolverKernel
from ohmline.lab.bench import Bench, Measured, target

SIZE, COLUMNS, LIMIT, MEMORY = 100_000, 20, 60.0, 5
"""Nodes; columns over which a set-up is spread; seconds and GiB that a reference may take."""
TOLERANCE = 1e-10
NODE = 5

TICK = 1e-6
"""Seconds below which a clock of CPU time says nothing."""


def solver(n: int = SIZE, limit: float = LIMIT) -> Measured:
    """Set-up and twenty columns on a 2-D kNN graph, a 16-D kNN graph and a power-law block model."""
    _warm()
    tables = {name: _table(make(n), limit) for name, make in GRAPHS.items()}
    targets, worst_ratio = [], np.inf
    for name, table in tables.items():
        others = {key: max(row["cost"], TICK) for key, row in table["references"].items()}
        best, worst = min(others.values()), max(others.values())
        ours = max(table["ours"]["cost"], TICK)
        worst_ratio = min(worst_ratio, best / ours)
        targets.append(target(f"{name}: at most 1.3 times the best reference", ours / best, most=1.3))
        targets.append(target(f"{name}: at least 5 times better than the worst", worst / ours, least=5))
    return Measured(
        "solver",
        float(worst_ratio),
        f"the best of pyamg, Jacobi-CG, splu and CHOLMOD on each graph, set-up and {COLUMNS} columns (CPU seconds)",
        {"nodes": n, "columns": COLUMNS, "tolerance": TOLERANCE, "graphs": tables, "targets": targets},
    )


def plane(n: int) -> Graph:
    """Eight nearest neighbours of random points in a square."""
    from scipy.spatial import cKDTree

    points = np.random.default_rng(0).random((n, 2))
    return _joined(cKDTree(points).query(points, 9)[1][:, 1:])


def cloud(n: int) -> Graph:
    """Ten approximate nearest neighbours of random points around fifty centres in 16 dimensions."""
    from ohmline.extras import require

    voyager, rng = require("voyager", "ann"), np.random.default_rng(1)
    centres = 1.5 * rng.standard_normal((50, 16))
    points = (centres[rng.integers(0, 50, n)] + rng.standard_normal((n, 16))).astype(np.float32)
    index = voyager.Index(voyager.Space.Euclidean, 16, M=12, ef_construction=100)
    index.add_items(points, num_threads=1)
    return _joined(index.query(points, 11, num_threads=1, query_ef=50)[0][:, 1:].astype(np.int64))


def blocks(n: int) -> Graph:
    """Ten blocks whose nodes have power-law degrees, about ten on average; nine edges in ten stay in their block."""
    rng = np.random.default_rng(2)
    weight = np.minimum((1 - rng.random(n)) ** (-1 / 1.5), 3 * np.sqrt(n))
    group, share = rng.integers(0, 10, n), weight / weight.sum()
    source, other = (rng.choice(n, 60 * n, p=share) for _ in range(2))
    keep = ((group[source] == group[other]) | (rng.random(60 * n) < 0.012)) & (source != other)
    pairs = np.stack([source[keep], other[keep]], axis=1)[: 5 * n]
    matrix = sparse.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), (n, n)).tocsr()
    return _largest(matrix)


GRAPHS: dict[str, Callable[[int], Graph]] = {
    "2-D kNN": plane,
    "16-D kNN": cloud,
    "power-law block model": blocks,
}


def _joined(near: Any) -> Graph:
    n, k = near.shape
    source, other = np.repeat(np.arange(n), k), near.ravel()
    keep = source != other
    return _largest(sparse.coo_array((np.ones(keep.sum()), (source[keep], other[keep])), (n, n)).tocsr())


def _largest(matrix: sparse.csr_array) -> Graph:
    """The largest component, each edge of weight 1."""
    matrix = sparse.csr_array(matrix + matrix.T)
    matrix.data[:] = 1.0
    labels = csgraph.connected_components(matrix, directed=False)[1]
    kept = np.flatnonzero(labels == np.bincount(labels).argmax())
    return Graph.from_scipy(sparse.csr_array(matrix[kept][:, kept]))


def _table(graph: Graph, limit: float) -> dict[str, Any]:
    kernel = SolverKernel(graph, tolerance=TOLERANCE)
    start = time.process_time()
    made = kernel.solver
    set_up = time.process_time() - start
    column, found = _timed(lambda: made.column(NODE))
    start = time.process_time()
    diagonal = made.diagonal()
    exact = time.process_time() - start if diagonal is not None else None
    rows = {name: _limited(work, graph.laplacian(), limit) for name, work in REFERENCES.items()}
    return {
        "nodes": graph.n,
        "edges": graph.n_edges,
        "ours": {
            **_row(set_up, column, _residual(graph.laplacian(), found)),
            "choice": kernel.explain(),
            "exact_diagonal_seconds": exact,
        },
        "references": rows,
    }


def _row(set_up: float, column: float, residual: float, *, more: bool = False) -> dict[str, Any]:
    cost = set_up + COLUMNS * column
    row = {"set_up": set_up, "column": column, "cost": cost, "residual": residual}
    return {**row, "note": "more than"} if more else row


def _timed(work: Callable[[], Floats], repeat: int = 3) -> tuple[float, Floats]:
    best, found = np.inf, np.empty(0)
    for _ in range(repeat):
        start = time.process_time()
        found = work()
        best = min(best, time.process_time() - start)
    return float(best), found


def _residual(laplacian: sparse.csr_array, column: Floats) -> float:
    return float(np.linalg.norm(laplacian @ column - _right(len(column))))


def _right(n: int) -> Floats:
    right = np.full(n, -1.0 / n)
    right[NODE] += 1.0
    return right


Set = Callable[[sparse.csr_array], Callable[[], Floats]]


def _limited(make: Set, laplacian: sparse.csr_array, limit: float) -> dict[str, Any]:
    """A reference in a process of its own; its limit where it does not end, or where memory runs out."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_measure, args=(make, laplacian, there, limit))
    child.start()
    there.close()
    row: dict[str, Any] = {}
    try:
        while here.poll(10 * limit):
            row = here.recv()
    except EOFError:
        pass
    finally:
        child.kill()
        child.join()
    if "residual" in row:
        return row
    known = float(row.get("set_up", limit))  # one column alone took longer than what was left
    return _row(known, (limit - known) if row else 0.0, np.nan, more=True)


def _measure(make: Set, laplacian: sparse.csr_array, to: Any, limit: float) -> None:
    used = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(used + limit) + 1, int(used + limit) + 2))
    resource.setrlimit(resource.RLIMIT_AS, (_mapped() + MEMORY * 2**30,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    start = time.process_time()
    work = make(laplacian)
    set_up = time.process_time() - start
    to.send({"set_up": set_up})
    column, found = _timed(work, repeat=1)
    if column < limit / 10:
        column = min(column, _timed(work, repeat=2)[0])
    to.send(_row(set_up, column, _residual(laplacian, found)))
    to.close()


def _mapped() -> int:
    """Bytes that the process has mapped, of which the numbers of a parent are a part."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _jacobi(laplacian: sparse.csr_array) -> Callable[[], Floats]:
    right, scale = _right(laplacian.shape[0]), sparse.diags_array(1 / laplacian.diagonal())
    return lambda: sparse_linalg.cg(laplacian, right, rtol=TOLERANCE, maxiter=20_000, M=scale)[0]


def _pyamg(laplacian: sparse.csr_array) -> Callable[[], Floats]:
    import pyamg

    right = _right(laplacian.shape[0])
    levels = pyamg.smoothed_aggregation_solver(sparse.csr_matrix(laplacian), max_coarse=500)
    return lambda: np.asarray(levels.solve(right, tol=TOLERANCE, maxiter=300, accel="cg"))


def _splu(laplacian: sparse.csr_array) -> Callable[[], Floats]:
    grounded = sparse.csc_matrix(laplacian[1:][:, 1:])
    options = {"SymmetricMode": True}
    factor = sparse_linalg.splu(grounded, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    return lambda: np.append(0.0, factor.solve(_right(laplacian.shape[0])[1:]))


def _cholmod(laplacian: sparse.csr_array) -> Callable[[], Floats]:
    import cholespy

    grounded = sparse.csr_array(laplacian[1:][:, 1:])
    n, rows = grounded.shape[0], (grounded.indptr.astype(np.int32), grounded.indices.astype(np.int32))
    factor = cholespy.CholeskySolverD(n, *rows, grounded.data, cholespy.MatrixType.CSR)

    def column() -> Floats:
        found = np.zeros(n)
        factor.solve(_right(n + 1)[1:].copy(), found)
        return np.append(0.0, found)

    return column


REFERENCES: dict[str, Set] = {"Jacobi-CG": _jacobi, "pyamg": _pyamg, "splu": _splu, "CHOLMOD": _cholmod}


def _warm() -> None:
    """Compile before anything is timed."""
    graph = plane(300)
    for method in ("cholesky", "approximate", "jacobi", "cholmod"):
        SolverKernel(graph, method=method).column(graph.nodes[0])
    SolverKernel(graph, fill_limit=0).column(graph.nodes[0])


BENCHES: dict[str, Bench] = {"solver": solver}
