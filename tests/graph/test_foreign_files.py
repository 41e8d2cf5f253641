"""Files that other programs wrote: the same graph from each, read by us."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

from ohmline.errors import DirectedError
from ohmline.graph import Graph, read, read_labels

duckdb = pytest.importorskip("duckdb")
igraph = pytest.importorskip("igraph")
nx = pytest.importorskip("networkx")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

EDGES = [("ada", "bob", 0.5), ("bob", "cleo", 1.25), ("cleo", "ada", 2.0), ("cleo", "d & <e>", 1e-3)]
GRAPH = Graph.from_edges(EDGES)
NUMBERS = Graph.from_edges([(0, 1, 0.5), (1, 2, 1.25), (0, 2, 2.0)], nodes=range(4))
TABLE = {name: [edge[k] for edge in EDGES] for k, name in enumerate(["source", "target", "weight"])}
KINDS = {"source": pa.large_string(), "target": pa.large_string(), "weight": pa.float32()}


def in_duckdb(statement, path):
    with duckdb.connect() as connection:
        connection.register("edges", pa.table(TABLE))
        connection.execute(statement.format(path))


WRITERS = {
    "networkx.graphml": lambda path: nx.write_graphml(GRAPH.to_networkx(), path),
    "igraph.graphml": lambda path: GRAPH.to_igraph().write_graphml(str(path)),
    "polars.parquet": lambda path: pl.DataFrame(TABLE).write_parquet(path),
    "statistics.parquet": lambda path: pl.DataFrame(TABLE).write_parquet(
        path, compression="lz4", row_group_size=2
    ),
    "pyarrow.parquet": lambda path: pq.write_table(pa.table(TABLE), path, compression="snappy", row_group_size=1),
    "dictionary.parquet": lambda path: pq.write_table(
        pa.table({name: pa.array(c).dictionary_encode() if name != "weight" else c for name, c in TABLE.items()}),
        path,
    ),
    "large_string.parquet": lambda path: pq.write_table(
        pa.table({name: pa.array(column, KINDS[name]) for name, column in TABLE.items()}), path
    ),
    "pandas.parquet": lambda path: pd.DataFrame(TABLE).to_parquet(path),
    "pandas_index.parquet": lambda path: pd.DataFrame(TABLE, index=[7, 8, 9, 10]).to_parquet(path),
    "duckdb.parquet": lambda path: in_duckdb("COPY edges TO '{}' (FORMAT parquet, COMPRESSION zstd)", path),
    "duckdb.csv": lambda path: in_duckdb("COPY edges TO '{}' (HEADER)", path),
    "bare.csv": lambda path: in_duckdb("COPY edges TO '{}' (HEADER false)", path),
    "duckdb.csv.gz": lambda path: in_duckdb("COPY edges TO '{}' (HEADER, COMPRESSION gzip)", path),
    "duckdb.csv.zst": lambda path: in_duckdb("COPY edges TO '{}' (HEADER, COMPRESSION zstd)", path),
    "pandas.csv": lambda path: pd.DataFrame(TABLE).to_csv(path, index=False),
    "pandas.tsv.gz": lambda path: pd.DataFrame(TABLE).to_csv(path, index=False, sep="\t"),
    "quoted.csv": lambda path: pd.DataFrame(TABLE).to_csv(path, index=False, quoting=1),
    "pandas.csv.zst": lambda path: pd.DataFrame(TABLE).to_csv(path, index=False),
    "polars.csv": lambda path: pl.DataFrame(TABLE).write_csv(path),
    "networkx.tsv": lambda path: nx.write_edgelist(GRAPH.to_networkx(), path, delimiter="\t", data=["weight"]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_files_of_other_programs_hold_the_same_graph(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](path)
    found = read(path)
    assert set(found.nodes) == set(GRAPH.nodes)
    for node in GRAPH.nodes:
        close = pytest.approx(GRAPH.neighbours(node), rel=1e-6 if "large_string" in name else 1e-15)
        assert found.neighbours(node) == close
    if not name.startswith("networkx"):
        assert list(found.nodes) == list(GRAPH.nodes)


@pytest.mark.parametrize("field", ["real", "integer", "pattern"])
@pytest.mark.parametrize("symmetry", ["symmetric", "general"])
def test_matrices_of_scipy(tmp_path, field, symmetry):
    matrix = NUMBERS.to_scipy()
    if field != "real":
        matrix.data[:] = 1
    path = tmp_path / "matrix.mtx"
    scipy_io.mmwrite(path, matrix.tocoo(), field=field, symmetry=symmetry, comment="by hand")
    assert read(path) == Graph.from_scipy(matrix)
    scipy_io.mmwrite(tmp_path / "dense.mtx", matrix.toarray())
    assert read(tmp_path / "dense.mtx") == Graph.from_scipy(matrix)


def test_a_matrix_of_one_direction(tmp_path):
    path = tmp_path / "upper.mtx"
    scipy_io.mmwrite(path, sparse.triu(NUMBERS.adjacency).tocoo(), symmetry="general")
    with pytest.raises(DirectedError, match=r"upper\.mtx: edge .* goes one way only"):
        read(path)
    assert read(path, symmetrise=True) == NUMBERS


def test_multigraphs_in_graphml(tmp_path):
    several = nx.MultiGraph(
        [("a", "b", {"weight": 1.0}), ("a", "b", {"weight": 2.0}), ("b", "c", {"weight": 1.0})]
    )
    nx.write_graphml(several, tmp_path / "multi.graphml")
    with pytest.raises(DirectedError, match=r"two weights, 1\.0 and 2\.0"):
        read(tmp_path / "multi.graphml")
    assert read(tmp_path / "multi.graphml", parallel="sum").neighbours("a") == {"b": 3.0}
    assert read(tmp_path / "multi.graphml", parallel="max").neighbours("a") == {"b": 2.0}


def test_graphml_with_attributes_and_numbers(tmp_path):
    theirs = nx.Graph()
    theirs.add_node(7, label="x", size=1.5)
    theirs.add_edge(7, 9, km=3, weight=2.0)
    nx.write_graphml(theirs, tmp_path / "g.graphml")
    assert read(tmp_path / "g.graphml") == Graph.from_edges([(7, 9, 2.0)])
    assert read(tmp_path / "g.graphml", weight="km") == Graph.from_edges([(7, 9, 3.0)])


def test_numbers_of_every_width_in_parquet(tmp_path):
    for kind in (pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint32(), pa.uint64(), pa.float64()):
        table = pa.table(
            {"a": pa.array([0, 1, 0], kind), "b": pa.array([1, 2, 2], kind), "w": [0.5, 1.25, 2.0]}
        )
        pq.write_table(table, tmp_path / "n.parquet")
        assert read(tmp_path / "n.parquet", nodes=range(4)) == NUMBERS


def test_labels_of_other_programs(tmp_path):
    labels = pd.DataFrame({"who": GRAPH.nodes, "team": [1, None, 2, None], "age": np.arange(4)})
    labels.to_csv(tmp_path / "labels.csv", index=False)
    labels.to_parquet(tmp_path / "labels.parquet")
    for name in ("labels.csv", "labels.parquet"):
        found = read_labels(tmp_path / name, graph=GRAPH, node="who", label="team")
        assert found == {"ada": 1, "cleo": 2}
        assert {type(label) for label in found.values()} == {int}  # which pandas wrote as 1.0
