"""The statements of the note on LocalLGC, on random graphs, by literal pushes over dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohmline.arrays import Floats
from ohmline.lab.experiment import find, run
from ohmline.lab.experiments.local_proofs import cases, exact_game


class Field:
    """Q, b and f of some labels on a random weighted graph, with an estimate of f that is off."""

    def __init__(self, seed: int, epsilon: float) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.n, self.mu, self.epsilon = int(rng.integers(4, 25)), float(rng.uniform(0.05, 2)), epsilon
        upper = np.triu(rng.random((self.n, self.n)) < 3 / self.n, 1) * rng.uniform(0.1, 3, (self.n, self.n))
        self.weights = upper + upper.T
        laplacian = np.diag(self.weights.sum(axis=1)) - self.weights
        self.penalty = laplacian + float(rng.uniform(0.02, 0.5)) * np.eye(self.n)
        self.truth = np.eye(3)[rng.integers(3, size=self.n)]
        self.order = rng.permutation(self.n)

    def after(self, labels: int) -> tuple[Floats, Floats]:
        """Q and b after so many labels."""
        known = np.zeros(self.n)
        known[self.order[:labels]] = 1 / self.mu
        return self.penalty + np.diag(known), known[:, None] * self.truth

    def solve(self, q: Floats, t: int) -> tuple[Floats, Floats, int]:
        """x, r and the edges walked by pushes in a random order."""
        x, r, edges = np.zeros(self.n), np.eye(self.n)[t], 0
        while len(high := np.flatnonzero(r > self.epsilon * q.diagonal())):
            j = int(self.rng.choice(high))
            moved = r[j] / q[j, j]
            x[j] += moved
            r = r - moved * q[:, j]
            r[j] = 0.0
            edges += int(np.count_nonzero(self.weights[j]))
        return x, r, edges

    def solve_signed(self, q: Floats, t: int) -> tuple[Floats, Floats, int]:
        """The same where r may have either sign."""
        x, r, edges = np.zeros(self.n), np.eye(self.n)[t], 0
        while len(high := np.flatnonzero(np.abs(r) > self.epsilon * q.diagonal())):
            j = int(self.rng.choice(high))
            moved = r[j] / q[j, j]
            x[j] += moved
            r = r - moved * q[:, j]
            r[j] = 0.0
            edges += int(np.count_nonzero(self.weights[j]))
        return x, r, edges


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.2, 0.05, 0.01]))
def test_every_proposition_holds(seed: int, epsilon: float) -> None:
    field = Field(seed, epsilon)
    estimate = np.zeros((field.n, 3))
    for k, t in enumerate(field.order.tolist()):
        q, b = field.after(k)
        inverse = np.linalg.inv(q)
        f, v = inverse @ b, inverse[t, t]
        x, r, edges = field.solve(q, t)
        assert (f > -1e-12).all()  # Proposition 1
        assert (f.sum(axis=1) < 1 + 1e-12).all()
        base = b.T @ x
        score = base + estimate.T @ r
        off = estimate - f
        np.testing.assert_allclose(score - f[t], off.T @ r, atol=1e-12)  # Proposition 2
        ranked = np.sort(base)
        if ranked[-1] - ranked[-2] > r.sum() + 1e-12:  # Proposition 3
            assert base.argmax() == f[t].argmax()
        assert x[t] <= v * (1 + 1e-12)  # Proposition 4
        assert r.sum() >= 1 or v <= x[t] / (1 - r.sum()) * (1 + 1e-9)
        degrees = np.count_nonzero(field.weights, axis=1)
        assert edges <= inverse[t] @ degrees / epsilon * (1 + 1e-9)  # Proposition 5
        held = field.mu + x[t]
        grown = 1 + r.sum() * x.max() / held
        longest = float((inverse @ q.diagonal()).max())
        added = epsilon * longest * max(1.0, x.max() / held) / (field.mu + v)
        limit = np.abs(off).max() * grown + added
        estimate[t] = score
        estimate = np.clip(estimate + np.outer(x, (field.truth[t] - score) / held), 0, 1)
        q, b = field.after(k + 1)
        assert np.abs(estimate - np.linalg.solve(q, b)).max() <= limit + 1e-12  # Proposition 6


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 4))
def test_the_theorem_and_its_corollaries_hold_for_every_order(seed: int, wrong: int) -> None:
    field = Field(seed, 0.1)
    squares, variances, mistakes = [], [], 0
    for k, t in enumerate(field.order.tolist()):
        q, b = field.after(k)
        inverse = np.linalg.inv(q)
        score, y = (inverse @ b)[t], int(field.truth[t].argmax())
        squares.append(float(((field.truth[t] - score) ** 2).sum()))
        variances.append(float(inverse[t, t]))
        mistakes += bool(score[y] <= np.delete(score, y).max())
    shares = field.mu / (field.mu + np.array(variances))
    best = np.linalg.solve(np.eye(field.n) + field.mu * field.penalty, field.truth)
    loss = ((best - field.truth) ** 2).sum() + field.mu * np.trace(best.T @ field.penalty @ best)
    assert shares @ squares == pytest.approx(loss, rel=1e-9)  # Theorem 1
    fits = int(np.searchsorted(np.cumsum(np.sort(shares / 2)), loss * (1 + 1e-9), side="right"))
    assert mistakes <= fits  # Corollary 1
    other = field.truth.copy()
    turned = field.rng.permutation(field.n)[: min(wrong, field.n)]
    other[turned] = np.roll(other[turned], 1, axis=1)
    cut = np.trace(other.T @ field.penalty @ other)
    assert loss <= field.mu * cut + 2 * len(turned) + 1e-9
    det = np.linalg.slogdet(np.eye(field.n) + np.linalg.inv(field.penalty) / field.mu)[1]
    assert det == pytest.approx(np.log1p(np.array(variances) / field.mu).sum(), rel=1e-9)
    assert mistakes <= 2 * loss + det + 1e-9  # Corollary 2
    assert sum(squares) <= loss + 2 * det + 1e-9  # Corollary 3


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.2, 0.05, 0.01]))
def test_every_proposition_about_signs_holds(seed: int, epsilon: float) -> None:
    field = Field(seed, epsilon)
    foes = np.triu(field.rng.random((field.n, field.n)) < 0.4, 1)
    sign = np.where(foes | foes.T, -1.0, 1.0)
    unsigned = field.penalty
    field.penalty = np.where(np.eye(field.n) > 0, unsigned, sign * unsigned)  # the same degrees
    squares, variances, mistakes = [], [], 0
    for k, t in enumerate(field.order.tolist()):
        q, b = field.after(k)
        inverse, larger = np.linalg.inv(q), np.linalg.inv(unsigned + q - field.penalty)
        assert np.linalg.eigvalsh(q).min() > 0
        assert (np.abs(inverse) <= larger + 1e-12).all()  # Proposition 7
        assert (np.abs(inverse).max(axis=0) <= inverse.diagonal() + 1e-12).all()
        f, v = inverse @ b, inverse[t, t]
        assert (np.abs(f).sum(axis=1) <= 1 + 1e-12).all()
        x, r, edges = field.solve_signed(q, t)
        base, size = b.T @ x, np.abs(r).sum()
        ranked = np.sort(base)
        if ranked[-1] - ranked[-2] > size + 1e-12:  # Proposition 8
            assert base.argmax() == f[t].argmax()
        assert x[t] / (1 + size) <= v * (1 + 1e-9)  # Proposition 9
        assert size >= 1 or v <= x[t] / (1 - size) * (1 + 1e-9)
        degrees = np.count_nonzero(field.weights, axis=1)
        assert edges <= larger[t] @ degrees / epsilon * (1 + 1e-9)  # Proposition 10
        rough = f + field.rng.uniform(-0.1, 0.1, f.shape)
        worst = np.abs(q @ rough - b).max()
        ridge = (unsigned @ np.ones(field.n))[0]
        assert np.abs(rough - f).max() <= worst / ridge + 1e-9  # Proposition 11
        score, y = f[t], int(field.truth[t].argmax())
        squares.append(float(((field.truth[t] - score) ** 2).sum()))
        variances.append(float(v))
        mistakes += bool(score[y] <= np.delete(score, y).max())
    shares = field.mu / (field.mu + np.array(variances))
    best = np.linalg.solve(np.eye(field.n) + field.mu * field.penalty, field.truth)
    loss = ((best - field.truth) ** 2).sum() + field.mu * np.trace(best.T @ field.penalty @ best)
    assert shares @ squares == pytest.approx(loss, rel=1e-9)  # Theorem 1
    assert mistakes <= np.searchsorted(np.cumsum(np.sort(shares / 2)), loss * (1 + 1e-9), side="right")
    det = np.log1p(np.array(variances) / field.mu).sum()
    assert mistakes <= 2 * loss + det + 1e-9  # Corollary 2
    assert sum(squares) <= loss + 4 * det + 1e-9  # Corollary 5


def test_leaving_one_out_foretells_the_next_mistake() -> None:
    """Corollary 4, over all orders of five nodes."""
    from itertools import permutations

    field = Field(3, 0.1)
    while field.n != 5:
        field = Field(int(field.rng.integers(10**6)), 0.1)

    def mistaken(t: int, known: tuple[int, ...]) -> bool:
        field.order = np.array(known, dtype=int)
        q, b = field.after(len(known))
        score, y = np.linalg.solve(q, b)[t], int(field.truth[t].argmax())
        return bool(score[y] <= np.delete(score, y).max())

    orders = list(permutations(range(5)))
    made = np.mean([sum(mistaken(o[k], o[:k]) for k in range(5)) for o in orders])
    left_out = np.mean(
        [
            sum(sum(mistaken(i, tuple(j for j in o[:t] if j != i)) for i in o[:t]) / t for t in range(1, 6))
            for o in orders
        ]
    )
    assert made == pytest.approx(left_out)


def test_the_experiment_holds_on_generated_data() -> None:
    found = run(find("local-lgc-proofs"), quick=True)
    assert all(claim.holds for claim in found.result.claims), [c for c in found.result.claims if not c.holds]
    assert {row.dataset for row in found.result.rows} == {"blocks", "blocks, signed", "digits"}
    said = " ".join(claim.claim for claim in found.result.claims)
    assert all(f"Proposition {k}," in said for k in (2, 3, 4, 5, 7, 8, 9, 10))


def test_another_order_changes_the_losses_but_not_their_sum() -> None:
    case = cases(quick=True)[0]
    one, other = exact_game(case, 1), exact_game(case, 2)
    assert one.loss == pytest.approx(other.loss)
    assert one.summed == pytest.approx(other.summed, rel=1e-9)
    assert one.regret != other.regret
