"""A file of labels says the same on workers as on one machine: header, ids, types."""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from graph_parts import ring_of_rings, write_parts
from ohmline.cluster import Cluster
from ohmline.cluster.labels import Members, read_known, settled
from ohmline.cluster.layout import Layout
from ohmline.cluster.loading import load
from ohmline.cluster.parts import edge_parts
from ohmline.errors import ConflictingLabels, LabelError, OhmlineError
from ohmline.graph import read_labels

Known = dict[Hashable, Hashable]
FILES = [
    "node,label\nn000,red\nn040,blue\n",
    "who,colour\nn000,red\nn040,blue\n",
    "n007,colour\nn000,red\nn040,blue\n",
    "who,colour\nzoe,red\nann,blue\n",  # no node of the graph at all: a header cannot be told from them
    "who,red\nn000,red\nn040,blue\n",
    "who,group\nn000,1\nn040,+2\nn041,3.0\n",
    "n007,group\nn000,1\nn040,+2\nn041,3.0\n",
    "who,group\n3,1\n4,2\n",
    "seven,red\n3,red\n4,blue\n",  # above numbers alone, but its label comes again
    "zoe,red\n3,red\n5,blue\n",
    "3,red\n4,blue\nzoe,red\n",  # one id that is no number makes no strings of the others
    "3,red\n003,blue\n-1,red\n71,red\n72,blue\n999999999999999999999,red\n",
    "id,red\n5,blue\n7,red\n",
    "who,colour\n",
    "n000,red\n",
    "who,colour\nn000,\nn040,red\n",
    "n000,colour\nn000,red\n",
]


def kinds(cluster: Cluster, folder: Path) -> list[tuple[ohm.Graph, Layout, bool]]:
    """The same graph with positions, with numbers and with strings as ids: in memory, and on the workers."""
    graph, found = ring_of_rings(), []
    source, target, weight = (column.tolist() for column in graph.edges())
    for text, numbered in ((False, True), (False, False), (True, False)):
        name = f"{'text' if text else 'numbers'}-{numbered}"
        parts = edge_parts(write_parts(graph, folder / name, text=text), None, None, None)
        work = folder / f"{name}-work"
        work.mkdir()
        layout = load(
            cluster,
            parts,
            work,
            numbered=numbered,
            nodes=None,
            parallel=None,
            blocks=3,
            columns=1,
            live=1,
        )
        ends: list[Any] = [[f"n{i:03d}" for i in end] if text else end for end in (source, target)]
        found.append((ohm.Graph.from_edges(list(zip(*ends, weight, strict=True))), layout, parts.integers))
    return found


def on_workers(path: Path, layout: Layout, *, integers: bool, **options: Any) -> Known:
    """What the workers are told, without nodes that they do not have."""
    known, doubted = read_known(path, integers=integers, **options)
    known = settled(known, doubted, layout, integers=integers)
    has = Members(layout, [str(node) for node in known], integers=integers)
    return {node: label for node, label in known.items() if has(str(node))}


def on_one_machine(path: Path, graph: ohm.Graph, **options: Any) -> Known:
    return dict(read_labels(path, graph=graph, skip_unknown=True, **options))


def typed(known: Known) -> list[tuple[Any, ...]]:
    return [(type(node), node, type(label), label) for node, label in known.items()]


def same(path: Path, kind: tuple[ohm.Graph, Layout, bool], **options: Any) -> bool:
    """Whether both say the same, or refuse it both; whether they said anything."""
    graph, layout, integers = kind
    try:
        expected = typed(on_one_machine(path, graph, **options))
    except OhmlineError as error:
        with pytest.raises(type(error)):
            on_workers(path, layout, integers=integers, **options)
        return False
    try:
        found = typed(on_workers(path, layout, integers=integers, **options))
    except (
        ConflictingLabels
    ) as error:  # about a node that the graph does not have, which workers hear of later
        doubted = re.findall(r"node '?([^ ']*)'? has the label", str(error))[0]
        assert doubted not in {str(node) for node in graph.nodes}
        return False
    except LabelError as error:  # on one machine the command says so, not the reader
        found = [] if "there are no labels" in str(error) else [(error,)]
    assert found == expected, path.read_text()
    return bool(found)


def test_every_file_means_the_same(cluster: Cluster, tmp_path: Path) -> None:
    path, told = tmp_path / "labels.csv", 0
    rng = np.random.default_rng(0)
    nodes = ["who", "zoe", "n000", "n007", "n040", "3", "5", "003", "+5", "71", "72", "-1", "NA", "id"]
    labels = ["colour", "red", "blue", "1", "2", "+1", "1.0", "", "class"]
    files = list(FILES)
    for _ in range(150):
        rows = int(rng.integers(1, 5))
        files.append("".join(f"{rng.choice(nodes)},{rng.choice(labels)}\n" for _ in range(rows)))
    for kind in kinds(cluster, tmp_path):
        for written in files:
            path.write_text(written)
            for header in (None, True, False):
                told += same(path, kind, header=header)
    assert told > 300


def test_one_odd_id_leaves_the_others_numbers(cluster: Cluster, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("3,red\n4,blue\nzoe,red\n")
    for graph, layout, integers in kinds(cluster, tmp_path)[:2]:
        assert on_workers(path, layout, integers=integers) == {3: "red", 4: "blue"}
        assert on_one_machine(path, graph) == {3: "red", 4: "blue"}
