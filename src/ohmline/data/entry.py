"""One data set of the catalog."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ohmline.data import folder
from ohmline.data.contract import Dataset, Vectors
from ohmline.data.download import Remote
from ohmline.data.tables import Table

Files = dict[str, Path]


@dataclass(frozen=True, slots=True)
class Entry:
    """One data set of the catalog: what it is, where it comes from, and how a copy of it is checked.

    Attributes
    ----------
    name
        The name that `load` knows it by.
    title
        What it is, in one line.
    licence
        Its licence, and who holds it.
    vectors
        True for points (`Vectors`), False (default) for a graph (`Dataset`).
    stem
        The name of its files in the folder `OHMLINE_DATA`, without the suffix; empty (default) where there are none.
    from_folder
        Parses the arrays of those files; None (default) where there are none.
    remotes
        The files of its public source; none by default.
    from_files
        Parses the downloaded files, by name; None (default) where nothing can be downloaded.
    fingerprint
        A digest of the parsed arrays, so that everybody has the same data; empty (default) where none is known.
    check
        Says what is wrong with a parsed table, or None, where no fingerprint is known. None (default) checks nothing.
    embedded
        Makes a data set that comes with the package or its dependencies; None (default) for all others.
    place
        The folder in `OHMLINE_DATA` with the user's own copy of its original files; empty (default) where it is not
        read that way.
    from_place
        Reads that folder; None (default) where there is none.
    obtain
        Where a copy can be had, for data that nobody may pass on. Empty by default.
    """

    name: str
    title: str
    licence: str
    vectors: bool = False
    stem: str = ""
    from_folder: Callable[[folder.Arrays], Table] | None = None
    remotes: tuple[Remote, ...] = ()
    from_files: Callable[[Files], Table] | None = None
    fingerprint: str = ""
    check: Callable[[Table], str | None] | None = None
    embedded: Callable[[], Dataset | Vectors] | None = None
    place: str = ""
    from_place: Callable[[Path], Table] | None = None
    obtain: str = ""
