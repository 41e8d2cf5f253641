"""Making a project: the whole folder, or nothing."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ohmline.checks import file_path, instance, shown, text
from ohmline.errors import JournalError, LabelError, ParameterError, UnknownNode
from ohmline.graph.files.labels import written_form
from ohmline.graph.graph import Graph, expect_graph
from ohmline.labelling.answers import written_id
from ohmline.labelling.checking import most_of
from ohmline.labelling.opening import expect_written
from ohmline.learn.classes import writable
from ohmline.project.attributes import write_attributes
from ohmline.project.folder import EVENTS, HEAD, IMAGES, About, expect_new, write_about, write_first_graph
from ohmline.project.growth import checked_fields
from ohmline.project.leases import time_of
from ohmline.project.recipe import looks_for_a_class
from ohmline.project.recipe_files import recipe_named
from ohmline.project.settings import Settings
from ohmline.store.disk import sync_folder
from ohmline.store.events import Draft, open_log
from ohmline.store.graphs import known_by

log = logging.getLogger(__name__)


def create(
    folder: Any,
    *,
    graph: Graph,
    classes: Iterable[Any],
    name: str = "",
    labels: Mapping[Hashable, Any] | None = None,
    nodes: Mapping[Hashable, Mapping[str, str]] | None = None,
    images: Any = None,
    settings: Settings | None = None,
    recipe: str = "",
    store: str = "",
    actor: str = "",
    wanted: Any = None,
) -> Path:
    """Make a project: the whole folder, or nothing.

    Parameters
    ----------
    folder
        The name of the new folder.
    graph
        The graph, with weights of at least 0.
    classes
        The classes, in the order in which they are shown.
    name
        What people call the project. Default: the name of the folder.
    labels
        Labels that are known already. None (default) for none.
    nodes
        For each node what there is to read about it: a dict of texts, in which `text` is shown first and `image`
        names a file of `images`. None (default) for nothing.
    images
        The folder in which the pictures are that `nodes` names; they are copied. None (default) for none.
    settings
        Goal, overlap and the like. None (default) for the usual ones.
    recipe
        The name of a shipped recipe; "" (default) for the usual one.
    store
        The address of a PostgreSQL database for the events; "" (default) for a file in the folder.
    actor
        Who makes it.
    wanted
        The class that a recipe looks for which looks for one, as "accounts" does. None (default) for the rarest among
        `labels`, or the last class where they do not tell. It is written down with the project and does not change.

    Returns
    -------
    Path
        The folder.
    """
    where = file_path(folder, "folder")
    expect_new(where)
    expect_graph(graph)
    declared = _classes(classes)
    known = _labels(graph, declared, labels)
    looking_for = sought(recipe, declared, known, wanted)
    fields = _fields(graph, nodes)
    pictures = _pictures(fields, images)
    settings = instance(settings or Settings(), Settings, "settings")
    _warn_of_rare(known, settings.goal, looking_for)
    opening = {
        "format": "ohmline project",
        "version": 1,
        "project": text(name, "name") or where.name,
        "classes": declared,
        "settings": settings.to_json(),
        "graph": known_by(graph),
    }
    if looking_for is not None:
        opening["looking_for"] = looking_for
    now = time_of(time.time())
    drafts = [Draft(now, text(actor, "actor"), "", "opened", opening)]
    if known:
        pairs = [[written_id(node), label] for node, label in known.items()]
        drafts.append(Draft(now, actor, "", "imported", {"labels": pairs, "source": "at the beginning"}))
    beside = Path(tempfile.mkdtemp(prefix=f".{where.name}.", dir=where.parent))
    try:
        write_first_graph(beside, graph)
        if fields:
            write_attributes(beside, fields)
        _copy_images(pictures, beside / IMAGES)
        write_about(beside, About(str(opening["project"]), text(recipe, "recipe"), text(store, "store")))
        log = open_log(store or beside / EVENTS, beside / HEAD)
        try:
            if log.head[0] >= 0:
                raise JournalError(
                    f"{log.name} holds the events of another project; give a database of its own"
                )
            log.append(drafts)
        finally:
            log.close()
        os.chmod(beside, 0o755)
        if where.exists():
            where.rmdir()
        os.replace(beside, where)
        sync_folder(where.parent)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    return where


def _warn_of_rare(known: Mapping[Hashable, Any], goal: float | None, looking_for: Any) -> None:
    """Say where a goal for all predictions would be met by calling every node by the commonest class."""
    counts = Counter(known.values())
    if goal is None or len(counts) < 2:
        return
    common, often = counts.most_common(1)[0]
    rest = 1 - often / len(known)
    if rest >= goal:
        return
    on = (
        "leave the goal out and name the class that is looked for: recipe='accounts', wanted=..."
        if looking_for is None
        else f"questions that look for {shown(looking_for)} go on beside the random check and after it; without a goal "
        "all of them do"
    )
    log.warning(
        "%s of the known labels are %s, and the goal is %s of all predictions wrong: to call every node %s may meet it "
        "(docs: My class is rare); %s",
        most_of(1 - rest),
        shown(common),
        f"{100 * goal:g} %",
        shown(common),
        on,
    )


def sought(recipe: str, classes: Sequence[Any], labels: Mapping[Hashable, Any], wanted: Any = None) -> Any:
    """The class that a project will look for: the one that is named, or the rarest; None where it looks for none.

    Parameters
    ----------
    recipe
        The name of a shipped recipe; "" for the usual one.
    classes
        The classes of the project.
    labels
        What is known at the beginning, from nodes to classes.
    wanted
        The class that is named, None (default) for none. Without one it is the class with the fewest labels, the later
        one of two; classes without a label count only where all labels are of one class.
    """
    if not text(recipe, "recipe") or not looks_for_a_class(recipe_named(recipe)):
        if wanted is not None:
            raise ParameterError(
                f"wanted={shown(wanted)} is for a recipe that looks for one class; add recipe='accounts'"
            )
        return None
    forms = {written_form(label): label for label in classes}
    if wanted is not None:
        if written_form(wanted) not in forms:
            known = ", ".join(map(shown, classes))
            raise LabelError(f"the class that is wanted, {shown(wanted)}, is not there; there are {known}")
        return forms[written_form(wanted)]
    counts = Counter(labels.values())
    among = [label for label in classes if counts[label]]
    if len(among) == 1:
        among = [label for label in classes if not counts[label]]
    return min(reversed(among or list(classes)), key=counts.__getitem__)


def _classes(classes: Iterable[Any]) -> list[Any]:
    wanted = list(classes) if not isinstance(classes, str) else []
    for label in wanted:
        if isinstance(label, bool) or not writable(label):
            raise LabelError(f"{shown(label)} cannot be a class; use texts or numbers")
    if len(wanted) < 2:
        raise LabelError(f"classes are {shown(classes)}; a project needs two classes or more, in a list")
    expect_written(wanted, ())
    return wanted


def _labels(graph: Graph, classes: list[Any], labels: Mapping[Hashable, Any] | None) -> dict[Hashable, Any]:
    forms = {written_form(label): label for label in classes}
    found: dict[Hashable, Any] = {}
    for node, label in instance(labels or {}, Mapping, "labels", "give a dict from nodes to labels").items():
        if node not in graph.nodes:
            raise UnknownNode(f"labels: node {shown(node)} is not in the graph; leave it out, or mend its id")
        if written_form(label) not in forms:
            raise LabelError(
                f"node {shown(node)} has the label {shown(label)}, which is not among the classes"
            )
        found[graph.nodes[graph.nodes.position(node)]] = forms[written_form(label)]
    return found


def _fields(
    graph: Graph, nodes: Mapping[Hashable, Mapping[str, str]] | None
) -> dict[Hashable, dict[str, str]]:
    found: dict[Hashable, dict[str, str]] = {}
    for node, fields in instance(nodes or {}, Mapping, "nodes", "give a dict from nodes to fields").items():
        if node not in graph.nodes:
            raise UnknownNode(f"nodes: node {shown(node)} is not in the graph; leave it out, or mend its id")
        found[node] = checked_fields(fields)
    return found


def _pictures(fields: Mapping[Hashable, Mapping[str, str]], images: Any) -> dict[str, Path]:
    """The picture files that nodes name, each of them there."""
    if images is not None and not file_path(images, "images").is_dir():
        raise ParameterError(f"images: {images} is no folder; give the folder of the pictures")
    named = {each["image"]: node for node, each in fields.items() if each.get("image")}
    if not named:
        return {}
    if images is None:
        raise ParameterError(
            f"node {shown(next(iter(named.values())))} names the picture {shown(next(iter(named)))}, and no folder of "
            "pictures is given; give images"
        )
    folder, found = file_path(images, "images"), {}
    for name, node in named.items():
        if name != Path(name).name or name.startswith("."):
            raise ParameterError(
                f"node {shown(node)} names the picture {shown(name)}; expected the plain name of a file in {folder}"
            )
        if not (folder / name).is_file():
            raise ParameterError(
                f"node {shown(node)} names the picture {shown(name)}, which is not in {folder}"
            )
        found[name] = folder / name
    return found


def _copy_images(pictures: Mapping[str, Path], folder: Path) -> None:
    if pictures:
        folder.mkdir()
    for name, path in pictures.items():
        shutil.copyfile(path, folder / name)
