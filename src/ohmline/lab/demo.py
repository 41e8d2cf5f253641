"""The demonstration: scikit-learn's digits as a graph, two games, two certificates."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ohmline.data import load
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.graph import Graph, knn
from ohmline.kernel import LaplacianKernel
from ohmline.lab.game import Game
from ohmline.learn import OneVsRest, Perceptron

NEIGHBOURS = 5

STAGES = ("loading the digits", "the graph", "its kernel", "even against odd", "ten classes")


class Demo(NamedTuple):
    """The graph and the games on it."""

    graph: Graph
    games: tuple[Game, ...]


def play_digits(seed: int = 0, stage: Callable[[str], None] = lambda name: None) -> Demo:
    """Play both games; `stage` is told of each of `STAGES` as it begins."""
    stage(STAGES[0])
    digits = load("digits")
    stage(STAGES[1])
    graph = knn(digits.points, NEIGHBOURS)
    stage(STAGES[2])
    kernel = LaplacianKernel(graph).with_default_bias()
    nodes = np.arange(graph.n)
    play(Perceptron(kernel), Stream(nodes[:1], [1]))  # the machine code is loaded before the clock runs
    stage(STAGES[3])
    parity = Stream(nodes, np.where(digits.labels % 2 == 0, 1, -1)).shuffled(seed)
    even = Game.of("Even against odd", play(Perceptron(kernel), parity), {1: "even", -1: "odd"})
    stage(STAGES[4])
    many = OneVsRest(lambda: Perceptron(kernel), classes=range(10))
    ten = Game.of("Ten classes", play(many, Stream(nodes, digits.labels).shuffled(seed)))
    return Demo(graph, (even, ten))
