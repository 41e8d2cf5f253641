"""From a source into a project: every item submitted, and acknowledged once the reply says that it is on the disk."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, final, runtime_checkable

from ohmline.checks import count, function, instance, iterator, none_or, shown, text
from ohmline.errors import (
    Forbidden,
    JournalError,
    OhmlineError,
    ParameterError,
    ServiceError,
    SourceError,
    UnknownProject,
)
from ohmline.project.commands import Arrive
from ohmline.sources.item import Item

NOT_THE_ITEM = (Forbidden, JournalError, ServiceError, SourceError, UnknownProject)
"""Errors that say nothing about the item: it is delivered again."""
IN_A_ROW = 10
"""So many items that are refused one after the other are no accident: the pump stops."""


@runtime_checkable
class Does(Protocol):
    """A project in this process."""

    def do(self, command: Any, actor: str) -> Any:
        """Do something, and answer when it is on the disk."""
        ...


@runtime_checkable
class TakesArrivals(Protocol):
    """A project behind a client."""

    def arrive(
        self,
        node: Hashable,
        *,
        fields: Mapping[str, str] | None = None,
        edges: Iterable[tuple[Hashable, Hashable, float]] = (),
        key: str = "",
    ) -> Any:
        """Send an arrival, and answer when it is on the disk."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Pumped:
    """What a pump did.

    Attributes
    ----------
    items
        How many items were taken.
    wanted
        How many of them the project wants a label of.
    refused
        How many were refused, and set aside by their source.
    """

    items: int = 0
    wanted: int = 0
    refused: int = 0


def pump(
    source: Iterable[Item],
    into: Does | TakesArrivals,
    *,
    actor: str = "stream",
    most: int | None = None,
    on_arrival: Callable[[Item, Any], None] | None = None,
) -> Pumped:
    """Submit every item of a source, and acknowledge each when the project has answered.

    An item is acknowledged after its event is on the disk and not before; whatever happens in between, the source
    delivers it again, with the key that it had, and it counts once. Where the project cannot be written or reached,
    that error ends the pump with the item not acknowledged. An item that the project refuses (a node that it has
    otherwise, a weight below 0) is set aside by its source with the reason, and the pump goes on.

    Parameters
    ----------
    source
        Items, from `from_iterable`, `follow_file` or `redis_stream`.
    into
        A `Project`, or the project of a `Client`.
    actor
        Under which name the events of a `Project` are written; a client writes under that of its token. Default
        "stream".
    most
        End after so many items; None (default) when the source ends.
    on_arrival
        Is called with each item and the reply to it, after the acknowledgement. None (default) for nothing.

    Returns
    -------
    Pumped
        How many items were taken, wanted and refused.
    """
    actor, most = text(actor, "actor"), none_or(count, most, "most")
    none_or(function, on_arrival, "on_arrival")
    submit = _door(into, actor)
    items, wanted, refused, in_a_row = 0, 0, 0, 0
    if most == 0:
        return Pumped()
    for item in iterator(source, "source"):
        instance(item, Item, "an item of source", "a source gives Item(node, ...)")
        try:
            reply = submit(item)
        except NOT_THE_ITEM:
            raise
        except OhmlineError as error:
            in_a_row += 1
            if in_a_row >= IN_A_ROW:
                raise
            if not item.refuse(str(error)):
                raise
            refused += 1
        else:
            item.ack()
            items, in_a_row = items + 1, 0
            wanted += bool(reply.wanted)
            if on_arrival is not None:
                on_arrival(item, reply)
        if most is not None and items + refused >= most:
            break
    return Pumped(items, wanted, refused)


def _door(into: Any, actor: str) -> Callable[[Item], Any]:
    if isinstance(into, TakesArrivals):
        return lambda item: into.arrive(item.node, fields=item.fields, edges=item.edges, key=item.key)
    if isinstance(into, Does):
        return lambda item: into.do(
            Arrive(item.node, fields=item.fields, edges=item.edges, key=item.key), actor
        )
    raise ParameterError(
        f"into must be a Project or the project of a Client, got {shown(into)}; Client(url, token).project(id) is one"
    )
