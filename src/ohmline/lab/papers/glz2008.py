"""What is numbered in paper 003, Goldberg, Li and Zhu 2008."""

from __future__ import annotations

from ohmline.lab.papers.item import Item, Paper

PAPER = Paper(
    "glz2008",
    "003: Online manifold regularization",
    (
        Item(
            "Eq. (7)",
            "the instantaneous regularised risk",
            ("learn.OnlineManifold",),
            ("learn/test_manifold.py::test_agrees_with_the_literal_algorithm_trial_by_trial",),
        ),
    ),
)
