"""The compiled step on lines: every tree votes for its nearest label, and the majority wins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import compiled, implements, inlined
from ohmline.learn.step import learn, view
from ohmline.learn.trees.lines import TreeLines
from ohmline.learn.trees.nearest_bits import clear_bit, marked_after, marked_before, set_bit


class LineIndex(NamedTuple):
    """What follows from the labels: where they stand on each line; and room for one vote."""

    code: AnyArray
    """Row t, place p: the class at place p of line t, -1 for none."""
    words: AnyArray
    """Row t: the marked places of line t."""
    vote: Ints
    sure: Floats

    @classmethod
    def empty(cls, lines: TreeLines) -> LineIndex:
        """Without labels."""
        trees, n = lines.place.shape
        return cls(
            np.full((trees, n), -1, np.int32),
            np.zeros((trees, int(lines.starts[-1])), np.uint64),
            np.empty(trees, np.int64),
            np.empty(trees),
        )


class TreeState(NamedTuple):
    """The labels."""

    label: Ints
    """The class of each node, -1 for none."""
    order: Ints
    """The codes of the classes, in the order in which they were first learned."""
    seen: Ints
    """How many were."""
    marks: LineIndex


@inlined
def neighbours(lines: TreeLines, state: TreeState, t: int, x: int) -> tuple[int, int]:
    """The nearest labelled places before and after a node without a label on line t; -1 where there is none."""
    p: Any = np.int64(lines.place[t, x])
    left = marked_before(state.marks.words[t], lines.starts, p)
    right = marked_after(state.marks.words[t], lines.starts, p)
    if lines.first.shape[0] > 2:  # with one component, no label is out of reach
        c = lines.component[x]
        if left < lines.first[c]:
            left = -1
        if right >= lines.first[c + 1]:
            right = -1
    return left, right


@inlined
def nearest(lines: TreeLines, state: TreeState, t: int, x: int) -> tuple[int, float]:
    """The class of the nearest label on line t (-1 for none), and how much nearer than another class it is."""
    left, right = neighbours(lines, state, t, x)
    code = state.marks.code[t]
    if left < 0 or right < 0:
        found: Any = np.int64(code[max(left, right)]) if max(left, right) >= 0 else -1
        return found, 1.0
    if code[left] == code[right]:
        found = np.int64(code[left])
        return found, 1.0
    mile = lines.mile[t]
    here = mile[lines.place[t, x]]
    before, after = here - mile[left], mile[right] - here
    chosen = left if before <= after else right
    found = np.int64(code[chosen])
    return found, abs(after - before) / (after + before)


@inlined
def counted(vote: Ints, sure: Floats) -> tuple[int, float]:
    """The class with most votes (of equally many, that of the first tree), and its margin.

    The margin is its lead over the next class in trees, of which the last tree counts only as much as the winner's
    trees are sure of their vote, as a share of all trees.
    """
    trees, best, lead, most = vote.shape[0], -1, 0, 0
    for t in range(trees):
        votes = 0
        for s in range(trees):
            votes += vote[s] == vote[t]
        if votes > most:
            best, most = vote[t], votes
    second, certainty = 0, 0.0
    for t in range(trees):
        if vote[t] == best:
            certainty += sure[t]
            continue
        votes = 0
        for s in range(trees):
            votes += vote[s] == vote[t]
        second = max(second, votes)
    lead = most - second
    return best, (lead - 1 + certainty / most) / trees if lead > 0 else 0.0


@implements(view, TreeState)
def view_tree(space: Any, state: TreeState, x: int) -> tuple[int, float]:
    own = state.label[x]
    if own >= 0:
        return own, 1.0
    trees = space.place.shape[0]
    if trees == 1:
        code, sure = nearest(space, state, 0, x)
        return code, sure if code >= 0 else 0.0
    marks = state.marks
    for t in range(trees):
        marks.vote[t], marks.sure[t] = nearest(space, state, t, x)
    if marks.vote[0] < 0:  # a label reaches all trees or none
        return -1, 0.0
    return counted(marks.vote, marks.sure)


@implements(learn, TreeState)
def learn_tree(space: Any, state: TreeState, x: int, y: int, margin: float) -> tuple[bool, float]:
    old = state.label[x]
    if old == y:
        return False, 0.0
    known = False
    for k in range(state.seen[0]):
        known = known or state.order[k] == y
    if not known:
        state.order[state.seen[0]] = y
        state.seen[0] += 1
    state.label[x] = y
    mark(space, state.marks, x, y, old < 0)
    return True, 1.0


@inlined
def mark(lines: TreeLines, index: LineIndex, x: int, y: int, fresh: bool) -> None:
    """Class y stands at node x on every line."""
    for t in range(lines.place.shape[0]):
        p: Any = np.int64(lines.place[t, x])
        index.code[t, p] = y
        if fresh:
            set_bit(index.words[t], lines.starts, p)


@compiled
def withdraw(lines: TreeLines, state: TreeState, x: int) -> None:
    """Forget the class at x."""
    state.label[x] = -1
    for t in range(lines.place.shape[0]):
        p: Any = np.int64(lines.place[t, x])
        state.marks.code[t, p] = -1
        clear_bit(state.marks.words[t], lines.starts, p)


@compiled
def mark_all(lines: TreeLines, label: Ints, index: LineIndex) -> None:
    """Put all labels onto empty lines."""
    for x in range(label.shape[0]):
        if label[x] >= 0:
            mark(lines, index, x, label[x], True)


@compiled
def shares(lines: TreeLines, state: TreeState, where: Ints, share: Floats) -> None:
    """For the nodes `where`, each class's part: its votes, of which one tree's worth is shared by distances."""
    trees = lines.place.shape[0]
    for a in range(where.shape[0]):
        x = where[a]
        for c in range(share.shape[1]):
            share[a, c] = 0.0
        if state.label[x] >= 0:
            share[a, state.label[x]] = 1.0
            continue
        for t in range(trees):
            vote, sure = nearest(lines, state, t, x)
            if vote < 0:
                continue
            left, right = neighbours(lines, state, t, x)
            other: Any = vote
            if left >= 0 and right >= 0:
                code = state.marks.code[t]
                other = np.int64(code[right]) if code[left] == vote else np.int64(code[left])
            share[a, vote] += (trees - 1) / trees + (1 + sure) / (2 * trees)
            share[a, other] += (1 - sure) / (2 * trees)
        for c in range(share.shape[1]):
            share[a, c] /= trees
