"""The compiled step on lines: every tree votes for its nearest label, and the majority wins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import compiled, implements, inlined
from ohmline.learn.step import learn, view
from ohmline.learn.trees.lines import TreeLines
from ohmline.learn.trees.nearest_bits import MASK, WORD, clear_bit, marked_after, marked_before, set_bit

FEW_CLASSES = 2**15
"""Below so many classes a code takes two bytes: what a trial waits for is memory."""


class LineMarks(NamedTuple):
    """The labels where they stand on each line, and room for one vote."""

    code: AnyArray
    """Row t, place p: the class at place p of line t, where it is marked."""
    words: AnyArray
    """Row t: the marked places of line t."""
    vote: Ints
    sure: Floats

    @classmethod
    def empty(cls, lines: TreeLines, classes: int) -> LineMarks:
        """Without labels."""
        n, trees = lines.place.shape
        return cls(
            np.zeros((trees, n), code_type(classes)),
            np.zeros((trees, int(lines.starts[-1])), np.uint64),
            np.empty(trees, np.int64),
            np.empty(trees),
        )


def code_type(classes: int) -> type[np.signedinteger[Any]]:
    """The type of the codes of so many classes."""
    return np.int16 if classes < FEW_CLASSES else np.int32


class TreeState(NamedTuple):
    """The labels, and the classes."""

    order: Ints
    """The codes of the classes, in the order in which they were first learned."""
    seen: Ints
    """How many were."""
    marks: LineMarks


@inlined
def is_marked(words: AnyArray, p: int) -> bool:
    """Whether there is a label at place p."""
    return (words[p >> WORD] >> np.uint64(p & MASK)) & np.uint64(1) != np.uint64(0)


@inlined
def neighbours(lines: TreeLines, state: TreeState, t: int, x: int) -> tuple[int, int]:
    """The nearest labelled places before and after a node without a label on line t; -1 where there is none."""
    p: Any = np.int64(lines.place[x, t])
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
    here: Any = np.int64(lines.place[x, t])
    before, after = here - left, right - here
    if lines.mile.shape[0] > 0:
        mile = lines.mile[t]
        before, after = mile[here] - mile[left], mile[right] - mile[here]
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
    p: Any = np.int64(space.place[x, 0])
    if is_marked(state.marks.words[0], p):
        own: Any = np.int64(state.marks.code[0, p])
        return own, 1.0
    trees = space.place.shape[1]
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
    marks = state.marks
    p: Any = np.int64(space.place[x, 0])
    fresh = not is_marked(marks.words[0], p)
    if not fresh and marks.code[0, p] == y:
        return False, 0.0
    known = False
    for k in range(state.seen[0]):
        known = known or state.order[k] == y
    if not known:
        state.order[state.seen[0]] = y
        state.seen[0] += 1
    mark(space, marks, x, y, fresh)
    return True, 1.0


@inlined
def mark(lines: TreeLines, marks: LineMarks, x: int, y: int, fresh: bool) -> None:
    """Class y stands at node x on every line."""
    for t in range(lines.place.shape[1]):
        p: Any = np.int64(lines.place[x, t])
        marks.code[t, p] = y
        if fresh:
            set_bit(marks.words[t], lines.starts, p)


@compiled
def label_of(lines: TreeLines, marks: LineMarks, x: int) -> int:
    """The class at node x, -1 for none."""
    p: Any = np.int64(lines.place[x, 0])
    found: Any = np.int64(marks.code[0, p]) if is_marked(marks.words[0], p) else -1
    return found


@compiled
def labels_of(lines: TreeLines, marks: LineMarks) -> Ints:
    """The class of every node, -1 for none."""
    label = np.empty(lines.place.shape[0], np.int64)
    for x in range(label.shape[0]):
        label[x] = label_of(lines, marks, x)
    return label


@compiled
def mark_all(lines: TreeLines, label: Ints, marks: LineMarks) -> None:
    """Put all labels onto empty lines."""
    for x in range(label.shape[0]):
        if label[x] >= 0:
            mark(lines, marks, x, label[x], True)


@compiled
def withdraw(lines: TreeLines, marks: LineMarks, x: int) -> None:
    """Forget the class at x."""
    for t in range(lines.place.shape[1]):
        p: Any = np.int64(lines.place[x, t])
        marks.code[t, p] = 0
        clear_bit(marks.words[t], lines.starts, p)


@compiled
def shares(lines: TreeLines, state: TreeState, where: Ints, share: Floats) -> None:
    """For the nodes `where`, each class's part: its votes, of which one tree's worth is shared by distances."""
    trees = lines.place.shape[1]
    for a in range(where.shape[0]):
        x = where[a]
        for c in range(share.shape[1]):
            share[a, c] = 0.0
        own = label_of(lines, state.marks, x)
        if own >= 0:
            share[a, own] = 1.0
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
