"""What is numbered in paper 001, Herbster and Pontil 2006."""

from __future__ import annotations

from ohmline.lab.papers.item import Item, Paper

PAPER = Paper(
    "hp2006",
    "001: Prediction on a graph with a perceptron",
    (
        Item(
            "Theorem 2.1",
            "mistakes of the graph perceptron",
            ("bound.PerceptronBound",),
            ("bound/test_perceptron.py::test_theorem_2_1_is_never_beaten",),
        ),
    ),
)
