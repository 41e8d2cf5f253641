"""Bounds: theorems that turn a trace into a certificate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ohmline.game.trace import Trace


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something a theorem needs, and whether it was checked or taken on trust.

    Attributes
    ----------
    text
        The assumption in words.
    checked
        True: verified on this trace. False: assumed.
    holds
        What the check found. Default True; an assumption that is not checked is taken to hold.
    """

    text: str
    checked: bool
    holds: bool = True


@dataclass(frozen=True, slots=True)
class Certificate:
    """A limit on the mistakes of one trace, and why it holds.

    Attributes
    ----------
    theorem
        The theorem, by paper and number.
    value
        The limit: no more than this many mistakes, as the theorems count them (`trace.charged`).
    charged
        How many the trace has.
    terms
        The numbers that the limit is made of, by name. Empty by default.
    assumptions
        What the limit rests on. Empty by default.
    counts
        What `value` and `charged` count, `"mistakes"` by default.
    """

    theorem: str
    value: float
    charged: int
    terms: Mapping[str, float] = field(default_factory=dict)
    assumptions: tuple[Assumption, ...] = ()
    counts: str = "mistakes"

    @property
    def valid(self) -> bool:
        """Whether every assumption that was checked holds; otherwise `value` promises nothing."""
        return all(a.holds for a in self.assumptions)

    @property
    def proven(self) -> bool:
        """Whether it is valid and nothing was assumed."""
        return self.valid and all(a.checked for a in self.assumptions)

    def __str__(self) -> str:
        terms = ", ".join(f"{name} = {value:.4g}" for name, value in self.terms.items())
        state = "proven" if self.proven else "under assumptions" if self.valid else "void"
        return f"at most {self.value:.4g} {self.counts} ({self.theorem}, {state}; {terms})"


class Bound(ABC):
    """A theorem that turns the trace of a game into a certificate. A subclass gives `certify`."""

    @abstractmethod
    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        """The certificate of a game.

        Parameters
        ----------
        trace
            A game, played by a learner that the theorem is about.
        comparator
            A labelling of every node, as an array in the order of the nodes or a mapping. None (default) makes
            the bound *live*: it takes the smallest-norm function that fits what was seen, so it needs no
            hindsight. A theorem without a live form, or without a comparator, says so.

        Returns
        -------
        Certificate
            The limit, its terms, and what it rests on.
        """
