"""A data set by its name: from the package, from the user's folder, or downloaded and checked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, overload

from ohmline.checks import function, shown
from ohmline.data import folder
from ohmline.data.catalog import entry_of
from ohmline.data.contract import Dataset, Vectors
from ohmline.data.download import Listener, fetch, is_cached, take_note
from ohmline.data.entry import Entry
from ohmline.data.tables import GraphTable, Table
from ohmline.errors import DataError

GraphName = Literal[
    "karate",
    "cora",
    "pubmed",
    "citeseer",
    "coauthor",
    "wikimovies4",
    "wordnet30",
    "ogbn-arxiv",
    "ogbn-products",
    "polblogs",
    "blogcatalog",
    "elliptic",
    "landmask",
    "landmask10",
    "landmask5",
]
VectorsName = Literal["digits", "usps", "mnist"]


def data_folder(entry: Entry) -> Path | None:
    """The folder in `OHMLINE_DATA` if it holds the data set; of a copy of its own files, the folder of these."""
    named = os.environ.get("OHMLINE_DATA")
    if not named or (entry.from_folder is None and entry.from_place is None):
        return None
    if not Path(named).is_dir():
        raise DataError(f"OHMLINE_DATA is {named!r}, which is not a folder; correct it or unset it")
    if entry.from_place is not None:
        return Path(named) / entry.place if (Path(named) / entry.place).is_dir() else None
    return Path(named) if (Path(named) / f"{entry.stem}.npz").exists() else None


def is_here(name: str) -> bool:
    """Whether `load(name)` needs no network.

    Parameters
    ----------
    name
        A name of `CATALOG`.
    """
    entry = entry_of(name)
    if entry.embedded is not None or data_folder(entry) is not None:
        return True
    return bool(entry.remotes) and is_cached(entry.remotes)


@overload
def load(name: GraphName, *, listen: Listener = ...) -> Dataset: ...
@overload
def load(name: VectorsName, *, listen: Listener = ...) -> Vectors: ...
@overload
def load(name: str, *, listen: Listener = ...) -> Any: ...
def load(name: str, *, listen: Listener = lambda message: None) -> Dataset | Vectors:
    """Load a data set by name: a `Dataset` (a graph) or `Vectors` (points).

    Embedded sets need nothing. The others come from the folder in `OHMLINE_DATA` if it has
    them, else from their public source, downloaded into `OHMLINE_CACHE` (or the user's cache
    folder) and checked against a checksum.

    Parameters
    ----------
    name
        A name of `CATALOG`.
    listen
        Called with a message at each step: a download, a file that is read, a graph that is built. By default
        nobody is told.

    Examples
    --------
    >>> load("karate").graph.n
    34
    >>> load("atlantis")
    Traceback (most recent call last):
    ohmline.errors.ParameterError: no data set 'atlantis'; the catalog has karate, digits, ...
    """
    entry = entry_of(name)
    function(listen, "listen", "it is called with a message")
    if entry.embedded is not None:
        made = entry.embedded()
        if not isinstance(made, Dataset | Vectors):
            raise DataError(
                f"the function that loads {name} gave {shown(made)}; let it return a Dataset or Vectors"
            )
        return made
    place = data_folder(entry)
    if place is not None:
        listen(f"reading {name} in {place}")
    if place is not None and entry.from_place is not None:
        table, source = entry.from_place(place), entry.place
    elif place is not None and entry.from_folder is not None:
        table, source = entry.from_folder(folder.read_arrays(place, entry.stem)), f"{entry.stem}.npz"
    elif entry.from_files is not None:
        table, source = _download(entry, listen), entry.remotes[0].mirrors[0]
    elif entry.from_place is not None:
        raise DataError(
            f"{name} has no download: get {entry.obtain}; then set OHMLINE_DATA to the folder that has "
            f"{entry.place} in it"
        )
    else:
        raise DataError(
            f"{name} has no download; set OHMLINE_DATA to a folder with {entry.stem}.npz and its .json"
        )
    if not isinstance(table, GraphTable):
        return table.vectors(name, source)
    listen(f"building a graph of {table.n:,} nodes and {len(table.source):,} edges")
    return table.dataset(name, source)


def _download(entry: Entry, listen: Listener) -> Table:
    """Fetch, parse and compare with the fingerprint; a file that fails is removed."""
    assert entry.from_files is not None
    try:
        files = {remote.name: fetch(remote, listen) for remote in entry.remotes}
    except DataError as error:
        if not entry.place:
            raise
        raise DataError(
            f"{error}: unpack {entry.obtain} into the folder {entry.place} of OHMLINE_DATA"
        ) from None
    try:
        table = entry.from_files(files)
        wrong = entry.check(table) if entry.check is not None else None
        if entry.fingerprint and table.fingerprint != entry.fingerprint:
            wrong = f"their content has the fingerprint {table.fingerprint}, not {entry.fingerprint}"
        if wrong:
            raise DataError(f"the files of {entry.name} are not what they should be: {wrong}; load again")
    except DataError:
        for path in files.values():
            path.unlink(missing_ok=True)
        raise
    for remote in entry.remotes:
        take_note(remote, files[remote.name])
    return table
