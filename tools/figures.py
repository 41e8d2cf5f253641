"""The numbers that README and docs print, measured again: `make figures` or `python tools/figures.py [NAME ...]`.

Each name below is a command of `ohmline`, or a program of this folder, that prints JSON. Its numbers go into
`docs/figures/NAME.json`, and a page that prints one of them says where it is from, in a comment that nobody sees:

    a mistake rate of .154<!-- local-lgc: cora/defaults/mistake rate --> on Cora

A test compares the two, so that a number changes with the file or not at all. `--from FILE` takes a document that was
printed before instead of running the command.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "figures"

COMMANDS = {
    "local-lgc": ["reproduce", "local-lgc", "--json"],
    "glz2008-drift": ["reproduce", "glz2008-drift", "--json"],
    "start": ["bench", "start", "--json"],
    "gu2013-cora": ["reproduce", "gu2013-cora", "--json"],
    "gu2013-pubmed": ["reproduce", "gu2013-pubmed", "--json"],
    "local-lgc-proofs": ["reproduce", "local-lgc-proofs", "--json"],
    "switching": ["reproduce", "switching", "--json"],
    "calibration": ["reproduce", "calibration", "--json"],
    "local-manifold": ["reproduce", "local-manifold", "--json"],
    "relations": ["reproduce", "relations", "--json"],
    "conformal": ["reproduce", "conformal", "--json"],
    "frontier": ["reproduce", "frontier", "--json"],
    "suggest": ["bench", "suggest", "--json"],
    "audit": ["bench", "audit", "--json"],
    "peers": ["bench", "peers", "--out", "docs", "--json"],
    "gpu": ["bench", "gpu", "--json"],
}
"""Which command of `ohmline` measures what."""
NAMED_ONLY = ("gpu",)
"""What is measured only when it is named, because it needs a card."""
PROGRAMS = ("recipes", "labelling", "edge_types")
"""What a program of this folder measures, because no user would."""
KNOWN = (*COMMANDS, *PROGRAMS)


def numbers(document: Any) -> dict[str, float]:
    """The numbers of a document by their path; the rows of an experiment by data set, method and metric.

    Those of `bench peers`, whose document is also `docs/peers.json`, by graph, system, task and metric.
    """
    peers = document.get("details", {}).get("document", document) if isinstance(document, dict) else {}
    if "systems" in peers and "cells" in peers:
        return dict(_cells(peers))
    if isinstance(document, dict) and "rows" in document and "claims" in document:
        return {f"{row['dataset']}/{row['method']}/{row['metric']}": row["ours"] for row in document["rows"]}
    return dict(_walk(document, ""))


def _cells(document: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """What each system found on each graph."""
    for cell in document["cells"]:
        found, path = cell["found"] or {}, f"{cell['graph']}/{cell['system']}/{cell['task']}"
        if "rate" in found:
            yield f"{path}/mistake rate", found["rate"]
        looks = document["asked"] if cell["task"] == "active" else document["shares"]
        words = "after {}" if cell["task"] == "active" else "with {:.0%}"
        for look, value in zip(looks, found.get("accuracy", []), strict=False):
            yield f"{path}/accuracy {words.format(look)}", value


def _walk(value: Any, path: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _walk(inner, f"{path}/{key}" if path else str(key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            name = inner.get("work", place) if isinstance(inner, dict) else place
            yield from _walk(inner, f"{path}/{name}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, float(value)


def command(name: str) -> str:
    """What a reader types to measure it again."""
    return f"python tools/{name}.py" if name in PROGRAMS else " ".join(["ohmline", *COMMANDS[name]])


def keep(name: str, document: Any) -> None:
    found = {key: float(f"{value:.6g}") for key, value in sorted(numbers(document).items())}
    text = json.dumps({"command": command(name), "numbers": found}, indent=1)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one or more of {', '.join(KNOWN)}")
    parser.add_argument("--from", dest="source", metavar="FILE", help="a document of that command (one NAME)")
    given = parser.parse_args()
    names = given.names or [name for name in KNOWN if name not in NAMED_ONLY]
    if unknown := sorted(set(names) - set(KNOWN)):
        parser.error(f"no command measures {', '.join(unknown)}; there are {', '.join(KNOWN)}")
    if given.source and len(names) != 1:
        parser.error("--from takes one NAME")
    for name in names:
        if given.source:
            keep(name, json.loads(Path(given.source).read_text(encoding="utf-8")))
            continue
        print(f"{name}: {command(name)}", file=sys.stderr)
        program = [str(Path(__file__).parent / f"{name}.py")]
        what = (
            program if name in PROGRAMS else ["-c", "from ohmline.cli import main; main()", *COMMANDS[name]]
        )
        done = subprocess.run([sys.executable, *what], stdout=subprocess.PIPE, text=True, check=True)
        keep(name, json.loads(done.stdout))


if __name__ == "__main__":
    main()
