"""The ways into a graph from files, other libraries and databases."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Unpack

from ohmline.checks import file_path, flag, text
from ohmline.errors import DirectedError, GraphError
from ohmline.graph.edges import Build, Parallel
from ohmline.progress import Advance

if TYPE_CHECKING:
    from ohmline.graph.graph import Graph


class WaysIn:
    """Constructors of `Graph`, each of which ends at `from_edges` or `from_columns`."""

    __slots__ = ()

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        *,
        weight: str = "weight",
        signed: bool = False,
        symmetrise: bool = False,
        parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    ) -> Graph:
        """Build a graph from a networkx graph, with its nodes in their order.

        Parameters
        ----------
        graph
            The networkx graph.
        weight
            The edge attribute that holds the weights, `"weight"` by default; an edge without it weighs 1.
        signed
            Whether weights may be negative. By default a negative weight is an error.
        symmetrise
            Whether a directed graph is made undirected, with the larger weight where an edge goes both ways.
            By default a directed graph is an error.
        parallel
            What becomes of the parallel edges of a multigraph, in either direction: `"sum"` adds their weights up,
            `"max"`, which None (default) means too, keeps the heaviest, `"refuse"` makes them an error.
        """
        text(weight, "weight")
        symmetrise = flag(symmetrise, "symmetrise")
        try:
            directed, multiple = graph.is_directed(), graph.is_multigraph()
            data = graph.edges(data=True)
        except (AttributeError, TypeError):
            raise GraphError(f"expected a networkx graph, got {type(graph).__name__}") from None
        if directed and not symmetrise:
            raise DirectedError(
                "the networkx graph is directed; pass symmetrise=True to take max(S, S') of the weights"
            )
        return _graph().from_edges(
            [(u, v, found.get(weight, 1.0)) for u, v, found in data],
            nodes=graph.nodes,
            signed=signed,
            symmetrise=symmetrise or multiple,
            parallel=parallel,
        )

    @classmethod
    def from_igraph(
        cls,
        graph: Any,
        *,
        weight: str = "weight",
        name: str = "name",
        nodes: Iterable[Hashable] | None = None,
        signed: bool = False,
        symmetrise: bool = False,
        parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    ) -> Graph:
        """Build a graph from an igraph graph, with its vertices in their order.

        Parameters
        ----------
        graph
            The igraph graph.
        weight
            The edge attribute that holds the weights, `"weight"` by default; without it all edges weigh 1.
        name
            The vertex attribute that holds the ids, `"name"` by default; without it they are 0..n-1.
        nodes
            The ids of the vertices in their order, in place of the attribute; None (default) for the attribute.
        signed, parallel
            As for `from_edges`.
        symmetrise
            Whether a directed graph is made undirected, with the larger weight where an edge goes both ways.
            By default a directed graph is an error.
        """
        from ohmline.graph.doors.networks import from_igraph

        return from_igraph(graph, weight, name, nodes, signed, symmetrise, parallel)

    @classmethod
    def from_pyg(
        cls,
        data: Any,
        *,
        weight: str = "edge_weight",
        nodes: Iterable[Hashable] | None = None,
        signed: bool = False,
        symmetrise: bool = False,
        parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    ) -> Graph:
        """Build a graph from a PyTorch Geometric `Data`; neither library is imported for that.

        An edge may be listed in one direction or, as is usual there, in both; `num_nodes` counts isolated nodes.

        Parameters
        ----------
        data
            A `Data`, or any object that has `edge_index` (two rows of whole numbers, on any device) and may have
            `num_nodes` and weights.
        weight
            The attribute that holds the weights, one per column of `edge_index`. Default `"edge_weight"`; without it
            all edges weigh 1.
        nodes
            The ids of the nodes in their order. None (default) takes the attribute `node_ids`, which `to_pyg` writes,
            or 0..n-1.
        signed
            As for `from_edges`.
        symmetrise
            Whether an edge that has another weight in the other direction takes the larger. By default it is an error.
        parallel
            As for `from_edges`, but each direction for itself, since an edge is usually listed in both.
        """
        from ohmline.graph.doors.networks import from_pyg

        return from_pyg(data, weight, nodes, signed, symmetrise, parallel)

    @classmethod
    def from_pandas(
        cls,
        frame: Any,
        *,
        source: str | int | None = None,
        target: str | int | None = None,
        weight: str | int | Literal[False] | None = None,
        **build: Unpack[Build],
    ) -> Graph:
        """Build a graph from a pandas frame with one row per edge.

        Parameters
        ----------
        frame
            The frame.
        source, target
            The columns that hold the ids of the two ends, by name or by number (from 0). None (default) for those
            called source and target (or src and dst, from and to, ...), or the first two of two or three columns.
        weight
            The column that holds the weights, by name or by number. None (default) for the one called weight, or the
            third of exactly three columns; without one, or with False, all edges weigh 1.
        **build
            `nodes`, `signed`, `symmetrise` and `parallel`, as for `from_edges`.

        Examples
        --------
        >>> from ohmline import Graph
        >>> import pandas as pd
        >>> rows = [(1, "a", "b", 5), (1, "b", "a", 2), (2, "b", "c", 1)]
        >>> payments = pd.DataFrame(rows, columns=["day", "from", "to", "amount"])
        >>> Graph.from_pandas(payments, weight="amount", parallel="sum").neighbours("b")
        {'a': 7.0, 'c': 1.0}
        """
        return from_table(frame, "pandas", source, target, weight, build)

    @classmethod
    def from_polars(
        cls,
        frame: Any,
        *,
        source: str | int | None = None,
        target: str | int | None = None,
        weight: str | int | Literal[False] | None = None,
        **build: Unpack[Build],
    ) -> Graph:
        """Build a graph from a polars frame, lazy or not, with one row per edge.

        Parameters
        ----------
        frame
            The frame; a lazy one is collected.
        source, target, weight
            As for `from_pandas`.
        **build
            `nodes`, `signed`, `symmetrise` and `parallel`, as for `from_edges`.
        """
        return from_table(frame, "polars", source, target, weight, build)

    @classmethod
    def from_arrow(
        cls,
        table: Any,
        *,
        source: str | int | None = None,
        target: str | int | None = None,
        weight: str | int | Literal[False] | None = None,
        **build: Unpack[Build],
    ) -> Graph:
        """Build a graph from an Arrow table with one row per edge.

        Parameters
        ----------
        table
            A `pyarrow.Table`, or anything else that hands its data over as an Arrow stream.
        source, target, weight
            As for `from_pandas`.
        **build
            `nodes`, `signed`, `symmetrise` and `parallel`, as for `from_edges`.
        """
        return from_table(table, "arrow", source, target, weight, build)

    @classmethod
    def from_duckdb(
        cls,
        relation: Any,
        connection: Any = None,
        *,
        source: str | int | None = None,
        target: str | int | None = None,
        weight: str | int | Literal[False] | None = None,
        progress: Advance | bool | None = None,
        **build: Unpack[Build],
    ) -> Graph:
        """Build a graph from a relation of DuckDB, or a query in it, with one row per edge.

        Parameters
        ----------
        relation
            A relation, such as `connection.sql(query)` or `connection.table(name)`; or the query as a string.
        connection
            The connection that a query runs in. None (default) for DuckDB's own; a relation does not need it.
        source, target, weight
            As for `from_pandas`.
        progress
            True for a bar, or a function that is told the rows read, where there are many; None (default) for neither.
        **build
            `nodes`, `signed`, `symmetrise` and `parallel`, as for `from_edges`.
        """
        from ohmline.graph.doors.queries import duckdb_frame, duckdb_relation, streamed
        from ohmline.graph.doors.tables import graph_from

        what = "the relation"
        found = streamed(
            duckdb_relation(relation, connection),
            source,
            target,
            weight,
            what=what,
            progress=progress,
            **build,
        )
        if found is not None:
            return found
        return graph_from(duckdb_frame(relation, connection), source, target, weight, what=what, **build)

    @classmethod
    def from_sql(
        cls,
        connection: Any,
        query: str,
        *,
        parameters: Any = None,
        source: str | int | None = None,
        target: str | int | None = None,
        weight: str | int | Literal[False] | None = None,
        **build: Unpack[Build],
    ) -> Graph:
        """Build a graph from the rows that a query gives, one per edge.

        Parameters
        ----------
        connection
            An open connection of Python's database interface (DB-API 2: sqlite3, psycopg, DuckDB, ...) or ADBC.
        query
            A SELECT.
        parameters
            The values of the query's parameters, as the driver takes them; None (default) for a query without.
        source, target, weight
            As for `from_pandas`.
        **build
            `nodes`, `signed`, `symmetrise` and `parallel`, as for `from_edges`.

        Examples
        --------
        >>> from ohmline import Graph
        >>> import sqlite3
        >>> connection = sqlite3.connect(":memory:")
        >>> _ = connection.execute("CREATE TABLE friends AS SELECT 'ada' AS a, 'bob' AS b, 2.5 AS years")
        >>> Graph.from_sql(connection, "SELECT a, b, years FROM friends").neighbours("ada")
        {'bob': 2.5}
        >>> connection.close()
        """
        from ohmline.graph.doors.queries import query_frame
        from ohmline.graph.doors.tables import graph_from

        frame = query_frame(connection, query, parameters)
        return graph_from(frame, source, target, weight, what="the result of the query", **build)

    @classmethod
    def read(cls, path: Any, **options: Any) -> Graph:
        """Read a graph from a file; the same as `ohmline.graph.read`.

        Parameters
        ----------
        path
            The name of the file.
        **options
            The other parameters of `ohmline.graph.read`: `format`, `header`, `source`, `target`, `weight`, `nodes`,
            `nodes_header`, `signed`, `symmetrise`, `parallel` and `limits`.
        """
        from ohmline.graph.files import read

        return read(path, **options)

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        verify: bool = False,
        trust: bool = False,
        progress: Advance | bool | None = None,
    ) -> Graph:
        """Open a graph file that `Graph.write` wrote: mapped from disk, read-only, shared by all processes.

        Nothing is read into memory but what a learner touches. The first time that a file is opened, one pass over its
        rows makes sure that compiled code can walk them; this is remembered in the cache folder for as long as the file
        does not change, and the next opening takes milliseconds, whatever its size. A file that this user wrote counts
        as checked. Other programs must not change the file while it is open; `Graph.write` to the same name is safe.

        Parameters
        ----------
        path
            The name of the file, which ends in .ohmg by convention.
        verify
            Whether every byte is compared with the checksums in the file, and the fingerprint is worked out anew.
            Default False.
        trust
            Whether the pass over the rows is left out, even if the file was never checked: only for files from
            somebody you would also run programs of. Default False.
        progress
            True for a bar while the file is checked, or a function that is told the entries; None (default) for
            neither.

        Examples
        --------
        >>> from ohmline import Graph
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     Graph.from_edges([("ada", "bob")]).write(Path(folder) / "friends.ohmg")
        ...     Graph.open(Path(folder) / "friends.ohmg").neighbours("ada")
        {'bob': 1.0}
        """
        from ohmline.graph.mapped import open_graph

        return open_graph(
            file_path(path), verify=flag(verify, "verify"), trust=flag(trust, "trust"), progress=progress
        )


def from_table(table: Any, library: str, source: Any, target: Any, weight: Any, build: Build) -> Graph:
    """A graph from a table of one library."""
    from ohmline.graph.doors.frames import expected_frame
    from ohmline.graph.doors.tables import graph_from

    what = "the table" if library == "arrow" else "the frame"
    return graph_from(expected_frame(table, library), source, target, weight, what=what, **build)


def _graph() -> type[Graph]:
    from ohmline.graph.graph import Graph

    return Graph
