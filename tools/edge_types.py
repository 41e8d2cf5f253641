"""What directions and learned weights of types buy: `python tools/edge_types.py` prints the tables of a page as JSON.

Beside `ohmline reproduce relations`: small graphs whose edges have a direction, and Cora with types of edges that were
generated. The constants of the learners were chosen on other graphs and other seeds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ohmline as ohm
from ohmline.graph import Graph, Relations
from ohmline.lab.experiments.relations import beside_differing, beside_noise, random_edges, real
from ohmline.learn.relations.typed import joined

SEEDS, ORDERS = range(400, 404), range(3)
SECOND = (0.1, 0.3, 3.0)
"""What a second type may count beside the first, where the best fixed choice is looked for."""
Rows = list[tuple[int, int, str]]


def paid(rng: np.random.Generator, refunds: float) -> tuple[Rows, list[str]]:
    """A hundred clients who pay three of forty shops each; some payments come back."""
    rows = [(i, int(100 + j), "pays") for i in range(100) for j in rng.choice(40, 3, replace=False)]
    back = [(j, i, "pays") for i, j, _ in rows if rng.random() < refunds]
    return rows + back, ["client"] * 100 + ["shop"] * 40


def followed(rng: np.random.Generator) -> tuple[Rows, list[str]]:
    """Three hundred clients and shops: clients pay shops, and anybody follows anybody."""
    kinds = np.where(rng.random(300) < 0.3, "shop", "client")
    shops, clients = np.flatnonzero(kinds == "shop"), np.flatnonzero(kinds == "client")
    rows = [(int(i), int(j), "pays") for i in clients for j in rng.choice(shops, 3, replace=False)]
    rows += [(i, int(j), "follows") for i in range(300) for j in rng.integers(300, size=2) if i != j]
    return rows, kinds.tolist()


def aged(rng: np.random.Generator, homophily: float) -> tuple[Rows, list[str]]:
    """Two classes of 150, and edges from the younger to the older node, whatever their classes."""
    chance = 0.06 * np.array([[homophily, 1 - homophily], [1 - homophily, homophily]])
    made = ohm.graph.generate.stochastic_block_model([150, 150], chance, seed=int(rng.integers(2**31)))
    u, v = made.graph.edges()[:2]
    age = rng.permutation(300)
    ahead = age[u] < age[v]
    rows = zip(np.where(ahead, u, v).tolist(), np.where(ahead, v, u).tolist(), strict=True)
    return [(i, j, "points to") for i, j in rows], [f"class {k}" for k in made.groups.tolist()]


def ring(rng: np.random.Generator) -> tuple[Rows, list[str]]:
    """Ten classes of sixty, four edges from each node to the next class, one in five anywhere."""
    rows = [
        (i, int(60 * ((i // 60 + 1) % 10) + j), "then") for i in range(600) for j in rng.integers(60, size=4)
    ]
    rows = [(i, int(rng.integers(600)) if rng.random() < 0.2 else j, kind) for i, j, kind in rows]
    return [row for row in rows if row[0] != row[1]], [f"class {i // 60}" for i in range(600)]


DIRECTED: dict[str, Callable[[np.random.Generator], tuple[Rows, list[str]]]] = {
    "clients pay shops": lambda rng: paid(rng, 0.0),
    "clients pay shops, some refunds": lambda rng: paid(rng, 0.1),
    "clients and shops, two types": followed,
    "ten classes in a ring": ring,
    "two classes, homophily .95": lambda rng: aged(rng, 0.95),
    "two classes, homophily .05": lambda rng: aged(rng, 0.05),
}


def played(learner: Any, nodes: Any, labels: Any, seed: int) -> float:
    return ohm.play(learner, ohm.Stream(nodes, labels).shuffled(seed=seed)).error_rate


def directed() -> Iterator[tuple[str, str, float]]:
    """The same edges with and without their directions."""
    for seed in SEEDS:
        for name, make in DIRECTED.items():
            rows, labels = make(np.random.default_rng(seed))
            nodes = range(len(labels))
            ways, without = (
                Relations.from_edges(rows, nodes=nodes, directed=given) for given in (True, False)
            )
            yield name, "without directions", played(ohm.Compatibility(without), nodes, labels, seed)
            yield name, "Compatibility", played(ohm.Compatibility(ways), nodes, labels, seed)
            yield name, "relational", played(ohm.relational(ways), nodes, labels, seed)


def of_features(codes: Any, rng: np.random.Generator) -> Graph:
    """Five nearest neighbours by features that say something of the class."""
    points = 1.5 * np.eye(int(codes.max()) + 1)[codes] + rng.normal(size=(len(codes), int(codes.max()) + 1))
    near = ohm.graph.knn(points, 5)
    return Graph.from_scipy(near.adjacency)


def typed() -> Iterator[tuple[str, Relations, Any]]:
    """Cora's citations beside other types, block models, and a graph whose types say nothing."""
    cora, codes = real("cora", False)
    cites, rng = cora["cites"], np.random.default_rng(410)
    noise = random_edges(cites.n, len(cites.indices), rng)
    features = of_features(codes, rng)
    yield "citations, noise", Relations({"cites": cites, "noise": noise}), codes
    yield "citations, features", Relations({"cites": cites, "features": features}), codes
    everything = {"cites": cites, "noise": noise, "features": features}
    yield "citations, noise, features", Relations(everything), codes
    yield "block model, random edges", *beside_noise(410)
    yield "block model, differing edges", *beside_differing(410)


def weighed() -> Iterator[tuple[str, str, float]]:
    """The union, each fixed choice, and what is learned, in the same orders."""
    for name, relations, labels in typed():
        count = len(relations)
        fixed = list(np.eye(count))
        if count == 2:
            fixed += [np.array([1.0, second]) for second in SECOND]
        for seed in ORDERS:

            def error(
                learner: Any, seed: int = seed, relations: Any = relations, labels: Any = labels
            ) -> float:
                return played(learner, relations.nodes, labels.tolist(), seed)

            yield name, "union", error(joined(relations, np.ones(count), None))
            for k, weights in enumerate(fixed):
                yield name, f"fixed {k}", error(joined(relations, weights, None))
            yield name, "TypedLGC", error(ohm.TypedLGC(relations))
            yield name, "relational", error(ohm.relational(relations))
        print(name, file=sys.stderr)


def means(found: Iterator[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    runs: dict[str, dict[str, list[float]]] = {}
    for graph, learner, error in found:
        runs.setdefault(graph, {}).setdefault(learner, []).append(error)
    return {
        graph: {row: float(np.mean(errors)) for row, errors in rows.items()} for graph, rows in runs.items()
    }


def measured() -> dict[str, Any]:
    """Both tables; of the fixed choices the best in the mean."""
    kept = means(weighed())
    for rows in kept.values():
        choices = [rows.pop(row) for row in list(rows) if row.startswith("fixed")]
        rows["best fixed choice"] = min([*choices, rows["union"]])
    return {"directions": means(directed()), "types": kept}


if __name__ == "__main__":
    print(json.dumps(measured(), indent=1))
