"""What unlabelled points are for: convex regularisers of the values of f (paper 003, section 2.1).

A regulariser of the batch risk that is a sum over points, Omega = 1/T sum_t Omega_t, is learned
online through one thing only: the derivatives of Omega_t in the values of f at the new point and
at the basis. By the reproducing property they are the coefficients of its gradient. So any convex
semi-supervised risk is one small class with two methods, `energy` and `slopes`.

| paper 003 | here |
|---|---|
| w_it | `weight` between basis element i and the new point |
| t / tau, n_i | `mass[i]`: how many earlier points element i stands for |
| f_1 .. f_M | the views |
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, final

import numpy as np

from ohmline.arrays import Floats, Ints, count, non_negative, positive, vector
from ohmline.checks import listed, shown
from ohmline.compiled import compiled, internal
from ohmline.errors import ParameterError
from ohmline.learn.manifold.expansion import Expansion, Workspace, exponentials

FOREIGN, MANIFOLD, MULTIVIEW = range(3)
"""The regularisers that compiled code knows; `FOREIGN` is written in Python."""

Weights = Callable[[Floats, Floats], Floats]
"""weights(basis, point): one non-negative number for each row of `basis`."""


class Scene(NamedTuple):
    """What a regulariser sees of one trial.

    Attributes
    ----------
    point
        The new point, of shape (d,).
    basis
        The elements of the basis, (n, d).
    mass
        How many earlier points each element stands for, (n,).
    here
        f at the new point, (views, classes).
    there
        f at the basis, (views, classes, n).
    apart
        ||K_i - K_x||^2 for every element, (views, n).
    length
        ||K_x||^2, (views,).
    heaviest
        What mass times weight may add up to over the neighbours of the point: see `Proximal`. No limit by default.
    """

    point: Floats
    basis: Floats
    mass: Floats
    here: Floats
    there: Floats
    apart: Floats
    length: Floats
    heaviest: float = np.inf


class Slopes(NamedTuple):
    """The derivatives of Omega_t, and how curved it is.

    Attributes
    ----------
    here
        In the values at the new point, of shape (views, classes).
    there
        In the values at the basis, (views, classes, n).
    curvature
        At least the largest curvature of Omega_t along a unit vector of the kernel's space; at least 0.
    """

    here: Floats
    there: Floats
    curvature: float


class Smoothness(ABC):
    """What unlabelled points ask of f: a convex regulariser Omega_t.

    Subclass it in Python for one of your own; the learner then runs one event at a time.
    """

    @property
    def views(self) -> tuple[tuple[int, ...], ...] | None:
        """The feature columns of each view; None for one view of them all."""
        return None

    @property
    def form(self) -> int:
        """How compiled code knows it."""
        return FOREIGN

    @abstractmethod
    def energy(self, scene: Scene) -> float:
        """Omega_t(f) at one trial.

        Parameters
        ----------
        scene
            The new point, the basis, and f at both.
        """

    @abstractmethod
    def slopes(self, scene: Scene) -> Slopes:
        """The derivatives of Omega_t in `scene.here` and `scene.there`, and its curvature.

        Parameters
        ----------
        scene
            The new point, the basis, and f at both.
        """


@final
class Manifold(Smoothness):
    """Asks that f is smooth along the graph of the points: Omega_t = sum_i mass_i w_i (f(x_i) - f(x_t))^2.

    With `Proximal` steps the weights of a point add up to no more than half the weight of a label.

    Differs: the paper keeps every weight, however small; so does `cutoff=0`.

    Parameters
    ----------
    width
        sigma in w_i = exp(-||x_i - x_t||^2 / 2 sigma^2), above 0; None (default) takes it from the data.
    weight
        Any other weights, instead of a width: a Python function `weight(basis, point)`, called once per event, that
        gives a number of at least 0 for each row of `basis`. The default is None.
    cutoff
        Gaussian weights below this count as zero, which keeps a step as cheap as the point's neighbourhood is small;
        at least 0 and below 1. Default 1e-6.

    Examples
    --------
    >>> Manifold(0.05)
    Manifold(0.05)
    >>> nearest = lambda basis, point: (abs(basis - point).max(axis=1) < 0.1).astype(float)
    >>> Manifold(weight=nearest).form == FOREIGN
    True
    """

    def __init__(
        self, width: float | None = None, *, weight: Weights | None = None, cutoff: float = 1e-6
    ) -> None:
        if width is not None and weight is not None:
            raise ParameterError("Manifold takes a width or a weight function, not both")
        self.width = None if width is None else positive(width, "the width of Manifold")
        self.weight = weight
        self.cutoff = non_negative(cutoff, "the cutoff of Manifold")
        if self.cutoff >= 1:
            raise ParameterError(f"the cutoff of Manifold must be below 1, got {shown(cutoff)}")

    @property
    def form(self) -> int:
        return MANIFOLD if self.weight is None else FOREIGN

    @property
    def reach(self) -> float:
        """The squared distance, in units of 2 sigma^2, beyond which a weight counts as zero."""
        return float(-np.log(self.cutoff)) if self.cutoff > 0 else np.inf

    def weights(self, basis: Floats, point: Floats) -> Floats:
        """The weight between a point and each element of a basis.

        Parameters
        ----------
        basis
            One row per element.
        point
            One point, with as many features.
        """
        if self.weight is not None:
            found = vector(self.weight(basis, point), "the weights", length=len(basis))
            if np.any(found < 0):
                raise ParameterError(
                    f"the weight function gave {found.min():g}; weights must be at least 0, "
                    "or the regulariser is not convex"
                )
            return found
        if self.width is None:
            raise ParameterError(
                "this Manifold has no width yet; give it one, or learn from some points first"
            )
        w = np.exp(-np.sum((basis - point) ** 2, axis=1) / (2 * self.width**2))
        return np.asarray(np.where(w >= self.cutoff, w, 0.0))

    def energy(self, scene: Scene) -> float:
        w = scene.mass * self.weights(scene.basis, scene.point)
        w *= min(1.0, scene.heaviest / max(float(np.sum(w)), 1e-300))
        return float(np.sum(w * (scene.there - scene.here[:, :, None]) ** 2))

    def slopes(self, scene: Scene) -> Slopes:
        w = self.weights(scene.basis, scene.point)
        near = np.flatnonzero(w)
        there, here = np.zeros_like(scene.there), np.zeros_like(scene.here)
        curvature = graph_slopes(
            scene.here,
            scene.there,
            w,
            scene.mass,
            1.0,
            scene.heaviest,
            near,
            len(near),
            scene.apart,
            there,
            here,
        )
        return Slopes(here, there, curvature)

    def __repr__(self) -> str:
        inside = "" if self.width is None else f"{self.width:g}"
        return f"Manifold({inside if self.weight is None else f'weight={self.weight!r}'})"


@final
class Multiview(Smoothness):
    """Asks that functions of different features agree: Omega_t = sum_ij (f_i(x_t) - f_j(x_t))^2.

    The prediction is that of the mean of the functions.

    Parameters
    ----------
    views
        Two or more lists of feature columns, counted from 0: one function each. They may share columns.

    Examples
    --------
    >>> Multiview([0, 1], [2, 3])
    Multiview((0, 1), (2, 3))
    """

    def __init__(self, *views: Sequence[int]) -> None:
        columns = [listed(view, "a view of Multiview") for view in views]
        if len(columns) < 2 or not all(columns):
            raise ParameterError(
                f"Multiview needs two or more lists of feature columns, none empty, got {shown(views)}"
            )
        self._views = tuple(tuple(count(c, "a column of Multiview") for c in view) for view in columns)

    @property
    def views(self) -> tuple[tuple[int, ...], ...]:
        return self._views

    @property
    def form(self) -> int:
        return MULTIVIEW

    def energy(self, scene: Scene) -> float:
        return float(np.sum((scene.here[:, None] - scene.here[None]) ** 2))

    def slopes(self, scene: Scene) -> Slopes:
        here = np.zeros_like(scene.here)
        curvature = agreement_slopes(scene.here, scene.length, here)
        return Slopes(here, np.zeros_like(scene.there), curvature)

    def __repr__(self) -> str:
        return f"Multiview({', '.join(map(str, self._views))})"


@compiled
def graph_slopes(
    here: Floats,
    there: Floats,
    weight: Floats,
    mass: Floats,
    scale: float,
    heaviest: float,
    near: Ints,
    m: int,
    apart: Floats,
    slope: Floats,
    pull: Floats,
) -> float:
    """Derivatives of sum_i scale mass_i w_i (there_i - here)^2, i in the first `m` of `near`; curvature.

    Where scale mass_i w_i add up to more than `heaviest`, they are scaled down to it.

    The Hessian is sum_i 2 w_i (K_i - K_x)(K_i - K_x)', so its trace sum_i 2 w_i ||K_i - K_x||^2 is a
    limit on its curvature.
    """
    views, classes = here.shape
    curvature, weights = 0.0, 0.0
    for a in range(m):
        weights += weight[near[a]] * mass[near[a]]
    if scale * weights > heaviest:
        scale = heaviest / weights
    for v in range(views):
        trace = 0.0
        for a in range(m):
            i = near[a]
            trace += weight[i] * mass[i] * apart[v, i]
        curvature = max(curvature, 2.0 * scale * trace)
        for c in range(classes):
            total = 0.0
            for a in range(m):
                i = near[a]
                s = 2.0 * scale * mass[i] * weight[i] * (there[v, c, i] - here[v, c])
                slope[v, c, i] = s
                total += s
            pull[v, c] = -total
    return curvature


@compiled
def agreement_slopes(here: Floats, length: Floats, pull: Floats) -> float:
    """Derivatives of sum_ij (here_i - here_j)^2.

    Over the views the Hessian is 4 (M I - 11'), with largest eigenvalue 4 M, times ||K_x||^2.
    """
    views, classes = here.shape
    for c in range(classes):
        total = 0.0
        for v in range(views):
            total += here[v, c]
        for v in range(views):
            pull[v, c] = 4.0 * (views * here[v, c] - total)
    longest = 0.0
    for v in range(views):
        longest = max(longest, length[v])
    return 4.0 * views * longest


@internal
def gaussian_weights(terms: Any, expansion: Expansion, work: Workspace) -> int:
    """w_i of the elements within reach into `work.weight` (0 elsewhere); their places into `near`."""
    n = expansion.size[0]
    sqdist, weight, near = work.sqdist[0], work.weight, work.near
    limit = terms.reach / terms.sharpness
    m = 0
    for i in range(n):
        weight[i] = 0.0
        if sqdist[i] <= limit:
            near[m] = i
            work.row[m] = sqdist[i]
            m += 1
    exponentials(work.row, terms.sharpness, m, work.shift)
    for a in range(m):
        weight[near[a]] = work.shift[a]
    return m
