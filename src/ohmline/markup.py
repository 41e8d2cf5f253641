"""Pieces of HTML: tables for every page, and the small boxes that notebooks show.

A box brings its own style and nothing from elsewhere. It takes the colours of the notebook around it, so that it can
be read on a light and on a dark ground. Whatever users name (nodes, labels, files) is escaped here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

LONGEST = 120
"""Characters of a value that a box shows at most."""
LISTED = 10
"""Classes that a box names at most."""

_STYLE = (
    ".ohmline{font-size:13px;line-height:1.45;max-width:760px}"
    ".ohmline table{border-collapse:collapse;margin:4px 0;font-variant-numeric:tabular-nums}"
    ".ohmline table th,.ohmline table td{text-align:left;padding:2px 14px 2px 0;background:none;vertical-align:top;"
    "border:0;border-bottom:1px solid rgba(128,128,128,.3);overflow-wrap:anywhere}"
    ".ohmline table th{font-weight:600}"
    ".ohmline table td.number,.ohmline table th.number{text-align:right}"
    ".ohmline p{margin:3px 0}.ohmline code{background:none;font-size:12px;overflow-wrap:anywhere}"
)


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: frozenset[int] = frozenset(),
    widths: Sequence[int] = (),
) -> str:
    """A table of ready-made cells; the columns in `numbers` are aligned right, `widths` are in percent."""

    def line(cells: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=number' if k in numbers else ''}>{cell}</{tag}>" for k, cell in enumerate(cells)
        )

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    columns = "".join(f'<col style="width:{width}%">' for width in widths)
    names = line([escape(name) for name in head], "th")
    top = f"<thead><tr>{names}</tr></thead>" if head else ""
    return f"<table>{columns}{top}<tbody>{body}</tbody></table>"


def box(title: str, *parts: str) -> str:
    """What a notebook shows of an object: a title in plain text, and ready-made pieces of HTML.

    >>> box("Graph", words("1 node")).endswith("<p>1 node</p></div>")
    True
    """
    return f'<div class="ohmline"><style>{_STYLE}</style><b>{escape(title)}</b>{"".join(parts)}</div>'


def facts(pairs: Iterable[tuple[str, Any]]) -> str:
    """Names and values, one pair per line.

    >>> facts([("nodes", 3), ("first", "<script>")])[-44:]
    '<td>&lt;script&gt;</td></tr></tbody></table>'
    """
    return table((), [(f"<b>{clipped(name)}</b>", clipped(value)) for name, value in pairs])


def words(sentence: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{escape(sentence)}</p>"


def code(text: str) -> str:
    """A line of code."""
    return f"<p><code>{escape(text)}</code></p>"


def clipped(value: Any, length: int = LONGEST) -> str:
    """A value as escaped text, whole numbers with commas; cut where it is long.

    >>> clipped(12345), clipped("<b>"), clipped("x" * 500, 6)
    ('12,345', '&lt;b&gt;', 'xxxxx…')
    """
    text = f"{value:,}" if type(value) is int else str(value)
    return escape(text if len(text) <= length else f"{text[: length - 1]}…")


def some(values: Sequence[Any], most: int = LISTED) -> str:
    """Some values in plain text, and how many more there are.

    >>> some(["a", "b", "c"], 2), some([])
    ('a, b and 1 more', 'none')
    """
    if not values:
        return "none"
    named = ", ".join(str(value)[:LONGEST] for value in values[:most])
    return named if len(values) <= most else f"{named} and {len(values) - most:,} more"


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "node"), counted(2500, "node"), counted(0, "class", "classes")
    ('1 node', '2,500 nodes', '0 classes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
