"""How many labels a goal of `ohmline label` takes: `python tools/labelling.py` prints it as JSON.

Sessions whose every answer is true: the digits with a goal of 5 %, Cora with a goal of 20 %.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import ohmline as ohm
from ohmline.graph import Graph
from ohmline.labelling import Session

SESSIONS = (("digits", 0.05, range(3)), ("cora", 0.2, range(2)))


def session(graph: Graph, labels: dict[Any, Any], goal: float, seed: int) -> dict[str, float]:
    """One session from its first question to the goal."""
    classes = sorted(set(labels.values()))
    with TemporaryDirectory() as folder:
        path = Path(folder, "answers.jsonl")
        with Session(graph, classes, journal=path, goal=goal, seed=seed) as job:
            drawn = 0
            while (question := job.question()) is not None:
                drawn += question.asked == "audit"
                job.answer(labels[question.node])
            said, known = job.predictions(), job.labels
            wrong = [said[node][0] != labels[node] for node in labels if node not in known]
            return {"labels": len(known), "drawn at random": drawn, "wrong at the end": float(np.mean(wrong))}


def measured() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, goal, seeds in SESSIONS:
        data = ohm.data.load(name)
        if name == "digits":
            graph, truth = ohm.graph.knn(data.points, 5), data.labels.tolist()
        else:
            data = data.largest_component()
            graph, truth = data.graph, np.asarray(data.codes).tolist()
        labels = dict(zip(graph.nodes, truth, strict=True))
        for seed in seeds:
            found[f"{name}, seed {seed}"] = session(graph, labels, goal, seed)
            print(name, seed, found[f"{name}, seed {seed}"], file=sys.stderr)
    return found


if __name__ == "__main__":
    print(json.dumps(measured(), indent=1))
