"""LocalManifold written out step by step, slowly: nothing is kept that can be computed again."""

from __future__ import annotations

from copy import deepcopy
from math import exp, inf, sqrt

import numpy as np


class LiteralLocalManifold:
    """The recipe; `None` is no label, and classes are numbered as they come."""

    def __init__(self, size: int, memory: float | None = None, label_weight: float | None = None) -> None:
        self.size, self.label_weight = size, label_weight
        self.decay = 1.0 if memory is None else exp(-1 / memory)
        self.z: list[np.ndarray] = []
        self.m: list[float] = []
        self.h: list[float] = []
        self.labels: list[int] = []
        self.soft: list[np.ndarray] = []
        self.classes: list[object] = []
        self.counts: list[float] = []
        self.points = self.labelled = 0.0
        self.label_number, self.error = 0, 0.5

    def g(self) -> np.ndarray:
        """G: soft labels that sum to 1."""
        rows = np.array(self.soft).reshape(len(self.z), len(self.classes))
        total = rows.sum(axis=1, keepdims=True)
        return np.where(total > 0, rows / np.where(total > 0, total, 1), 1 / len(self.classes))

    def sqdist(self) -> np.ndarray:
        z = np.array(self.z)
        return ((z[:, None] - z[None]) ** 2).sum(axis=2)

    def f(self, x: np.ndarray) -> np.ndarray:
        """Step 1."""
        if not self.classes:
            return np.zeros(0)
        far = ((np.array(self.z) - x) ** 2).sum(axis=1)
        near = np.lexsort((np.arange(len(far)), far))[:50]
        d = self.sqdist()[np.ix_(near, near)]
        s = d.mean() or inf
        g = self.g()[near]
        mean = g.mean(axis=0)
        kernel, k = np.exp(-d / s), np.exp(-far[near] / s)
        return mean + k @ np.linalg.solve(kernel + 0.1 * np.eye(len(near)), g - mean)

    def scores(self, x: np.ndarray) -> np.ndarray:
        """Step 6: f times sqrt(q / M)."""
        f = self.f(x)
        if not self.classes:
            return f
        m, n = np.array(self.m), np.array(self.counts)
        mean = m @ self.g() / m.sum()
        q = (n + 1) / (self.labelled + len(n))
        return f * np.where(mean > 0, np.sqrt(q / np.where(mean > 0, mean, 1)), 1)

    def learn(self, x: np.ndarray, y: object) -> None:
        f = self.f(x)
        for name in ("m", "h", "counts"):
            setattr(self, name, [self.decay * value for value in getattr(self, name)])
        self.points = self.decay * self.points + 1
        self.labelled = self.decay * self.labelled
        if self.decay < 1:
            for i, h in enumerate(self.h):
                if self.labels[i] >= 0 and h < 0.05:
                    self.labels[i], self.h[i] = -1, 0.0
        label = -1
        if y is not None:
            self.labelled += 1
            self.label_number += 1
            wrong = not len(f) or self.classes[int(f.argmax())] != y
            self.error += (wrong - self.error) / min(self.label_number + 2, 100)
            if y not in self.classes:
                self.classes.append(y)
                self.counts.append(0.0)
                self.soft = [np.append(row, 0.0) for row in self.soft]
                f = np.append(f, 0.0)
            label = self.classes.index(y)
            self.counts[label] += 1
        self.make_room(x, label, np.maximum(f, 0) if label < 0 else np.eye(len(f))[label])
        if self.classes:
            self.sweep()

    def cls(self, label: int, soft: np.ndarray) -> int:
        return label if label >= 0 else int(soft.argmax()) if len(soft) and soft.max() > 0 else -1

    def make_room(self, x: np.ndarray, label: int, soft: np.ndarray) -> None:
        """Step 3: x is the last of the things of which two may have to become one."""
        things = [*zip(self.z, self.m, self.h, self.labels, self.soft, strict=True)]
        things.append((x, 1.0, float(label >= 0), label, soft))
        if len(things) > self.size:
            kappa, cheapest = max(1.0, (1 - self.error) / max(self.error, 0.01)), (inf, -1, -1)
            last = len(things) - 1
            for i in [last, *range(last)]:  # of equally cheap pairs the one with x
                for j in range(last):
                    (zi, mi, _, li, fi), (zj, mj, _, lj, fj) = things[i], things[j]
                    if i == j or (li >= 0 and lj >= 0 and li != lj):
                        continue
                    cost = ((zi - zj) ** 2).sum() * (mi * mj / (mi + mj))
                    cost *= kappa if self.cls(li, fi) != self.cls(lj, fj) else 1.0
                    cheapest = min(cheapest, (cost, i, j), key=lambda pair: pair[0])
            _, i, j = cheapest
            if i < 0:
                things[int(np.argmin(self.m))] = things.pop()
            else:
                if i == last or (j != last and things[j][1] > things[i][1]):
                    i, j = j, i
                (zi, mi, hi, li, fi), (zj, mj, hj, lj, fj) = things[i], things[j]
                w = mj / (mi + mj)
                things[i] = (zi + w * (zj - zi), mi + mj, hi + hj, max(li, lj), fi + w * (fj - fi))
                newcomer = things.pop()
                if j != last:
                    things[j] = newcomer
        self.z, self.m, self.h, self.labels, self.soft = map(list, zip(*things, strict=True))

    def sweep(self) -> None:
        """Steps 4 and 5."""
        n, d = len(self.z), self.sqdist()
        lists = [[j for j in np.lexsort((np.arange(n), d[i])) if j != i][:7] for i in range(n)]
        sigma = [sqrt(d[i, near[-1]]) if near else 0.0 for i, near in enumerate(lists)]
        s = np.zeros((n, n))
        for i, near in enumerate(lists):
            for j in near[:4]:
                both = sigma[i] * sigma[j]
                e = max(exp(-d[i, j] / both) if both > 0 else 1.0, 1e-12)
                s[i, j] += e
                s[j, i] += e
        for i in range(n):
            weights = s[i] * np.array(self.m)
            label = np.eye(len(self.classes))[self.labels[i]] if self.labels[i] >= 0 else None
            if weights.sum() == 0:
                self.soft[i] = self.soft[i] if label is None else label
                continue
            a = weights @ np.array(self.soft) / weights.sum()
            if label is None:
                self.soft[i] = a / 1.01
            else:
                c = self.points / self.labelled if self.label_weight is None else self.label_weight
                c *= min(1.0, self.h[i])
                self.soft[i] = (c * label + a) / (c + 1.01)


class LiteralDrifting:
    """`drift=True`: a recipe that remembers and one that forgets; the better one of late predicts."""

    def __init__(self, size: int, label_weight: float | None = None) -> None:
        self.long = LiteralLocalManifold(size, None, label_weight)
        self.short = LiteralLocalManifold(size, size / 2, label_weight)
        self.wrong = [0.0, 0.0]
        self.behind = 0.0
        self.restarts = 0

    @property
    def leader(self) -> LiteralLocalManifold:
        return self.short if self.wrong[1] < self.wrong[0] else self.long

    def scores(self, x: np.ndarray) -> np.ndarray:
        return self.leader.scores(x)

    def learn(self, x: np.ndarray, y: object) -> None:
        if y is not None:
            missed = [float(says(head, x) != y) for head in (self.long, self.short)]
            self.wrong = [0.9 * before + now for before, now in zip(self.wrong, missed, strict=True)]
            self.behind = max(self.behind + missed[0] - missed[1], 0.0)
        self.long.learn(x, y)
        self.short.learn(x, y)
        if self.behind >= 3:
            self.long = deepcopy(self.short)
            self.long.decay = 1.0
            self.wrong[0], self.behind = self.wrong[1], 0.0
            self.restarts += 1


def says(head: LiteralLocalManifold, x: np.ndarray) -> object:
    """The class of the largest score; of those within rounding of it the one that was learned first."""
    scores = head.scores(x)
    if not len(scores):
        return None
    return head.classes[int(np.flatnonzero(scores >= scores.max() - 1e-9 * abs(scores).max())[0])]
