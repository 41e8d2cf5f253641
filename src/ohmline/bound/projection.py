"""Theorems 3.2 and 5.1 of paper 000: online projections, with or without active trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Bools, Floats
from ohmline.bound.asked_trials import Evidence, evidence
from ohmline.bound.comparator import function_of, is_labelling, least_margin, right_side
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.bound.interpolant import Interpolant
from ohmline.bound.pounce import fits
from ohmline.bound.sharpness import SHARP, blur_of_norms, sharp
from ohmline.bound.ties import shortfall_of_ties, stretched
from ohmline.errors import ParameterError, ShapeError
from ohmline.game.trace import Trace
from ohmline.learn.projection import Projection, Strategy


@final
class ProjectionBound(Bound):
    """Limits the mistakes of `Projection`, with or without active trials (paper 000, Theorems 3.2 and 5.1).

    |M \\ A| <= (||u - w_1||^2 - Z_A) B, which is Theorem 5.1; with A empty, Theorem 3.2.

    | paper | here |
    |---|---|
    | A | `active` |
    | Z_A | term `progress`: the squared lengths of the moves of the trials in A |
    | w_1 | the learner's `start` |
    | \\|\\|u - w_1\\|\\|^2 | term `sqnorm`; without a comparator u is the interpolant nearest to w_1 |
    | B | term `harmonic`: the harmonic mean of K_ii over M \\ A |

    A comparator that *equals* every asked label (is in af) serves every form of the learner. Any other function of the
    nodes with the right signs (in hs, once it is stretched to a least margin of 1) serves where every move projected
    on half-spaces: cyclic updating, and U_t = {t} on mistakes only. `charged` counts M \\ A.

    Parameters
    ----------
    active
        The set A: a number of trials at the start, or an array of one boolean per trial. None (default) takes those
        that a pool query chose, `trace.selected`. Any set gives a valid bound; the trials on which an aggressive
        learner moved without a mistake lower it at no cost.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.graph.generate.line(10)
    >>> kernel = ohm.LaplacianKernel(line.graph) + ohm.Constant(1.0)
    >>> trace = ohm.play(ohm.Projection.min_norm(kernel), ohm.Stream(range(10), line.labels).shuffled(seed=1))
    >>> plain = ProjectionBound().certify(trace)
    >>> moved = trace.updated & ~trace.charged
    >>> plain.valid, ProjectionBound(active=moved).certify(trace).value < plain.value
    (True, True)

    References
    ----------
    Herbster, Pontil and Wainer, Online learning over graphs, ICML 2005.
    """

    def __init__(self, active: int | ArrayLike | None = None) -> None:
        self.active = active

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        seen = evidence(trace, Projection)
        learner: Projection = trace.learner
        kernel = learner.kernel
        active = self._mask(trace)[trace.asked_at]
        found = compared(seen, learner, comparator)
        counted = seen.mistaken & ~active
        progress = float(seen.progress[active].sum())
        lengths = kernel.diagonal()
        harmonic = harmonic_mean(lengths[seen.positions[counted]])
        short = shortfall_of_ties(seen, learner, found.sqnorm, lengths)
        name = "paper 000, Theorem 5.1" if active.any() else "paper 000, Theorem 3.2"
        return Certificate(
            name + found.suffix,
            # What is left after the progress is off by a rounding of both, and by what its ties did not gain.
            rounded_up(max(found.sqnorm - progress, 0.0) + (1e-12 + 2 * min(short, SHARP)) * progress)
            * (harmonic * stretched(short))
            if harmonic > 0
            else 0.0,
            int(counted.sum()),
            {
                "sqnorm": found.sqnorm,
                "progress": progress,
                "harmonic": harmonic,
                "active": int(active.sum()),
            },
            (
                *found.assumptions,
                corrected(seen),
                projected(seen, learner),
                sharp("norm", found.blurred),
                sharp("move", short),
            ),
            hidden=seen.hidden,
        )

    def _mask(self, trace: Trace) -> Bools:
        trials = len(trace)
        if self.active is None:
            return np.arange(trials) < trace.selected
        if isinstance(self.active, int | np.integer) and not isinstance(self.active, bool):
            if not 0 <= self.active <= trials:
                raise ParameterError(f"active is {self.active}, and the trace has {trials} trials")
            return np.arange(trials) < self.active
        mask = np.asarray(self.active)
        if mask.dtype != np.bool_ or mask.shape != (trials,):
            raise ShapeError(
                f"active must be a number of trials or {trials} booleans, "
                f"got {mask.dtype} of shape {mask.shape}"
            )
        return mask


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparator beside the start of a learner."""

    sqnorm: float
    """||u - w_1||^2, rounded up."""
    assumptions: tuple[Assumption, ...]
    blurred: float
    """The relative error of the norm."""
    suffix: str = ""


def compared(seen: Evidence, learner: Projection, comparator: Any) -> Compared:
    """The squared distance of a comparator from the start, and what must hold of it.

    Without one it is the interpolant of the asked labels. One that misses a label must have the right sign there, is
    stretched to a least margin of 1, and needs moves on half-spaces.
    """
    kernel, start = learner.kernel, learner.values_at_start
    if comparator is None:
        sqnorm = Interpolant(seen, kernel, start).sqnorm(len(seen.positions))
        return Compared(sqnorm, (fits(seen, None), in_space(sqnorm)), 0.0, ", live")
    u = function_of(comparator, seen.nodes)
    exact = fits(seen, u)
    demands: tuple[Assumption, ...] = (exact,)
    if not exact.holds and not is_labelling(u):
        every = not isinstance(learner.strategy, Strategy) or learner.strategy is Strategy.ALL
        margin = least_margin(seen, u, (seen.mistaken | seen.moved) | every)
        demands = (right_side(margin), half_spaces(seen, learner))
        u = u / margin if margin > 0 else u
    blurred = blur_of_norms(kernel)
    sqnorm = rounded_up(kernel.sqnorm(u - start), blurred)
    return Compared(sqnorm, (*demands, in_space(sqnorm)), blurred)


def in_space(sqnorm: float) -> Assumption:
    """Whether a norm is finite."""
    text = "the comparator lies in the kernel's space: its norm is finite"
    return Assumption(text, True, bool(np.isfinite(sqnorm)))


def half_spaces(seen: Evidence, learner: Projection) -> Assumption:
    """Whether every move was a projection on half-spaces, which hold margins above 1 too."""
    simple = learner.strategy is Strategy.LATEST and bool(np.array_equal(seen.moved, seen.mistaken))
    text = "every move projected on half-spaces: cyclic, or U_t = {t} on mistakes only"
    return Assumption(text, True, learner.cyclic or simple)


def harmonic_mean(values: Floats) -> float:
    """mu(-1; values) of eq. (7); 0 when there is none or one of them is 0."""
    if not len(values) or values.min() <= 0:
        return 0.0
    return float(len(values) / np.sum(1 / values))


def corrected(seen: Evidence) -> Assumption:
    """The hypothesis moved on every mistaken trial (it may move on others)."""
    holds = bool(np.all(seen.moved | ~seen.mistaken))
    return Assumption("the hypothesis was corrected on every mistaken trial", True, holds)


def projected(seen: Evidence, learner: Projection) -> Assumption:
    """Whether a fresh learner with the same options makes the same moves at the same margins."""
    text = "the hypothesis started at w_1 and every move was the projection of Algorithm 2"
    if text not in seen.replays:
        if learner.kernel.space.partial:  # its columns would have to be fetched again
            seen.replays[text] = Assumption(text, False)
        else:
            # Aggressive or not makes a difference only where it moves without a mistake.
            _, same = projected_again(seen, learner, seen.moved)
            seen.replays[text] = Assumption(text, True, same)
    return seen.replays[text]


def projected_again(seen: Evidence, learner: Projection, aggressive: Bools) -> tuple[Projection, bool]:
    """A fresh learner that played the same trials, aggressive in some; and whether it did the same."""
    fresh = Projection(
        learner.kernel,
        learner.strategy,
        cyclic=learner.cyclic,
        start=learner.start,
        contradiction=learner.contradiction,
    )
    for t, (i, y) in enumerate(zip(seen.positions, seen.labels, strict=True)):
        node = seen.nodes[int(i)]
        margin = fresh.margin_one(node)
        fresh.aggressive = bool(aggressive[t])
        update = fresh.learn_one(node, 1 if y > 0 else -1)
        same = abs(margin - seen.margin[t]) <= 1e-9 + 1e-6 * abs(margin)
        if not same or abs(update.progress - seen.progress[t]) > 1e-9 + 1e-6 * update.progress:
            return fresh, False
    return fresh, True
