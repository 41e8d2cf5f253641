"""Files from their public source into a cache, each checked against a published checksum."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ohmline.errors import DataError


class Remote(NamedTuple):
    """A file of the public source."""

    name: str
    mirrors: tuple[str, ...]
    """The same file at several addresses, tried in this order."""
    checksum: str
    """As `sha256:...` or `md5:...`, published by others: see the catalog. Empty where nobody has published one; then
    the entry checks the counts of what is in it, and the checksum of the first copy that passed is kept beside it."""


Listener = Callable[[str], None]


def cache_folder() -> Path:
    """`OHMLINE_CACHE` if it is set, else the user's cache folder of this system."""
    import pooch

    named = os.environ.get("OHMLINE_CACHE")
    return Path(named) if named else Path(pooch.os_cache("ohmline"))


def is_cached(remotes: Sequence[Remote]) -> bool:
    """Whether every file was downloaded before (its checksum is compared when it is loaded)."""
    return all((cache_folder() / remote.name).exists() for remote in remotes)


def fetch(remote: Remote, listen: Listener) -> Path:
    """The local copy of a file, downloaded if it is not there or damaged.

    A download goes to a temporary file first and is moved into place once its checksum agrees,
    so nothing half-written is ever found later.
    """
    import pooch

    failures, note = [], note_of(remote)
    known = remote.checksum or noted(remote)
    if not (cache_folder() / remote.name).exists():
        _make_cache()
    for url in remote.mirrors:
        with _quiet(pooch):
            if not (cache_folder() / remote.name).exists():
                listen(f"downloading {url}")
            try:
                return Path(
                    pooch.retrieve(url, known_hash=known or None, fname=remote.name, path=cache_folder())
                )
            except (ValueError, OSError) as error:  # a wrong checksum; any failure of network or disk
                failures.append(f"{url}: {_reason(error)}")
    if known and not remote.checksum:
        failures.append(
            f"no checksum is published, and {note} has that of the first copy: remove it for another"
        )
    raise DataError(
        f"{remote.name} could not be downloaded ({'; '.join(failures)}). Check the network, "
        "or set OHMLINE_DATA to a folder that holds the data set"
    )


def note_of(remote: Remote) -> Path:
    """Where the checksum of the first copy is kept of a file whose checksum nobody publishes."""
    return cache_folder() / f"{remote.name}.sha256"


def noted(remote: Remote) -> str:
    """That checksum; empty where there was no first copy yet."""
    try:
        return f"sha256:{note_of(remote).read_text(encoding='ascii').strip()}"
    except (OSError, ValueError):
        return ""


def take_note(remote: Remote, path: Path) -> None:
    """Keep the checksum of a file that has passed every check of its content, so that later copies are the same."""
    if not remote.checksum and not noted(remote):
        note_of(remote).write_text(f"{hashlib.sha256(path.read_bytes()).hexdigest()}\n", encoding="ascii")


def _make_cache() -> None:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK)
        why = "no permission"
    except OSError as error:
        writable, why = False, error.strerror or str(error)
    if not writable:
        raise DataError(
            f"the cache folder {folder} cannot be written ({why}); set OHMLINE_CACHE to another folder, or "
            "OHMLINE_DATA to one that holds the data set"
        )


def _reason(error: Exception) -> str:
    """One short line: the chain of causes that a connection error carries is a page long."""
    from requests.exceptions import ConnectionError as NoConnection
    from requests.exceptions import Timeout

    if isinstance(error, NoConnection | Timeout):
        return "no answer"
    return " ".join(str(error).split())


@contextmanager
def _quiet(pooch: object) -> Iterator[None]:
    """Silence pooch's own messages on standard error; ours go through `listen`."""
    logger = pooch.get_logger()  # type: ignore[attr-defined]
    level = logger.level
    logger.setLevel("CRITICAL")
    try:
        yield
    finally:
        logger.setLevel(level)
