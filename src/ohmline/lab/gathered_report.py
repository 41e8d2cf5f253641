"""One report of many experiments: what holds at a glance, then paper by paper claims, numbers and figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape

from ohmline.lab import page
from ohmline.lab.experiment import PLUS_MINUS, Verdict
from ohmline.lab.experiment_report import claims_table, figures_of, folded, numbers_table
from ohmline.lab.finished import Finished
from ohmline.markup import counted

PAPERS: dict[str, str] = {
    "hpw2005": "000: Herbster, Pontil, Wainer, Online learning over graphs (ICML 2005)",
    "hp2006": "001: Herbster, Pontil, Prediction on a graph with a perceptron (NIPS 2006)",
    "h2008": "002: Herbster, Exploiting cluster-structure to predict the labeling of a graph (ALT 2008)",
    "glz2008": "003: Goldberg, Li, Zhu, Online manifold regularization (ECML 2008)",
    "gu2013": "004: Gu, Aggarwal, Liu, Han, Selective sampling on graphs for classification (KDD 2013)",
}
"""How the ids of each paper's experiments begin, and its heading."""
BEYOND = "Beyond the papers"


def gathered_page(found: Sequence[Finished], missing: Mapping[str, str], seconds: float) -> str:
    """The report as a self-contained page; `missing` says of other experiments why they have no result."""
    tally = Counter(each.verdict(claim) for each in found for claim in each.claims)
    pairs = [
        (f"{tally[verdict]:,}", _meaning(verdict, tally[verdict])) for verdict in Verdict if tally[verdict]
    ]
    pairs.append((f"{len(found):,}", f"{'experiment' if len(found) == 1 else 'experiments'}"))
    quick = any(each.quick for each in found)
    body = [page.tiles(pairs), _contents(found)]
    if quick:
        body.append(
            '<p class="note">This was a quick run, with fewer repetitions. A claim that only the full length can judge '
            "is marked as not judged.</p>"
        )
    for heading, part in by_paper(found).items():
        body.append(f"<h2>{escape(heading)}</h2>")
        for each in part:
            body.append(_experiment(each))
    if missing:
        rows = [(f"<code>{escape(id)}</code>", escape(why)) for id, why in missing.items()]
        body += ["<h2>Left out</h2>", page.card(page.table(("experiment", "why"), rows))]
    body += ["<h2>How it was run</h2>", page.card(_machine(found, seconds))]
    lead = (
        f"{counted(len(found), 'experiment')} of the five papers and beyond them. Each claim is marked as holding, as "
        "holding with a condition, or as not reproduced, with what was seen."
    )
    return page.page("The papers, reproduced", lead, body)


def by_paper(found: Sequence[Finished]) -> dict[str, list[Finished]]:
    """The experiments under the heading of their paper, in the order of the papers; the others last."""
    sections: dict[str, list[Finished]] = {heading: [] for heading in (*PAPERS.values(), BEYOND)}
    for each in sorted(found, key=lambda each: each.id):
        sections[PAPERS.get(each.id.partition("-")[0], BEYOND)].append(each)
    return {heading: part for heading, part in sections.items() if part}


def _meaning(verdict: Verdict, many: int) -> str:
    noun = "claim" if many == 1 else "claims"
    return {
        Verdict.HOLDS: f"{noun} {'holds' if many == 1 else 'hold'}",
        Verdict.CONDITION: f"{noun} {'holds' if many == 1 else 'hold'} with a condition",
        Verdict.NOT: f"{noun} not reproduced",
        Verdict.OPEN: f"{noun} not judged: by a quick run, or for want of data",
    }[verdict]


def _contents(found: Sequence[Finished]) -> str:
    """A line for each experiment, which leads to it."""
    rows = []
    for part in by_paper(found).values():
        for each in part:
            tally = Counter(each.verdict(claim) for claim in each.claims)
            marks = " ".join(page.mark(verdict, many) for verdict, many in sorted(tally.items()))
            link = f'<a href="#{escape(each.id)}">{escape(each.id)}</a>'
            rows.append((link, escape(each.title), marks))
    return page.card(page.table(("experiment", "what it shows", "claims"), rows), "At a glance")


def _experiment(each: Finished) -> str:
    inner = [f'<p class="note">{escape(each.id)}, seed {each.seed}, {each.seconds:.1f} s</p>']
    for heading, claims in each.by_side().items():
        inner.append(f"<h4>{escape(heading)}</h4>{claims_table(each, claims)}")
    printed = [row for row in each.rows if row.paper is not None]
    if printed:
        table = numbers_table(printed)
        inner.append(f"<h4>Our numbers beside the paper's</h4>{folded(table, len(printed))}")
    inner += [f"<h4>{escape(name)}</h4>{drawing}" for name, drawing in figures_of(each)]
    if len(each.rows) > len(printed):
        inner.append(f"<h4>All numbers</h4>{folded(numbers_table(each.rows), len(each.rows))}")
    inner += [f'<p class="note">{escape(note)}</p>' for note in each.notes]
    return f'<section class="card" id="{escape(each.id)}"><h3>{escape(each.title)}</h3>{"".join(inner)}</section>'


def _machine(found: Sequence[Finished], seconds: float) -> str:
    seeds = sorted({each.seed for each in found})
    work = sum(each.seconds for each in found)
    places: dict[tuple[tuple[str, str], ...], list[Finished]] = {}
    for each in found:
        places.setdefault(tuple(each.made.items()), []).append(each)
    rows = []
    for made, part in places.items():
        if len(places) > 1:
            rows.append(("experiments", ", ".join(each.id for each in part)))
        rows += made
    days = sorted({each.date for each in found})
    rows += [
        ("made on", " to ".join(dict.fromkeys((days[0], days[-1]))) if days else "no day"),
        ("seeds", ", ".join(map(str, seeds))),
        ("work", f"{work:,.0f} s in all experiments together"),
        ("this run", f"{seconds:,.0f} s; what was finished before was not run again"),
    ]
    table = page.table(("", ""), [(escape(name), escape(value)) for name, value in rows])
    return table + f'<p class="note">{escape(PLUS_MINUS)}</p>'
