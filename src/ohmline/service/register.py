"""The people of a server while it runs: the file of the folder, looked at again and again."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import final

from ohmline.errors import DataError, FileFormatError
from ohmline.service.people import FILE, Person, Role, read_people

log = logging.getLogger("ohmline.service")
_UNSEEN = object()


@final
class Register:
    """The people of a server: those in the file, which may change while it runs, and those added for this run.

    Parameters
    ----------
    folder
        The folder that is served.
    """

    CHECK_SECONDS = 1.0
    """How often the file is looked at, so that somebody who was removed is out within this time."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._guests: dict[str, Person] = {}
        self._people: dict[str, Person] = {}
        self._stamp: object = _UNSEEN
        self._looked = -1.0
        self._look()

    def __iter__(self) -> Iterator[Person]:
        return iter(self._people.values())

    def add_for_this_run(self, person: Person) -> None:
        """Let somebody in until the server ends.

        Parameters
        ----------
        person
            Who.
        """
        self._guests[person.id] = person
        self._people = {**self._people, person.id: person}

    def by_token(self, token: str) -> Person | None:
        """Whose token this is; None for nobody's.

        Parameters
        ----------
        token
            What the request has.
        """
        self._look()
        person = self._people.get(token[4:12])
        return person if person is not None and person.knows(token) else None

    def by_id(self, id: str) -> Person | None:
        """The person whose token begins so, if they are still there.

        Parameters
        ----------
        id
            The first part of the token.
        """
        self._look()
        return self._people.get(id)

    def role_of(self, name: str) -> Role | None:
        """What the person of a name may do; None where nobody has the name.

        Parameters
        ----------
        name
            The name.
        """
        return next((person.role for person in self._people.values() if person.name == name), None)

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._looked < self.CHECK_SECONDS:
            return
        self._looked = now
        try:
            found = os.stat(self._path)
            stamp: object = (found.st_mtime_ns, found.st_size, found.st_ino)
        except FileNotFoundError:
            stamp = None
        if stamp == self._stamp:
            return
        first, self._stamp = self._stamp is _UNSEEN, stamp
        try:
            listed = read_people(self._path.parent)
        except (DataError, FileFormatError) as error:
            if first:
                raise
            log.error("nobody in %s is let in until it is mended: %s", self._path, error)
            listed = []
        self._people = {person.id: person for person in listed} | self._guests
