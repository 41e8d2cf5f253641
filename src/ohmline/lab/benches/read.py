"""Reading edges: CSV and Parquet, whole numbers and names, beside igraph, networkx and a bare scan by polars."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ohmline.checks import count
from ohmline.extras import require
from ohmline.lab.bench import Bench, Measured, target
from ohmline.lab.benches.child import run_child

EDGES = 10_000_000
SMALL = 30_000
"""Edges of the file that warms a reader up."""
TENTH = 10
"""igraph through pandas reads so many times fewer edges; its time is multiplied by it."""
ONCE = "ohmline.lab.benches.read_once"


def write_edges(folder: Path, edges: int, stem: str) -> None:
    """The same random edges in every form: with a tenth as many nodes, so that the mean degree is 20."""
    polars: Any = require("polars", "io")
    rng, n = np.random.default_rng(0), max(edges // 10, 10)
    source = rng.integers(0, n, edges)
    target = (source + rng.integers(1, n, edges)) % n
    whole = polars.DataFrame({"source": source, "target": target})
    named = whole.select(("user" + polars.all().cast(polars.String)).name.keep())
    for kind, frame in (("numbers", whole), ("names", named)):
        frame.write_csv(folder / f"{stem}-{kind}.csv")
        frame.write_csv(folder / f"{stem}-{kind}.txt", separator=" ", include_header=False)
        frame.write_parquet(folder / f"{stem}-{kind}.parquet")


def one_form(folder: Path, kind: str, suffix: str, edges: int, repeat: int) -> dict[str, Any]:
    """All figures of one form of the file."""
    whole, small = (folder / f"{stem}-{kind}{suffix}" for stem in ("whole", "small"))
    plain = suffix if suffix == ".parquet" else ".txt"  # what igraph and networkx read: no header, blanks
    theirs = {stem: folder / f"{stem}-{kind}{plain}" for stem in ("whole", "tenth", "small")}
    runs = [run_child(ONCE, "ours", str(whole), str(small)) for _ in range(repeat)]
    best = min(runs, key=lambda run: run["seconds"])
    through_pandas = suffix == ".parquet"
    igraph = run_child(
        ONCE, "igraph", str(theirs["tenth" if through_pandas else "whole"]), str(theirs["small"])
    )
    # The whole file, with 4 GB of memory for ten million edges: its time for each edge grows with the graph.
    networkx = run_child(ONCE, "networkx", str(theirs["whole"]), str(theirs["small"]))
    found = {
        "seconds": best["seconds"],
        "million_edges_per_second": edges / 1e6 / best["seconds"],
        "graph_bytes": best["graph_bytes"],
        "growth_bytes": min(run["growth_bytes"] for run in runs),
        "igraph_seconds": igraph["seconds"] * (TENTH if through_pandas else 1),
        "networkx_seconds": networkx["seconds"],
    }
    if suffix == ".csv" and kind == "numbers":
        found["polars_scan_seconds"] = min(
            run_child(ONCE, "polars", str(whole), str(small))["seconds"] for _ in range(repeat)
        )
    return found


def read(edges: int = EDGES, repeat: int = 3) -> Measured:
    """Processor seconds of each reader, in a process of its own on one thread; the ratio is the least to igraph."""
    count(edges, "edges", least=1000)
    forms = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        for stem, size in (("whole", edges), ("tenth", edges // TENTH), ("small", min(SMALL, edges))):
            write_edges(folder, size, stem)
        for kind in ("numbers", "names"):
            for suffix in (".csv", ".parquet"):
                forms[f"{kind}{suffix}"] = one_form(folder, kind, suffix, edges, repeat)
    targets = []
    for form, found in forms.items():
        share = found["growth_bytes"] / found["graph_bytes"]
        targets += [
            target(f"{form}: igraph / ours", found["igraph_seconds"] / found["seconds"], least=4.0),
            target(f"{form}: networkx / ours", found["networkx_seconds"] / found["seconds"], least=30.0),
            target(f"{form}: growth of memory / graph", share, most=2.0),
        ]
    csv = forms["numbers.csv"]
    targets.append(
        target("numbers.csv: processor seconds for 10M edges", csv["seconds"] * EDGES / edges, most=3.0)
    )
    return Measured(
        "read",
        min(found["igraph_seconds"] / found["seconds"] for found in forms.values()),
        "igraph's own reader of text; for Parquet igraph through pandas, on a tenth of the edges, times ten",
        {"edges": edges, **forms, "targets": targets},
    )


BENCHES: dict[str, Bench] = {"read": read}
