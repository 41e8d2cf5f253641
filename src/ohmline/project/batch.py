"""Commands that are written together: each is checked against the memory as it is, and none may depend on another.

Memory changes only after a commit. So a command that touches what another command of the same batch touches waits for
the next batch, and a command that touches everything has a batch to itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, final

from ohmline.errors import OhmlineError
from ohmline.project.commands import Command
from ohmline.store.events import Draft, Event


class Later(Exception):
    """The command has to wait for the next batch."""


@final
@dataclass(frozen=True, slots=True)
class Request:
    """A command and who gave it.

    Attributes
    ----------
    command
        The command.
    actor
        Who.
    admin
        Whether that person may do what concerns others.
    """

    command: Command
    actor: str
    admin: bool = False


Finish = Callable[[list[Event]], Any]
"""Makes the reply from the events that a command became, after they are in memory."""


@final
@dataclass(frozen=True, slots=True)
class Plan:
    """A command that fits: the events that it becomes, and how it is answered.

    Attributes
    ----------
    request
        The command and who gave it.
    drafts
        The events, not yet numbered.
    finish
        Makes the reply.
    """

    request: Request
    drafts: list[Draft]
    finish: Finish


@final
@dataclass(slots=True)
class Batch:
    """What is written together.

    Attributes
    ----------
    time, now
        When, as an event has it and in seconds since 1970.
    plans
        The commands that fit.
    failed
        Those that do not, with the error.
    later
        Those that wait.
    """

    time: str
    now: float
    plans: list[Plan] = field(default_factory=list)
    failed: list[tuple[Request, OhmlineError]] = field(default_factory=list)
    later: list[Request] = field(default_factory=list)
    _touched: set[Any] = field(default_factory=set)
    _closed: bool = False

    @property
    def drafts(self) -> list[Draft]:
        """The events of all plans."""
        return [draft for plan in self.plans for draft in plan.drafts]

    def touch(self, *things: Hashable) -> None:
        """Say that a command depends on these things and changes them; `Later` where another one does."""
        if self._closed or not self._touched.isdisjoint(things):
            raise Later
        self._touched.update(things)

    def touches(self, thing: Hashable) -> bool:
        """Whether a command of this batch changes it."""
        return thing in self._touched

    def alone(self) -> None:
        """Say that a command depends on everything; `Later` where it would not be alone."""
        if self.plans or self._closed:
            raise Later
        self._closed = True

    def expect_open(self) -> None:
        """`Later` where a command that depends on everything came first."""
        if self._closed:
            raise Later
