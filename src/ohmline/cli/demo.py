"""`ohmline demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from ohmline.cli.output import AsJson, ExitCode, Out, Seed, print_json, stages

LEAD = (
    "1,797 pictures of digits, each joined to the five most similar. They come up in random order: "
    "the learner names a class, then sees the label. Nothing is learned ahead of time."
)


def demo(out: Out = Path("report.html"), seed: Seed = 0, json: AsJson = False) -> None:
    """Play handwritten digits as a graph and write a report.

    Two games on data that come with the package, even against odd and ten classes: the mistakes, the
    labels asked for, and a certificate that limits the mistakes.
    """
    with stages(7) as stage:
        stage("starting")
        from ohmline.lab.demo import play_digits
        from ohmline.lab.game_report import game_page
        from ohmline.lab.page import may_replace, write

        may_replace(out)
        played = play_digits(seed, stage)
        stage("writing the report")
        page = game_page("Ohmline on handwritten digits", LEAD, played.graph, played.games, seed=seed)
        write(out, page)
    if json:
        games = [game.document() for game in played.games]
        print_json({"seed": seed, "graph": played.graph.summary(), "games": games, "report": str(out)})
    else:
        for game in played.games:
            show_game(game)
        print(f"\nThe report is in {out}")
    if not all(game.kept for game in played.games):
        raise typer.Exit(ExitCode.FAILED)


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
