"""Values in the cells of a table of text, and back.

Spreadsheets take a cell that begins with `=`, `+`, `-`, `@`, a tab or a line end for a formula, and a formula may
send data away. So a text that begins with one of these, or with apostrophes and one of these, is written with one more
apostrophe in front, and `uncelled` takes exactly one away: what is read back is what was written. Numbers are written
as they are. A node that is not a string, or a string that could be taken for one, is written as JSON.

A cell with a quote, a line end or anything else that some program separates by is quoted. So is one with a bare
carriage return: to many readers that is a line end, and what follows it would begin a row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable
from typing import Any

from ohmline.service.ids import node_of

QUOTE = '"'
_RISKY = re.compile(r"'*[=+\-@\t\r\n]")
_GUARDED = re.compile(r"''*[=+\-@\t\r\n]")
_QUOTED = re.compile(r'[",;\t\r\n]')


def line_of(cells: Iterable[str]) -> str:
    """Cells as a line of CSV.

    >>> line_of(["a", "b,c"])
    'a,"b,c"\\n'

    Parameters
    ----------
    cells
        The cells.
    """
    quoted = [f'"{cell.replace(QUOTE, 2 * QUOTE)}"' if _QUOTED.search(cell) else cell for cell in cells]
    return ",".join(quoted) + "\n"


def celled(text: str) -> str:
    """A text that no spreadsheet takes for a formula.

    >>> celled("=1+1"), celled("'=1"), celled("plain")
    ("'=1+1", "''=1", 'plain')

    Parameters
    ----------
    text
        The text.
    """
    return "'" + text if _RISKY.match(text) else text


def uncelled(cell: str) -> str:
    """The text that `celled` was given.

    >>> uncelled(celled("-5 degrees"))
    '-5 degrees'

    Parameters
    ----------
    cell
        What is in the cell.
    """
    return cell[1:] if _GUARDED.match(cell) else cell


def node_cell(node: Any) -> str:
    """A node as a cell has it.

    >>> node_cell("paper 7"), node_cell(7), node_cell("7"), node_cell(["a", 1])
    ('paper 7', '7', '"7"', '["a", 1]')

    Parameters
    ----------
    node
        The node; a list or a tuple of parts.
    """
    if isinstance(node, str):
        return json.dumps(node) if _is_json(node) else celled(node)
    return json.dumps(node)


def node_of_cell(cell: str) -> Hashable:
    """The node that a cell names.

    >>> node_of_cell("paper 7"), node_of_cell("7"), node_of_cell('"7"'), node_of_cell('["a", 1]')
    ('paper 7', 7, '7', ('a', 1))

    Parameters
    ----------
    cell
        What is in the cell.
    """
    try:
        found = json.loads(cell, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return node_of(uncelled(cell))
    return node_of(cell if isinstance(found, dict | bool) or found is None else found)


def _is_json(text: str) -> bool:
    try:
        found = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return not (isinstance(found, dict | bool) or found is None)


def _refuse(name: str) -> Any:
    raise ValueError(name)
