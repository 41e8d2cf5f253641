"""The report of an experiment: its claims, our numbers beside the paper's, its figures, all numbers."""

from __future__ import annotations

from html import escape

from ohmline.errors import MissingExtra
from ohmline.lab import page
from ohmline.lab.experiment import PLUS_MINUS, Claim, Reproduction, Row
from ohmline.lab.plot import as_svg, drawn

SHORT = 12
"""How many rows a table of numbers may have and still be shown unfolded."""


def experiment_page(reproduction: Reproduction) -> str:
    """The report as a self-contained page; figures are inline SVG (they need the extra `plot`)."""
    experiment, result = reproduction.experiment, reproduction.result
    body = []
    for heading, claims in result.claims_by_side().items():
        body.append(page.card(_claims(claims), heading))
    printed = [row for row in result.rows if row.paper is not None]
    if printed:
        body.append(page.card(_numbers(printed), "Our numbers beside the paper's"))
    for name, draw in result.figures.items():
        try:
            picture = f'<figure class="paper">{as_svg(drawn(draw))}</figure>'
        except MissingExtra as error:
            picture = f'<p class="note">The figure is not drawn: {escape(str(error))}</p>'
        body.append(page.card(picture, name))
    if len(result.rows) > len(printed):
        body.append(page.card(_folded(_numbers(result.rows), len(result.rows)), "All numbers"))
    if result.notes:
        body.append(page.card("".join(f"<p>{escape(note)}</p>" for note in result.notes), "Notes"))
    quick = ", with fewer repetitions (--quick)" if reproduction.settings.quick else ""
    body.append(
        f'<p class="note">Made by <code>ohmline reproduce {escape(experiment.id)}</code> with seed '
        f"{reproduction.settings.seed} in {reproduction.seconds:.1f} s{quick}.</p>"
    )
    return page.page(experiment.title, f"{experiment.id} · {experiment.paper}", body)


def _claims(claims: list[Claim]) -> str:
    head = ("", "claim", "it holds if", "what we saw")
    return page.table(
        head,
        [
            (page.verdict(claim.holds), *map(escape, (claim.claim, claim.threshold, claim.detail)))
            for claim in claims
        ],
        widths=(15, 28, 24, 33),
    )


def _folded(table: str, rows: int) -> str:
    """A long table waits behind one line, so that the figures are seen first."""
    if rows <= SHORT:
        return table
    return f"<details><summary>{rows} rows</summary>{table}</details>"


def _numbers(rows: list[Row]) -> str:
    spread = f'<p class="note">{escape(PLUS_MINUS)}</p>' if any(row.runs > 1 for row in rows) else ""
    return spread + page.table(
        ("data", "method", "metric", "paper", "ours", "±", "runs"),
        [
            (
                escape(row.dataset),
                escape(row.method),
                escape(row.metric),
                "" if row.paper is None else f"{row.paper:.4g}",
                f"{row.ours:.4g}",
                f"{row.std:.2g}" if row.runs > 1 else "",
                str(row.runs),
            )
            for row in rows
        ],
        numbers=frozenset({3, 4, 5, 6}),
    )
