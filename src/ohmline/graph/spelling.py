"""Names that look like one another: a slip of the pen, or another case."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from typing import Any

from ohmline.checks import shown

_LOG = logging.getLogger("ohmline")
MANY = 10
"""Beside a class with so many labels, one with a single label and almost the same name may be a slip."""
CLASSES = 200
"""Among more classes than this nobody looks for slips."""
NODES = 1_000_000
"""Among more nodes than this nobody looks for one that is written otherwise."""
_DIGITS = re.compile("[0-9]+")


def did_you_mean(node: Hashable, nodes: Collection[Any]) -> str:
    """A word about the node that is written like one that is not there but for its case or blanks; "" for none.

    >>> did_you_mean("ac-01", ["AC-01", "AC-02"])
    "; did you mean 'AC-01'?"
    >>> did_you_mean("zoe", ["ada"])
    ''
    """
    if not isinstance(node, str) or len(nodes) > NODES:
        return ""
    form = _folded(node)
    near = [each for each in nodes if isinstance(each, str) and each != node and _folded(each) == form]
    return f"; did you mean {shown(near[0])}?" if near else ""


def warn_of_typos(what: str, labels: Iterable[Any]) -> None:
    """Log a warning where two classes may be one that is written in two ways."""
    for words in typos(Counter(label for label in labels if isinstance(label, str))):
        _LOG.warning("%s: %s; if they are one class, mend the spelling", what, words)


def typos(counts: Counter[str]) -> list[str]:
    """The classes that may be one, in words.

    Parameters
    ----------
    counts
        How many labels each class has.

    Examples
    --------
    >>> typos(Counter({"legit": 90, "legti": 1, "fraud": 5}))
    ["the class 'legti' (1) is almost 'legit' (90)"]
    """
    if len(counts) > CLASSES:
        return []
    alike: dict[str, list[str]] = {}
    for name, _ in counts.most_common():
        alike.setdefault(_folded(name), []).append(name)
    found = [
        f"the classes {' and '.join(f'{shown(name)} ({counts[name]})' for name in names)} differ in case or blanks only"
        for names in alike.values()
        if len(names) > 1
    ]
    many = [name for name, count in counts.most_common() if count >= MANY]
    for name, count in counts.items():
        near = next((each for each in many if count == 1 and _is_slip(_folded(name), _folded(each))), None)
        if near is not None:
            found.append(f"the class {shown(name)} (1) is almost {shown(near)} ({counts[near]})")
    return found


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _is_slip(one: str, other: str) -> bool:
    """Whether a name is a slip for another: up to two letters of five, one of four; numbers that differ are no slip."""
    least = min(len(one), len(other))
    if least < 4 or one == other or _DIGITS.findall(one) != _DIGITS.findall(other):
        return False
    most = 1 if least == 4 else 2
    return abs(len(one) - len(other)) <= most and _distance(one, other) <= most


def _distance(one: str, other: str) -> int:
    """How many letters must be added, left out or changed to make a name into another."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]
