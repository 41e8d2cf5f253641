"""Many orders of one stream at once: the shuffles of an experiment side by side, on a CPU or a GPU."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.checks import listed, shown
from ohmline.device import Device, choose
from ohmline.errors import LabelError, LearnerError, ParameterError, ShapeError
from ohmline.kernel.contract import Kernel
from ohmline.learn.contract import TIE
from ohmline.learn.hypothesis import ROUNDING
from ohmline.learn.lgc.learner import OnlineLGC
from ohmline.learn.lgc.shared import SharedLGC
from ohmline.learn.perceptron import Perceptron

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Orders:
    """What happened in every order.

    Attributes
    ----------
    mistaken
        One row per order, one column per trial: whether the prediction was wrong.
    """

    mistaken: Bools

    @property
    def mistakes(self) -> Ints:
        """The mistakes of each order."""
        return self.mistaken.sum(axis=1)

    @property
    def error_rates(self) -> Floats:
        """The share of mistaken trials of each order."""
        return self.mistaken.mean(axis=1)


def play_orders(
    learner: Perceptron | OnlineLGC | SharedLGC,
    labels: Mapping[Hashable, Any],
    orders: Any,
    *,
    device: str | Device = "cpu",
) -> Orders:
    """Play one fresh learner over many orders of the same nodes, all orders one trial at a time.

    The same as `play` with a copy of the learner and every label told, once for each order; margins agree up to
    rounding. The work of a trial is one operation over all orders, so a GPU plays a thousand of them in the time of
    a few. On the CPU `play` is faster unless there are many orders.

    Parameters
    ----------
    learner
        A `Perceptron`, `OnlineLGC` or `SharedLGC` that has learned nothing yet; it stays as it is.
    labels
        The label of every node that comes up.
    orders
        One row per order: the ids of the nodes, as they come up. All rows are equally long.
    device
        "cpu" (default), "gpu" or "auto".

    Examples
    --------
    >>> import ohmline as ohm
    >>> ring = ohm.Graph.from_edges([(k, (k + 1) % 6) for k in range(6)])
    >>> learner = ohm.Perceptron(ohm.LaplacianKernel(ring) + ohm.Constant(1.0))
    >>> truth = {0: 1, 1: 1, 2: 1, 3: -1, 4: -1, 5: -1}
    >>> play_orders(learner, truth, [[0, 1, 2, 3, 4, 5], [5, 0, 4, 1, 3, 2]]).mistakes.tolist()
    [2, 2]
    """
    place = choose(device)
    if not isinstance(learner, Perceptron | OnlineLGC | SharedLGC):
        raise LearnerError(
            f"{shown(learner)} cannot be played over many orders at once; give a Perceptron, an OnlineLGC or a "
            "SharedLGC, or call play for each order"
        )
    if np.any(learner.state.gross):
        raise LearnerError("this learner has learned already; give a fresh one")
    if isinstance(learner, OnlineLGC | SharedLGC) and learner.space.rows.dtype != np.float64:
        raise LearnerError("many orders are played in float64; make the learner with dtype=numpy.float64")
    steps, known = _positions(learner.kernel, orders)
    codes, names = _codes(learner, labels, known)
    size = len(steps)
    with place.guarded(f"{size} orders"):
        step = _begin(learner, size, len(names), place)
        mistaken = np.empty(steps.shape, dtype=bool)
        truth, order = place.put(codes), place.put(steps)
        told = place.xp.empty(steps.shape[::-1], dtype=bool)
        for t in range(steps.shape[1]):
            x = order[:, t]
            told[t] = step(x, truth[x])
        mistaken[:] = place.get(told).T
    return Orders(mistaken)


def _positions(kernel: Kernel, orders: Any) -> tuple[Ints, Ints]:
    """The orders as positions, and the positions that come up."""
    rows = [listed(row, "an order") for row in listed(orders, "orders")]
    if not rows or len({len(row) for row in rows}) != 1 or not rows[0]:
        lengths = sorted({len(row) for row in rows})
        raise ShapeError(f"orders must be rows of one length above 0, got lengths {lengths}")
    steps = np.stack([kernel.nodes.positions(row) for row in rows]).astype(np.int64)
    return steps, np.unique(steps)


def _codes(learner: Any, labels: Mapping[Hashable, Any], known: Ints) -> tuple[Ints, tuple[Any, ...]]:
    """A number for the label of every position that comes up: -1 and 1, or that of the class."""
    if not isinstance(labels, Mapping):
        raise ParameterError(f"labels must map nodes to labels, got {shown(labels)}")
    nodes = learner.kernel.nodes
    codes = np.zeros(learner.kernel.n, dtype=np.int64)
    many = isinstance(learner, SharedLGC)
    names: dict[Any, int] = {}
    for position in known.tolist():
        node = nodes[position]
        if node not in labels:
            raise LabelError(f"node {node!r} comes up and has no label; add it to labels")
        label = labels[node]
        if many:
            codes[position] = names.setdefault(label, len(names))
        elif label not in (-1, 1):
            raise LabelError(f"the label of node {node!r} is {shown(label)}; a binary learner takes -1 and 1")
        else:
            codes[position] = int(label)
    return codes, tuple(names)


Step = Callable[[Any, Any], Any]


def _begin(learner: Perceptron | OnlineLGC | SharedLGC, size: int, classes: int, place: Device) -> Step:
    """What one trial does to all orders: nodes and labels in, who was wrong out."""
    if isinstance(learner, Perceptron):
        return _perceptron(learner, size, place)
    if isinstance(learner, OnlineLGC):
        return _online(learner, size, place)
    return _shared(learner, size, classes, place)


def _perceptron(learner: Perceptron, size: int, place: Device) -> Step:
    """The graph perceptron: each order has the values of its hypothesis at all nodes, or its features."""
    xp, kernel = place.xp, learner.kernel
    if kernel.space.partial:
        raise LearnerError("this kernel has columns on demand; use a LaplacianKernel or a SpectralKernel")
    features = kernel.space.explicit()
    as_features = features is not None and features.ridge == 0
    table = features.rows if as_features and features is not None else kernel.space.dense()
    place.room(8.0 * (table.size + size * table.shape[1]), f"{size} orders over {len(table)} nodes")
    rows, w = place.put(np.ascontiguousarray(table)), xp.zeros((size, table.shape[1]))
    length = place.put(kernel.diagonal())
    sqnorm, gross, lines = xp.zeros(size), xp.zeros(size), xp.arange(size)

    def step(x: Any, y: Any) -> Any:
        margin = (w * rows[x]).sum(axis=1) if as_features else w[lines, x]
        size_ = xp.maximum(TIE * xp.sqrt(xp.maximum(sqnorm, 0.0)), ROUNDING * gross) * xp.sqrt(length[x])
        margin = xp.where(xp.abs(margin) <= size_, 0.0, margin)
        moves = xp.where(margin * y > 0, 0.0, y)
        w[:] += moves[:, None] * rows[x]
        sqnorm[:] += moves * (2 * margin + moves * length[x])
        gross[:] += xp.abs(moves) * xp.sqrt(length[x])
        return xp.where(margin >= 0, 1, -1) != y

    return step


class _Ridge:
    """What the two second-order learners share: A^-1 of every order, and the rounding that it magnifies."""

    def __init__(self, learner: OnlineLGC | SharedLGC, size: int, columns: int, place: Device) -> None:
        xp = place.xp
        table = learner.space.rows
        n, d = table.shape
        place.room(8.0 * (n * d + size * d * (2 * d + columns)), f"{size} orders of rank {d}")
        self.xp, self.rows = xp, place.put(table)
        self.length = place.put(learner.space.diagonal)
        self.inverse = xp.tile(xp.eye(d) / learner.mu, (size, 1, 1))
        self.gross, self.blur = xp.zeros(size), xp.ones(size)

    def close(self, sqnorm: Any, x: Any) -> Any:
        """How large a margin may be and still be 0 but for rounding."""
        share = max(TIE, 8 * EPS)
        blurred = self.xp.minimum(share, 16 * EPS * self.blur) * self.gross
        return self.xp.maximum(share * self.xp.sqrt(sqnorm), blurred) * self.xp.sqrt(self.length[x])

    def gain(self, which: Any, m: Any) -> tuple[Any, Any]:
        """A^-1 m and m' A^-1 m, for some of the orders."""
        g = (self.inverse[which] @ m[:, :, None])[:, :, 0]
        return g, self.xp.maximum((g * m).sum(axis=1), 0.0)

    def settle(self, which: Any, g: Any, q: Any, progress: Any) -> None:
        """Bring A^-1 of these orders up to date."""
        scaled = g / self.xp.sqrt(1 + q)[:, None]
        self.inverse[which] -= scaled[:, :, None] * scaled[:, None, :]
        self.gross[which] += self.xp.sqrt(progress)
        self.blur[which] = self.xp.maximum(self.blur[which], 1 + q)


def _online(learner: OnlineLGC, size: int, place: Device) -> Step:
    """OLLGC, on mistakes and ties or on every label."""
    xp = place.xp
    ridge = _Ridge(learner, size, 1, place)
    w, every = xp.zeros((size, ridge.rows.shape[1])), not learner.mistake_driven
    everyone: Any = slice(None)

    def step(x: Any, y: Any) -> Any:
        m = ridge.rows[x]
        margin = (w * m).sum(axis=1)
        margin = xp.where(xp.abs(margin) <= ridge.close((w * w).sum(axis=1), x), 0.0, margin)
        which = everyone if every else xp.flatnonzero(margin * y <= 0)
        if every or len(which):
            g, q = ridge.gain(which, m[which])
            c = (y[which] - margin[which]) / (1 + q)
            w[which] += c[:, None] * g
            ridge.settle(which, g, q, c * c * (g * g).sum(axis=1))
        return xp.where(margin >= 0, 1, -1) != y

    return step


def _shared(learner: SharedLGC, size: int, columns: int, place: Device) -> Step:
    """Many classes over one A; a class that has not come up yet is not predicted, and ties go to who came first."""
    xp = place.xp
    ridge = _Ridge(learner, size, columns, place)
    w = xp.zeros((size, columns, ridge.rows.shape[1]))
    came = xp.full((size, columns), columns, dtype=np.int64)  # the rank at which a class first came up
    seen, lines = xp.zeros(size, dtype=np.int64), xp.arange(size)

    def step(x: Any, y: Any) -> Any:
        m = ridge.rows[x]
        scores = (w @ m[:, :, None])[:, :, 0]
        known = came < columns
        close = ridge.close(xp.where(known, (w * w).sum(axis=2), 0.0).max(axis=1), x)
        best, top = xp.full(size, -1, dtype=np.int64), xp.full(size, -np.inf)
        order = xp.argsort(came, axis=1)
        for k in range(columns):  # in the order in which each order met them
            c = order[:, k]
            score = scores[lines, c]
            better = (k < seen) & ((best < 0) | (score > top + close))
            best, top = xp.where(better, c, best), xp.where(better, score, top)
        new = came[lines, y] == columns
        came[lines, y] = xp.where(new, seen, came[lines, y])
        seen[:] += new
        g, q = ridge.gain(slice(None), m)
        goal = xp.zeros((size, columns))
        goal[lines, y] = 1.0
        change = xp.where(came < columns, goal - scores, 0.0) / (1 + q)[:, None]
        w[:] += change[:, :, None] * g[:, None, :]
        ridge.settle(slice(None), g, q, (change * change).sum(axis=1) * (g * g).sum(axis=1))
        return best != y

    return step
