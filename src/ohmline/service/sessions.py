"""Who is logged in with a browser: random names in cookies, kept in memory and nowhere else."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import final

from ohmline.service.people import Person
from ohmline.service.register import Register


@final
class Sessions:
    """The browsers that are logged in.

    Parameters
    ----------
    register
        The people; who is removed from it is logged out.
    seconds
        How long a session lasts without a request. Default twelve hours.
    most
        How many there may be; the oldest goes first. Default 10,000.
    clock
        Seconds that only grow.
    """

    def __init__(
        self,
        register: Register,
        seconds: float = 12 * 3600.0,
        most: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._register, self.seconds, self._most, self._clock = register, seconds, most, clock
        self._all: dict[str, tuple[str, float]] = {}

    def begin(self, person: Person) -> str:
        """A new session, and its name.

        Parameters
        ----------
        person
            Who logs in.
        """
        while len(self._all) >= self._most:
            del self._all[next(iter(self._all))]
        name = secrets.token_urlsafe(32)
        self._all[name] = (person.id, self._clock() + self.seconds)
        return name

    def person(self, name: str) -> Person | None:
        """Whose session it is; None where it is over.

        Parameters
        ----------
        name
            What the cookie has.
        """
        found = self._all.get(name)
        if found is None:
            return None
        id, until = found
        now = self._clock()
        person = self._register.by_id(id) if now < until else None
        if person is None:
            self.end(name)
            return None
        self._all[name] = (id, now + self.seconds)
        return person

    def is_open(self, name: str) -> bool:
        """Whether a session lasts; unlike a request, this does not make it longer.

        Parameters
        ----------
        name
            What the cookie has.
        """
        found = self._all.get(name)
        return found is not None and self._clock() < found[1] and self._register.by_id(found[0]) is not None

    def end(self, name: str) -> None:
        """Log out.

        Parameters
        ----------
        name
            What the cookie has.
        """
        self._all.pop(name, None)
