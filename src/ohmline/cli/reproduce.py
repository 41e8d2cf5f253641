"""`ohmline reproduce`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ohmline.cli.add_ons import With, add_all
from ohmline.cli.output import AsJson, ExitCode, Seed, as_json, print_json, show_table
from ohmline.cli.workers import ClusterAddress
from ohmline.errors import DataError, OhmlineError

if TYPE_CHECKING:
    from ohmline.lab.finished import Finished
    from ohmline.lab.runs import Listener, Plan, Progress

RESULTS = Path("results")
"""Where `ohmline reproduce all` writes, unless it is told otherwise."""


def reproduce(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Which experiments; all for every one.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments and exit.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer repetitions; what they cannot judge is said.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write reports, JSON, CSV and LaTeX into this folder, and go on from what is finished there. "
            "Default for all: results.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="How many processes work.")] = 1,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run what is finished in the folder again.")] = False,
    with_: With = None,
    cluster: ClusterAddress = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if a claim does not hold and no reason is known.")
    ] = False,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Run experiments of the papers: our numbers beside theirs.

    Claims that do not hold are printed as such; they change the exit code with --strict only, and only where no
    reason is known: some claims of the papers are known not to reproduce. With a folder, a run that was interrupted
    goes on where it ended; a result that was made by other code, with other versions of the libraries or on other
    hardware is not taken, and a claim that lacked data is judged again once they are here. With --cluster each
    experiment runs on some worker, and the report says what was made where.
    """
    from ohmline.lab.experiment import ids as every
    from ohmline.lab.runs import Plan

    broken = add_all(with_)
    if list_ or not ids:
        _list(json)
        if broken:
            raise typer.Exit(ExitCode.MISSING)
        return
    if broken and "all" not in ids and not set(ids) <= set(every()):
        raise typer.Exit(ExitCode.MISSING)  # the experiment may be in the file that could not be loaded
    chosen = every() if "all" in ids else list(dict.fromkeys(ids))
    folder = RESULTS if out is None and "all" in ids and not json else out
    plan = Plan(tuple(chosen), seed, quick, jobs, folder, fresh)
    done: dict[str, Finished] = {}
    missing: dict[str, OhmlineError] = {}
    start = time.perf_counter()
    for id, outcome in _outcomes(plan, cluster):
        if isinstance(outcome, OhmlineError):
            if len(chosen) == 1:
                raise outcome
            missing[id] = outcome
            print(f"ohmline: {id} was left out: {outcome}", file=sys.stderr)
            continue
        done[id] = outcome
        if not json and len(chosen) == 1:
            _show(outcome)
        elif not json:
            _line(outcome)
    found = [done[id] for id in chosen if id in done]
    if folder is not None:
        _write(folder, found, {id: str(why) for id, why in missing.items()}, time.perf_counter() - start)
    if json:
        documents = [each.document() for each in found]
        print_json(documents[0] if len(chosen) == 1 else documents)
    elif folder is not None:
        which = f"{chosen[0]}.html" if len(chosen) == 1 else "report.html"
        print(f"\nThe report is {folder / which}")
    failed = any(not isinstance(why, DataError) for why in missing.values())
    if failed or (strict and any(each.unexplained for each in found)):
        raise typer.Exit(ExitCode.FAILED)
    if broken or missing:
        raise typer.Exit(ExitCode.MISSING)


def _outcomes(plan: Plan, address: str | None) -> Iterator[tuple[str, Finished | OhmlineError]]:
    from ohmline.lab.runs import run_all

    if address is None:
        with _bar(plan) as listen:
            yield from run_all(plan, listen)
        return
    from ohmline.cluster import Cluster
    from ohmline.cluster.sweeps import reproduce_each

    with Cluster.connect(address) as there, _bar(plan) as listen:
        work = partial(reproduce_each, there, seed=plan.seed, quick=plan.quick)
        yield from run_all(replace(plan, anywhere=True), listen, work)


@contextmanager
def _bar(plan: Plan) -> Iterator[Listener]:
    """A bar on standard error that says what runs and about how long the rest takes; silence without a terminal."""
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(plan.ids))

        def listen(progress: Progress) -> None:
            now = ", ".join(progress.running) + (f": {progress.message}" if progress.message else "")
            left = f"about {_time(progress.left)} left" if progress.done < progress.of else ""
            bar.update(task, completed=progress.done, description=" · ".join(filter(None, (left, now))))

        yield listen


def _time(seconds: float) -> str:
    """
    >>> _time(40), _time(200), _time(9000)
    ('40 s', '3 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _list(json: bool) -> None:
    from ohmline.lab.experiment import find, ids

    experiments = [find(each) for each in ids()]
    if json:
        print_json(
            [{"id": e.id, "title": e.title, "paper": e.paper, "needs": list(e.needs)} for e in experiments]
        )
        return
    rows = [[e.id, e.title, e.paper, ", ".join(e.needs) or "nothing"] for e in experiments]
    show_table("", ["id", "title", "paper", "data it needs"], rows, frozenset())


def _write(folder: Path, found: list[Finished], missing: dict[str, str], seconds: float) -> None:
    from ohmline.lab.experiment_report import experiment_page
    from ohmline.lab.gathered_report import gathered_page
    from ohmline.lab.page import write
    from ohmline.lab.tables import claims_csv, numbers_csv, numbers_latex

    for each in found:
        write(folder / f"{each.id}.json", as_json(each.document()))
        write(folder / f"{each.id}.html", experiment_page(each))
        write(folder / "tables" / f"{each.id}.csv", numbers_csv([each]))
        write(folder / "tables" / f"{each.id}.tex", numbers_latex(each))
    if len(found) + len(missing) > 1:
        write(folder / "report.html", gathered_page(found, missing, seconds))
        write(folder / "numbers.csv", numbers_csv(found))
        write(folder / "claims.csv", claims_csv(found))


def _line(found: Finished) -> None:
    """One experiment among many."""
    from collections import Counter

    tally = Counter(found.verdict(claim) for claim in found.claims)
    said = ", ".join(f"{many} {verdict}" for verdict, many in sorted(tally.items())) or "no claims"
    print(f"{found.id:22} {found.seconds:7.1f} s  {said}")


def _show(found: Finished) -> None:
    from ohmline.lab.experiment import PLUS_MINUS, Verdict
    from ohmline.lab.experiment_report import seen

    print(f"\n{found.id}: {found.title}")
    rows = [
        [
            row.dataset,
            row.method,
            row.metric,
            *(["-" if row.paper is None else f"{row.paper:.4g}"] if found.has_paper else []),
            f"{row.ours:.4g}",
            f"{row.std:.2g}" if row.runs > 1 else "",
            str(row.runs),
        ]
        for row in found.rows
    ]
    head = ["data", "method", "metric", *(["paper"] if found.has_paper else []), "ours", "±", "runs"]
    show_table("", head, rows, frozenset(range(3, len(head))))
    if any(row.runs > 1 for row in found.rows):
        print(f"  {PLUS_MINUS}")
    for heading, claims in found.by_side().items():
        print(f"  {heading}:")
        for claim in claims:
            verdict = found.verdict(claim)
            mark = found.word(claim).upper() if verdict is Verdict.NOT else verdict
            asked = f"; it holds if: {claim.threshold}" if claim.threshold else ""
            print(f"    [{mark}] {claim.claim} ({seen(claim)}{asked})")
    for note in found.notes:
        print(f"  note: {note}")
    print(f"  {found.seconds:.1f} s, seed {found.seed}")
