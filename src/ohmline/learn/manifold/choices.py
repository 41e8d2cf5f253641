"""Options that are one of a few words."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeVar

from ohmline.checks import shown
from ohmline.errors import ParameterError

Member = TypeVar("Member", bound=StrEnum)


def member(kind: type[Member], given: Any, name: str) -> Member:
    """The member of an enum that is meant, given as itself or as its word.

    >>> from ohmline.learn.manifold import Loss
    >>> member(Loss, "hinge", "loss")
    <Loss.HINGE: 'hinge'>
    """
    try:
        return kind(given)
    except (TypeError, ValueError):
        words = ", ".join(repr(str(k)) for k in kind)
        raise ParameterError(f"{name} must be one of {words}, got {shown(given)}") from None
