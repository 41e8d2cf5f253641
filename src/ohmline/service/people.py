"""Who may use a server: `people.toml` in the folder that it serves.

A token is 256 random bits, so nobody can guess it and a slow hash would protect nothing; a salted SHA-256 keeps the
file useless to a thief and costs a microsecond per request. The token itself is shown once and kept nowhere.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import final

from ohmline.checks import choice, shown
from ohmline.errors import DataError, FileFormatError, JournalError, ParameterError
from ohmline.store.lock import try_lock

FILE = "people.toml"
FORMAT = 1
_NAME = re.compile(r"[^\W_][\w.@+ -]{0,63}")
_HEAD = "# Who may use this server, made by `ohmline people`. Tokens are not kept here, only salted hashes of them.\n"


class Role(StrEnum):
    """What a person may do: an admin everything, an annotator answer questions and look."""

    ANNOTATOR = "annotator"
    ADMIN = "admin"


@final
@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who has a token.

    Attributes
    ----------
    name
        By which the events know them.
    role
        What they may do.
    id
        The first part of their token, by which it is found.
    salt, hash
        SHA-256 of salt and token, in hexadecimal.
    created
        When the token was made.
    """

    name: str
    role: Role
    id: str
    salt: str
    hash: str
    created: str

    def knows(self, token: str) -> bool:
        """Whether a token is this person's, in a time that does not depend on where it differs."""
        return hmac.compare_digest(_hash(self.salt, token), self.hash)


def new_person(name: str, role: Role) -> tuple[Person, str]:
    """A person and the token, which nobody can make again.

    Parameters
    ----------
    name
        The name: letters, digits and `. @ + - _` and blanks, at most 64.
    role
        What the person may do.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name != name.strip():
        raise ParameterError(
            f"name must be 1 to 64 letters, digits, blanks or any of . @ + - _ and begin with a letter or digit, got "
            f"{shown(name)}; write ann or ann@example.org"
        )
    found = choice(role, Role, "role")
    id, salt = secrets.token_hex(4), secrets.token_hex(16)
    token = f"ohm-{id}-{secrets.token_urlsafe(32)}"
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Person(name, found, id, salt, _hash(salt, token), now), token


def read_people(folder: Path) -> list[Person]:
    """The people of a folder; nobody where there is no file.

    Parameters
    ----------
    folder
        The folder that is served.
    """
    path = folder / FILE
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}; check its permissions") from None
    try:
        found = tomllib.loads(text)
        if found.get("format", FORMAT) != FORMAT:
            raise FileFormatError(
                f"{path} has format {shown(found['format'])}, and this version knows {FORMAT}; upgrade ohmline"
            )
        people = [_person(each) for each in found.get("people", [])]
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(
            f"{path} is not as `ohmline people` writes it ({error}); mend it, or remove it and add the people again"
        ) from None
    return people


def add_person(folder: Path, name: str, role: Role) -> tuple[Person, str]:
    """Add somebody to a folder's people, and give the token.

    Parameters
    ----------
    folder
        The folder that is served.
    name
        Their name.
    role
        What they may do.
    """
    person, token = new_person(name, role)
    with _alone(folder):
        people = read_people(folder)
        if any(each.name == person.name for each in people):
            raise ParameterError(f"{name!r} has a token already; remove them first, and they get a new one")
        _write(folder, [*people, person])
    return person, token


def remove_person(folder: Path, name: str) -> None:
    """Take somebody's token away.

    Parameters
    ----------
    folder
        The folder that is served.
    name
        Their name.
    """
    with _alone(folder):
        people = read_people(folder)
        left = [each for each in people if each.name != name]
        if len(left) == len(people):
            names = ", ".join(each.name for each in people) or "nobody"
            raise ParameterError(f"nobody is called {shown(name)}; there is {names}")
        _write(folder, left)


def _person(found: dict[str, str]) -> Person:
    values = {field.name: found[field.name] for field in fields(Person)}
    if not all(isinstance(value, str) for value in values.values()):
        raise TypeError("every entry must be a text")
    role = Role(values.pop("role"))
    return Person(role=role, **values)


def _hash(salt: str, token: str) -> str:
    return hashlib.sha256((salt + token).encode("utf-8", "surrogatepass")).hexdigest()


def _write(folder: Path, people: Iterable[Person]) -> None:
    """Replace the file whole; nobody but its owner can read it at any moment."""
    lines = [_HEAD, f"format = {FORMAT}\n"]
    for person in people:
        lines += [
            "\n[[people]]\n",
            *(f"{name} = {json.dumps(str(text))}\n" for name, text in asdict(person).items()),
        ]
    path, new = folder / FILE, folder / f".{FILE}.{secrets.token_hex(4)}"
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:
            file.write("".join(lines).encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        raise JournalError(
            f"{path} cannot be written: {error.strerror}; make room, or check the permissions"
        ) from None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """In a `with`: no other process changes the file."""
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder; name a project, or a folder of projects")
    try:
        descriptor = os.open(folder / f".{FILE}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise JournalError(f"{folder} cannot be written: {error.strerror}; check its permissions") from None
    try:
        if not try_lock(descriptor):
            raise JournalError(f"another process changes the people of {folder}; try again")
        yield
    finally:
        os.close(descriptor)
