"""Literal oracles in exact rational arithmetic: the papers' boxes, with nothing made quick.

Kernels are lists of lists of `Fraction`; nodes are positions; a tie is a margin of exactly 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

import ohmline as ohm

Matrix = list[list[Fraction]]
Vector = list[Fraction]
Trials = Sequence[tuple[int, int]]


@dataclass
class Played:
    """What the oracle did, trial by trial."""

    margins: Vector = field(default_factory=list)
    updated: list[bool] = field(default_factory=list)
    progress: Vector = field(default_factory=list)

    @property
    def predictions(self) -> list[int]:
        return [1 if m >= 0 else -1 for m in self.margins]


def solve(matrix: Matrix, right: Vector) -> Vector | None:
    """Gauss with exact pivots; dependent but consistent rows are dropped, None where none fits."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    columns: list[int] = []
    n, done = len(right), 0
    for c in range(n):
        pivot = next((r for r in range(done, n) if rows[r][c] != 0), None)
        if pivot is None:
            continue
        rows[done], rows[pivot] = rows[pivot], rows[done]
        head = rows[done][c]
        rows[done] = [value / head for value in rows[done]]
        for r in range(n):
            if r != done and rows[r][c] != 0:
                factor = rows[r][c]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[done], strict=True)]
        columns.append(c)
        done += 1
    if any(row[n] != 0 for row in rows[done:]):
        return None
    solution = [Fraction(0)] * n
    for row, c in zip(rows, columns, strict=False):
        solution[c] = row[n]
    return solution


def laplacian(graph: ohm.Graph) -> Matrix:
    """D - A, exactly (weights must be exact in binary)."""
    matrix = [[Fraction(0)] * graph.n for _ in range(graph.n)]
    for a, b, weight in zip(*graph.edges(), strict=True):
        w = Fraction(float(weight))
        matrix[a][b] -= w
        matrix[b][a] -= w
        matrix[a][a] += abs(w)
        matrix[b][b] += abs(w)
    return matrix


def inverse(matrix: Matrix) -> Matrix:
    """The inverse, column by column."""
    n = len(matrix)
    columns = [solve(matrix, [Fraction(int(i == j)) for i in range(n)]) for j in range(n)]
    return [[columns[j][i] for j in range(n)] for i in range(n)]


def kernel(graph: ohm.Graph, b: Fraction | int = 0, c: Fraction | int = 0) -> Matrix:
    """L+ + b (ones per component) + c I of an unsigned graph."""
    full = [[Fraction(0)] * graph.n for _ in range(graph.n)]
    whole = laplacian(graph)
    for component in range(graph.n_components):
        members = np.flatnonzero(graph.component_of == component).tolist()
        share = Fraction(1, len(members))
        lifted = inverse([[whole[i][j] + share for j in members] for i in members])
        for p, i in enumerate(members):
            for q, j in enumerate(members):
                full[i][j] = lifted[p][q] - share + b + (c if i == j else 0)
    return full


def grounded_kernel(conductance: Matrix, ground: int = 0) -> Matrix:
    """A kernel with the resistances of a connected network: the inverse of L without `ground`."""
    n = len(conductance)
    rest = [i for i in range(n) if i != ground]
    reduced = inverse(
        [[sum(conductance[i], Fraction(0)) if i == j else -conductance[i][j] for j in rest] for i in rest]
    )
    full = [[Fraction(0)] * n for _ in range(n)]
    for p, i in enumerate(rest):
        for q, j in enumerate(rest):
            full[i][j] = reduced[p][q]
    return full


def pounce(gram: Matrix, component: Sequence[int], trials: Trials, *, tie: Fraction | int = 0) -> Played:
    """Figure 3 of paper 002, per component, with a repeated node relabelled.

    Margins below `tie` are 0, and resistances that differ by less than a `tie` share are equal.
    """
    played = Played()
    w = [Fraction(0)] * len(gram)
    mistakes: dict[int, int] = {}  # node -> label, in the order of the mistakes

    def resistance(i: int, j: int) -> Fraction:
        return gram[i][i] + gram[j][j] - 2 * gram[i][j]

    for i, y in trials:
        near = [j for j in mistakes if component[j] == component[i]]
        eta = near[0] if near else None
        for j in near[1:]:  # in the order of the mistakes, so the earliest of equals stays
            if resistance(i, j) < resistance(i, eta) * (1 - tie):
                eta = j
        margin = Fraction(0) if eta is None else mistakes[eta] + w[i] - w[eta]
        if abs(margin) <= tie:
            margin = Fraction(0)
        played.margins.append(margin)
        wrong = margin * y <= 0
        played.updated.append(wrong)
        progress = Fraction(0)
        if wrong and eta is not None:
            r = resistance(i, eta)
            if r == 0:
                mistakes[eta] = y
                played.progress.append(progress)
                continue
            step = (y - mistakes[eta] - (w[i] - w[eta])) / r
            w = [w[k] + step * (gram[i][k] - gram[eta][k]) for k in range(len(w))]
            progress = step * step * r
        if wrong:
            mistakes[i] = y
        played.progress.append(progress)
    return played


Chooser = Callable[[list[int], int], list[int]]
"""(mistaken trials, t) -> U_t, as trial numbers from 0."""


def projection(
    gram: Matrix,
    trials: Trials,
    choose: Chooser,
    *,
    cyclic: bool,
    aggressive: bool,
    start: Vector | None = None,
) -> Played:
    """Algorithm 2 of paper 000, with `<= 0` in the while-condition and sweeps in order of arrival.

    A node that comes again with the same label is one constraint, at the place of its first trial.
    """
    played = Played()
    n = len(gram)
    w = [Fraction(0)] * n if start is None else list(start)
    mistakes: list[int] = []
    moved: Vector = []  # squared lengths of the moves of one trial
    for t, (i, y) in enumerate(trials):
        margin = w[i]
        played.margins.append(margin)
        wrong = margin * y <= 0
        if wrong:
            mistakes.append(t)
        chosen: dict[int, int] = {}
        for u in choose(mistakes, t):
            chosen.setdefault(trials[u][0], trials[u][1])
        assert i in chosen
        moved.clear()

        def halfspace(node: int, label: int) -> None:
            nonlocal w
            gap = max(Fraction(0), 1 - label * w[node])
            step = label * gap / gram[node][node]
            w = [w[k] + step * gram[node][k] for k in range(n)]
            if gap:
                moved.append(step * step * gram[node][node])

        if cyclic:
            if wrong or aggressive:
                halfspace(i, y)
            while any(w[j] * label <= 0 for j, label in chosen.items()):
                for j, label in chosen.items():
                    if w[j] * label <= 0:
                        halfspace(j, label)
        elif wrong or aggressive:
            nodes = list(chosen)
            gaps = [chosen[j] - w[j] for j in nodes]
            weights = solve([[gram[j][k] for k in nodes] for j in nodes], gaps)
            assert weights is not None, "the affine set is empty"
            w = [
                w[k] + sum((c * gram[j][k] for c, j in zip(weights, nodes, strict=True)), Fraction(0))
                for k in range(n)
            ]
            moved.append(sum((c * g for c, g in zip(weights, gaps, strict=True)), Fraction(0)))
        progress = sum(moved, Fraction(0))
        played.updated.append(progress > 0)
        played.progress.append(progress)
    return played
