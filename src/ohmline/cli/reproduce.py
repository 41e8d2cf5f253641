"""`ohmline reproduce`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ohmline.cli.output import AsJson, ExitCode, Seed, as_json, print_json, show_table, stages
from ohmline.cli.workers import ClusterAddress
from ohmline.errors import DataError

if TYPE_CHECKING:
    from ohmline.lab.experiment import Experiment, Reproduction


def reproduce(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Which experiments; all for every one.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments and exit.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write ID.html and ID.json into this folder.")
    ] = None,
    cluster: ClusterAddress = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a claim does not hold.")] = False,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Run an experiment of the papers: our numbers beside theirs.

    Claims that do not hold are printed as such; they change the exit code with --strict only, because
    some claims of the papers are known not to reproduce. With --cluster each experiment runs on some worker.
    """
    from ohmline.lab.experiment import REGISTRY, find

    if list_ or not ids:
        return _list(json)
    chosen = sorted(REGISTRY) if "all" in ids else list(dict.fromkeys(ids))
    experiments = [find(each) for each in chosen]
    done: list[Reproduction] = []
    missing: list[str] = []
    found = _here(experiments, seed, quick) if cluster is None else _there(cluster, experiments, seed, quick)
    for experiment, reproduction in zip(experiments, found, strict=True):
        if isinstance(reproduction, DataError):
            if len(experiments) == 1:
                raise reproduction
            missing.append(experiment.id)
            print(f"ohmline: {experiment.id} was left out: {reproduction}", file=sys.stderr)
            continue
        done.append(reproduction)
        if out is not None:
            _write(out, reproduction)
        if not json:
            _show(reproduction)
    if json:
        documents = [reproduction.document() for reproduction in done]
        print_json(documents[0] if len(experiments) == 1 else documents)
    elif out is not None:
        print(f"\nThe reports are in {out}")
    if missing:
        raise typer.Exit(ExitCode.MISSING)
    if strict and not all(claim.holds for reproduction in done for claim in reproduction.result.claims):
        raise typer.Exit(ExitCode.FAILED)


def _here(experiments: list[Experiment], seed: int, quick: bool) -> Iterator[Reproduction | DataError]:
    """One after the other in this process."""
    from ohmline.lab.experiment import run

    for experiment in experiments:
        with stages(0) as stage:
            stage(experiment.id)

            def tick(message: str, name: str = experiment.id, say: Callable[[str], None] = stage) -> None:
                say(f"{name}: {message}")

            try:
                found: Reproduction | DataError = run(experiment, seed=seed, quick=quick, tick=tick)
            except DataError as error:
                found = error
        yield found


def _there(
    address: str, experiments: list[Experiment], seed: int, quick: bool
) -> list[Reproduction | DataError]:
    """All on the workers of a cluster."""
    from ohmline.cluster import Cluster
    from ohmline.cluster.sweeps import reproduce_all

    with Cluster.connect(address) as there:
        return reproduce_all(there, [experiment.id for experiment in experiments], seed=seed, quick=quick)


def _list(json: bool) -> None:
    from ohmline.lab.experiment import REGISTRY, find

    experiments = [find(each) for each in sorted(REGISTRY)]
    if json:
        print_json(
            [{"id": e.id, "title": e.title, "paper": e.paper, "needs": list(e.needs)} for e in experiments]
        )
        return
    rows = [[e.id, e.title, e.paper, ", ".join(e.needs) or "nothing"] for e in experiments]
    show_table("", ["id", "title", "paper", "data it needs"], rows, frozenset())


def _write(folder: Path, reproduction: Reproduction) -> None:
    from ohmline.lab.experiment_report import experiment_page
    from ohmline.lab.page import write

    name = reproduction.experiment.id
    write(folder / f"{name}.json", as_json(reproduction.document()))
    write(folder / f"{name}.html", experiment_page(reproduction))


def _show(reproduction: Reproduction) -> None:
    from ohmline.lab.experiment import PLUS_MINUS

    result = reproduction.result
    print(f"\n{reproduction.experiment.id}: {reproduction.experiment.title}")
    rows = [
        [
            row.dataset,
            row.method,
            row.metric,
            "-" if row.paper is None else f"{row.paper:.4g}",
            f"{row.ours:.4g}",
            f"{row.std:.2g}" if row.runs > 1 else "",
            str(row.runs),
        ]
        for row in result.rows
    ]
    head = ["data", "method", "metric", "paper", "ours", "±", "runs"]
    show_table("", head, rows, frozenset({3, 4, 5, 6}))
    if any(row.runs > 1 for row in result.rows):
        print(f"  {PLUS_MINUS}")
    for heading, claims in result.claims_by_side().items():
        print(f"  {heading}:")
        for claim in claims:
            asked = f"; it holds if: {claim.threshold}" if claim.threshold else ""
            print(
                f"    [{'holds' if claim.holds else 'DOES NOT HOLD'}] {claim.claim} ({claim.detail}{asked})"
            )
    for note in result.notes:
        print(f"  note: {note}")
    print(f"  {reproduction.seconds:.1f} s, seed {reproduction.settings.seed}")
