"""What there is to read about the nodes: texts, names of pictures, and any other fields."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, final

from ohmline.errors import FileFormatError, ParameterError
from ohmline.extras import require
from ohmline.labelling.answers import id_of, written_id
from ohmline.project.folder import NODES

TITLE = 100
"""The most characters of a title."""


@final
class Attributes:
    """The fields of each node, texts by name.

    Parameters
    ----------
    fields
        A dict of texts for each node that has any.
    """

    def __init__(self, fields: Mapping[Hashable, Mapping[str, str]] | None = None) -> None:
        self._fields: dict[Hashable, Mapping[str, str]] = dict(fields or {})

    def of(self, node: Hashable) -> Mapping[str, str]:
        """The fields of a node."""
        return self._fields.get(node, {})

    def add(self, node: Hashable, fields: Mapping[str, str]) -> None:
        """The fields of a new node."""
        if fields:
            self._fields[node] = fields

    def title(self, node: Hashable) -> str:
        """What a node is called: the first line of its text, or else its id."""
        fields = self.of(node)
        line = (fields.get("title") or fields.get("text") or "").strip().split("\n", 1)[0].strip()
        line = line or (node if isinstance(node, str) else json.dumps(written_id(node)))
        return line if len(line) <= TITLE else line[: TITLE - 1] + "…"

    def search(self, words: str, most: int) -> list[Hashable]:
        """The nodes in whose fields a text is found."""
        wanted, found = words.casefold(), []
        for node, fields in list(self._fields.items()):  # others may add some meanwhile
            if any(wanted in value.casefold() for value in fields.values()):
                found.append(node)
                if len(found) == most:
                    break
        return found


def write_attributes(folder: Path, fields: Mapping[Hashable, Mapping[str, str]]) -> None:
    """Write the fields of the nodes into the project's table."""
    polars = require("polars", "io")
    names = list(dict.fromkeys(name for each in fields.values() for name in each))
    if "node" in names:
        raise ParameterError("a field cannot be called 'node', which is the column of the ids; rename it")
    columns: dict[str, Any] = {"node": [json.dumps(written_id(node)) for node in fields]}
    for name in names:
        columns[name] = [each.get(name) for each in fields.values()]
    schema = dict.fromkeys(columns, polars.String)
    polars.DataFrame(columns, schema=schema).write_parquet(folder / NODES)


def read_attributes(folder: Path) -> Attributes:
    """The fields of the nodes, from the project's table; none where there is no table."""
    path = folder / NODES
    if not path.exists():
        return Attributes()
    polars = require("polars", "io")
    try:
        table = polars.read_parquet(path)
        columns = {name: table[name].to_list() for name in table.columns}
        nodes = [id_of(json.loads(node)) for node in columns.pop("node")]
    except Exception as error:  # whatever a damaged file makes polars raise
        raise FileFormatError(f"{path} cannot be read ({error}); restore it from a copy") from None
    named = list(columns.items())
    return Attributes(
        {
            node: {name: str(values[k]) for name, values in named if values[k] is not None}
            for k, node in enumerate(nodes)
        }
    )
