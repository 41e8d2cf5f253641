"""One call for graphs with types of edges, directions, or neighbours that may differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ohmline.checks import listed
from ohmline.graph.graph import Graph
from ohmline.graph.relations import Relations, expect_relations
from ohmline.learn.blend import Blend
from ohmline.learn.blend.ways import Way
from ohmline.learn.contract import OnlineLearner
from ohmline.learn.relations.compatibility import Compatibility
from ohmline.learn.relations.typed import TypedLGC, joined


def relational(
    relations: Relations | Graph | Mapping[str, Graph],
    classes: Iterable[Any] | None = None,
    way: Way | None = None,
) -> Blend:
    """A blend that learns how much each type of edges counts and which classes it joins, and may ignore both.

    Its members are `LocalLGC` over the plain union of all types, `TypedLGC` where there are several, and
    `Compatibility`, once as it is and, where types have directions, once without them. `bound.best_bound` gives the
    certificate of the blend: its log loss exceeds that of the best member by at most ln 2N for N members (`Product`),
    so that it is never worse than ignoring types, directions and differing neighbours by more than that.

    Parameters
    ----------
    relations
        `Relations`, a dict from names to graphs over the same nodes, or one `Graph` whose neighbours may differ.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come.
    way
        As for `Blend`: None (default) for `Product()`.

    Returns
    -------
    Blend
        The blend; `learners` are its members.

    Examples
    --------
    >>> import ohmline as ohm
    >>> trades = ohm.graph.generate.stochastic_block_model([60, 60], [[0.01, 0.1], [0.1, 0.01]], seed=0)
    >>> stream = ohm.Stream(range(120), trades.groups).shuffled(seed=0)
    >>> blend = ohm.relational(trades.graph)
    >>> trace = ohm.play(blend, stream)
    >>> trace.mistakes < 30 < 90 < ohm.play(ohm.LocalLGC(trades.graph), stream).mistakes
    True
    >>> ohm.bound.best_bound(trace).proven
    True
    """
    relations = expect_relations(relations)
    declared = None if classes is None else listed(classes, "classes")
    plain = joined(relations, np.ones(len(relations)), declared)
    members: list[OnlineLearner[Any, Any]] = [plain]
    if len(relations) > 1:
        members.append(TypedLGC(relations, declared))
    members.append(Compatibility(relations, declared))
    if relations.directions:
        members.append(Compatibility(Relations(relations.graphs), declared))
    return Blend(members, way)
