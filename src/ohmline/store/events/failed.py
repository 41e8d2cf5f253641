"""Why a log could not be written."""

from __future__ import annotations


class Failed(Exception):
    """The log could not be written.

    Parameters
    ----------
    why
        The reason, in words.
    remedy
        What can be done about it.
    lasting
        Whether the log refuses further events until `recover`.
    """

    def __init__(self, why: str, remedy: str, *, lasting: bool = True) -> None:
        super().__init__(why)
        self.why, self.remedy, self.lasting = why, remedy, lasting
