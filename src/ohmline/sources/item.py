"""What a source gives: one node that has arrived, and a way to say that it is safe."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, final


def _nothing() -> None:
    """What the acknowledgement of a list does."""


@final
@dataclass(frozen=True, slots=True)
class Item:
    """A node that has arrived.

    Attributes
    ----------
    node
        Its id.
    fields
        What there is to read about it, texts by name; None where nothing came with it.
    edges
        (id, id, weight) for each edge that came with it.
    key
        The idempotency key: an item that is delivered again has the key that it had, so that it counts once.
    on_ack
        What `ack` does.
    on_refusal
        What `refuse` does; None for a source that has no place for what is refused.
    """

    node: Hashable
    fields: Mapping[str, str] | None = None
    edges: tuple[tuple[Hashable, Hashable, float], ...] = ()
    key: str = ""
    on_ack: Callable[[], None] = field(default=_nothing, repr=False, compare=False)
    on_refusal: Callable[[str], None] | None = field(default=None, repr=False, compare=False)

    def ack(self) -> None:
        """Say that the item is on the disk: the source need not deliver it again."""
        self.on_ack()

    def refuse(self, reason: str) -> bool:
        """Say that the item cannot be taken; False where the source has no place to set it aside.

        Parameters
        ----------
        reason
            Why not, in words.
        """
        if self.on_refusal is None:
            return False
        self.on_refusal(reason)
        return True


class Source(ABC):
    """Items, one after the other. A subclass gives `items` and `close`."""

    @abstractmethod
    def items(self) -> Iterator[Item]:
        """The items, as they come."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what the source holds open; an iteration that is waiting ends soon. May be called twice."""

    def __iter__(self) -> Iterator[Item]:
        return self.items()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
