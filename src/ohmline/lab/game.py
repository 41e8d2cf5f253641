"""A game as it is shown: the trace, its certificate, and how both grew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.bound import Certificate, Fit, best_bound, live_curve
from ohmline.bound.best import MANY
from ohmline.bound.one_vs_rest import live_curves
from ohmline.errors import LearnerError
from ohmline.game.trace import Trace
from ohmline.learn import OneVsRest, Perceptron

CHECKPOINTS = 40


@final
@dataclass(frozen=True, eq=False)
class Game:
    """A trace with what can be proven about it."""

    title: str
    trace: Trace = field(repr=False)
    names: Mapping[Any, str] = field(default_factory=dict, repr=False)
    """How a label is shown, where that is not its own text."""
    certificate: Certificate | None = None
    """None where no theorem covers the game."""
    checkpoints: Ints = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)
    bound: Floats = field(default_factory=lambda: np.zeros(0), repr=False)
    """The bound after each of `checkpoints` trials."""

    @classmethod
    def of(cls, title: str, trace: Trace, names: Mapping[Any, str] | None = None) -> Game:
        """The trace with the live certificate of its learner, where there is one."""
        certificate, checkpoints, bound = certify(trace)
        return cls(title, trace, names or {}, certificate, checkpoints, bound)

    def name_of(self, label: Any) -> str:
        """How a label is shown."""
        return "don't know" if label is None else self.names.get(label, str(label))

    @property
    def kept(self) -> bool:
        """Whether the mistakes stay within the certificate; true where there is none."""
        return self.certificate is None or not self.certificate.beaten

    @property
    def charged(self) -> int:
        """The mistakes that the certificate counts."""
        return 0 if self.certificate is None else self.certificate.charged

    def document(self) -> dict[str, Any]:
        """The game in the shape that `--json` prints."""
        trace, certificate = self.trace, self.certificate
        return {
            "title": self.title,
            "learner": type(trace.learner).__name__,
            "trials": len(trace),
            "mistakes": trace.mistakes,
            "asked": trace.asked,
            "error_rate": trace.error_rate,
            "seconds": trace.seconds,
            "certificate": None
            if certificate is None
            else {
                "theorem": certificate.theorem,
                "value": certificate.value,
                "charged": certificate.charged,
                "valid": certificate.valid,
                "proven": certificate.proven,
                "terms": dict(certificate.terms),
                "assumptions": [
                    {"text": a.text, "checked": a.checked, "holds": a.holds} for a in certificate.assumptions
                ],
            },
            "classes": {self.name_of(label): row for label, row in trace.per_class().items()},
        }


def certify(trace: Trace) -> tuple[Certificate | None, Ints, Floats]:
    """The live certificate of a trace, and for perceptrons its value at some 40 checkpoints.

    The certificate is None for a learner that no theorem is about.
    """
    nothing = np.zeros(0, np.int64), np.zeros(0)
    marks = np.unique(np.linspace(0, len(trace), CHECKPOINTS + 1).astype(np.int64))
    try:
        certificate = best_bound(trace)
    except LearnerError:
        return (None, *nothing)
    if trace.asked > MANY:
        return (certificate, *nothing)
    if isinstance(trace.learner, Perceptron):
        return certificate, marks, live_curve(trace, marks, Fit.MISTAKEN)
    if isinstance(trace.learner, OneVsRest) and isinstance(trace.learner.unseen, Perceptron):
        return certificate, marks, live_curves(trace, marks)
    return (certificate, *nothing)
