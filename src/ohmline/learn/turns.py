"""One change at a time: how several threads, and Ctrl-C, find a learner whole."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from threading import Lock, RLock
from typing import Any, Self, final
from weakref import WeakSet

from ohmline.errors import LearnerError

LOCKS = frozenset({"_lock", "_still"})
"""What belongs to one learner in one process, and is not copied with it."""


class TakesTurns:
    """A learner that many may read at once and one may change."""

    _lock: Lock
    """Held by whoever changes the learner."""
    _still: RLock
    """Held while the state and what belongs to it are read or replaced as one: what was bound before a state was
    replaced must not be read after it, because the two may share arrays."""

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        made = super().__new__(cls)
        made._unlock()
        _ALL.add(made)
        return made

    @final
    def alone(self) -> AbstractContextManager[Any]:
        """In a `with`: a game, or another change, during which nobody else may change the learner.

        Where a change is under way already, `LearnerError`. What is returned is the lock itself: a `with` that takes
        and gives back anything else can be cut in two by Ctrl-C, and the learner would stay locked.
        """
        if self._lock.locked():
            raise LearnerError(
                f"this {type(self).__name__} is being changed, by another thread or by the game from which this call "
                "came; reading it meanwhile is safe, but let one at a time change it (a threading.Lock around "
                "learn_one, say)"
            )
        return self._lock

    @final
    def unmoved(self) -> AbstractContextManager[Any]:
        """In a `with`: a block of a game, during which nobody reads; what is read between blocks is of one moment."""
        return self._still

    @final
    def _unlock(self) -> None:
        self._lock, self._still = Lock(), RLock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in LOCKS}


_ALL: WeakSet[TakesTurns] = WeakSet()


def _unlock_all() -> None:
    """In a child process nobody holds a lock: the threads that did are not there."""
    for learner in _ALL:
        learner._unlock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock_all)
