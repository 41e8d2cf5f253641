"""Bounds: theorems that turn a trace into a certificate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from math import floor, isfinite
from typing import Any

from ohmline.game.trace import Trace
from ohmline.markup import box, clipped, facts, table, words
from ohmline.representation import represent


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


WHOLE = ("mistakes", "further mistakes", "updates", "labels")
"""What is counted in whole numbers."""
ARITHMETIC = "the arithmetic held"
"""How the assumption begins that a beaten certificate is given."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A limit on the mistakes of one trace, and why it holds.

    Attributes
    ----------
    theorem
        The theorem, by paper and number.
    value
        The limit: no more than this many mistakes, as the theorems count them (a wrong prediction or a tie), in
        the trials whose label was asked for. It is rounded up, never down.
    charged
        How many of these the trace has.
    terms
        The numbers that the limit is made of, by name. Empty by default.
    assumptions
        What the limit rests on. Empty by default.
    counts
        What `value` and `charged` count, `"mistakes"` by default.
    hidden
        How many trials the limit says nothing about, because their label was not asked for. Default 0.
    """

    theorem: str
    value: float
    charged: int
    terms: Mapping[str, float] = field(default_factory=dict)
    assumptions: tuple[Assumption, ...] = ()
    counts: str = "mistakes"
    hidden: int = 0

    def __post_init__(self) -> None:
        if self.charged > self.value and self.valid:
            beaten = Assumption(
                f"{ARITHMETIC} (there are {self.charged} {self.counts}, more than the theorem allows: numbers "
                "were rounded too far; scale the weights to be nearer to each other)",
                True,
                False,
            )
            object.__setattr__(self, "assumptions", (*self.assumptions, beaten))

    @property
    def beaten(self) -> bool:
        """Whether more was counted than a valid limit allows, which is a failure of arithmetic."""
        return any(a.text.startswith(ARITHMETIC) for a in self.assumptions)

    @property
    def valid(self) -> bool:
        """Whether every assumption that was checked holds; otherwise `value` promises nothing."""
        return all(a.holds for a in self.assumptions)

    @property
    def proven(self) -> bool:
        """Whether it is valid and nothing was assumed."""
        return self.valid and all(a.checked for a in self.assumptions)

    def __str__(self) -> str:
        terms = ", ".join(f"{name} = {_shown(value)}" for name, value in self.terms.items())
        state = "proven"
        if not self.proven:
            broken = [
                a.text for a in self.assumptions if not (a.checked and a.holds) and a.holds == self.valid
            ]
            state = f"{'assuming that' if self.valid else 'void: it does not hold that'} {broken[0]}"
        terms = f"; {terms}" if terms else ""
        if not self.valid:
            return f"nothing is certified ({self.theorem}, {state}{terms})"
        return f"at most {self.whole} {self.counts}{self.about} ({self.theorem}, {state}{terms})"

    def _repr_html_(self) -> str:
        said = str(self)
        if self.valid:
            said = f"At most {self.whole} {self.counts}{self.about}, where {self.charged:,} were counted"
        state = ("proven" if self.proven else "under assumptions") if self.valid else "void"
        numbers = [(name, _shown(value)) for name, value in self.terms.items()]
        rests = [
            (clipped(a.text, 400), ("holds" if a.holds else "does not hold") if a.checked else "assumed")
            for a in self.assumptions
        ]
        return box(
            "Certificate",
            words(f"{said} ({self.theorem}; {state})." if self.valid else f"{said}."),
            facts(numbers) if numbers else "",
            table(("it rests on", ""), rests) if rests else "",
        )

    @property
    def whole(self) -> str:
        """The limit as it is shown: mistakes are whole, so that 7.6 of them are 7; other counts to four digits."""
        if self.counts in WHOLE and isfinite(self.value):
            return f"{floor(self.value):,}"
        return f"{self.value:.4g}"

    @property
    def about(self) -> str:
        """Which trials the limit is about, in words; empty where it is about all of them."""
        return " in the trials whose label was asked for" if self.hidden else ""


class Bound(ABC):
    """A theorem that turns the trace of a game into a certificate. A subclass gives `certify`."""

    def __repr__(self) -> str:
        return represent(self)

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


def rounded_up(value: float, error: float = 0.0) -> float:
    """A value of sums, products and roots, at least as large as without rounding; `error` is its relative error."""
    return value * (1 + error + 1e-12)


def _shown(value: float) -> str:
    """Four digits, also of a whole number that no floating-point number holds."""
    try:
        return f"{value:.4g}"
    except OverflowError:
        return f"{Decimal(value):.4g}"
