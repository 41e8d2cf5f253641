"""Records from the lines of a CSV file, the first of which names the columns."""

from __future__ import annotations

import csv
from typing import final

from ohmline.checks import shown
from ohmline.errors import ParameterError
from ohmline.project.commands import expect_key
from ohmline.sources.record import Record

BETWEEN = ";"
"""What stands between neighbours."""


@final
class Rows:
    """Reads line after line.

    Parameters
    ----------
    whole_ids
        Whether ids are whole numbers.
    """

    def __init__(self, *, whole_ids: bool) -> None:
        self._whole_ids = whole_ids
        self._head: list[str] | None = None

    def __call__(self, content: bytes) -> Record | None:
        """The record of a line; None for the head."""
        entries = _entries(content)
        if self._head is None:
            entries[0] = entries[0].removeprefix("\ufeff")
            if "node" not in entries or len(set(entries)) < len(entries):
                raise ParameterError(
                    f"the first line must name the columns, each once and node among them, got {shown(entries)}"
                )
            self._head = entries
            return None
        if len(entries) != len(self._head):
            raise ParameterError(f"the line has {len(entries)} entries, the first line {len(self._head)}")
        fields = dict(zip(self._head, entries, strict=True))
        node = self._id(fields.pop("node"))
        ends = [self._id(end) for end in fields.pop("neighbours", "").split(BETWEEN) if end.strip()]
        key = expect_key(fields.pop("key", ""))
        return Record(node, fields or None, tuple((node, end, 1.0) for end in ends), key)

    def _id(self, written: str) -> str | int:
        name = written.strip()
        if not name:
            raise ParameterError("the line has an id that is empty")
        if not self._whole_ids:
            return name
        try:
            return int(name)
        except ValueError:
            raise ParameterError(
                f"the id {shown(name)} is no whole number; whole_ids=False takes texts"
            ) from None


def _entries(content: bytes) -> list[str]:
    try:
        (entries,) = csv.reader([content.decode("utf-8")], strict=True)
    except (UnicodeDecodeError, csv.Error, ValueError) as error:
        raise ParameterError(f"not a line of a CSV file in UTF-8: {shown(content)} ({error})") from None
    return entries
