"""A weighted mean of the members' probabilities that follows the best member of the moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ohmline.arrays import AnyArray, Floats
from ohmline.learn.blend.ways import Opinions, Tally, Way, weighted
from ohmline.learn.tracking import Followed, follow


@final
@dataclass(frozen=True, repr=False)
class FixedShare(Way):
    """The mean of the members' probabilities, by weights that follow the best one of the moment.

    As `Mixture`, but each label takes 1 / (t + 1) of all weight, and spreads it evenly over the members (Herbster and
    Warmuth 1998), t being the labels scored so far. So a member that was bad for long is soon heard again when its
    time comes, and there is no rate to choose. For labels that change: members that forget beside one that does not.
    In place of the best member, the blend is compared with the best sequence of members that switches S times, after
    labels t_1, ..., t_S of T. Whatever the labels are, with losses as for `Mixture` and K members,

      L <= L_sequence + (S + 1) ln K + ln T + sum of ln t_i,

    proved in `ohmline.learn.tracking`, and at most L / ln 2 of the labels that are scored are mistakes:
    `bound.TrackingBound`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> graph = ohm.graph.generate.barbell(5).graph
    >>> blend = ohm.Blend([ohm.LocalLGC(graph), ohm.ClusterSpecialists(graph)], ohm.FixedShare())
    >>> order = [0, 9, 1, 8, 2, 7, 3, 6, 4, 5]
    >>> _ = ohm.play(blend, [(node, "red" if node < 5 else "blue") for node in order])
    >>> blend.predict_one(2), blend.weights.shape
    ('red', (2,))

    References
    ----------
    Herbster, Warmuth, Tracking the best expert, Machine Learning 32, 1998.
    """

    def start(self, members: int) -> Tally:
        count = np.zeros(1, np.int64)
        return {**Followed.fresh(members)._asdict(), "own": count, "unscored": count, "labels": count}

    def join(self, tally: Tally, opinions: Opinions) -> Floats:
        return weighted(self.weights(tally), opinions.chances)

    def learned(self, tally: Tally, opinions: Opinions, y: int) -> Tally:
        scored = y >= 0 and not opinions.silent[0]
        mistaken = not scored or int(self.join(tally, opinions)[0].argmax()) != y
        followed = Followed(*(np.array(tally[name]) for name in Followed._fields))
        if scored:
            follow(followed, np.ascontiguousarray(opinions.chances[:, 0, y]))
        return {
            **followed._asdict(),
            "own": tally["own"] + mistaken,
            "unscored": tally["unscored"] + (not scored),
            "labels": tally["labels"] + 1,
        }

    def agrees(self, tally: Tally) -> bool:
        followed = Followed(*(tally[name] for name in Followed._fields))
        return followed.sound() and int(tally["scored"][0] + tally["unscored"][0]) == int(tally["labels"][0])

    def weights(self, tally: Tally) -> Floats:
        return np.array(tally["weights"])

    def settings(self) -> dict[str, AnyArray]:
        return {}
