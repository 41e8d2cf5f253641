"""Which solver suits a graph, why, and what memory it will take.

Costs are counted, not timed, so that the choice is the same on every run: in entries of the matrix that are read.

| quantity | measured |
|---|---|
| one step of conjugate gradients under the diagonal | entries + 6 n |
| an approximate factor, and one column from it | about `SAMPLING` and `SAMPLED_COLUMN` such steps |
| one entry of a list read while ordering | `ORDERING` entries |
| one operation of a Cholesky factor | `FLOP` entries |

The constants were fitted on kNN graphs in 2, 3 and 16 dimensions and on a power-law block model.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec

import numpy as np

from ohmline.checks import room, shown
from ohmline.errors import KernelError, ParameterError
from ohmline.kernel.factor import Estimate, estimate
from ohmline.kernel.solve.contract import Solver, System
from ohmline.kernel.solve.direct import Cholmod, Direct
from ohmline.kernel.solve.elimination import predicted_bytes
from ohmline.kernel.solve.iterative import Iterative, probe, rows_of

HORIZON = 20
"""Columns over which the cost of a set-up is spread."""
PROBE_STEPS = 60
"""Steps after which the rate of conjugate gradients is known well enough."""
SAMPLING, SAMPLED_COLUMN, ORDERING, FLOP = 400, 125, 8, 0.5
SMALL = 20_000
"""Up to so many nodes a factor is tried before anything else, because it gives the exact diagonal."""
SURE_WORK, SURE_FLOPS = 1e7, 2e9
"""What ordering and factorising may cost where iteration would be cheap (about .1 s and 1.5 s)."""
FLOP_LIMIT = 5e11
"""Beyond this many operations (about ten minutes) a factor is refused even where it was asked for."""
CHOLMOD_FLOPS = 1.5e9
"""From here on CHOLMOD's blocks beat our rows."""


class Method(StrEnum):
    """How the columns of a `SolverKernel` are found."""

    AUTO = "auto"
    CHOLESKY = "cholesky"
    CHOLMOD = "cholmod"
    APPROXIMATE = "approximate"
    JACOBI = "jacobi"


@dataclass(frozen=True, slots=True)
class Choice:
    """The solver that was chosen, and why."""

    method: Method
    reason: str
    bytes: int
    """The memory that it will take, as predicted."""
    fill: int = 0
    """Entries of the factor, where there is one."""

    def __str__(self) -> str:
        return f"{self.method}, {self.bytes:,} bytes: {self.reason}"


def method_of(value: object) -> Method:
    """The method of that name."""
    try:
        return Method(str(value)) if isinstance(value, str) else Method[str(value)]
    except (KeyError, ValueError):
        names = ", ".join(repr(str(method)) for method in Method)
        raise ParameterError(f"method must be one of {names}, got {shown(value)}") from None


def choose(
    system: System, method: Method, *, fill_limit: int, tolerance: float
) -> tuple[Choice, Estimate | None]:
    """The choice for a system, with the estimate of the factor where one will be made."""
    if method in (Method.CHOLESKY, Method.CHOLMOD):
        return _forced(system, method, fill_limit)
    if method is Method.APPROXIMATE:
        return _approximate(system, "as asked"), None
    if method is Method.JACOBI:
        return _jacobi(system, "as asked"), None
    small = system.graph.n <= SMALL
    if small:
        plan = _planned(system, fill_limit, SURE_FLOPS, SURE_WORK)
        if plan.fits:
            return _factored(plan, Method.CHOLESKY, _fits(plan)), plan
    steps = _steps(system, tolerance)
    step = len(system.graph.indices) + 7.0 * system.graph.n
    by_diagonal = HORIZON * steps * step
    by_sampling = (SAMPLING + HORIZON * SAMPLED_COLUMN) * step
    cheapest = min(by_diagonal, by_sampling)
    flops = max(SURE_FLOPS, cheapest / FLOP)
    quick = find_spec("cholespy") is not None
    if not small or flops > SURE_FLOPS or cheapest > 10 * ORDERING * SURE_WORK:
        work = max(SURE_WORK, 0.06 * cheapest / ORDERING)
        plan = _planned(system, fill_limit, flops * (4 if quick else 1), work)
        if plan.fits:
            faster = quick and plan.flops > CHOLMOD_FLOPS
            return _factored(plan, Method.CHOLMOD if faster else Method.CHOLESKY, _fits(plan)), plan
    told = (
        f"no sparse factor within fill_limit={fill_limit:,} and within {flops:.2g} operations; conjugate gradients "
        f"under the diagonal need about {steps:,.0f} steps a column"
    )
    if by_diagonal <= by_sampling:
        return _jacobi(system, told), None
    return _approximate(system, f"{told}, more than an approximate factor costs"), None


def built(system: System, choice: Choice, plan: Estimate | None, *, tolerance: float) -> Solver:
    """The solver of a choice."""
    room(choice.bytes, f"method={str(choice.method)!r} on {system.graph.n:,} nodes")
    if plan is not None:
        return Cholmod(system, plan) if choice.method is Method.CHOLMOD else Direct(system, plan)
    return Iterative(system, tolerance=tolerance, sampled=choice.method is Method.APPROXIMATE)


def _steps(system: System, tolerance: float) -> float:
    """About how many steps a column takes under the diagonal, from the first ones of a random right side."""
    signs = np.where(np.random.default_rng(0).random(system.graph.n) < 0.5, -1.0, 1.0)
    left, steps = probe(rows_of(system.laplacian), system.without_null(signs), tolerance, PROBE_STEPS)
    if left <= tolerance:
        return float(max(steps, 1))
    return float(steps * np.log(tolerance) / np.log(min(max(left, 1e-300), 0.99)))


def _planned(system: System, fill_limit: int, flops: float, work: float) -> Estimate:
    return estimate(system.grounded, fill_limit=fill_limit, flop_limit=flops, work_limit=work)


def _forced(system: System, method: Method, fill_limit: int) -> tuple[Choice, Estimate]:
    plan = _planned(system, fill_limit, FLOP_LIMIT, np.inf)
    if not plan.fits:
        if plan.fill > fill_limit:
            why = f"has more than fill_limit={fill_limit:,} entries"
        else:
            why = f"takes more than {FLOP_LIMIT:g} operations"
        raise KernelError(
            f"the sparse factor of {system.graph!r} {why}, so method={str(method)!r} does not fit; raise fill_limit, "
            "or take method='approximate' or 'jacobi'"
        )
    return _factored(plan, method, f"as asked; {_fits(plan)}"), plan


def _fits(plan: Estimate) -> str:
    return f"a factor of {plan.fill:,} entries and {plan.flops:.2g} operations fits"


def _factored(plan: Estimate, method: Method, reason: str) -> Choice:
    # Rows, values, and as many values again while the diagonal is found.
    return Choice(method, reason, 20 * plan.fill + 64 * len(plan.order), plan.fill)


def _approximate(system: System, reason: str) -> Choice:
    n, entries = _size(system, covered=True)
    return Choice(Method.APPROXIMATE, reason, predicted_bytes(n, entries, 1) + 12 * (entries + n))


def _jacobi(system: System, reason: str) -> Choice:
    n, entries = _size(system, covered=False)
    return Choice(Method.JACOBI, reason, 12 * (entries + n) + 64 * n)


def _size(system: System, *, covered: bool) -> tuple[int, int]:
    """Nodes and entries of the matrix that is iterated on."""
    times = 2 if covered and system.graph.signed else 1
    return times * system.graph.n, times * len(system.graph.indices)
