"""Krippendorff's alpha, against the matrix of coincidences written out, and a published example."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from ohmline.project.agreement import krippendorff


def by_coincidences(votes):
    """alpha = 1 - (n - 1) sum_{c != k} o_ck / sum_{c != k} n_c n_k, with o from all ordered pairs of votes."""
    labels = sorted({label for said in votes for label in said})
    o = {(a, b): Fraction(0) for a in labels for b in labels}
    for said in votes:
        for i, a in enumerate(said):
            for j, b in enumerate(said):
                if i != j:
                    o[a, b] += Fraction(1, len(said) - 1)
    totals = {a: sum(o[a, b] for b in labels) for a in labels}
    n = sum(totals.values())
    seen = sum(o[a, b] for a in labels for b in labels if a != b)
    chance = sum(totals[a] * totals[b] for a in labels for b in labels if a != b)
    return None if chance == 0 else 1 - (n - 1) * seen / chance


def test_the_published_example():
    """Four observers, twelve units, some missing: nominal alpha .743 (Krippendorff 2011, section C)."""
    rows = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    units = [[row[k] for row in rows if row[k] != "."] for k in range(12)]
    found = krippendorff(units)
    assert round(found.alpha, 3) == 0.743
    assert found.nodes == 11


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_formula_with_coincidences(seed):
    rng = random.Random(seed)
    votes = [[rng.choice("abc") for _ in range(rng.randrange(0, 5))] for _ in range(rng.randrange(1, 12))]
    expected = by_coincidences([said for said in votes if len(said) > 1])
    found = krippendorff(votes).alpha
    assert (found is None) == (expected is None)
    if expected is not None:
        assert found == pytest.approx(float(expected), abs=1e-12)


def test_perfect_agreement_is_one_and_none_is_below_zero():
    assert krippendorff([["a", "a"], ["b", "b"]]).alpha == 1
    assert krippendorff([["a", "b"], ["b", "a"]]).alpha < 0
    assert krippendorff([]).alpha is None
