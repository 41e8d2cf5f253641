"""The graphs of the comparison."""

from __future__ import annotations

from ohmline.data import load
from ohmline.graph import knn
from ohmline.lab.peers.contract import Problem

NEIGHBOURS = 10
TITLES = {
    "karate": "karate club",
    "digits": f"digits, {NEIGHBOURS} neighbours",
    "cora": "Cora",
    "pubmed": "PubMed",
    "wikimovies4": "wikimovies4",
    "wordnet30": "WordNet",
}


def problem(name: str) -> Problem:
    """The graph of that name: its largest component, nodes numbered from 0."""
    if name == "digits":
        digits = load("digits")
        return Problem.of(name, knn(digits.points, NEIGHBOURS).adjacency, digits.labels)
    data = load(name)
    return Problem.of(name, data.graph.adjacency, data.codes)
