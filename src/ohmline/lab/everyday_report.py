"""The report of the demonstration: the everyday job first, then the games."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from ohmline.arrays import Floats
from ohmline.lab import page
from ohmline.lab.demo import Demo
from ohmline.lab.everyday import DRAWS, Everyday
from ohmline.lab.game_report import Drawing, game_parts
from ohmline.lab.svg import COLOURS, bar, draw_graph

GAME = (
    "The same graph as the papers play it: the digits come up in random order, the learner names a class, then sees "
    "the label. Nothing is learned ahead of time, and a theorem limits the mistakes while the game runs."
)


def demo_page(demo: Demo, *, seed: int = 0) -> str:
    """The whole report as a self-contained page."""
    job, drawing = demo.job, Drawing.of(demo.graph, seed)
    body = [
        _figures(job),
        page.card(_beside(job), "What a label buys"),
        page.card(_picture(job, drawing), "Every digit, in the colour of its prediction"),
        page.card(_next(job, demo.pictures), "What it would ask next"),
        page.card(_proofs(job), "How sure it is"),
        f"<h2>The papers' game</h2><p>{escape(GAME)}</p>",
    ]
    for game in demo.games:
        body += [f"<h3>{escape(game.title)}</h3>", *game_parts(game, None)]
    return page.page("Ohmline on handwritten digits", job.sentence(), body)


def _figures(job: Everyday) -> str:
    return page.tiles(
        [
            (f"{len(job.asked)}", f"labels asked for, of {len(job.labels):,}"),
            (f"{100 * job.right:.1f} %", "of all digits named right"),
            (f"≤ {100 * job.checked.share:.1f} %", "of the rest wrong, by a random check"),
            (f"≤ {job.further.whole}", "more mistakes can come, if every label came"),
        ]
    )


def _beside(job: Everyday) -> str:
    rows = [
        ("Ohmline, labels that it asked for", job.right, COLOURS[0]),
        (f"Ohmline, random labels (mean of {DRAWS} draws)", float(job.random.mean()), COLOURS[5]),
    ]
    if job.spread is not None:
        rows.append(
            ("scikit-learn's LabelSpreading, the same random labels", float(job.spread.mean()), COLOURS[1])
        )
    cells = [(escape(name), f"{100 * share:.1f} %", bar(share, colour)) for name, share, colour in rows]
    table = page.table((f"with {len(job.asked)} labels", "named right", ""), cells, numbers=frozenset({1}))
    note = (
        "All three know the same graph: each digit and its five most similar ones. LabelSpreading has its default "
        "settings. Each is judged on all digits."
    )
    return f'{table}<p class="note">{note}</p>'


def _picture(job: Everyday, drawing: Drawing) -> str:
    said = job.table.predictions
    wrong = np.array([a != b for a, b in zip(said, job.labels.tolist(), strict=True)])
    asked = set(job.asked.tolist())
    top = np.nanmax(job.table.probabilities, axis=1)
    titles = [
        f"digit {i}: asked for, it is {job.labels[i]}"
        if i in asked
        else f"digit {i}: {said[i]} with probability {top[i]:.2f}"
        + (f", but it is {job.labels[i]}" if wrong[i] else "")
        for i in range(len(said))
    ]
    colours = [COLOURS[int(each) % len(COLOURS)] for each in said]
    source, target, _ = drawing.part.edges()
    keys = "".join(f'<span><i style="background:{COLOURS[k]}"></i>{k}</span>' for k in range(10))
    keys += '<span><i class="ring"></i>wrong</span>'
    return (
        draw_graph(drawing.places, (source, target), colours, wrong, titles)
        + f'<div class="legend">{keys}</div>'
        + '<p class="note">Point at a node to read what was predicted, and how surely.</p>'
    )


def _next(job: Everyday, pictures: Floats) -> str:
    rows = []
    for node in job.next:
        place = int(node)
        chances = np.asarray(job.table.probabilities[place])
        best = np.argsort(-chances)[:2]
        said = " or ".join(f"{job.table.classes[k]} ({100 * chances[k]:.0f} %)" for k in best)
        rows.append((digit(pictures[place]), str(place), escape(said)))
    return page.table(("", "digit", "what it thinks so far"), rows)


def _proofs(job: Everyday) -> str:
    checked, limit = job.checked, job.further
    assumed = "; ".join(a.text for a in limit.assumptions if not a.checked)
    return (
        f"<p>{checked.found} of {checked.sampled} random predictions were wrong. So with "
        f"{100 * checked.confidence:g} % confidence at most {checked.wrong} of the other {checked.remaining:,} are, "
        "however often one looks.</p>"
        f"<p>If all labels came now, one by one in any order, minimum-norm interpolation of what is known would make "
        f"at most {limit.whole} more mistakes ({escape(limit.theorem)}; assuming that {escape(assumed)}).</p>"
    )


def digit(levels: Sequence[float] | Floats) -> str:
    """A picture of 8 by 8 grey levels as a small drawing.

    >>> digit([0.0] * 64).count("<rect")
    1
    """
    cells = "".join(
        f'<rect x="{k % 8}" y="{k // 8}" width="1.02" height="1.02" fill="currentColor" opacity="{level:.2f}"/>'
        for k, level in enumerate(levels)
        if level > 0
    )
    frame = '<rect width="8" height="8" fill="currentColor" opacity="0.06"/>'
    return f'<svg viewBox="0 0 8 8" style="width:44px;height:44px" role="img" aria-label="a digit">{frame}{cells}</svg>'
