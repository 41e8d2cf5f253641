"""The numbers and the claims of experiments as CSV and as LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ohmline.lab.finished import Finished

NUMBERS = ("id", "dataset", "method", "metric", "paper", "ours", "std", "runs")
CLAIMS = ("id", "verdict", "claim", "threshold", "detail", "condition", "reason", "whose")


def numbers_csv(found: Iterable[Finished]) -> str:
    """Every row of every experiment; numbers with all their digits."""
    rows = [
        (
            each.id,
            row.dataset,
            row.method,
            row.metric,
            _whole(row.paper),
            repr(row.ours),
            repr(row.std),
            row.runs,
        )
        for each in found
        for row in each.rows
    ]
    return _csv(NUMBERS, rows)


def claims_csv(found: Iterable[Finished]) -> str:
    """Every claim of every experiment."""
    rows = [
        (
            each.id,
            str(each.verdict(claim)),
            claim.claim,
            claim.threshold,
            claim.detail,
            claim.condition,
            claim.reason,
            "ours" if claim.ours else "the paper's",
        )
        for each in found
        for claim in each.claims
    ]
    return _csv(CLAIMS, rows)


def _whole(value: float | None) -> str:
    return "" if value is None else repr(value)


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


def numbers_latex(found: Finished) -> str:
    """The rows of one experiment as a `tabular`, which needs the package `booktabs`."""
    body = [
        " & ".join(
            (
                latex(row.dataset),
                latex(row.method),
                latex(row.metric),
                "--" if row.paper is None else f"${row.paper:.4g}$",
                f"${row.ours:.4g}$" if row.runs == 1 else rf"${row.ours:.4g} \pm {row.std:.2g}$",
                str(row.runs),
            )
        )
        + r" \\"
        for row in found.rows
    ]
    return "\n".join(
        [
            f"% {found.id}, seed {found.seed}, Ohmline {found.version}",
            r"\begin{tabular}{lllrrr}",
            r"\toprule",
            r"data & method & metric & paper & ours & runs \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def latex(text: str) -> str:
    r"""Plain text as LaTeX shows it.

    >>> latex("50 % of {a_b} & c")
    '50 \\% of \\{a\\_b\\} \\& c'
    """
    return "".join(SPECIAL.get(character, character) for character in text)
