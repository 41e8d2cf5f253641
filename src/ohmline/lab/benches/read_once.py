"""One file read by one reader, in a process of its own: `python -m ohmline.lab.benches.read_once WHO PATH SMALL`.

The small file is read first, so that nothing is imported or compiled while the clock runs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ohmline.lab.benches.child import forget_peak, memory_of


def ours(path: Path) -> tuple[int, int]:
    """Nodes, and bytes of the rows and of the ids."""
    from ohmline.graph import read

    graph = read(path)
    table = graph.nodes.table
    ids = 0 if table is None else sum(array.nbytes for array in table.arrays().values())
    return graph.n, graph.indptr.nbytes + graph.indices.nbytes + ids


def with_igraph(path: Path) -> tuple[int, int]:
    """igraph's own readers of text; Parquet comes through pandas."""
    import igraph

    if path.suffix == ".parquet":
        import pandas as pd

        frame = pd.read_parquet(path)
        whole = frame["source"].dtype.kind in "iu"
        return igraph.Graph.DataFrame(frame, directed=False, use_vids=whole).vcount(), 0
    if "names" in path.name:
        return igraph.Graph.Read_Ncol(str(path), directed=False, weights=False).vcount(), 0
    return igraph.Graph.Read_Edgelist(str(path), directed=False).vcount(), 0


def with_networkx(path: Path) -> tuple[int, int]:
    """networkx's own reader of text; Parquet comes through pandas."""
    import networkx as nx

    if path.suffix == ".parquet":
        import pandas as pd

        return nx.from_pandas_edgelist(pd.read_parquet(path)).number_of_nodes(), 0
    return nx.read_edgelist(path, nodetype=str if "names" in path.name else int).number_of_nodes(), 0


def with_polars(path: Path) -> tuple[int, int]:
    """Every cell parsed by polars, and nothing kept."""
    import polars as pl

    frame = pl.scan_csv(path).select(pl.all().max()).collect(engine="streaming")
    return int(frame.height), 0


READERS: dict[str, Callable[[Path], tuple[int, int]]] = {
    "ours": ours,
    "igraph": with_igraph,
    "networkx": with_networkx,
    "polars": with_polars,
}


def main(who: str, path: str, small: str) -> dict[str, Any]:
    """Processor seconds, growth of the largest memory, and what was read."""
    from ohmline.graph.doors import arrow_stream
    from ohmline.graph.files import stream_edges

    stream_edges.LARGE = arrow_stream.LARGE = 1  # the small file goes the way of the large one
    reader = READERS[who]
    reader(Path(small))
    before = memory_of().get("VmRSS", 0)
    forget_peak()
    start = time.process_time()
    nodes, size = reader(Path(path))
    seconds = time.process_time() - start
    return {
        "seconds": seconds,
        "nodes": nodes,
        "graph_bytes": size,
        "growth_bytes": memory_of().get("VmHWM", before) - before,
    }


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
