"""Paper 004's Table 1: the data sets, counted."""

from __future__ import annotations

from ohmline.data import is_here, load
from ohmline.lab.experiment import Claim, Experiment, Result, Row, Settings
from ohmline.lab.experiments.gu2013_protocol import COAUTHOR, PAPER, STAND_IN, TITLES, setting

TABLE_1 = {"coauthor": (1711, 7507, 4), "cora": (2485, 10138, 7), "pubmed": (19717, 88651, 3)}
"""Nodes, links and classes as printed; IMDB (17046, 993528, 4) has no graph here."""
COLUMNS = ("nodes", "links", "classes")


def counts(name: str) -> tuple[int, int, int]:
    """Nodes, links and classes of a graph; a link is a non-zero of the adjacency matrix, as the paper counts."""
    bed = setting(name)
    loops = load(name).graph.dropped_loops if name == "pubmed" else 0
    return bed.graph.n, len(bed.graph.indices) + loops, bed.classes


def table_1(settings: Settings) -> Result:
    """Our counts beside the printed ones."""
    rows, claims = [], []
    for name, title in TITLES.items():
        if name == "coauthor" and not is_here(name):
            continue
        settings.tick(f"counting {name}")
        found, printed = counts(name), TABLE_1.get(name)
        rows += [
            Row(title, "", column, float(found[k]), None if printed is None else float(printed[k]))
            for k, column in enumerate(COLUMNS)
        ]
        if printed is not None:
            claims.append(
                Claim(
                    f"{title} has {printed[0]:,} nodes, {printed[1]:,} links and {printed[2]} classes (Table 1)",
                    found == printed,
                    ", ".join(f"{number:,} {column}" for number, column in zip(found, COLUMNS, strict=True)),
                    threshold="the same numbers",
                )
            )
    notes = [
        "A link is a non-zero of the symmetric adjacency matrix: two for an edge, one for a self loop. Self loops "
        "are dropped by the graph, because the Laplacian has none of them, and counted here.",
        "Cora is its largest component, and so is every other graph but PubMed, which is connected.",
        STAND_IN,
        COAUTHOR if is_here("coauthor") else "Coauthor is left out: its files are not here.",
    ]
    return Result(rows, claims, {}, notes)


EXPERIMENTS = {
    "gu2013-data": Experiment(
        "gu2013-data", "Table 1: the data sets", PAPER, ("cora", "wikimovies4", "pubmed"), table_1
    )
}
