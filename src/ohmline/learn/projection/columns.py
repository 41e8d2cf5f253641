"""Cyclic projections over a kernel of columns: as many half-spaces as there are, with two columns at a time.

The loop over U_t reads the hypothesis at the nodes of U_t alone, so it needs the kernel's entries between them and
no whole column. They are kept in a triangle that gets one row for each node that is listed: one column per label.
When the loop has ended, the columns of the nodes that it moved at are added to the hypothesis one after the other;
what was added so far outlives an interruption, because it depends on nothing but the nodes and their moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import generic, implements, internal
from ohmline.kernel.space import Columns, Dense, Features, bring, entry, evaluate, shift, sqlength
from ohmline.learn.hypothesis import move


class Block(NamedTuple):
    """A kernel's entries between the nodes that were ever listed, and room for the loop over some of them.

    A cache beside the kernel rather than part of what the learner knows; empty where every entry is at hand.
    """

    row_of: Ints
    """For each node its row, -1 while it has none."""
    rows: Ints
    entries: Floats
    """Row after row of the lower triangle."""
    values: Floats
    """The hypothesis at `order[:size]` while the loop runs."""
    moves: Floats
    """The sum of the moves at each of them."""
    settled: Floats
    """Nodes and moves of which a beginning is in `sum`."""
    sum: Floats
    """The columns of that beginning, each times its move."""
    done: Ints
    """How long that beginning is, and of how many nodes."""

    @classmethod
    def empty(cls, n: int) -> Block:
        """No rows; `n` is 0 where no column can be missing."""
        return cls(
            row_of=np.full(n, -1, np.int64),
            rows=np.zeros(1, np.int64),
            entries=np.zeros(0),
            values=np.zeros(0),
            moves=np.zeros(0),
            settled=np.zeros(0),
            sum=np.zeros(n),
            done=np.zeros(2, np.int64),
        )

    @property
    def room(self) -> int:
        """How many rows fit."""
        return len(self.values)

    def with_room(self, rows: int) -> Block:
        """The same rows with room for so many."""
        entries = np.zeros(rows * (rows + 1) // 2)
        entries[: len(self.entries)] = self.entries
        return self._replace(
            entries=entries,
            values=np.zeros(rows),
            moves=np.zeros(rows),
            settled=np.zeros(2 * rows),
            done=np.zeros(2, np.int64),
        )

    def fill(self, i: int, column: Floats, length: float) -> None:
        """Give node i its row, from its column and its squared length."""
        k, known = int(self.rows[0]), np.flatnonzero(self.row_of >= 0)
        row = self.entries[k * (k + 1) // 2 :]
        row[self.row_of[known]] = column[known]
        row[k] = length
        self.row_of[i] = k
        self.rows[0] = k + 1


@generic("kernel")
def enrol(kernel: Any, block: Any, enrolled: Any, i: Any) -> None:
    """Node i was listed: give it its row, from its own column."""
    raise TypeError("compiled code only")


@generic("kernel")
def begin(kernel: Any, block: Any, state: Any) -> None:
    """Before the loop over U_t."""
    raise TypeError("compiled code only")


@generic("kernel")
def value_at(kernel: Any, block: Any, state: Any, k: Any) -> float:
    """The hypothesis at the k-th node of U_t."""
    raise TypeError("compiled code only")


@generic("kernel")
def move_at(kernel: Any, block: Any, state: Any, k: Any, c: Any, margin: Any) -> float:
    """Add c times the k-th node's vector to the hypothesis, which has `margin` there; the squared length."""
    raise TypeError("compiled code only")


@generic("kernel")
def between(kernel: Any, block: Any, state: Any, k: Any, l: Any) -> float:
    """The kernel's entry of the k-th and the l-th node of U_t."""
    raise TypeError("compiled code only")


@generic("kernel")
def finish(kernel: Any, block: Any, state: Any) -> None:
    """After the loop over U_t."""
    raise TypeError("compiled code only")


@implements(enrol, Dense, Features)
def enrol_at_once(kernel: Any, block: Block, enrolled: Ints, i: int) -> None:
    pass


@implements(begin, Dense, Features)
def begin_at_once(kernel: Any, block: Block, state: Any) -> None:
    pass


@implements(value_at, Dense, Features)
def value_at_once(kernel: Any, block: Block, state: Any, k: int) -> float:
    return evaluate(kernel, state.w, state.order[k])


@implements(move_at, Dense, Features)
def move_at_once(kernel: Any, block: Block, state: Any, k: int, c: float, margin: float) -> float:
    return move(kernel, state.w, state.sqnorm, state.gross, c, margin, state.order[k])


@implements(between, Dense, Features)
def between_at_once(kernel: Any, block: Block, state: Any, k: int, l: int) -> float:
    return entry(kernel, state.order[k], state.order[l])


@implements(finish, Dense, Features)
def finish_at_once(kernel: Any, block: Block, state: Any) -> None:
    pass


@implements(enrol, Columns)
def enrol_column(kernel: Columns, block: Block, enrolled: Ints, i: int) -> None:
    if block.row_of[i] >= 0:
        enrolled[block.row_of[i]] = i
        return
    bring(kernel, i, i)
    k = block.rows[0]
    row = block.entries[k * (k + 1) // 2 :]
    for j in range(len(block.row_of)):
        if block.row_of[j] >= 0:
            row[block.row_of[j]] = entry(kernel, i, j)
    row[k] = sqlength(kernel, i)
    enrolled[k] = i
    block.row_of[i] = k
    block.rows[0] = k + 1


@implements(begin, Columns)
def begin_columns(kernel: Columns, block: Block, state: Any) -> None:
    for k in range(state.size[0]):
        enrol(kernel, block, state.enrolled, state.order[k])
    for k in range(state.size[0]):
        block.values[k] = state.w[state.order[k]]
        block.moves[k] = 0.0


@implements(value_at, Columns)
def value_at_column(kernel: Columns, block: Block, state: Any, k: int) -> float:
    return block.values[k]


@implements(between, Columns)
def between_columns(kernel: Columns, block: Block, state: Any, k: int, l: int) -> float:
    a, b = block.row_of[state.order[k]], block.row_of[state.order[l]]
    a, b = max(a, b), min(a, b)
    return block.entries[a * (a + 1) // 2 + b]


@implements(move_at, Columns)
def move_at_column(kernel: Columns, block: Block, state: Any, k: int, c: float, margin: float) -> float:
    length = between(kernel, block, state, k, k)
    for l in range(state.size[0]):
        block.values[l] += c * between(kernel, block, state, k, l)
    block.moves[k] += c
    state.sqnorm[0] += c * (2 * margin + c * length)
    state.gross[0] += abs(c) * np.sqrt(length)
    return c * (c * length)


@implements(finish, Columns)
def finish_columns(kernel: Columns, block: Block, state: Any) -> None:
    m = state.size[0]
    resume(block, state)
    while block.done[0] < m:
        # The newest node comes first: its column was read just now.
        k = m - 1 - block.done[0]
        if block.moves[k] != 0.0:
            other = k
            for l in range(k):
                if block.moves[l] != 0.0:
                    other = l
            if kernel.slot[state.order[k]] < 0:
                bring(kernel, state.order[k], state.order[other])
            shift(kernel, block.sum, block.moves[k], state.order[k])
        block.done[0] += 1
    for j in range(len(state.w)):
        state.w[j] += block.sum[j]
    for k in range(m):
        state.w[state.order[k]] = block.values[k]


@internal
def resume(block: Block, state: Any) -> None:
    """Keep the beginning of the sum if it is that of the same nodes and moves, else start again."""
    m = state.size[0]
    same = block.done[1] == m  # a step that was tried on a copy is taken again
    for k in range(m):
        same = same and block.settled[2 * k] == state.order[k] and block.settled[2 * k + 1] == block.moves[k]
    if not same:
        block.done[0], block.done[1] = 0, m
        block.sum[:] = 0.0
        for k in range(m):
            block.settled[2 * k] = state.order[k]
            block.settled[2 * k + 1] = block.moves[k]
