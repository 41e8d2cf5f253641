"""What others add: learners, queries, data sets and experiments, from a file or from an installed package.

A file is named on the command line (`ohmline reproduce --with mine.py`) or given to `load_file`. A package lists a
module under the entry point group `ohmline.plugins`; it is imported when a command first needs it. Both register what
they have by the functions here. One that cannot be imported is named, and the rest works.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata, util
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

from ohmline import data
from ohmline.checks import file_path, function, listed, shown, text
from ohmline.data.catalog import add as add_data
from ohmline.errors import ParameterError, PluginError
from ohmline.lab.experiment import Experiment
from ohmline.lab.experiment import add as take

GROUP = "ohmline.plugins"
"""The entry points of packages that add something."""

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class NamedLearner:
    """A learner that `--learner` knows by name.

    Attributes
    ----------
    name
        Its name.
    words
        What it is, in a few words.
    make
        Makes one from a graph and the classes; a binary one from a graph alone.
    binary
        Whether it knows the labels -1 and +1 only. More classes are then played one against the rest.
    """

    name: str
    words: str
    make: Callable[..., Any]
    binary: bool


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A query that `--query` knows by name.

    Attributes
    ----------
    name
        Its name.
    words
        What it asks for, in a few words.
    make
        Makes one: from the number behind the colon in `--query name:0.1`, or from nothing where there is none.
    """

    name: str
    words: str
    make: Callable[..., Any]


LEARNERS: dict[str, NamedLearner] = {}
QUERIES: dict[str, NamedQuery] = {}
_FILES: dict[str, None] = {}


def add_learner(name: str, words: str, *, binary: bool = False) -> Callable[[F], F]:
    """Register what makes a learner, so that commands and comparisons know it by name.

    Parameters
    ----------
    name
        A name that is still free.
    words
        What it is, in a few words.
    binary
        Whether it knows the labels -1 and +1 only; the function then takes the graph alone. Default False: it takes
        the graph and the classes.

    Examples
    --------
    >>> import ohmline as ohm
    >>> from ohmline import lab
    >>> @lab.add_learner("firm", "LocalLGC that holds labels firmly")
    ... def firm(graph, classes):
    ...     return ohm.LocalLGC(graph, classes, mu=0.1)
    >>> lab.LEARNERS["firm"].words
    'LocalLGC that holds labels firmly'
    """
    key = _free(name, LEARNERS, "learner")
    said = text(words, "words")

    def register(make: F) -> F:
        function(make, "the function", "it makes a learner from a graph and the classes")
        LEARNERS[key] = NamedLearner(key, said, make, bool(binary))
        return make

    return register


def add_query(name: str, words: str) -> Callable[[F], F]:
    """Register what makes a query, so that `--query` knows it by name.

    Parameters
    ----------
    name
        A name that is still free.
    words
        What it asks for, in a few words.

    Examples
    --------
    >>> import ohmline as ohm
    >>> from ohmline import lab
    >>> @lab.add_query("half", "asks for every second label or so")
    ... def half(rate=0.5):
    ...     return ohm.RandomRate(rate)
    >>> lab.QUERIES["half"].make(0.4)
    RandomRate(0.4)
    """
    key = _free(name, QUERIES, "query")
    said = text(words, "words")

    def register(make: F) -> F:
        function(make, "the function", "it makes a query")
        QUERIES[key] = NamedQuery(key, said, make)
        return make

    return register


def add_dataset(name: str, title: str, *, licence: str = "") -> Callable[[F], F]:
    """Register a function that loads a data set, so that `ohm.data.load` and the commands know it by name.

    Parameters
    ----------
    name
        A name that is still free.
    title
        What it is, in one line.
    licence
        Its licence, and who holds it. Empty by default.

    Examples
    --------
    >>> import ohmline as ohm
    >>> from ohmline import lab
    >>> @lab.add_dataset("triangle", "three nodes", licence="free")
    ... def triangle():
    ...     graph = ohm.Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    ...     return ohm.data.Dataset("triangle", graph, ["a", "a", "b"], ("a", "b"))
    >>> ohm.data.load("triangle").classes
    ('a', 'b')
    >>> del ohm.data.CATALOG["triangle"]
    """

    def register(load: F) -> F:
        function(load, "the function", "it returns a Dataset or Vectors")
        add_data(
            data.Entry(text(name, "name"), text(title, "title"), text(licence, "licence"), embedded=load)
        )
        return load

    return register


def add_experiment(
    id: str, title: str, *, paper: str = "of one's own", needs: Sequence[str] = ()
) -> Callable[[F], F]:
    """Register an experiment: a function of `Settings` that returns a `Result`.

    Parameters
    ----------
    id
        An id that is still free.
    title
        What it shows, in one line.
    paper
        Which paper it is from. Default "of one's own".
    needs
        The names of the data sets that it loads. None by default.

    Examples
    --------
    >>> from ohmline import lab
    >>> @lab.add_experiment("one-and-one", "What one and one make")
    ... def one_and_one(settings):
    ...     return lab.Result([lab.Row("numbers", "adding", "sum", ours=2.0, paper=2.0)], [])
    >>> lab.find("one-and-one").title
    'What one and one make'
    """
    wanted = tuple(text(each, "a name in needs") for each in listed(needs, "needs"))

    def register(work: F) -> F:
        function(work, "the function", "it takes Settings and returns a Result")
        take(Experiment(text(id, "id"), text(title, "title"), text(paper, "paper"), wanted, work))
        return work

    return register


def _free(name: str, taken: dict[str, Any], what: str) -> str:
    key = text(name, "name")
    if not key or ":" in key or "," in key or key.strip() != key:
        raise ParameterError(
            f"{shown(name)} cannot be the name of a {what}: it must not be empty, nor have a colon, a comma or blanks "
            "around it"
        )
    if key in taken:
        raise ParameterError(f"there is a {what} {key!r} already; choose another name")
    return key


def load_file(path: str | PathLike[str]) -> None:
    """Run a Python file that registers learners, queries, data sets or experiments; once, however often it is named.

    Parameters
    ----------
    path
        The file. Whatever is in it is executed.
    """
    place = file_path(fspath(path)).resolve()
    if str(place) in _FILES:
        return
    if not place.is_file():
        raise PluginError(
            f"{place} is not there; give a Python file that registers something with ohmline.lab"
        )
    name = f"ohmline_with_{place.stem}_{abs(hash(str(place))):x}"
    spec = util.spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise PluginError(f"{place} is no Python file; its name must end in .py")
    module = util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise PluginError(f"{place} could not be imported: {_where(error, place)}") from error
    _FILES[str(place)] = None


def loaded_files() -> tuple[str, ...]:
    """The files that were loaded, for other processes."""
    return tuple(_FILES)


def load_packages() -> list[PluginError]:
    """Import what installed packages add; an error for each that cannot be imported."""
    wrong = []
    for point in metadata.entry_points(group=GROUP):
        if point.value in _PACKAGES:
            continue
        _PACKAGES[point.value] = None
        try:
            point.load()
        except Exception as error:
            owner = point.dist.name if point.dist is not None else "a package"
            wrong.append(
                PluginError(
                    f"{owner} adds {point.value!r} to Ohmline, which could not be imported: "
                    f"{type(error).__name__}: {error}; update or remove the package"
                )
            )
    return wrong


_PACKAGES: dict[str, None] = {}


def _where(error: Exception, place: Path) -> str:
    """What went wrong, with the line of the file."""
    line, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == str(place):
            line = step.tb_lineno
        step = step.tb_next
    at = f" (line {line})" if line is not None else ""
    return f"{type(error).__name__}: {error}{at}"
