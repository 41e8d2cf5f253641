"""The published report, from the results of `ohmline reproduce all`: `python tools/report.py RESULTS`.

RESULTS is the folder that `--out` named. What was found goes into `docs/reproduced.json` without the figures, the page
`docs/reproduced.md` is written from that file alone, and the figures that are small go into `docs/images/reproduced`.
An experiment that RESULTS lacks stays as it was published before.
Without RESULTS the page is written again from the file; a test holds that the two agree.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ohmline.data import is_here
from ohmline.lab.experiment import Verdict, find, ids
from ohmline.lab.experiment_report import seen
from ohmline.lab.finished import Finished
from ohmline.lab.gathered_report import by_paper
from ohmline.lab.page import MARKS
from ohmline.lab.runs import PARTS
from ohmline.markup import counted

DOCS = Path(__file__).resolve().parents[1] / "docs"
KEPT, PAGE, IMAGES = DOCS / "reproduced.json", DOCS / "reproduced.md", DOCS / "images" / "reproduced"
COMMAND = "ohmline reproduce all --out results"
LARGEST = 100_000
"""Bytes of a figure that is published; a larger one has thousands of points, and is drawn by the command."""
ELSEWHERE = {
    "frontier": "twenty orders of eight graphs: [its note](notes/frontier.md) has what came of them",
    "ogbn": "it needs ogbn-arxiv or ogbn-products, which are fetched from the network or read from a folder",
}
"""Why an experiment may not be among the results, where its data alone do not say so."""
ROWS = 60
"""How many numbers of an experiment the page shows; the file has all."""


def gather(results: Path, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """The documents in a folder of results, and the names of their figures that are small, which are written.

    Those of `before` that the folder lacks stay, with their figures.
    """
    IMAGES.mkdir(parents=True, exist_ok=True)
    documents = {document["id"]: document for document in (before or {}).get("documents", [])}
    figures = dict((before or {}).get("figures", {}))
    for path in sorted((results / PARTS).glob("*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        id = kept["document"]["id"]
        documents[id] = kept["document"]
        drawings = [(name, shortened(drawing)) for name, drawing in kept["figures"].items()]
        figures[id] = {}
        for k, (name, drawing) in enumerate(drawings):
            small = drawing.startswith("<svg") and len(drawing) <= LARGEST
            figures[id][name] = f"images/reproduced/{id}-{k}.svg" if small else None
            if small:
                (IMAGES / f"{id}-{k}.svg").write_text(drawing + "\n", encoding="utf-8")
    shown = {Path(place).name for each in figures.values() for place in each.values() if place}
    for old in IMAGES.glob("*.svg"):
        if old.name not in shown:
            old.unlink()
    lacking = {
        id: [name for name in find(id).needs if not is_here(name)] for id in ids() if id not in documents
    }
    lacking = {id: names for id, names in lacking.items() if names}
    ordered = [documents[id] for id in sorted(documents)]
    return {
        "command": COMMAND,
        "lacking": lacking,
        "figures": {id: figures[id] for id in sorted(figures)},
        "documents": ordered,
    }


def shortened(drawing: str) -> str:
    """A drawing whose lines have two decimals, a hundredth of a point, and whose white space is single."""
    lines = re.sub(
        r'(?<= d=")[^"]*', lambda d: re.sub(r"\.(\d\d)\d+", r".\1", " ".join(d[0].split())), drawing
    )
    return re.sub(r">\s+<", "><", lines).strip()


def page(kept: dict[str, Any]) -> str:
    """The page, from what the file holds."""
    found = [Finished.read(document, {}) for document in kept["documents"]]
    parts = ["# The papers, reproduced", *head(found, kept["lacking"]), "## At a glance", glance(found)]
    for heading, part in by_paper(found).items():
        parts.append(f"## {plain(heading)}")
        for each in part:
            parts += experiment(each, kept["figures"].get(each.id, {}))
    parts += ["## How it was made", *machines(found)]
    return "\n\n".join(parts) + "\n"


def head(found: Sequence[Finished], lacking: dict[str, list[str]]) -> list[str]:
    """What was run, how many claims of each verdict there are, and what was not run; `lacking` had no data."""
    tally = Counter(each.verdict(claim) for each in found for claim in each.claims)
    said = ", ".join(f"{tally[verdict]} {MEANING[verdict]}" for verdict in Verdict if tally[verdict])
    missing = [id for id in ids() if id not in {*lacking, *(each.id for each in found)}]
    days = sorted({each.date for each in found})
    parts = [
        f"Every table and figure of the five papers beside ours, and what goes beyond them, at full length: "
        f"{counted(len(found), 'experiment')} and {counted(sum(tally.values()), 'claim')}, made on "
        f"{' to '.join(dict.fromkeys((days[0], days[-1])))}. Of the claims {said}.",
        f"`{COMMAND}` runs them again, and its own report has every figure and every number; "
        "`python tools/report.py results` writes this page from it. [What the papers say](papers.md) and where we "
        "differ from them stands on a page of its own.",
    ]
    if missing:
        listed = "; ".join(f"`{id}` ({ELSEWHERE[id]})" if id in ELSEWHERE else f"`{id}`" for id in missing)
        parts.append(f"Not in this run: {listed}. `ohmline reproduce` with one of these names runs it.")
    if lacking:
        listed = ", ".join(f"`{id}` (data set {', '.join(names)})" for id, names in lacking.items())
        parts.append(
            f"Not run, for want of data: {listed}. `ohmline data` says where each can be had, and "
            "`OHMLINE_DATA` names the folder that it is read from."
        )
    if any(each.quick for each in found):
        parts.append(
            "This was a quick run, with fewer repetitions: claims that need the full length are not judged."
        )
    return parts


MEANING = {
    Verdict.HOLDS: "hold",
    Verdict.CONDITION: "hold with a condition",
    Verdict.NOT: "are not reproduced",
    Verdict.OPEN: "are not judged",
}


def glance(found: Sequence[Finished]) -> str:
    """A line for each experiment, with a column for each verdict that some claim has."""
    rows, given = [], {each.verdict(claim) for each in found for claim in each.claims}
    columns = [verdict for verdict in Verdict if verdict in given]
    for part in by_paper(found).values():
        for each in part:
            tally = Counter(each.verdict(claim) for claim in each.claims)
            counts = [str(tally[verdict]) if tally[verdict] else "" for verdict in columns]
            rows.append([f"[{each.id}](#{each.id})", plain(each.title), *counts])
    return table(["experiment", "what it shows", *map(str, columns)], rows, numbers=len(columns))


def experiment(each: Finished, figures: dict[str, str | None]) -> list[str]:
    """Claims, the paper's numbers beside ours, small figures."""
    parts = [f"### {each.id}", f"**{plain(each.title)}.** Seed {each.seed}, {each.seconds:,.0f} s."]
    for heading, claims in each.by_side().items():
        rows = [
            [
                f"{MARKS[each.verdict(claim)][1]} {each.verdict(claim)}",
                *map(plain, (claim.claim, claim.threshold, seen(claim))),
            ]
            for claim in claims
        ]
        parts += [f"*{heading}*", table(["", "claim", "it holds if", "what we saw"], rows)]
    printed = [row for row in each.rows if row.paper is not None] or list(each.rows)
    rows = [
        [
            *map(plain, (row.dataset, row.method, row.metric)),
            "" if row.paper is None else f"{row.paper:.4g}",
            f"{row.ours:.4g}" + (f" ± {row.std:.2g}" if row.runs > 1 else ""),
            str(row.runs),
        ]
        for row in printed[:ROWS]
    ]
    if rows:
        parts.append(table(["data", "method", "metric", "paper", "ours", "runs"], rows, numbers=3))
    if len(each.rows) > len(rows):
        parts.append(f"{len(rows)} of {len(each.rows)} numbers; all are in `docs/reproduced.json`.")
    for name, path in figures.items():
        parts.append(
            f"![{plain(name)}]({path})"
            if path
            else f"*{plain(name)}*: a large figure, in the command's report."
        )
    parts += [plain(note) for note in each.notes]
    return parts


def machines(found: Sequence[Finished]) -> list[str]:
    """With what each result was made."""
    places: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for each in found:
        places.setdefault(tuple(each.made.items()), []).append(each.id)
    parts = []
    for made, names in places.items():
        if len(places) > 1:
            parts.append(", ".join(f"`{name}`" for name in names) + ":")
        parts.append(table(["", ""], [[plain(name), plain(value)] for name, value in made]))
    work = sum(each.seconds for each in found) / 60
    return [*parts, f"All experiments together took {work:,.0f} minutes on a machine that others used, too."]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> str:
    """A table of Markdown whose last columns are numbers."""
    rule = ["---"] * (len(head) - numbers) + ["---:"] * numbers
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def plain(text: str) -> str:
    """Text that Markdown shows as it is, in one line."""
    return re.sub(r"([\\`*_\[\]|<>~])", r"\\\1", " ".join(text.split()))


def main() -> None:
    if len(sys.argv) > 2 or "--help" in sys.argv:
        sys.exit((__doc__ or "").split("\n")[0])
    if len(sys.argv) == 2:
        before = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else None
        kept = gather(Path(sys.argv[1]), before)
        if not kept["documents"]:
            sys.exit(f"{sys.argv[1]} holds no results; make them with {COMMAND}")
        for document in kept["documents"]:
            find(document["id"])
        KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(json.loads(KEPT.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
