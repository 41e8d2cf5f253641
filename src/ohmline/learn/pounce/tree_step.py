"""The two motions of POUNCE over the kernel of a tree.

The nodes that are nearest to one mistake hang together in a tree, so a new mistake is compared outwards, only as far
as it is the nearest: not with every node of the graph. `closeness` holds resistances along the tree itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import implements, inlined
from ohmline.kernel.space.tree import TreePaths
from ohmline.learn.contract import TIE
from ohmline.learn.pounce.step import PounceState, project, project_in_kernel, recruit

implements(project, TreePaths)(project_in_kernel)


@implements(recruit, TreePaths)
def recruit_in_tree(space: Any, state: PounceState, i: int) -> None:
    waiting, came, far = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64)
    waiting[0], came[0], far[0] = space.place[i], -1, 0.0
    length = 1
    while length > 0:
        length -= 1
        p, before, away = waiting[length], came[length], far[length]
        k = space.node[p]
        # Among equally near mistakes the earliest wins; what lies behind is then no nearer to this one either.
        if k != i and not away < state.closeness[k] * (1 - TIE):
            continue
        state.closeness[k], state.nearest[k] = away, i
        up = np.int64(space.above[p]) if space.top[p] == p else p - 1
        if up >= 0 and up != before:
            waiting, came, far = longer(waiting, came, far, length)
            waiting[length], came[length] = up, p
            far[length] = away + abs(space.height[up] - space.height[p])
            length += 1
        q = p + 1
        while q < p + space.below[p]:
            if q != before:
                waiting, came, far = longer(waiting, came, far, length)
                waiting[length], came[length] = q, p
                far[length] = away + abs(space.height[q] - space.height[p])
                length += 1
            q += space.below[q]


@inlined
def longer(waiting: Ints, came: Ints, far: Floats, length: int) -> tuple[Ints, Ints, Floats]:
    """The three lists, with room for one more entry."""
    if length < waiting.shape[0]:
        return waiting, came, far
    wide, whence, how_far = (
        np.empty(2 * length, np.int64),
        np.empty(2 * length, np.int64),
        np.empty(2 * length),
    )
    wide[:length], whence[:length], how_far[:length] = waiting, came, far
    return wide, whence, how_far
