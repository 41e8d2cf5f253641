"""Labelled points in the plane: the strips and the two moons of paper 002."""

from __future__ import annotations

import numpy as np

from ohmline.checks import generator, non_negative
from ohmline.graph.generate.labelled import LabelledPoints
from ohmline.graph.generate.simple import size


def strips(n: int, *, seed: int = 0) -> LabelledPoints:
    """Two strips with n points between them, each tied to one strip (paper 002, Figure 4).

    The n points (1, 1) .. (n, 1), positions 0..n-1, carry random labels and are the only ones
    `asked` for. Below and above them run two strips of 2n - 1 points at steps of 1/2, on the
    heights 0 (+1) and 2 (-1), and a point half way ties each of the n to the strip of its label.
    So the labels form two (1/2)-path-connected sets that are 1 apart, which nobody can know
    without seeing the other points.

    Differs: the paper counts 6n points; its loci hold 6n - 2.

    Parameters
    ----------
    n
        The number of points between the strips, at least 1.
    seed
        Draws their labels. Default 0.

    Examples
    --------
    >>> strips(10).points.shape
    (58, 2)
    """
    n = size(n, "n", least=1)
    signs = generator(seed).choice(np.array([-1, 1]), size=n)
    across, steps = np.arange(1.0, n + 1), np.arange(2, 2 * n + 1) / 2
    middle = np.column_stack([across, np.ones(n)])
    low = np.column_stack([steps, np.zeros(len(steps))])
    high = np.column_stack([steps, np.full(len(steps), 2.0)])
    ties = np.column_stack([across, np.where(signs > 0, 0.5, 1.5)])
    labels = np.concatenate(
        [signs, np.ones(len(low), dtype=np.int64), -np.ones(len(high), dtype=np.int64), signs]
    )
    return LabelledPoints(np.vstack([middle, low, high, ties]), labels, asked=np.arange(n))


def two_moons(n: int = 200, *, noise: float = 0.05, seed: int = 0) -> LabelledPoints:
    """Two half circles that reach into each other, with Gaussian noise (paper 002, Figure 1).

    The upper moon, the first half of the points, is labelled +1.

    Parameters
    ----------
    n
        The number of points, at least 2. Default 200.
    noise
        The standard deviation of what is added to every coordinate, at least 0. Default 0.05.
    seed
        Draws the noise. Default 0.
    """
    n, noise = size(n, "n", least=2), non_negative(noise, "noise")
    rng = generator(seed)
    upper = (n + 1) // 2
    angle = np.concatenate([np.linspace(0, np.pi, upper), np.linspace(0, np.pi, n - upper)])
    labels = np.where(np.arange(n) < upper, 1, -1)
    x = np.where(labels > 0, np.cos(angle), 1 - np.cos(angle))
    y = np.where(labels > 0, np.sin(angle), 0.5 - np.sin(angle))
    points = np.column_stack([x, y]) + noise * rng.standard_normal((n, 2))
    return LabelledPoints(points, labels, asked=np.arange(n))
