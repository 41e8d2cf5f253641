"""What can happen to workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from ohmline.errors import ClusterError


@final
class LostWorker(ClusterError):
    """Workers that were there are gone; whoever drives an iteration takes it up again without them."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"workers were lost: {', '.join(names)}")
        self.names = list(names)

    def __reduce__(self) -> tuple[type[LostWorker], tuple[list[str]]]:
        return LostWorker, (self.names,)
