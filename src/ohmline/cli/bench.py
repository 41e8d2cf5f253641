"""`ohmline bench`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ohmline.cli.output import AsJson, ExitCode, Seed, in_one_line, print_json, show_table, stages
from ohmline.cli.workers import ClusterAddress
from ohmline.errors import DataError, DeviceError, MissingExtra, OhmlineError, ParameterError

if TYPE_CHECKING:
    from ohmline.lab.bench import Measured

PEERS = "peers"


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Which benchmarks; all without one.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the names and exit.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="For peers alone: write tables, page and picture into this folder, and go on from what was "
            "measured there.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="For peers alone: a small graph and few draws.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="For peers alone: measure again what is in the folder.")
    ] = False,
    cluster: ClusterAddress = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a target is missed.")] = False,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Measure speed, each as a ratio to a reference in the same run, on one thread.

    A ratio above 1 means that Ohmline is faster than the reference. One name prints one JSON object,
    several print a list. What cannot be measured here, for want of a package, of data or of a GPU, says so in
    its row, and the others run; the exit code is then 3. The data are fixed, so the seed plays a part in peers
    alone. With --cluster each runs on some worker.
    """
    from ohmline.lab.bench import REGISTRY, Measured, expect, left_out

    if (out is not None or quick or fresh) and list(names or []) != [PEERS]:
        raise ParameterError(
            f"--out, --quick and --fresh are for {PEERS} alone: ohmline bench {PEERS} --out DIR"
        )

    if list_:
        listed = sorted(REGISTRY)
        print_json(listed) if json else print("\n".join(listed))
        return
    chosen = list(names or sorted(REGISTRY))
    expect(chosen)  # a wrong name is reported before any work is done
    results: dict[str, Measured] = {}
    missing: dict[str, OhmlineError] = {}
    documents: list[dict[str, Any]] = []
    for name, found in _outcomes(chosen, cluster, lambda: _peers(out, quick, fresh, seed)):
        if isinstance(found, Measured):
            results[name] = found
        elif len(names or []) == 1:
            raise found
        else:
            missing[name] = found
        documents.append(found.document() if isinstance(found, Measured) else left_out(name, found))
        if json:
            continue
        if isinstance(found, Measured):
            _show(found)
        else:
            print(f"\n{name}: left out: {in_one_line(found)}")
        sys.stdout.flush()  # what was measured is not lost with what comes later
    if json:
        print_json(documents[0] if len(names or []) == 1 else documents)
    targets = [line for measured in results.values() for line in measured.details.get("targets", [])]
    if any(isinstance(why, DataError | DeviceError | MissingExtra) for why in missing.values()):
        raise typer.Exit(ExitCode.MISSING)
    if missing or (strict and not all(line["met"] for line in targets)):
        raise typer.Exit(ExitCode.FAILED)


def _outcomes(
    chosen: list[str], address: str | None, peers: Callable[[], Measured]
) -> Iterator[tuple[str, Measured | OhmlineError]]:
    """Each benchmark with what it found, or with why it could not be measured, as they end."""
    from ohmline.lab.bench import attempt

    if address is not None:
        from ohmline.cluster import Cluster
        from ohmline.cluster.sweeps import bench_all

        with Cluster.connect(address) as there:
            found = bench_all(there, chosen)
        yield from zip(chosen, found, strict=True)
    elif chosen == [PEERS]:
        yield PEERS, peers()
    else:
        with stages(len(chosen)) as stage:
            for name in chosen:
                stage(name)
                yield name, attempt(name)


def _peers(out: Path | None, quick: bool, fresh: bool, seed: int) -> Measured:
    """The comparison with other systems, each named on standard error where that is a terminal."""
    from ohmline.lab.benches.peers import peers
    from ohmline.lab.peers.run import Plan
    from ohmline.lab.peers.sizes import FULL, SMALL

    def tell(message: str) -> None:
        if sys.stderr.isatty():
            print(message, file=sys.stderr)

    return peers(Plan(SMALL if quick else FULL, seed, out, fresh, tell=tell))


def _show(measured: Measured) -> None:
    print(f"\n{measured.name}: {measured.ratio:.3g} times as fast as {measured.reference}")
    details = {key: value for key, value in measured.details.items() if key not in ("targets", "document")}
    if "document" in measured.details:
        _show_peers(measured.details["document"])
    show_table("", ["detail", "value"], [[k, _text(v)] for k, v in details.items()], frozenset({1}))
    for line in measured.details.get("targets", []):
        print(f"  [{'met' if line['met'] else 'MISSED'}] {line['target']}: {_text(line['value'])}")


def _show_peers(document: dict[str, Any]) -> None:
    from ohmline.lab.peers.tables import firsts, tables

    for table in tables(document):
        print(f"\n{table.title}")
        rows = [[cell.replace("**", "") for cell in row] for row in table.rows]
        show_table("", list(table.head), rows, frozenset(range(1, len(table.head))))
    for line in firsts(document):
        print(line)


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
