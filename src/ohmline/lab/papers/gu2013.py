"""What is numbered in paper 004, Gu, Aggarwal, Liu and Han 2013."""

from __future__ import annotations

from ohmline.lab.papers.item import Item, Paper

PAPER = Paper(
    "gu2013",
    "004: Selective sampling on graphs for classification",
    (
        Item(
            "Algorithm 1",
            "OLLGC",
            ("learn.OnlineLGC",),
            ("learn/test_online_lgc.py::test_follows_the_algorithm_boxes",),
        ),
    ),
)
