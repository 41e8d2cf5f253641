"""The report of an experiment: its claims, our numbers beside the paper's, its figures."""

from __future__ import annotations

from html import escape

from ohmline.errors import MissingExtra
from ohmline.lab import page
from ohmline.lab.experiment import Reproduction
from ohmline.lab.plot import as_svg, drawn


def experiment_page(reproduction: Reproduction) -> str:
    """A self-contained page; figures are inline SVG (they need the extra ``plot``)."""
    experiment, result = reproduction.experiment, reproduction.result
    body = []
    if result.claims:
        rows = [
            (page.verdict(claim.holds), escape(claim.claim), escape(claim.detail)) for claim in result.claims
        ]
        body.append(page.card(page.table(("", "claim", "what we saw"), rows), "Claims"))
    if result.rows:
        body.append(page.card(_numbers(reproduction), "Our numbers beside the paper's"))
    for name, draw in result.figures.items():
        try:
            picture = f'<figure class="paper">{as_svg(drawn(draw))}</figure>'
        except MissingExtra as error:
            picture = f'<p class="note">The figure is not drawn: {escape(str(error))}</p>'
        body.append(page.card(picture, name))
    if result.notes:
        body.append(page.card("".join(f"<p>{escape(note)}</p>" for note in result.notes), "Notes"))
    quick = ", with fewer repetitions (--quick)" if reproduction.settings.quick else ""
    body.append(
        f'<p class="note">Made by <code>ohmline reproduce {escape(experiment.id)}</code> with seed '
        f"{reproduction.settings.seed} in {reproduction.seconds:.1f} s{quick}.</p>"
    )
    return page.page(experiment.title, f"{experiment.id} · {experiment.paper}", body)


def _numbers(reproduction: Reproduction) -> str:
    return page.table(
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
            for row in reproduction.result.rows
        ],
        numbers=frozenset({3, 4, 5, 6}),
    )
