"""What is numbered in paper 000, Herbster, Pontil and Wainer 2005."""

from __future__ import annotations

from ohmline.lab.papers.item import Item, Paper

PAPER = Paper(
    "hpw2005",
    "000: Online learning over graphs",
    (
        Item(
            "Algorithm 1",
            "projection onto the sets that the trials give",
            ("learn.Projection",),
            ("learn/test_projection.py::test_every_trial_equals_the_box_in_exact_arithmetic",),
        ),
    ),
)
