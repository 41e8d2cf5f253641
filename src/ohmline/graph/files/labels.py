"""Labels of nodes as text: two columns."""

from __future__ import annotations

from collections.abc import Hashable
from os import PathLike

from ohmline.checks import file_path, flag, instance, none_or
from ohmline.errors import ConflictingLabels, UnknownNode
from ohmline.graph.files.paths import FileLimits
from ohmline.graph.files.table import read_table, typed
from ohmline.graph.graph import Graph, expect_graph


def read_labels(
    path: str | PathLike[str],
    *,
    graph: Graph | None = None,
    header: bool | None = None,
    limits: FileLimits | None = None,
) -> dict[Hashable, Hashable]:
    """Read labels from a text file with two columns, node and label, one line per node.

    Separators, comments and compression are as for the edge lists of `ohmline.graph.read`. Ids and
    labels are whole numbers where all of them are (a label may be written +1). A node may be
    listed again with the same label; with another one it is an error that names both lines.

    Parameters
    ----------
    path
        The name of the file.
    graph
        The graph whose nodes are labelled: the ids are then its own, and one that it does not have raises
        `UnknownNode`. None (default) takes the ids as they are written.
    header
        Whether the first row names the columns. None (default) sees that from the rows.
    limits
        How large the file may be. None (default) for `FileLimits()`.

    Returns
    -------
    dict
        The label of every node in the file, in the order of their first lines.
    """
    header, graph = none_or(flag, header, "header"), none_or(expect_graph, graph, "graph")
    most = FileLimits() if limits is None else instance(limits, FileLimits, "limits")
    table = read_table(file_path(path), most, columns=(2,), header=header, ids=1)
    ids = typed(table.column(0))
    if graph is not None:
        known = {str(node): node for node in graph.nodes}
        for k, spelling in enumerate(table.column(0)):
            if spelling not in known:
                raise UnknownNode(
                    f"{path}, line {table.lines[k]}: unknown node {spelling!r}; the graph has "
                    f"{graph.n} nodes, for example {graph.nodes[0]!r}"
                )
        ids = [known[spelling] for spelling in table.column(0)]
    labels = typed([label.removeprefix("+") for label in table.column(1)])
    if labels and not isinstance(labels[0], int):
        labels = list(table.column(1))
    first: dict[Hashable, int] = {}
    for k, (node, label) in enumerate(zip(ids, labels, strict=True)):
        before = first.setdefault(node, k)
        if labels[before] != label:
            raise ConflictingLabels(
                f"{path}: node {node!r} has the label {labels[before]!r} on line {table.lines[before]} and "
                f"{label!r} on line {table.lines[k]}; keep one of the two lines"
            )
    return {node: labels[k] for node, k in first.items()}
