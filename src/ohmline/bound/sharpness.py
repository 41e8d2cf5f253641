"""How far rounding blurs what a theorem measures: small errors enter its limit, large ones are assumed away aloud."""

from __future__ import annotations

import numpy as np

from ohmline.bound.contract import Assumption
from ohmline.kernel.contract import GraphKernel, Kernel

SHARP = 0.01
"""The relative error up to which a quantity can be rounded up and the theorem still be proven with it."""


def sharp(what: str, error: float) -> Assumption:
    """Whether something is known to `SHARP`; where it is not, the theorem holds only if it is right by luck."""
    if error <= SHARP:
        return Assumption(f"every {what} is known to a relative error of {SHARP:g}", True)
    return Assumption(
        f"every {what} is right although rounding may blur it by {error:.1g} of itself; weights that span fewer orders "
        "of magnitude would be computed sharply",
        False,
    )


def blur_of_norms(kernel: Kernel) -> float:
    """The relative error of ||u||^2 where it is worked out from the graph, and the learner uses the kernel's entries.

    With E for what the entries are off by, |u'(K + E)^-1 u - u'K^-1 u| <= ||K^-1 E|| ||u||^2, about.
    """
    base = kernel.base
    if not isinstance(base, GraphKernel) or kernel.c > 0 or getattr(base, "c", 0) > 0:
        return 0.0  # then the norm is worked out from the entries themselves
    steepest = 2 * float(base.graph.degree.max(initial=0.0)) / kernel.factor
    return float(np.sqrt(kernel.n)) * kernel.factor * base.entry_error * steepest
