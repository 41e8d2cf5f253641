"""Figure 1 of paper 003: a random projection tree drawn over the swiss roll."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.game.vectors import SwissRoll
from ohmline.kernel import RBF
from ohmline.lab.experiments.glz2008_figures import GREY, INK
from ohmline.lab.plot import PALETTE
from ohmline.learn.manifold import Manifold, OnlineManifold, RPTree


class Tree(NamedTuple):
    """The splits of a random projection tree in the plane, read from a snapshot."""

    root: int
    child: Ints
    """Two for each split; below 0 a leaf: -1 - i stands for leaf i."""
    direction: Floats
    threshold: Floats

    def leaf_of(self, x: Floats) -> int:
        """The leaf that a point falls into."""
        node = self.root
        while node >= 0:
            node = int(self.child[node, int(self.direction[node] @ x > self.threshold[node])])
        return -1 - node


class Cell(NamedTuple):
    """A convex region of the plane: corners in order, its depth, and its leaf (or -1)."""

    corners: Floats
    depth: int
    leaf: int


def swiss_roll(trials: int, leaves: int, seed: int) -> tuple[Floats, Tree]:
    """The roll seen from its side, and the tree that has seen it once."""
    points, _ = SwissRoll(noise=0.25).at(0, trials, seed)
    flat = np.ascontiguousarray(points[:, [0, 2]])
    learner = OnlineManifold(RBF(1.0), RPTree(leaves, points=30), smoothness=Manifold(1.0), seed=seed)
    for x in flat:
        learner.learn_one(x, None)
    state = learner.snapshot()
    return flat, Tree(
        int(state["basis.root"][0]), state["basis.child"], state["basis.direction"], state["basis.threshold"]
    )


def cells(tree: Tree, box: Floats) -> tuple[list[Cell], list[tuple[Floats, int]]]:
    """The regions of the leaves within `box`, and every split as a segment with its depth."""
    regions, segments = [], []
    waiting = [(tree.root, Cell(box, 0, -1))]
    while waiting:
        node, cell = waiting.pop()
        if node < 0:
            regions.append(cell._replace(leaf=-1 - node))
            continue
        direction, threshold = tree.direction[node], float(tree.threshold[node])
        segments.append((crossing(cell.corners, direction, threshold), cell.depth))
        for side, sign in ((0, 1.0), (1, -1.0)):
            part = clip(cell.corners, sign * direction, sign * threshold)
            if len(part) > 2:
                waiting.append((int(tree.child[node, side]), Cell(part, cell.depth + 1, -1)))
    return regions, segments


def clip(corners: Floats, direction: Floats, threshold: float) -> Floats:
    """The part of a convex polygon where direction'x <= threshold (Sutherland and Hodgman)."""
    height = corners @ direction - threshold
    kept = []
    for k in range(len(corners)):
        a, b = corners[k - 1], corners[k]
        if (height[k - 1] <= 0) != (height[k] <= 0):
            share = height[k - 1] / (height[k - 1] - height[k])
            kept.append(a + share * (b - a))
        if height[k] <= 0:
            kept.append(b)
    return np.array(kept).reshape(-1, 2)


def crossing(corners: Floats, direction: Floats, threshold: float) -> Floats:
    """The two points where the line direction'x = threshold meets the border of a polygon."""
    height = corners @ direction - threshold
    ends = []
    for k in range(len(corners)):
        if (height[k - 1] <= 0) != (height[k] <= 0):
            share = height[k - 1] / (height[k - 1] - height[k])
            ends.append(corners[k - 1] + share * (corners[k] - corners[k - 1]))
    return np.array(ends).reshape(-1, 2)


def draw_tree(figure: Any, points: Floats, tree: Tree) -> None:
    """Dots, splits as segments, leaves as polygons, and the Gaussian of each leaf as an ellipse."""
    from matplotlib.patches import Ellipse, Polygon

    figure.set_size_inches(7.4, 6.6)
    axes = figure.subplots()
    low, high = points.min(0) - 1.0, points.max(0) + 1.0
    box = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    regions, segments = cells(tree, box)
    for cell in regions:
        colour = PALETTE[cell.leaf % len(PALETTE)]
        axes.add_patch(Polygon(cell.corners, closed=True, facecolor=colour, alpha=0.13, edgecolor="none"))
    for ends, depth in segments:
        axes.plot(
            *ends.T, color=INK, linewidth=max(2.2 - 0.28 * depth, 0.4), alpha=max(0.9 - 0.07 * depth, 0.35)
        )
    axes.plot(*points.T, ".", color=GREY, markersize=2.0, alpha=0.8, zorder=2)
    leaf_of = np.array([tree.leaf_of(x) for x in points])
    for leaf in np.unique(leaf_of):
        inside = points[leaf_of == leaf]
        if len(inside) < 3:
            continue
        spread, axes_of = np.linalg.eigh(np.cov(inside.T))
        width, height = 4 * np.sqrt(np.maximum(spread[::-1], 0.0))  # two standard deviations each way
        angle = float(np.degrees(np.arctan2(axes_of[1, 1], axes_of[0, 1])))
        axes.add_patch(
            Ellipse(
                tuple(inside.mean(0)), width, height, angle=angle, facecolor="none", edgecolor=PALETTE[3],
                linewidth=1.4, zorder=3,
            )
        )  # fmt: skip
        axes.plot(*inside.mean(0), "+", color=PALETTE[3], markersize=5, zorder=4)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", xticks=[], yticks=[])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_title(
        f"A random projection tree on the swiss roll: {len(points):,} points, {len(regions)} leaves",
        loc="left",
    )
