"""A person at a terminal: the work itself, and what is written and said at its end."""

from __future__ import annotations

import getpass
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ohmline.cli.output import in_one_line, print_json
from ohmline.errors import JournalError, ParameterError

if TYPE_CHECKING:
    from ohmline.labelling.asks import Asks


def worked(
    session: Asks, title: str, texts: Any, table: Path, predictions: Path | None
) -> tuple[dict[str, Any], int]:
    """Let the person answer, and write the files: what was done, and the signal that ended it, 0 for none."""
    from ohmline.labelling.export import write_labels

    to_terminal = sys.stdout.isatty()
    try:
        signalled = work(session, title, texts)
    except JournalError:
        write_labels(session.labels, table)  # what was answered so far
        raise
    if not sys.stderr.isatty():
        fall_silent(to_terminal)
    return finish(session, table, predictions), signalled


def conclude(summary: dict[str, Any], begun: float, signalled: int, json: bool) -> None:
    """Say what was done since a time, and leave as the signal asked."""
    summary["seconds"] = round(time.monotonic() - begun, 3)
    if json:
        print_json(summary)
    else:
        tell(summary)
    if signalled:
        raise typer.Exit(128 + signalled)


def work(session: Asks, title: str, texts: Any) -> int:
    """Let the person answer; the number of the signal that ended it, 0 for none."""
    from ohmline.cli.label_desk import Desk, Ended, ending

    with ending():
        try:
            Desk(session, title, texts).work()
        except Ended as ended:
            return int(ended.args[0])
        except OSError as error:  # the terminal is gone
            if error.filename is not None:
                raise
            return 1
    return 0


def say(words: str) -> None:
    """Tell a person at a terminal what takes a while."""
    if sys.stderr.isatty():
        print(words, file=sys.stderr)


def fall_silent(stdout: bool) -> None:
    """The terminal is gone: let nothing be written to it any more, so that the rest can be done."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2) if stdout else (2,):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def finish(session: Asks, table: Path, predictions: Path | None) -> dict[str, Any]:
    """Write the files, and say what was done."""
    from ohmline.labelling.export import write_labels, write_predictions

    write_labels(session.labels, table)
    progress = session.progress()  # which may begin a check, and find the disk full
    if predictions is not None:
        write_predictions(session, predictions)
    limit = progress.limit
    return {
        "journal": session.place,
        "out": str(table),
        "predictions": None if predictions is None else str(predictions),
        "nodes": progress.nodes,
        "labels": progress.labels,
        "imported": progress.imported,
        "skipped": progress.skipped,
        "counts": {str(k): v for k, v in _counts(session).items()},
        "stage": progress.stage.value,
        "estimated_error": progress.estimate,
        "goal": progress.goal,
        "confidence": session.confidence,
        "at_most": None if limit is None else limit.share,
        "sampled": None if limit is None else limit.sampled,
        "found": None if limit is None else limit.found,
        "more": progress.more,
    }


def _counts(session: Asks) -> dict[Any, int]:
    counted = Counter(session.labels.values())
    return {each: counted[each] for each in session.classes}


def tell(summary: dict[str, Any]) -> None:
    """Say what was done, in words."""
    counts = ", ".join(f"{in_one_line(name)} {count:,}" for name, count in summary["counts"].items())
    print(f"\n{summary['labels']:,} of {summary['nodes']:,} nodes are labelled: {counts}")
    if summary["at_most"] is not None:
        sure, most = 100 * summary["confidence"], 100 * summary["at_most"]
        print(
            f"  with {sure:g} % confidence at most {most:.3g} % of the other predictions are wrong "
            f"({summary['found']:,} of {summary['sampled']:,} random ones were)"
        )
    print(f"  labels   {in_one_line(summary['out'])}")
    if summary["predictions"]:
        print(f"  classes  {in_one_line(summary['predictions'])}")
    print(f"  journal  {in_one_line(summary['journal'])}; the same command goes on from here")


def expect_terminal() -> None:
    """Refuse to ask where nobody could answer."""
    for name, stream in (("standard input", sys.stdin), ("standard error", sys.stderr)):
        if not stream.isatty():
            raise ParameterError(
                f"ohmline label asks a person and needs a terminal, and {name} is none; run it in one, or let "
                "ohmline suggest GRAPH LABELS say which nodes to label, and write the answers into LABELS"
            )


def user() -> str:
    """The name of the user; empty where it cannot be found."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
