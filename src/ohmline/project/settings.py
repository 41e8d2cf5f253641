"""What can be set in a project, and changed while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self, final

from ohmline.checks import count, instance, none_or, number, seed_of, shown
from ohmline.errors import ParameterError


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a project.

    Attributes
    ----------
    goal
        The share of wrong predictions at which it is enough, above 0 and below 1; None to go on to the end.
    confidence
        With which probability the limit shall hold. Default 0.95.
    overlap
        How many people are asked for the same node. Default 1.
    lease_seconds
        How long a question belongs to the person who got it. Default 300.
    gold_every
        After so many answers a person is asked for a node whose label is known (a gold item), if there is one; 0 for
        never. Default 20.
    seed
        The seed of the random order of audits. Default 0.
    """

    goal: float | None = None
    confidence: float = 0.95
    overlap: int = 1
    lease_seconds: float = 300.0
    gold_every: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        goal = none_or(number, self.goal, "goal", least=0.0, most=1.0)
        if goal in (0.0, 1.0):
            raise ParameterError(f"goal must lie between 0 and 1, got {shown(self.goal)}; 0.05 for 5 %")
        number(self.confidence, "confidence", least=0.5, most=1 - 1e-9)
        count(self.overlap, "overlap", least=1, most=100)
        number(self.lease_seconds, "lease_seconds", least=1.0, most=7 * 86400.0)
        count(self.gold_every, "gold_every", most=10**6)
        seed_of(self.seed)

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """These settings with some of them changed.

        Parameters
        ----------
        changes
            New values by name; the seed cannot be changed.
        """
        for name in instance(changes, Mapping, "changes", "give a dict from settings to values"):
            if name not in CHANGEABLE:
                known = ", ".join(sorted(CHANGEABLE))
                raise ParameterError(
                    f"there is no setting {shown(name)} that could be changed; there are {known}"
                )
        return replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        """The settings as plain values."""
        return asdict(self)


CHANGEABLE = frozenset(field.name for field in fields(Settings)) - {"seed"}
"""The settings that can be changed while a project runs."""
