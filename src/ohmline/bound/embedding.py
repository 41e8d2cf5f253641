"""Theorem 8 of paper 002: POUNCE on the exponential embedding of points."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.bound.asked_trials import evidence, labelling, mistake_driven, only, starts_afresh
from ohmline.bound.contract import Bound, Certificate, rounded_up
from ohmline.bound.pounce import fits
from ohmline.errors import KernelError
from ohmline.game.trace import Trace
from ohmline.graph.embedding import ExponentialEmbedding
from ohmline.graph.measure.scales import scale_for
from ohmline.learn.pounce import Pounce

TRIED = 40
"""Radii tried: the largest ones at which every path-connected set has one label."""


class Separated(NamedTuple):
    """A cover of one component's points by path-connected sets of one label each."""

    number: int
    rho: float
    excess: float
    """||u||^2 (m - 1) e^{a rho}, which vanishes as a grows."""
    enough: float = 0.0
    """The a beyond which it is below 1."""

    @property
    def value(self) -> float:
        """C + excess + 1."""
        return self.number + rounded_up(self.excess) + 1


@final
class EmbeddingBound(Bound):
    """Limits the mistakes of `Pounce` on an `ExponentialEmbedding` of points (paper 002, Theorem 8).

    |M| <= C + 4 (m - 1) sum e^{-a (d - rho)} + 1, which is C° + 1 for large a; m is the size of the largest set.

    | paper | here |
    |---|---|
    | rho | term `rho`: chosen so that the bound is least |
    | C(X, rho) | term `cover`: rho-path-connected sets, each of one label, that hold an asked point |
    | eq. (30) and (31) | term `excess`; the sum is over the pairs with different labels |
    | a' | term `enough`: beyond it the excess is below 1; see `sufficient_scale` |

    Differs: a path within a set has at most m - 1 steps, where the paper counts |X|. It lets a grow until the excess is
    below 1; we compute the excess, in logarithms, so that the certificate holds for the a at hand. At a = inf it is 0,
    and the value is C° + 1.

    Points at an infinite distance form components, and the certificate is the sum over those with a
    mistake. Without a comparator the sets only need to agree with the labels that were asked for.

    Examples
    --------
    >>> import ohmline as ohm
    >>> moons = ohm.graph.generate.two_moons(200, noise=0.03)
    >>> learner = ohm.Pounce(ohm.ExponentialEmbedding(moons.points, a=float("inf")))
    >>> trace = ohm.play(learner, ohm.Stream(range(200), moons.labels).shuffled(seed=0))
    >>> print(EmbeddingBound().certify(trace, moons.labels))
    at most 3 mistakes (paper 002, Theorem 8, proven; cover = 2, rho = ..., excess = 0, enough = ..., a = inf)

    References
    ----------
    Herbster, Exploiting cluster-structure to predict the labeling of a graph, ALT 2008.
    """

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        seen = evidence(trace, Pounce)
        embedding = trace.learner.kernel
        if not isinstance(embedding, ExponentialEmbedding):
            raise KernelError(
                f"Theorem 8 is about an ExponentialEmbedding, not {embedding!r}; use PounceBound"
            )
        u = None if comparator is None else labelling(comparator, seen.nodes)
        known = np.zeros(embedding.n)
        known[seen.positions] = seen.labels
        known = known if u is None else u
        asked = np.zeros(embedding.n, dtype=np.bool_)
        asked[seen.positions] = True
        parts = []
        for part in np.unique(embedding.component_of[seen.positions[seen.mistaken]]):
            members = np.flatnonzero(embedding.component_of == part)
            table = embedding.distances[np.ix_(members, members)]
            parts.append(separate(table, known[members], asked[members], embedding.a))
        return Certificate(
            "paper 002, Theorem 8" + (", live" if u is None else ""),
            float(sum(part.value for part in parts)),
            seen.charged,
            {
                "cover": sum(part.number for part in parts),
                "rho": max((part.rho for part in parts), default=0.0),
                "excess": float(sum(part.excess for part in parts)),
                "enough": max((part.enough for part in parts), default=0.0),
                "a": embedding.a,
            },
            (
                fits(seen if u is None else only(seen, seen.mistaken), u),
                mistake_driven(seen),
                starts_afresh(seen, Pounce(embedding), "the learner had seen nothing before"),
            ),
            hidden=seen.hidden,
        )


def separate(distances: Floats, known: Floats, asked: Bools, a: float) -> Separated:
    """The best rho for connected points; `known` is 0 where no label is given."""
    n = len(distances)
    if n == 1:
        return Separated(1, 0.0, 0.0)
    from scipy.cluster import hierarchy  # slow to import, and needed here alone
    from scipy.spatial.distance import squareform

    tree = hierarchy.linkage(squareform(distances, checks=False), method="single")
    best = Separated(int(asked.sum()), 0.0, float("inf"))
    tried = 0
    for rho in np.unique(np.append(0.0, tree[:, 2]))[::-1]:
        sets = hierarchy.fcluster(tree, rho, criterion="distance") - 1
        if not _one_label_each(sets, known):
            continue
        number = len(np.unique(sets[asked]))
        # A set that no asked point is in need not be covered.
        links = int(np.bincount(sets)[sets[asked]].max(initial=1)) - 1
        u = _labels_of(sets, known)
        across = distances[np.ix_(u > 0, u < 0)].ravel()
        excess = _excess(across, links, float(rho), a)
        found = Separated(number, float(rho), excess, _enough(across, links, float(rho)))
        best = min(best, found, key=lambda cover: cover.value)
        tried += 1
        if number + 1 >= best.value or tried == TRIED:  # smaller radii have no fewer sets
            break
    return best


def _one_label_each(sets: Ints, known: Floats) -> bool:
    positive = np.bincount(sets, weights=known > 0)
    negative = np.bincount(sets, weights=known < 0)
    return not bool(np.any((positive > 0) & (negative > 0)))


def _labels_of(sets: Ints, known: Floats) -> Floats:
    """One label for every set; +1 for those that hold no known label."""
    return np.where(np.bincount(sets, weights=known) < 0, -1.0, 1.0)[sets]


def _excess(across: Floats, links: int, rho: float, a: float) -> float:
    """||u||^2 links e^{a rho} with ||u||^2 = 4 times the sum of e^{-a d} over the cut (eqs. 30 and 31)."""
    if np.isinf(a) or not len(across) or not links:
        return 0.0  # rho is below every distance across, so the terms vanish in the limit
    exponent = -a * (across - rho)
    top = float(exponent.max())
    log_excess = np.log(4 * links) + top + np.log(np.sum(np.exp(np.maximum(exponent - top, -700.0))))
    return float(np.exp(log_excess)) if log_excess < 700 else float("inf")


def _enough(across: Floats, links: int, rho: float) -> float:
    return scale_for(len(across), links, float(across.min()) - rho) if len(across) else 0.0
