"""Where the nodes of a project are drawn: made once, in a process of its own, and kept beside the project.

Up to `WHOLE` nodes are drawn. Of a larger graph a sample is: its largest hubs, and nodes drawn at random with a
neighbour of each, so that there is something to see.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.extras import require
from ohmline.graph.graph import Graph
from ohmline.project.folder import read_first_graph
from ohmline.store import container

WHOLE = 20_000
"""A graph of at most so many nodes is drawn whole."""
SAMPLE = 8000
"""So many nodes of a larger one are drawn."""
EDGES = 40_000
"""The most edges that are drawn."""
FILE = "layout.ohm"


class Layout(NamedTuple):
    """Where nodes are drawn.

    Attributes
    ----------
    places
        The positions of the nodes in the graph.
    at
        Two coordinates for each, in [-1, 1].
    edges
        Pairs of rows of `places`.
    """

    places: Ints
    at: Floats
    edges: Ints


def drawn(graph: Graph, seed: int = 0) -> Layout:
    """Draw a graph, or a sample of it.

    Parameters
    ----------
    graph
        The graph.
    seed
        The seed of the sample and of where the drawing begins. Default 0.

    Returns
    -------
    Layout
        The drawing.
    """
    igraph = require("igraph", "io")
    rng = np.random.default_rng(seed)
    places = np.arange(graph.n) if graph.n <= WHOLE else _sample(graph, rng)
    row_of = np.full(graph.n, -1)
    row_of[places] = np.arange(len(places))
    first, second, _ = graph.edges()
    inside = (row_of[first] >= 0) & (row_of[second] >= 0)
    edges = np.column_stack([row_of[first[inside]], row_of[second[inside]]])
    network = igraph.Graph(n=len(places), edges=edges.tolist())
    begin = rng.uniform(-1, 1, (len(places), 2))
    grid = "grid" if len(places) > 500 else "nogrid"
    found = network.layout_fruchterman_reingold(seed=begin.tolist(), niter=300, grid=grid)
    at = np.array(found.coords, dtype=np.float64).reshape(len(places), 2)
    at = np.nan_to_num(_compact(at))
    if len(edges) > EDGES:
        edges = edges[np.sort(rng.choice(len(edges), EDGES, replace=False))]
    return Layout(places, np.round(at, 4), edges)


def _compact(at: Floats) -> Floats:
    """Coordinates in [-1, 1]; what lies far out, as small components do, is pulled in."""
    if not len(at):
        return at
    centre = np.median(at, axis=0)
    moved = at - centre
    radius = np.linalg.norm(moved, axis=1)
    near = float(np.quantile(radius, 0.9)) or 1.0
    far = np.maximum(radius / near, 1.0)
    shrunk = moved / near * ((1 + np.log(far)) / far)[:, None]
    largest = float(np.abs(shrunk).max()) or 1.0
    return np.asarray(shrunk / largest)


def _sample(graph: Graph, rng: np.random.Generator) -> Ints:
    sizes = np.diff(graph.indptr)
    hubs = np.argsort(-sizes, kind="stable")[: SAMPLE // 8]
    some = rng.choice(graph.n, SAMPLE * 7 // 16, replace=False)
    with_edges = some[sizes[some] > 0]
    starts = graph.indptr[with_edges]
    picks = starts + (rng.random(len(with_edges)) * sizes[with_edges]).astype(np.int64)
    return np.unique(np.concatenate([hubs, some, graph.indices[picks]]))


def write_layout(folder: Path, layout: Layout, fingerprint: str) -> None:
    """Keep a drawing beside the project."""
    arrays = {"places": layout.places, "at": layout.at, "edges": layout.edges}
    container.write(folder / FILE, {"layout_of": fingerprint}, arrays)


def read_layout(folder: Path, fingerprint: str) -> Layout | None:
    """The drawing that was kept; None where there is none of this graph."""
    path = folder / FILE
    if not path.exists():
        return None
    header, arrays = container.read(path)
    if header.get("layout_of") != fingerprint or set(arrays) != {"places", "at", "edges"}:
        return None
    return Layout(arrays["places"], arrays["at"], arrays["edges"])


def main() -> None:
    """Draw the graph of the project whose folder is named, and keep the drawing there."""
    folder = Path(sys.argv[1])
    graph = read_first_graph(folder)
    write_layout(folder, drawn(graph), graph.fingerprint)
