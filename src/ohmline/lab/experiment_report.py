"""The report of an experiment: its claims, our numbers beside the paper's, its figures, all numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from ohmline.lab import page
from ohmline.lab.experiment import PLUS_MINUS, Claim, Row
from ohmline.lab.finished import Finished

SHORT = 12
"""How many rows a table of numbers may have and still be shown unfolded."""


def experiment_page(found: Finished) -> str:
    """The report as a self-contained page; figures are inline SVG (they need the extra `plot`)."""
    body = []
    for heading, claims in found.by_side().items():
        body.append(page.card(claims_table(found, claims), heading))
    printed = [row for row in found.rows if row.paper is not None]
    if printed:
        body.append(page.card(_with_spread(printed), "Our numbers beside the paper's"))
    body += [page.card(drawing, name) for name, drawing in figures_of(found)]
    if len(found.rows) > len(printed):
        body.append(page.card(folded(_with_spread(found.rows), len(found.rows)), "All numbers"))
    if found.notes:
        body.append(page.card("".join(f"<p>{escape(note)}</p>" for note in found.notes), "Notes"))
    quick = ", with fewer repetitions (--quick)" if found.quick else ""
    body.append(
        f'<p class="note">Made by <code>ohmline reproduce {escape(found.id)}</code> with seed '
        f"{found.seed} in {found.seconds:.1f} s{quick}.</p>"
    )
    return page.page(found.title, f"{found.id} · {found.paper}", body)


def claims_table(found: Finished, claims: Sequence[Claim]) -> str:
    """Claims with what this run says about each; on a narrow screen one below the other."""
    table = page.table(
        ("", "claim", "it holds if", "what we saw"),
        [
            (
                page.mark(found.verdict(claim), word=found.word(claim)),
                escape(claim.claim),
                escape(claim.threshold),
                escape(seen(claim)),
            )
            for claim in claims
        ],
        widths=(15, 28, 24, 33),
    )
    return f'<div class="claims">{table}</div>'


def seen(claim: Claim) -> str:
    """What was seen, with the condition under which it holds or the reason why it does not."""
    condition = f"; it holds {claim.condition}" if claim.condition and claim.holds else ""
    reason = f"; {claim.reason}" if claim.reason and not claim.holds else ""
    return claim.detail + condition + reason


def figures_of(found: Finished) -> Iterator[tuple[str, str]]:
    """Each figure with its name, or what is said in its place."""
    for name, drawing in found.figures.items():
        if drawing.startswith("<svg"):
            yield name, f'<figure class="drawn">{drawing}</figure>'
        else:
            yield name, f'<p class="note">{escape(drawing)}</p>'


def folded(table: str, rows: int) -> str:
    """A long table waits behind one line, so that the figures are seen first."""
    if rows <= SHORT:
        return table
    return f"<details><summary>{rows} rows</summary>{table}</details>"


def _with_spread(rows: Sequence[Row]) -> str:
    spread = f'<p class="note">{escape(PLUS_MINUS)}</p>' if any(row.runs > 1 for row in rows) else ""
    return spread + numbers_table(rows)


def numbers_table(rows: Sequence[Row]) -> str:
    """Our numbers, each beside the paper's where it has one."""
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
            for row in rows
        ],
        numbers=frozenset({3, 4, 5, 6}),
    )
