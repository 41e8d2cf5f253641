"""`ohmline demo`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from ohmline.cli.output import AsJson, ExitCode, Out, Seed, print_json, stages

FIRST = "the first time, machine code is made, which takes half a minute or more; it is kept"


def demo(out: Out = Path("report.html"), seed: Seed = 0, json: AsJson = False) -> None:
    """Name handwritten digits from a few labels, and write a report.

    On data that come with the package: forty labels are asked for, every digit is predicted with a probability, a
    random check limits how many are wrong, and the same is done with random labels and with scikit-learn's
    LabelSpreading. Then the papers' game: the mistakes, and a certificate that limits them.
    """
    with stages(8) as stage:
        stage("starting")
        from ohmline.lab.label_spreading import Aside
        from ohmline.lab.page import may_replace, write

        may_replace(out)
        with Aside() as aside:  # it imports while this process does
            from ohmline.lab.demo import first_time, play_digits
            from ohmline.lab.everyday_report import demo_page

            if first_time():
                stage = _patient(stage)
            played = play_digits(aside, seed, stage)
        stage("writing the report")
        write(out, demo_page(played, seed=seed))
    if json:
        games = [game.document() for game in played.games]
        about = {"seed": seed, "graph": played.graph.summary(), "job": played.job.document()}
        print_json({**about, "games": games, "report": str(out)})
    else:
        _show_job(played.job)
        for game in played.games:
            show_game(game)
        print(f"\nThe report is in {out}")
    if not all(game.kept for game in played.games):
        raise typer.Exit(ExitCode.FAILED)


def _patient(stage: Callable[[str], None]) -> Callable[[str], None]:
    """The same stages for a first start, which says why it takes so long: in one line where there is no terminal."""
    if not sys.stderr.isatty():
        print(f"ohmline: {FIRST}", file=sys.stderr, flush=True)
    return lambda name: stage(f"{name} ({FIRST})")


def _show_job(job: Any) -> None:
    """Print the everyday job in a few lines."""
    checked = job.checked
    print(f"\n{job.sentence()}")
    print(
        f"  checked      {checked.found} of {checked.sampled} random predictions were wrong: at most "
        f"{100 * checked.share:.1f} % of the others are, with {100 * checked.confidence:g} % confidence"
    )
    print(
        f"  still to come  at most {job.further.whole} mistakes, if all labels came ({job.further.theorem})"
    )
    print(f"  asks next    digits {', '.join(map(str, job.next))}")
    print("\nThe papers' game on the same graph:")


def show_game(game: Any) -> None:
    """Print a game in a few lines."""
    from ohmline.lab.game_report import duration

    trace, certificate = game.trace, game.certificate
    print(f"\n{game.title}")
    print(f"  mistakes     {trace.mistakes:,} in {len(trace):,} trials ({100 * trace.error_rate:.1f} %)")
    print(f"  labels asked {trace.asked:,}")
    print(f"  time         {duration(trace.seconds)}")
    _show_classes(game)
    if certificate is None:
        print("  certificate  none: no theorem covers this game")
    elif not certificate.valid:
        broken = next(a.text for a in certificate.assumptions if not a.holds)
        print(f"  certificate  none: it does not hold that {broken}")
    else:
        state = "proven" if certificate.proven else "under assumptions"
        limit = f"at most {certificate.whole} mistakes{certificate.about}"
        print(
            f"  certificate  {limit}, where {certificate.charged:,} were counted ({certificate.theorem}; {state})"
        )


def _show_classes(game: Any, most: int = 12) -> None:
    """Print the measures of each class, or of the rarest where there are many."""
    table = game.trace.per_class()
    shown = sorted(table, key=lambda label: table[label]["trials"])[:most]
    lines = [("by class", "trials", "recall", "precision", "average precision")]
    for label, row in table.items():
        if label in shown:
            shares = [f"{row[name]:.3f}" for name in ("recall", "precision", "average_precision")]
            lines.append((game.name_of(label)[:40], f"{row['trials']:,.0f}", *shares))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for name, *numbers in lines:
        aligned = "  ".join(text.rjust(width) for text, width in zip(numbers, widths[1:], strict=True))
        print(f"  {name.ljust(max(widths[0], 12))} {aligned}")
    if len(table) > most:
        print(f"  and {len(table) - most:,} more, which came up more often; the report has all")
