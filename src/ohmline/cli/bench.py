"""`ohmline bench`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ohmline.cli.output import AsJson, ExitCode, Seed, print_json, show_table, stages
from ohmline.cli.workers import ClusterAddress

if TYPE_CHECKING:
    from ohmline.lab.bench import Measured


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Which benchmarks; all without one.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the names and exit.")] = False,
    cluster: ClusterAddress = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a target is missed.")] = False,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Measure speed, each as a ratio to a reference in the same run, on one thread.

    A ratio above 1 means that Ohmline is faster than the reference. One name prints one JSON object,
    several print a list. The data are fixed, so the seed plays no part. With --cluster each runs on some worker.
    """
    from ohmline.lab.bench import REGISTRY, find, run

    if list_:
        listed = sorted(REGISTRY)
        print_json(listed) if json else print("\n".join(listed))
        return
    chosen = list(names or sorted(REGISTRY))
    for name in chosen:
        find(name)  # a wrong name is reported before any work is done
    results: list[Measured] = []
    if cluster is not None:
        from ohmline.cluster import Cluster
        from ohmline.cluster.sweeps import bench_all

        with Cluster.connect(cluster) as there:
            results = bench_all(there, chosen)
    else:
        with stages(len(chosen)) as stage:
            for name in chosen:
                stage(name)
                results.append(run(name))
    if json:
        documents = [measured.document() for measured in results]
        print_json(documents[0] if len(names or []) == 1 else documents)
    else:
        for measured in results:
            _show(measured)
    targets = [line for measured in results for line in measured.details.get("targets", [])]
    if strict and not all(line["met"] for line in targets):
        raise typer.Exit(ExitCode.FAILED)


def _show(measured: Measured) -> None:
    print(f"\n{measured.name}: {measured.ratio:.3g} times as fast as {measured.reference}")
    details = {key: value for key, value in measured.details.items() if key != "targets"}
    show_table("", ["detail", "value"], [[k, _text(v)] for k, v in details.items()], frozenset({1}))
    for line in measured.details.get("targets", []):
        print(f"  [{'met' if line['met'] else 'MISSED'}] {line['target']}: {_text(line['value'])}")


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
