"""The demonstration on scikit-learn's digits: the everyday job, then the papers' game with its certificates."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ohmline.arrays import Floats
from ohmline.compiled import kept
from ohmline.data import load
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.graph import Graph, knn
from ohmline.kernel import LaplacianKernel
from ohmline.lab.everyday import Everyday, everyday, random_draws
from ohmline.lab.game import Game
from ohmline.lab.label_spreading import Aside
from ohmline.learn import OneVsRest, Perceptron
from ohmline.learn.local_lgc.step import learn_class

NEIGHBOURS = 5


def first_time() -> bool:
    """Whether the machine code of the demo is still to be made; where it cannot be kept, it always is."""
    return not kept(learn_class)


class Demo(NamedTuple):
    """The pictures as a graph, the job, and the games."""

    pictures: Floats
    """One row of 64 grey levels for each digit."""
    graph: Graph
    job: Everyday
    games: tuple[Game, ...]


def play_digits(aside: Aside, seed: int = 0, stage: Callable[[str], None] = lambda name: None) -> Demo:
    """Do the job and play both games; `stage` is told of each stage as it begins."""
    stage("loading the digits")
    digits = load("digits")
    draws = random_draws(len(digits), seed)
    aside.begin(digits.points, digits.labels, np.array(draws))
    stage("joining each to the five most similar")
    graph = knn(digits.points, NEIGHBOURS)
    kernel = LaplacianKernel(graph).with_default_bias()
    job = everyday(digits, graph, kernel, draws, aside, stage, seed)
    nodes = np.arange(graph.n)
    stage("the game: even against odd")
    play(Perceptron(kernel), Stream(nodes[:1], [1]))  # the machine code is loaded before the clock runs
    parity = Stream(nodes, np.where(digits.labels % 2 == 0, 1, -1)).shuffled(seed)
    even = Game.of("Even against odd", play(Perceptron(kernel), parity), {1: "even", -1: "odd"})
    stage("the game: ten classes")
    many = OneVsRest(lambda: Perceptron(kernel), classes=range(10))
    ten = Game.of("Ten classes", play(many, Stream(nodes, digits.labels).shuffled(seed)))
    return Demo(digits.points, graph, job, (even, ten))
