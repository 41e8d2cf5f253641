"""What a stream is not read for: the careful reader has the rules, and the words for errors."""

from __future__ import annotations

from typing import final


@final
class Unusual(Exception):
    """Something in the input that only the careful reader decides, or refuses with an error that names it.

    Parameters
    ----------
    what
        What it is, in words.
    line
        The line of the file that it is on; None (default) where no single line is to blame.
    """

    def __init__(self, what: str, line: int | None = None) -> None:
        super().__init__(what)
        self.line = line
