"""The smallest eigenpairs of a Laplacian: which eigensolver finds them is decided here."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import csgraph

from ohmline.arrays import Floats, Ints
from ohmline.checks import room, shown
from ohmline.device.seam import CPU, Device
from ohmline.errors import KernelError, NotConverged, ParameterError
from ohmline.kernel.array_rows import ArrayRows
from ohmline.kernel.eigen.filtering import ChebyshevFilter, degree_for, eigenvalue_near, upper_bound
from ohmline.kernel.eigen.inverse import DEGREE, InverseFilter
from ohmline.kernel.eigen.lanczos import WIDTH, Operator, block_lanczos
from ohmline.kernel.factor import Estimate, estimate
from ohmline.kernel.subspace import filtered_subspace
from ohmline.progress import Advance, reporting

log = logging.getLogger("ohmline.kernel.spectral")

DENSE_LIMIT = 1500  # below this many nodes a dense eigensolver is faster and exact
FILL_LIMIT, FLOP = 100_000_000, 0.7
"""Entries that the factor for the shifted inverse may have, and what one operation of it costs in products."""
USUAL = -10, 300
"""Exponents of the largest entry, to the base 2, within which a matrix is taken as it is: its squares are numbers."""
POLISH, LAST, FLAT = (8, 4), 4, 0.15
"""Degrees of the filters that clear pairs of rounding, that of the last one, and where they begin to clear."""
ATTEMPTS = 5
"""Cuts that are tried before the search is given up."""


class Eigensolver(StrEnum):
    """How the eigenpairs of a `SpectralKernel` are found."""

    AUTO = "auto"
    DENSE = "dense"
    INVERSE = "inverse"
    FILTER = "filter"


@dataclass(frozen=True, slots=True, eq=False)
class Eigenpairs:
    """The smallest eigenpairs, ascending, and how well they hold."""

    values: Floats
    vectors: Floats
    residuals: Floats
    """The length of A v - value v for each pair; some eigenvalue of A is no further from the value."""
    method: Eigensolver


def eigensolver_of(value: object) -> Eigensolver:
    """The eigensolver of that name."""
    try:
        return Eigensolver(str(value)) if isinstance(value, str) else Eigensolver[str(value)]
    except (KeyError, ValueError):
        names = ", ".join(repr(str(each)) for each in Eigensolver)
        raise ParameterError(f"method must be one of {names}, got {shown(value)}") from None


def smallest_eigenpairs(
    laplacian: sparse.csr_array,
    k: int,
    *,
    null: Floats | None = None,
    top: float | None = None,
    method: Eigensolver = Eigensolver.AUTO,
    tolerance: float = 1e-12,
    progress: Advance | bool | None = None,
    device: Device = CPU,
) -> Eigenpairs:
    """The k smallest eigenpairs of a positive semidefinite matrix.

    Columns of `null` are known null vectors: they come first, and the search stays orthogonal to them; `top` is a bound
    on the largest eigenvalue, where one is known. Small matrices
    go to LAPACK. Large ones to block Lanczos, on the inverse of the shifted matrix where its factor fits and is
    worth it, else on a Chebyshev polynomial of the matrix. Residuals end below `tolerance` times a bound on the largest
    eigenvalue, or `NotConverged` carries what was found. A GPU filters a whole subspace at once instead. The sign of
    every vector is fixed, so equal input gives equal features.
    """
    laplacian, unit = _in_reach(laplacian)
    n = laplacian.shape[0]
    known = np.empty((n, 0)) if null is None else null[:, :k]
    rest = k - known.shape[1]
    top = min(upper_bound(laplacian), np.inf if top is None else np.ldexp(top, -unit))
    used = Eigensolver.DENSE
    if rest == 0 or top == 0.0:
        values, vectors = np.zeros(k), np.hstack([known, _completed(known, rest)])
    elif method is Eigensolver.DENSE or (method is Eigensolver.AUTO and (n <= DENSE_LIMIT or k > n // 4)):
        values, vectors = _dense(laplacian, k, known, top)
    else:
        with reporting(progress, f"{k} eigenpairs of {n:,} nodes", None) as advance:
            if device.is_gpu:
                used, values, vectors = _filtered(laplacian, rest, known, top, tolerance, advance, device)
            else:
                used, values, vectors = _searched(laplacian, rest, known, top, method, tolerance, advance)
    largest = np.abs(vectors).argmax(axis=0)
    vectors = np.ascontiguousarray(vectors * np.sign(vectors[largest, np.arange(k)]))
    return _judged(
        laplacian, np.asarray(values, dtype=np.float64), vectors, used, tolerance * max(top, 1e-300), unit
    )


def residuals_of(laplacian: sparse.csr_array, values: Floats, vectors: Floats) -> Floats:
    """The length of A v - value v for each pair, whatever the size of the weights."""
    near, unit = _in_reach(laplacian)
    off = near @ vectors - vectors * np.ldexp(values, -unit)
    return np.asarray(np.ldexp(np.linalg.norm(off, axis=0), unit), dtype=np.float64)


def _in_reach(laplacian: sparse.csr_array) -> tuple[sparse.csr_array, int]:
    """The matrix over a power of two, and its exponent, so that squares of its largest entries are numbers.

    Nothing is rounded by that but entries of no account beside the largest one.
    """
    unit = int(np.frexp(np.abs(laplacian.data).max(initial=0.0))[1])
    if USUAL[0] <= unit <= USUAL[1] or not laplacian.nnz:
        return laplacian, 0
    data = np.ldexp(laplacian.data, -unit)
    return sparse.csr_array((data, laplacian.indices, laplacian.indptr), shape=laplacian.shape), unit


def _judged(
    laplacian: sparse.csr_array,
    values: Floats,
    vectors: Floats,
    used: Eigensolver,
    goal: float,
    unit: int,
) -> Eigenpairs:
    """The pairs in units of 2^unit with their true residuals; an error that carries them where these are too long."""
    near = np.linalg.norm(laplacian @ vectors - vectors * values, axis=0)
    with np.errstate(over="ignore"):
        values, residuals = np.ldexp(values, unit), np.asarray(np.ldexp(near, unit), dtype=np.float64)
    if not np.isfinite(values).all():
        raise KernelError(
            "an eigenvalue is beyond the largest number that there is; divide all weights of the graph by the largest"
        )
    pairs = Eigenpairs(values, vectors, residuals, used)
    if used is not Eigensolver.DENSE and not (near <= goal).all():
        late = int(np.count_nonzero(~(near <= goal)))
        raise NotConverged(
            f"{late} of {len(values)} eigenpairs did not converge: residuals up to {residuals.max():.3g}, wanted "
            f"{np.ldexp(goal, unit):.3g}; take method='auto' or 'inverse', a smaller rank or a larger tolerance, or "
            "use what was found: the error's `pairs`",
            pairs,
        )
    return pairs


def _completed(known: Floats, more: int) -> Floats:
    """Orthonormal vectors beside the known ones, for a matrix that is 0."""
    if more == 0:
        return np.empty((len(known), 0))
    room(8.0 * len(known) * (known.shape[1] + more), f"{known.shape[1] + more} eigenvectors")
    start = np.random.default_rng(0).standard_normal((len(known), more))
    return np.asarray(linalg.qr(np.hstack([known, start]), mode="economic")[0][:, known.shape[1] :])


def _dense(laplacian: sparse.csr_array, k: int, known: Floats, top: float) -> tuple[Floats, Floats]:
    n, rest = laplacian.shape[0], k - known.shape[1]
    log.info("%d eigenpairs of %d nodes by LAPACK, dense", k, n)
    room(24.0 * n * n, f"a dense eigenproblem of {n:,} nodes")
    lifted = laplacian.toarray() + (2 * top + 1) * (known @ known.T)
    values, vectors = linalg.eigh(lifted, subset_by_index=(0, rest - 1))
    return np.append(np.zeros(known.shape[1]), np.maximum(values, 0.0)), np.hstack([known, vectors])


def _filtered(
    laplacian: sparse.csr_array,
    k: int,
    known: Floats,
    top: float,
    tolerance: float,
    advance: Advance,
    device: Device,
) -> tuple[Eigensolver, Floats, Floats]:
    """Subspace iteration on another device, over renumbered nodes."""
    n = laplacian.shape[0]
    log.info("%d eigenpairs of %d nodes by filtered subspace iteration on %s", k, n, device.title)
    device.room(8.0 * n * 6 * (k + known.shape[1]) + 12.0 * laplacian.nnz, f"{k} eigenpairs of {n:,} nodes")
    order = _order(laplacian)
    turned = sparse.csr_array(laplacian[order][:, order])
    with device.guarded(f"the search for {k} eigenpairs of {n:,} nodes"):
        rows = ArrayRows(turned, device)
        found = filtered_subspace(
            rows,
            *(k, top),
            tolerance=tolerance / 2,  # the residuals are computed anew, here
            known=device.put(known[order]) if known.shape[1] else None,
            heard=lambda products, worst: advance(1),
        )
        vectors = np.empty((n, k))
        vectors[order] = device.get(found.vectors)
    zeros = np.zeros(known.shape[1])
    return Eigensolver.FILTER, np.append(zeros, np.maximum(found.values, 0.0)), np.hstack([known, vectors])


def _order(laplacian: sparse.csr_array) -> Ints:
    """Nodes renumbered so that neighbours lie side by side: products are up to three times as fast."""
    order = csgraph.reverse_cuthill_mckee(sparse.csr_matrix(laplacian), symmetric_mode=True)
    return np.asarray(order, dtype=np.int64)


def _searched(
    laplacian: sparse.csr_array,
    k: int,
    known: Floats,
    top: float,
    method: Eigensolver,
    tolerance: float,
    advance: Advance,
) -> tuple[Eigensolver, Floats, Floats]:
    """Block Lanczos over renumbered nodes: neighbours side by side make products up to three times as fast."""
    n = laplacian.shape[0]
    most = min(n - known.shape[1], 4 * k + 8 * WIDTH)
    room(8.0 * n * (most + 4 * WIDTH + 2 * k), f"the search for {k} eigenpairs of {n:,} nodes")
    order = _order(laplacian)
    turned = sparse.csr_array(laplacian[order][:, order])
    turned.sort_indices()
    known_turned = known[order]
    rng = np.random.default_rng(0)
    cut = eigenvalue_near(turned, 1.5 * (k + known.shape[1]) / n, top, rng)
    steep = 4 if degree_for(cut, top, 4) * (turned.nnz + 2.0 * n) <= 12.0 * k * n else 2
    by_filter = degree_for(cut, top, steep) * (turned.nnz + 2.0 * n) * 3.0 * k
    used, plan = _decided(turned, k, by_filter, method)
    inverse = None if plan is None else InverseFilter(turned, cut, plan)
    start = rng.standard_normal((n, min(WIDTH, most)))
    values, vectors = np.zeros(0), np.empty((n, 0))
    for _ in range(ATTEMPTS):
        operator: Operator = ChebyshevFilter(turned, cut, top, steep) if inverse is None else inverse
        found = block_lanczos(
            operator, start, k, known_turned, most=most, accuracy=1e-14, rng=rng, advance=advance
        )
        values, vectors, worst = _polished(turned, found.vectors, known_turned, cut, top, 2 * tolerance * top)
        if (found.converged or worst <= tolerance * top) and values[-1] < cut:
            break
        cut = max(cut, float(values[-1])) * 1.5  # the cut fell inside the wanted part: widen
        if inverse is not None:
            inverse.cut = cut
        start = np.asarray(vectors[:, ::-1][:, : start.shape[1]])
    back = np.empty_like(vectors)
    back[order] = vectors
    flat = ChebyshevFilter(laplacian, max(cut, FLAT * top), top, degree=LAST)
    values, back = _smoothed(laplacian, values, back, flat, tolerance * top)
    zeros = np.zeros(known.shape[1])
    return used, np.append(zeros, np.maximum(values, 0.0)), np.hstack([known, back])


def _decided(
    laplacian: sparse.csr_array, k: int, by_filter: float, method: Eigensolver
) -> tuple[Eigensolver, Estimate | None]:
    """The eigensolver, with the plan of the factor where it needs one; `by_filter` is what a filter would cost."""
    n = laplacian.shape[0]
    if method is Eigensolver.FILTER:
        log.info("%d eigenpairs of %d nodes by filtered Lanczos, sparse, as asked", k, n)
        return Eigensolver.FILTER, None
    forced = method is Eigensolver.INVERSE
    flops = 5e11 if forced else by_filter / FLOP
    work = np.inf if forced else max(1e7, 0.01 * by_filter)
    shifted = sparse.csr_array(laplacian + sparse.eye_array(n))
    plan = estimate(shifted, fill_limit=FILL_LIMIT, flop_limit=flops, work_limit=work)
    cost = FLOP * plan.flops + 3.0 * k * DEGREE * 2.0 * plan.fill
    if plan.fits and (forced or cost < by_filter):
        room(12.0 * plan.fill, f"a factor of {plan.fill:,} entries")
        log.info("%d eigenpairs of %d nodes by Lanczos on a shifted inverse, %d entries", k, n, plan.fill)
        return Eigensolver.INVERSE, plan
    if forced:
        raise KernelError(
            f"the factor for method='inverse' does not fit: more than {FILL_LIMIT:,} entries or {flops:g} operations; "
            "take method='filter'"
        )
    log.info("%d eigenpairs of %d nodes by filtered Lanczos, sparse", k, n)
    return Eigensolver.FILTER, None


def _polished(
    laplacian: sparse.csr_array, vectors: Floats, known: Floats, cut: float, top: float, goal: float
) -> tuple[Floats, Floats, float]:
    """The pairs in the found space, cleared of rounding where a residual is longer than the goal; the longest one.

    The large values of a steep filter blur the last digits. What blurs them lies far above the wanted eigenvalues, so
    that filters which are nearly flat on those bring the digits back. The best of what came is kept.
    """
    best = _rotated(laplacian, vectors)
    for degree in POLISH:
        if best[2] <= goal:
            break
        flat = ChebyshevFilter(laplacian, max(cut, FLAT * top), top, degree=degree)
        vectors = flat(np.ascontiguousarray(best[1]))
        for _ in range(2):
            vectors -= known @ (known.T @ vectors)
        # The filter is nearly flat on them, so that they are far from parallel and one factor keeps them off the known.
        vectors = np.asarray(linalg.qr(vectors, mode="economic", check_finite=False)[0])
        best = min(best, _rotated(laplacian, vectors), key=lambda found: found[2])
    return best


def _smoothed(
    laplacian: sparse.csr_array, values: Floats, vectors: Floats, flat: ChebyshevFilter, goal: float
) -> tuple[Floats, Floats]:
    """Good pairs through one more filter, which clears them of what turning and renumbering rounded.

    No pair is turned by it. The rows are those of the caller's matrix, in its order, in which residuals are judged: at
    a hub they depend on the order in which its neighbours are added up.
    """
    before = _worst(laplacian, values, vectors)
    if before <= goal:
        return values, vectors
    smooth = flat(np.ascontiguousarray(vectors))
    smooth /= np.linalg.norm(smooth, axis=0)
    off = laplacian @ smooth - smooth * values
    near = values + np.einsum("ij,ij->j", smooth, off)  # what is added is small, and so is its rounding
    return (near, smooth) if _worst(laplacian, near, smooth) < before else (values, vectors)


def _worst(laplacian: sparse.csr_array, values: Floats, vectors: Floats) -> float:
    """The longest residual."""
    return float(np.linalg.norm(laplacian @ vectors - vectors * values, axis=0).max(initial=0.0))


def _rotated(laplacian: sparse.csr_array, vectors: Floats) -> tuple[Floats, Floats, float]:
    """Rayleigh-Ritz in the found space gives the pairs of the matrix itself; the longest residual."""
    small = vectors.T @ (laplacian @ vectors)
    # LAPACK's usual driver gives vectors that are orthogonal to 1e-13 only; this one to rounding.
    values, turn = linalg.eigh((small + small.T) / 2, driver="evd")
    vectors = vectors @ turn
    return values, vectors, _worst(laplacian, values, vectors)
