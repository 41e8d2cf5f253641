"""The Open Graph Benchmark's two node sets with their official splits: label propagation, as listed there, and ours."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.data import Dataset, is_here, load
from ohmline.data.catalog import entry_of
from ohmline.lab.experiment import Claim, Experiment, Result, Row, Settings
from ohmline.lab.rivals.leaderboard import ENTRIES, Listed, scores
from ohmline.learn import LocalLGC

NEAR = 0.005
"""How far from the leaderboard the same method may end: it prints three digits, and single precision rounds."""
LARGE = "ogbn-products"
"""Takes minutes, and several GB: a quick run leaves it out."""
TRAIN, TEST = "train", "test"


def right(said: Ints, data: Dataset, part: str) -> float:
    """The share of a part's nodes whose class was said."""
    places = data.parts[part]
    return float(np.mean(said[places] == data.codes[places]))


def by_propagation(data: Dataset, entry: Listed) -> Ints:
    """The class of every node by label propagation from the training nodes."""
    known = data.parts[TRAIN]
    found: Floats = scores(data.graph.adjacency, known, data.codes[known], len(data.classes), entry)
    return np.asarray(found.argmax(axis=1))


def by_local_lgc(data: Dataset) -> Ints:
    """The class of every node by `LocalLGC` with its defaults, from the same labels."""
    learner = LocalLGC(data.graph, classes=range(len(data.classes)), guess=True)
    known = data.parts[TRAIN]
    nodes = data.graph.nodes
    learner.learn_many([nodes[int(i)] for i in known], data.codes[known].tolist())
    return np.asarray(learner.predict_many().codes)


def run(settings: Settings) -> Result:
    """Each set that is here; of the others, what to fetch."""
    rows: list[Row] = []
    claims: list[Claim] = []
    for name, entry in ENTRIES.items():
        accuracy = None
        if is_here(name) and not (settings.quick and name == LARGE):
            settings.tick(f"reading {name}")
            data = load(name, listen=settings.tick)
            settings.tick(f"label propagation on {name}")
            said = by_propagation(data, entry)
            accuracy = right(said, data, TEST)
            method = f"label propagation, alpha {entry.alpha:g}, {entry.steps} steps, {entry.scaling.value}"
            rows.append(Row(name, method, "accuracy on the test nodes", accuracy, entry.test))
            settings.tick(f"LocalLGC on {name}")
            rows.append(
                Row(name, "LocalLGC", "accuracy on the test nodes", right(by_local_lgc(data), data, TEST))
            )
        claims.append(claim(name, entry, accuracy))
    return Result(rows, claims, notes=NOTES)


def claim(name: str, entry: Listed, accuracy: float | None) -> Claim:
    """The leaderboard's sentence, with what was found or with what to fetch."""
    absent = "" if is_here(name) else name
    return Claim(
        f"{name}: label propagation gets {entry.test:.1%} of the test nodes right",
        accuracy is not None and abs(accuracy - entry.test) <= NEAR,
        to_fetch(name)
        if accuracy is None and absent
        else "left out"
        if accuracy is None
        else f"{accuracy:.4f}",
        threshold=f"within {NEAR:g} of it",
        full=name == LARGE,
        missing=absent,
    )


def to_fetch(name: str) -> str:
    """What to do so that a data set is here."""
    entry = entry_of(name)
    addresses = " and ".join(remote.mirrors[0] for remote in entry.remotes)
    return (
        f"not here: `ohmline data get {name}` fetches {addresses}; without a network, unpack that file into the folder "
        f"{entry.place} of the folder that OHMLINE_DATA names"
    )


NOTES = [
    "paper: the leaderboard of the Open Graph Benchmark for label propagation, whose settings each row has. LocalLGC "
    "has its defaults and no entry there.",
    "The official splits: by time on ogbn-arxiv, by sales on ogbn-products. Edges have no direction and no weight; "
    "labels are those of the training nodes alone, and accuracy is that of the test nodes.",
    f"{LARGE} takes minutes and several GB of memory, so that a quick run leaves it out.",
]

EXPERIMENTS = {
    "ogbn": Experiment(
        "ogbn",
        "Open Graph Benchmark: label propagation on the official splits",
        "Hu et al., Open graph benchmark, NeurIPS 2020",
        (),
        run,
    )
}
