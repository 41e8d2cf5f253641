"""A stream from a list or any other iterable."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, final

from ohmline.checks import iterator, text
from ohmline.sources.item import Item, Source
from ohmline.sources.record import Record, key_of, node_of, record_of


@final
class Listed(Source):
    """What `from_iterable` gives."""

    def __init__(self, values: Iterable[Any], name: str) -> None:
        self._values, self._name, self._closed = iterator(values, "values"), text(name, "name"), False

    def items(self) -> Iterator[Item]:
        for place, value in enumerate(self._values):
            if self._closed:
                return
            record = record_of(value) if isinstance(value, Mapping) else Record(node_of(value), None, (), "")
            key = record.key or key_of("list", self._name, place, record)
            yield Item(record.node, record.fields, record.edges, key)

    def close(self) -> None:
        self._closed = True


def from_iterable(values: Iterable[Hashable | Mapping[str, Any]], *, name: str = "") -> Source:
    """A stream from a list, a generator or any other iterable.

    Parameters
    ----------
    values
        Ids of nodes, or dicts with `node` and, if there are any, `fields` (texts by name), `neighbours` (ids, or pairs
        of an id and a weight), `edges` (pairs or triples) and `key`.
    name
        Tells this stream from others. An item without a key gets one from the name, its place and what it says: the
        same list sent again, under the same name, counts once. Default "".

    Returns
    -------
    Source
        Items in the order of the values. An acknowledgement does nothing: a list remembers nothing.

    Examples
    --------
    >>> [item.node for item in from_iterable(["a", {"node": "b", "neighbours": ["a"]}])]
    ['a', 'b']
    """
    return Listed(values, name)
