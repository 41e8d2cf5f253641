"""What is numbered in paper 002, Herbster 2008."""

from __future__ import annotations

from ohmline.lab.papers.item import Item, Paper

PAPER = Paper(
    "h2008",
    "002: Exploiting cluster-structure to predict the labeling of a graph",
    (
        Item(
            "Figure 2 (POUNCE)",
            "the online algorithm",
            ("learn.Pounce",),
            ("learn/test_pounce.py::test_every_trial_equals_the_box_in_exact_arithmetic",),
        ),
    ),
)
