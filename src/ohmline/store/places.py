"""What a learner stands on (a graph, a kernel, an embedding of points) as plain values and arrays, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.errors import FileFormatError, SnapshotError
from ohmline.graph.embedding import ExponentialEmbedding
from ohmline.graph.graph import Graph
from ohmline.graph.relations import Relations
from ohmline.kernel import RBF, LaplacianKernel, Linear, SolverKernel, SpectralKernel, VectorKernel
from ohmline.kernel.sums import KernelSum, KernelWithTerms
from ohmline.kernel.vector import PointKernel
from ohmline.learn import NodeFeatures
from ohmline.store.graphs import ids_of, ids_text, is_known, known_by, read_graph, refuse_given, write_graph

Described = dict[str, Any]


class Written:
    """The graphs and arrays of a description, gathered while it is made; a graph that is met twice is kept once."""

    def __init__(self) -> None:
        self.arrays: dict[str, AnyArray] = {}
        self.graphs: list[Described] = []
        self._met: list[Graph] = []
        self._only_types: list[int] = []

    def place(self, place: Any) -> Described:
        """A graph, a kernel or an embedding as plain values."""
        if type(place) not in _WRITE:
            raise SnapshotError(
                f"{place!r} cannot be written into a file: only the kernels of this library can; keep snapshot(), and "
                "restore it over a kernel that you make again"
            )
        return {"kind": type(place).__name__, **_WRITE[type(place)](self, place)}

    def graph(self, graph: Graph) -> Described:
        """Which of the graphs this one is."""
        for k, other in enumerate(self.graphs):
            if other["fingerprint"] == graph.fingerprint:
                return {"graph": k}
        self.graphs.append(known_by(graph))
        self._met.append(graph)
        return {"graph": len(self.graphs) - 1}

    def types(self, relations: Relations) -> list[list[Any]]:
        """Which of the graphs the types of edges are, by name."""
        graphs = [self.graph(relations[name]) for name in relations.types]
        if len(graphs) == 1:
            self._only_types.append(graphs[0]["graph"])
        return [list(pair) for pair in zip(relations.types, graphs, strict=True)]

    def keep_graphs(self, *, but_the_given: bool) -> None:
        """Keep the graphs themselves; where the file is to be without, all but the one that `load` is given again.

        That is the only graph, or the one of which relations of a single type are made: their union, in units of its
        own, is another graph, which nobody has.
        """
        left_out: set[int] = set()
        if but_the_given:
            left_out = set(self._only_types) or set(range(len(self._met)))
            if len(left_out) > 1 or (not self._only_types and len(self._met) > 1):
                raise SnapshotError(
                    f"this learner stands on {len(self._met)} different graphs, and load takes one; save it with "
                    "graph=True"
                )
        for number, graph in enumerate(self._met):
            if number not in left_out:
                more, arrays = write_graph(graph)
                self.graphs[number] |= more
                self.arrays |= {f"graph{number}.{name}": array for name, array in arrays.items()}

    def array(self, name: str, array: AnyArray) -> str:
        """Keep an array, under the name that is returned."""
        free = f"{name}{sum(each.startswith(name) for each in self.arrays)}"
        self.arrays[free] = np.ascontiguousarray(array)
        return free


class Found:
    """The graphs and arrays that a file holds, and those that it asks for."""

    def __init__(self, graphs: list[Described], arrays: dict[str, AnyArray], given: Graph | None) -> None:
        self._graphs, self._arrays, self._given = graphs, arrays, given
        if given is not None and graphs and not any(is_known(each, given) for each in graphs):
            refuse_given(graphs[-1], given)
        self._made: dict[int, Graph] = {}

    def place(self, about: Described) -> Any:
        """The graph, kernel or embedding of a description."""
        kind = about.get("kind") if isinstance(about, dict) else None
        if kind not in _READ:
            raise FileFormatError(
                f"the file stands on {kind!r}, which this version does not know; upgrade ohmline"
            )
        return _READ[kind](self, about)

    def graph(self, about: Described) -> Graph:
        """The graph that a description names."""
        number = about["graph"]
        if number not in self._made:
            self._made[number] = read_graph(
                self._graphs[number],
                {
                    name: self._arrays.get(f"graph{number}.{name}")
                    for name in ("indptr", "indices", "weights")
                },
                self._given,
            )
        return self._made[number]

    def array(self, name: str) -> AnyArray:
        """An array by its name."""
        return self._arrays[name]


def _write_spectral(to: Written, kernel: SpectralKernel) -> Described:
    values, vectors = kernel.eigenpairs
    names = {name: getattr(kernel, name) for name in ("rank", "normalised", "constant", "shift")}
    return {
        **to.graph(kernel.graph),
        **names,
        "values": to.array("eigenvalues", values),
        "vectors": to.array("eigenvectors", vectors),
    }


def _read_spectral(of: Found, about: Described) -> SpectralKernel:
    names = {name: about[name] for name in ("normalised", "constant", "shift")}
    kernel = SpectralKernel(of.graph(about), about["rank"], **names)
    values, vectors = of.array(about["values"]), of.array(about["vectors"])
    n, d = kernel.graph.n, kernel.rank
    sound = values.dtype == vectors.dtype == np.float64 and values.shape == (d,) and vectors.shape == (n, d)
    if not sound or not (np.isfinite(values).all() and np.isfinite(vectors).all()):
        raise FileFormatError(
            f"the eigenpairs of the file must be {d} finite ones for {n} nodes; it is damaged"
        )
    kernel.eigenpairs = values, vectors
    return kernel


_SOLVER = ("b", "c", "columns", "fill_limit", "tolerance", "method", "column_bytes")


def _write_solver(to: Written, kernel: SolverKernel) -> Described:
    return {
        **to.graph(kernel.graph),
        **{name: getattr(kernel, name) for name in _SOLVER},
        "method": str(kernel.method),
        "factor": kernel.factor,
    }


def _read_solver(of: Found, about: Described) -> Any:
    factor = about["factor"]
    options = {name: about[name] for name in _SOLVER if name in about}  # older files have fewer of them
    if factor == 1:
        return SolverKernel(of.graph(about), **options)
    plain = SolverKernel(of.graph(about), **options | {"b": 0.0, "c": 0.0})
    return plain.scaled(factor).plus(b=about["b"], c=about["c"])


def _write_points(to: Written, kernel: PointKernel) -> Described:
    return {
        "over": _vector_text(kernel.kernel),
        "points": to.array("points", kernel.points),
        "ids": ids_text(kernel.nodes),
    }


def _vector_text(kernel: VectorKernel) -> Described:
    if type(kernel) is RBF:
        return {"kind": "RBF", "width": kernel.width}
    if type(kernel) is Linear:
        return {"kind": "Linear"}
    raise SnapshotError(f"{kernel!r} cannot be written into a file: only RBF and Linear can; keep snapshot()")


def _read_points(of: Found, about: Described) -> PointKernel:
    over = about["over"]
    kernel = RBF(over["width"]) if over["kind"] == "RBF" else Linear()
    points = of.array(about["points"])
    return kernel.over(points, ids_of(about["ids"], len(points)))


def _write_features(to: Written, features: NodeFeatures) -> Described:
    return {
        **to.graph(features.graph),
        "indptr": to.array("feature_rows", features.indptr),
        "indices": to.array("feature_columns", features.indices),
        "values": to.array("feature_values", features.values),
        "width": features.width,
        "sparse": features.is_sparse,
        "scaled": features.scaled,
        "names": None if features.names is None else [str(name) for name in features.names],
    }


def _read_features(of: Found, about: Described) -> NodeFeatures:
    graph, width = of.graph(about), int(about["width"])
    arrays = of.array(about["values"]), of.array(about["indices"]), of.array(about["indptr"])
    return NodeFeatures.of_entries(
        *arrays,
        graph=graph,
        width=width,
        is_sparse=bool(about["sparse"]),
        names=about["names"],
        scaled=bool(about.get("scaled")),
    )


def _write_embedding(to: Written, embedding: ExponentialEmbedding) -> Described:
    return {
        "distances": to.array("distances", embedding.distances),
        "a": embedding.a if np.isfinite(embedding.a) else "inf",
        "ids": ids_text(embedding.nodes),
    }


def _read_embedding(of: Found, about: Described) -> ExponentialEmbedding:
    a = float(about["a"])
    distances = of.array(about["distances"])
    return ExponentialEmbedding.from_distances(distances, a, nodes=ids_of(about["ids"], len(distances)))


def _write_relations(to: Written, relations: Relations) -> Described:
    arrays = {name: to.array("directions", array) for name, array in relations.directions.items()}
    return {"types": to.types(relations), "directions": arrays}


def _read_relations(of: Found, about: Described) -> Relations:
    graphs = {name: of.graph(each) for name, each in about["types"]}
    return Relations(graphs, {name: of.array(key) for name, key in about["directions"].items()})


_WRITE: dict[type, Callable[[Written, Any], Described]] = {
    Graph: Written.graph,
    LaplacianKernel: lambda to, kernel: to.graph(kernel.graph),
    SpectralKernel: _write_spectral,
    SolverKernel: _write_solver,
    KernelWithTerms: lambda to, kernel: {
        "origin": to.place(kernel.origin),
        "factor": kernel.factor,
        "b": kernel.b,
        "c": kernel.c,
    },
    KernelSum: lambda to, kernel: {"origin": to.place(kernel.origin), "second": to.place(kernel.second)},
    PointKernel: _write_points,
    ExponentialEmbedding: _write_embedding,
    NodeFeatures: _write_features,
    Relations: _write_relations,
}
_READ: dict[str, Callable[[Found, Described], Any]] = {
    "Graph": Found.graph,
    "LaplacianKernel": lambda of, about: LaplacianKernel(of.graph(about)),
    "SpectralKernel": _read_spectral,
    "SolverKernel": _read_solver,
    "KernelWithTerms": lambda of, about: KernelWithTerms(
        of.place(about["origin"]), factor=about["factor"], b=about["b"], c=about["c"]
    ),
    "KernelSum": lambda of, about: KernelSum(of.place(about["origin"]), of.place(about["second"])),
    "PointKernel": _read_points,
    "ExponentialEmbedding": _read_embedding,
    "NodeFeatures": _read_features,
    "Relations": _read_relations,
}
