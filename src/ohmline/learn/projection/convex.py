"""Algorithm 1 of paper 000: projections on convex sets of any kind, each given as a function."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, finite, matrix, numbers, vector
from ohmline.checks import count, flag, instance, listed, number, shown
from ohmline.errors import OhmlineError, ParameterError, ShapeError
from ohmline.graph.measure.tables import expect_square

Project = Callable[[Floats], ArrayLike]
"""The projection on a convex set: takes a point, gives the nearest point of the set."""

ROUNDING = 1e-9
"""A share of the lengths at hand below which a distance is a rounding error."""
LONGEST = 1e290
"""The largest squared norm of a point; sums of larger ones are no numbers."""


@final
class Metric:
    """An inner product <a, b> = a'Mb of vectors, and its norm.

    The functions on a graph are a space with M = L, or M = K^-1 with the kernel K = L+ plus a bias; there the vector of
    node i is the column K_i, and <f, K_i> = f_i (paper 000, eq. (3)).

    Parameters
    ----------
    matrix
        M, symmetric and positive definite on the vectors that will be used; None (default) for the unit matrix.
    """

    def __init__(self, matrix: ArrayLike | None = None) -> None:
        self.matrix = None if matrix is None else _symmetric(matrix)

    def inner(self, a: Floats, b: Floats) -> float:
        """<a, b>.

        Parameters
        ----------
        a, b
            Two vectors.
        """
        return float(a @ b) if self.matrix is None else float(a @ (self.matrix @ b))

    def sqnorm(self, a: Floats) -> float:
        """||a||^2, at least 0.

        Parameters
        ----------
        a
            A vector.
        """
        return max(self.inner(a, a), 0.0)

    def __repr__(self) -> str:
        return "Metric()" if self.matrix is None else f"Metric(<{len(self.matrix)} by {len(self.matrix)}>)"


@final
class HalfSpace:
    """Projects on {u : y <u, x> >= margin}, or on {u : <u, x> = y margin} (paper 000, Lemma 3.1).

    Parameters
    ----------
    x
        The vector across the border; not zero.
    y
        The side: -1 or +1. Default 1.
    margin
        How far from 0 the border is; any number, 1 by default.
    border
        True for the border itself, a hyperplane. Default False.
    metric
        The inner product, that of `project_online` too; the common one by default.

    Examples
    --------
    >>> HalfSpace([0.0, 2.0])(np.array([3.0, 0.0]))
    array([3. , 0.5])
    >>> HalfSpace([0.0, 2.0], -1, border=True)(np.array([3.0, -4.0]))
    array([ 3. , -0.5])
    """

    def __init__(
        self,
        x: ArrayLike,
        y: int = 1,
        *,
        margin: float = 1.0,
        border: bool = False,
        metric: Metric | None = None,
    ) -> None:
        self.x = vector(x, "x")
        if number(y, "y") not in (-1, 1):
            raise ParameterError(f"y must be -1 or +1, got {shown(y)}")
        self.y, self.border = int(y), flag(border, "border")
        self.margin = number(margin, "margin")
        self.metric = instance(metric, Metric, "metric") if metric is not None else Metric()
        self._sqlength = self.metric.sqnorm(self.x)
        if self._sqlength <= 0:
            raise ParameterError("x is the zero vector, which has no two sides; give another one")

    def __call__(self, w: Floats) -> Floats:
        gap = self.margin - self.y * self.metric.inner(w, self.x)
        if gap <= 0 and not self.border:
            return w
        return np.asarray(w + self.y * gap / self._sqlength * self.x, dtype=np.float64)

    def __repr__(self) -> str:
        return f"{'border of ' if self.border else ''}HalfSpace({shown(self.x.tolist(), 40)}, {self.y:+d})"


@final
@dataclass(frozen=True, eq=False)
class Projected:
    """What `project_online` did.

    Attributes
    ----------
    points
        w_1, w_2, ...: one row for the start and one after each set.
    sqmoves
        ||w_t - w_{t+1}||^2 for each set.
    sets
        The functions, in the order in which they were used.
    metric
        The inner product.
    tests
        How many comparisons the functions passed that a projection must pass.
    """

    points: Floats
    sqmoves: Floats
    sets: tuple[Project, ...]
    metric: Metric
    tests: int = field(repr=False)

    @property
    def progress(self) -> float:
        """The left side of eq. (6): the squared lengths of all moves together."""
        return float(self.sqmoves.sum())

    def __len__(self) -> int:
        return len(self.sets)


def project_online(
    sets: Iterable[Project], start: ArrayLike, *, metric: Metric | None = None, tests: int = 3
) -> Projected:
    """Project a point on one convex set after another (paper 000, Algorithm 1).

    A set is given as its projection: a function that takes a point and gives the nearest point of a closed convex set.
    What it gives is tested: the projection of a projection is itself, and the angle at the projection between the
    point and any other point of the set is not acute, which is what convexity and nearness mean together. A function
    that fails is refused by name; one that passes may still be no projection elsewhere.

    Parameters
    ----------
    sets
        The functions, one for each trial; the same one may come several times.
    start
        w_1, a vector.
    metric
        The inner product in which a point is nearest; that of `HalfSpace` too. The common one by default.
    tests
        How many other points are projected on each set to test the angle: the middle of the move, then the latest
        points before it. 0 tests nothing but the shape. Default 3.

    Returns
    -------
    Projected
        Every point on the way; `bound.certify_moves` limits how often it moves far.

    Examples
    --------
    >>> def disc(w):
    ...     return w / max(1.0, np.linalg.norm(w))
    >>> run = project_online([disc, HalfSpace([1.0, 0.0], margin=0.5), disc], [0.0, 3.0])
    >>> run.points.round(3).tolist()
    [[0.0, 3.0], [0.0, 1.0], [0.5, 1.0], [0.447, 0.894]]
    >>> project_online([lambda w: 2 * w], [1.0, 0.0])
    Traceback (most recent call last):
    ohmline.errors.ParameterError: set 0 is no projection: ...

    References
    ----------
    Herbster, Pontil and Wainer, Online learning over graphs, ICML 2005.
    """
    w = np.array(vector(start, "start"))
    if not len(w):
        raise ShapeError("start is empty; give a vector with at least one entry")
    tests = count(tests, "tests")
    metric = Metric() if metric is None else instance(metric, Metric, "metric")
    if metric.matrix is not None and len(metric.matrix) != len(w):
        raise ShapeError(f"start has {len(w)} entries and the metric {len(metric.matrix)}; they must agree")
    expect_measured(metric, w, "start")
    functions, points, passed = listed(sets, "sets"), [w], 0
    for t, project in enumerate(functions):
        if not callable(project):
            raise ParameterError(
                f"set {t} must be a function from a point to the nearest point of a convex set, got {shown(project)}"
            )
        new = apply(project, w, t, metric)
        if tests:
            # What lies on the way to the nearest point has the same nearest point.
            others = [(w + new) / 2, *points[-1 - tests : -1][::-1], np.zeros_like(w)][:tests]
            passed += _test(project, w, new, others, metric, t)
        points.append(new)
        w = new
    path = np.array(points)
    moves = np.array([metric.sqnorm(b - a) for a, b in itertools.pairwise(path)])
    return Projected(path, moves, tuple(functions), metric, passed)


def expect_measured(metric: Metric, point: Floats, name: str) -> None:
    """Refuse a point whose squared norm is too large for the sums and differences that are made of it."""
    with np.errstate(all="ignore"):
        sqnorm = metric.sqnorm(point)
    if not sqnorm <= LONGEST:
        raise ParameterError(
            f"{name} has the squared norm {sqnorm:.3g}, too large to compare; expected at most {LONGEST:g}: scale the "
            "points down"
        )


def apply(project: Project, w: Floats, t: int, metric: Metric) -> Floats:
    """What a function makes of a point, if it is a point of the same space; the point itself is not handed out."""
    try:
        found = project(w.copy())
    except OhmlineError:
        raise
    except Exception as error:
        raise ParameterError(
            f"set {t} cannot project {shown(w.tolist(), 60)}: {type(error).__name__}: {error}; a projection takes "
            "every vector of the length of the start"
        ) from error
    point = numbers(found, f"what set {t} gave", 1, f"one dimension and {len(w)} entries")
    if len(point) != len(w):
        raise ShapeError(f"set {t} gave {len(point)} entries for a point with {len(w)}; expected as many")
    finite(point, f"what set {t} gave")
    expect_measured(metric, point, f"what set {t} gave")
    return np.array(point)


def acute(metric: Metric, w: Floats, new: Floats, other: Floats) -> bool:
    """Whether the angle at `new` between w and `other` is acute, by more than rounding."""
    return metric.inner(w - new, other - new) > let_through(metric, w, new, other)


def let_through(metric: Metric, w: Floats, new: Floats, other: Floats) -> float:
    """The inner product of w - new and other - new up to which the angle at `new` does not count as acute."""
    return ROUNDING * (metric.sqnorm(w) + metric.sqnorm(new) + metric.sqnorm(other))


def _test(project: Project, w: Floats, new: Floats, others: list[Floats], metric: Metric, t: int) -> int:
    again = apply(project, new, t, metric)
    scale = metric.sqnorm(w) + metric.sqnorm(new)
    if metric.sqnorm(again - new) > ROUNDING**2 * scale + ROUNDING**2 * metric.sqnorm(again):
        raise ParameterError(
            f"set {t} is no projection: it takes {shown(w.tolist(), 40)} to {shown(new.tolist(), 40)} and that to "
            f"{shown(again.tolist(), 40)}; a point of the set must stay where it is"
        )
    for other in others:
        inside = apply(project, other, t, metric)
        if acute(metric, w, new, inside):
            raise ParameterError(
                f"set {t} is no projection on a convex set: it takes {shown(w.tolist(), 40)} to "
                f"{shown(new.tolist(), 40)}, and {shown(inside.tolist(), 40)} is in the set too and lies on the same "
                "side; give the nearest point in the metric, and one convex set"
            )
    return 1 + len(others)


def _symmetric(values: Any) -> Floats:
    table = matrix(values.toarray() if hasattr(values, "toarray") else values, "matrix")
    expect_square(table, "matrix")
    if not np.allclose(table, table.T, rtol=1e-9, atol=1e-12 * float(np.abs(table).max())):
        raise ParameterError("matrix must be symmetric; pass (matrix + matrix.T) / 2")
    table = np.asarray((table + table.T) / 2, dtype=np.float64)
    least = float(np.linalg.eigvalsh(table)[0])
    if least < -1e-9 * float(np.abs(table).max()):
        raise ParameterError(
            f"matrix has the eigenvalue {least:.3g}, so some lengths would be imaginary; an inner product has none "
            "below 0"
        )
    return table
