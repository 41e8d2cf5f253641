"""What is raised when a law is broken."""

from __future__ import annotations

from ohmline.errors import OhmlineError


class LawBroken(OhmlineError, AssertionError):
    """A learner, kernel or bound does not keep one of the laws."""


def demand(holds: bool, law: str, detail: str) -> None:
    """Raise unless the law held."""
    if not holds:
        raise LawBroken(f"{law}: {detail}")
