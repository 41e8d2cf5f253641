"""The arrays of a learner, once its first points are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self, final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints, finite, non_negative, vector
from ohmline.errors import ShapeError, SnapshotError
from ohmline.kernel.vector import RBF, Linear, VectorKernel
from ohmline.learn.contract import State
from ohmline.learn.manifold.bandwidth import unit_scale
from ohmline.learn.manifold.checked import checked_arrays, flat
from ohmline.learn.manifold.descent import heaviest
from ohmline.learn.manifold.expansion import Expansion, Workspace
from ohmline.learn.manifold.function import KernelFunction
from ohmline.learn.manifold.options import LARGEST_WIDTH, SMALLEST_WIDTH, Options
from ohmline.learn.manifold.smoothness import Manifold, Scene, Slopes
from ohmline.learn.manifold.step import ManifoldState, Terms, crowding, finish
from ohmline.learn.snapshots import saved_count, saved_number, take
from ohmline.learn.step import UNLABELLED, Bound, bind, learn_at, view_at


class Functions(NamedTuple):
    """How many functions there are, and for which classes."""

    classes: int
    """Classes that are known."""
    late: bool
    """Whether others may come: then one more function, which has every label against it, is kept for them."""

    @property
    def number(self) -> int:
        """One function of two signs for two declared classes, else one each."""
        return 1 if self.binary else self.classes + self.late

    @property
    def binary(self) -> bool:
        """Whether there is one function of two signs."""
        return self.classes == 2 and not self.late

    @property
    def sayable(self) -> int:
        """Classes that may be said before they were seen."""
        return 0 if self.late else self.classes

    def order(self) -> Ints:
        """The codes of the classes that may be said, then -1."""
        return np.full(self.classes + 1, -1) if self.late else np.arange(self.classes)


@final
class Model:
    """The space and the state of one learner, and what Python code does to them."""

    def __init__(
        self,
        options: Options,
        dimension: int,
        functions: Functions,
        kernels: tuple[VectorKernel, ...],
        graph_width: float | None,
        scale: Floats,
    ) -> None:
        self.options, self.kernels, self.graph_width = options, kernels, graph_width
        self.dimension, self.scale = dimension, scale
        self._bound: tuple[ManifoldState, Bound] | None = None
        self.columns = options.columns(dimension)
        self.space: Terms = options.terms(self.columns, scale, kernels, graph_width, binary=functions.binary)
        expansion = Expansion.empty(
            views=len(self.columns),
            dimension=self.columns.shape[1],
            classes=functions.number,
            capacity=options.basis.capacity,
            weights=options.replays > 0,
            seed=options.seed,
        )
        self.state = ManifoldState(
            options.basis.start(dimension, 1.0 if graph_width is None else graph_width),
            expansion,
            Workspace.of(expansion),
            functions.order(),
            np.array([functions.sayable]),
        )

    @classmethod
    def fit_widths(cls, options: Options, points: Floats, functions: Functions) -> Self:
        """A model whose open widths, and the scale of the features, are read off `points`."""
        scale = unit_scale(points) if options.standardise else np.ones(points.shape[1])
        points = points * scale
        columns = options.columns(points.shape[1])
        kernels = tuple(
            RBF(options.bandwidth.kernel_width(points[:, view[view >= 0]]))
            if options.kernel is None
            else options.kernel
            for view in columns
        )
        graph, width = options.smoothness, None
        if isinstance(graph, Manifold) and graph.weight is None:
            width = options.bandwidth.graph_width(points) if graph.width is None else graph.width
        return cls(options, points.shape[1], functions, kernels, width, scale)

    def __getstate__(self) -> dict[str, Any]:  # addresses mean nothing in another process
        return {**self.__dict__, "_bound": None}

    @property
    def expansion(self) -> Expansion:
        """The functions over the basis."""
        return self.state.expansion

    @property
    def trials(self) -> int:
        """Points seen."""
        return int(self.expansion.time[0])

    @property
    def size(self) -> int:
        """Elements in the basis."""
        return int(self.expansion.size[0])

    def scores(self, x: Floats) -> Floats:
        """The mean over the views of f, or of f-bar, at `x`: one number per function."""
        view_at(self.step(), x)
        coefficients = self.expansion.mean if self.options.averaged else self.expansion.alpha
        n = self.size
        return np.asarray(
            np.einsum("vci,vi->c", coefficients[:, :, :n], self.state.work.k[:, :n]) / len(self.columns)
        )

    def learn(self, x: Floats, y: int) -> tuple[int, bool, float]:
        """One trial: (class that was predicted, whether f moved, squared length of the step)."""
        if not self.options.compiled:
            return self._learn_foreign(x, y)
        self.room()
        return learn_at(self.step(), x, y)

    def step(self) -> int:
        """The address of the step for compiled code to call."""
        if self._bound is None or self._bound[0] is not self.state:
            place = np.zeros(self.dimension)
            bound = bind(self.space, self.state, None, place, every_point=True, watched=False)
            self._bound = self.state, bound
        return self._bound[1].address

    def room(self) -> int:
        """Trials that can run before room has to be made; makes it when there is none."""
        capacity = self.expansion.gram.shape[1]
        if not self.options.basis.grows:
            return capacity
        if self.size == capacity:
            capacity *= 2
            self._replace(self.expansion.grown(capacity))
        return int(capacity - self.size)

    def add_class(self) -> None:
        """Make room for one more class, whose function is that of a class that never had a label."""
        self._replace(self.expansion.with_class())
        self.state = self.state._replace(order=np.append(self.state.order, -1))

    def keep_classes(self, codes: Ints) -> None:
        """Drop the functions of all other classes, and number the kept ones anew."""
        spare = self.expansion.alpha.shape[1] - 1
        self._replace(self.expansion.with_classes(np.append(codes, spare)))
        order = np.append(np.arange(len(codes)), -1)
        self.state = self.state._replace(order=order, seen=np.array([len(codes)]))

    def _replace(self, expansion: Expansion) -> None:
        self.state = self.state._replace(expansion=expansion, work=Workspace.of(expansion))

    @property
    def sqnorm(self) -> float:
        """||f_T||^2, from the values at the basis."""
        n = self.size
        return float(np.sum(self.expansion.alpha[:, :, :n] * self.expansion.value[:, :, :n]))

    def function(self, *, averaged: bool) -> KernelFunction:
        """f_T or f-bar."""
        n = self.size
        coefficients = (self.expansion.mean if averaged else self.expansion.alpha)[:, :, :n]
        return KernelFunction(
            self.kernels,
            tuple(view[view >= 0] for view in self.columns),
            self.basis_points() / self.scale,
            coefficients.copy(),
            self.scale.copy(),
        )

    def basis_points(self) -> Floats:
        """The elements of the basis, (n, d), in the scale of the model."""
        points = np.zeros((self.size, self.dimension))
        for view, columns in enumerate(self.columns):
            kept = columns >= 0
            points[:, columns[kept]] = self.expansion.points[view, kept, : self.size].T
        return points

    def arrays(self) -> State:
        """Everything it knows, for a snapshot."""
        widths = np.array([k.width if isinstance(k, RBF) else 0.0 for k in self.kernels])
        graph = 0.0 if self.graph_width is None else self.graph_width
        return {
            "model.dimension": np.array(self.dimension),
            "model.widths": widths,
            "model.scale": self.scale.copy(),
            "model.graph_width": np.array(graph),
            "model.order": self.state.order.copy(),
            "model.seen": self.state.seen.copy(),
            **{key: a.copy() for key, a in flat("expansion", self.expansion).items()},
            **{key: a.copy() for key, a in flat("basis", self.state.basis).items()},
        }

    @classmethod
    def from_arrays(cls, options: Options, functions: Functions, saved: State) -> Self:
        """The model that `arrays` came from."""

        def part(key: str) -> AnyArray:
            return take(saved, "OnlineManifold", key)

        widths = vector(part("model.widths"), "the widths of the snapshot")
        graph = saved_number(saved, "OnlineManifold", "model.graph_width")
        for width in (*widths.tolist(), graph):
            if width != 0 and not SMALLEST_WIDTH <= width <= LARGEST_WIDTH:  # 0 stands for none
                raise SnapshotError(
                    f"a width of the snapshot is {width:g}, but must lie from {SMALLEST_WIDTH:g} to "
                    f"{LARGEST_WIDTH:g}; it is damaged"
                )
        kernels = tuple(RBF(w) if w > 0 else Linear() for w in widths.tolist())
        dimension = saved_count(saved, "OnlineManifold", "model.dimension")
        if not 0 < dimension <= part("expansion.points").size + part("model.widths").size:
            raise SnapshotError(f"the snapshot's points cannot have {dimension} features; it is damaged")
        if len(kernels) != len(options.columns(dimension)):
            raise SnapshotError(
                f"the snapshot has {len(kernels)} widths, one per view is needed; it is damaged"
            )
        scale = vector(part("model.scale"), "the scale of the snapshot", length=dimension)
        if not np.all(scale > 0):
            raise SnapshotError(
                f"the scale of the snapshot must be above 0, got {scale.min():g}; it is damaged"
            )
        model = cls(options, dimension, functions, kernels, graph if graph > 0 else None, scale.copy())
        arrays = checked_arrays(model, functions.classes, part)
        expansion = Expansion(*(arrays[f"expansion.{k}"] for k in Expansion._fields))
        model.state = ManifoldState(
            _rebuilt("basis", model.state.basis, arrays),
            expansion,
            Workspace.of(expansion),
            arrays["order"],
            arrays["seen"],
        )
        return model

    def _learn_foreign(self, x: Floats, y: int) -> tuple[int, bool, float]:
        """The same trial around a regulariser written in Python, which is asked before anything moves."""
        self.room()
        prediction, _ = view_at(self.step(), x)
        n, work = self.size, self.state.work
        slopes = self.options.smoothness.slopes(self.scene(x, self.trials + 1, labelled=y != UNLABELLED))
        _check_slopes(slopes, work.pull.shape, n)
        touched = np.flatnonzero(np.any(slopes.there != 0, axis=(0, 1)))
        work.slope[:, :, :n] = slopes.there
        work.pull[:] = slopes.here
        work.near[: len(touched)] = touched
        sqlength = finish(self.space, self.state, y, len(touched), float(slopes.curvature))
        return prediction, sqlength > 0, float(sqlength)

    def scene(self, x: Floats, trial: int, *, labelled: bool) -> Scene:
        """What a regulariser sees of the point that was just read, as trial number `trial`."""
        n, expansion, work = self.size, self.expansion, self.state.work
        scale = crowding(self.space, expansion, trial)
        diagonal = np.diagonal(expansion.gram[:, :n, :n], axis1=1, axis2=2)
        apart = diagonal + work.kxx[:, None] - 2 * work.k[:, :n]
        return Scene(
            x * self.scale,
            self.basis_points(),
            expansion.mass[:n] * scale,
            work.score.copy(),
            expansion.value[:, :, :n].copy(),
            np.maximum(apart, 0.0),
            work.kxx.copy(),
            float(heaviest(self.space, trial, int(expansion.labels[0]) + labelled)),
        )


def _rebuilt(name: str, like: Any, part: Mapping[str, AnyArray]) -> Any:
    """The tuple that `flat` took apart, in the shape of `like`; its plain numbers are options, which stay."""
    if not isinstance(like, tuple):
        return part[name] if isinstance(like, np.ndarray) else like
    return type(like)(*(_rebuilt(f"{name}.{k}", v, part) for k, v in like._asdict().items()))  # type: ignore[attr-defined]


def _check_slopes(slopes: Slopes, shape: tuple[int, ...], n: int) -> None:
    """Refuse what would spoil the state: wrong shapes and numbers that are not finite."""
    here, there = np.asarray(slopes.here), np.asarray(slopes.there)
    if here.shape != shape or there.shape != (*shape, n):
        raise ShapeError(
            f"the regulariser's slopes have shapes {here.shape} and {there.shape}; "
            f"expected {shape} at the point and {(*shape, n)} at the basis"
        )
    finite(here, "slopes.here")
    finite(there, "slopes.there")
    non_negative(slopes.curvature, "the curvature of the slopes")
