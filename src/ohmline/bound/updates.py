"""Section 4.1 of paper 000: the updates of cyclic projections, not only their mistakes."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from ohmline.bound.asked_trials import Evidence, evidence
from ohmline.bound.comparator import function_of, is_labelling
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.bound.graph_partition import unit_separating
from ohmline.bound.projection import compared, harmonic_mean, projected_again
from ohmline.bound.sharpness import sharp
from ohmline.bound.ties import shortfall, stretched
from ohmline.game.trace import Trace
from ohmline.kernel.laplacian import LaplacianKernel
from ohmline.learn.projection import Projection, Strategy

NEVER = "the hypothesis was projected from w_1 on, and only where an example was on the wrong side (not aggressive)"


@final
class UpdateBound(Bound):
    """Limits the updates of `Projection`, of which a cyclic trial may have many (paper 000, section 4.1).

    updates <= ||u - w_1||^2 B: every projection for an example on the wrong side is at least 1 / ||x|| long, and Lemma
    3.2 adds up their squares. So C-proj ends, after at most O(n^3 D_G) updates on a graph without weights.

    | paper | here |
    |---|---|
    | executions of lines 1 and 2 | `charged`, the `updates` of a learner that plays the game again |
    | \\|\\|u - w_1\\|\\|^2 | term `sqnorm` |
    | B | term `longest`: the largest K_ii of the asked nodes; over the moves their harmonic mean, if a trial has one |

    Aggressive updates can be as short as one likes, so their number has no such limit. The comparator is that of
    `ProjectionBound`. Over `LaplacianKernel(graph)` alone a labelling that does not sum to 0 is replaced by the
    classifier of Theorem 4.1, which needs moves on half-spaces.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.graph.generate.line(12)
    >>> learner = ohm.Projection.c_proj(ohm.LaplacianKernel(line.graph) + ohm.Constant(1.0))
    >>> trace = ohm.play(learner, ohm.Stream(range(12), line.labels).shuffled(seed=2))
    >>> certificate = UpdateBound().certify(trace, line.labels)
    >>> certificate.counts, certificate.proven, certificate.charged <= certificate.value
    ('updates', True, True)

    References
    ----------
    Herbster, Pontil and Wainer, Online learning over graphs, ICML 2005.
    """

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        seen = evidence(trace, Projection)
        learner: Projection = trace.learner
        if comparator is not None:
            comparator = _centred(function_of(comparator, seen.nodes), learner)
        found = compared(seen, learner, comparator)
        fresh, same = projected_again(seen, learner, np.zeros(len(seen.positions), dtype=np.bool_))
        longest = self._longest(seen, learner)
        # A value that is 0 but for rounding counts as on the wrong side, so an update may be that much shorter.
        length = np.sqrt(learner.kernel.sqnorm(learner.values_at_start)) + 2 * np.sqrt(found.sqnorm)
        short = shortfall(float(length), float(fresh.state.gross[0]), longest) if longest > 0 else 0.0
        return Certificate(
            "paper 000, section 4.1" + found.suffix,
            rounded_up(found.sqnorm * longest * stretched(short)) if longest > 0 else 0.0,
            fresh.updates,
            {"sqnorm": found.sqnorm, "longest": longest},
            (
                *found.assumptions,
                Assumption(NEVER, True, same),
                sharp("norm", found.blurred),
                sharp("move", short),
            ),
            counts="updates",
            hidden=seen.hidden,
        )

    @staticmethod
    def _longest(seen: Evidence, learner: Projection) -> float:
        diagonal = np.array(
            [learner.kernel.entry(x, x) for x in (seen.nodes[int(i)] for i in seen.positions)]
        )
        if learner.cyclic and learner.strategy is not Strategy.LATEST:
            return float(diagonal.max(initial=0.0))
        return harmonic_mean(diagonal[seen.moved])


def _centred(u: Any, learner: Projection) -> Any:
    """The classifier of Theorem 4.1 for a labelling that L+ alone cannot hold."""
    kernel = learner.kernel
    plain = isinstance(kernel, LaplacianKernel) and kernel.graph.is_connected and not kernel.graph.signed
    both = is_labelling(u) and bool(np.any(u > 0) and np.any(u < 0))
    return unit_separating(u) if plain and both and u.sum() != 0 else u
