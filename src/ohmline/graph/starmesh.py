"""Resistances and voltages of a network without a single subtraction, in logarithms.

Eliminating a node k of a resistor network turns its star into a mesh: every pair of its neighbours
gets the conductance c_ki c_kj / sum_l c_kl on top of what it has. Only sums, products and quotients
of positive numbers occur (the Grassmann-Taksar-Heyman form of elimination), so every result has
nearly full *relative* precision, whatever the ratio of the conductances; in logarithms there is no
range to leave either. A factorisation of the Laplacian loses everything once the conductances span
sixteen orders of magnitude.

| symbol | here |
|---|---|
| log c_ij | `log_c`, -inf for no edge |
| phi | unit voltages: 1 at the source, 0 at the ground |
| p_kj | `c[k, j]` after k was eliminated: log of the share of k's conductance that leads to j |
"""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled

NEGLIGIBLE = -40.0
"""exp of this is below the rounding of 1, so such a term of a sum changes nothing."""


@compiled
def log_sum(terms: Floats, length: int) -> float:
    """log of the sum of exp(terms)."""
    top = -np.inf
    for k in range(length):
        top = max(top, terms[k])
    if top == -np.inf:
        return top
    total = 0.0
    for k in range(length):
        if terms[k] - top > NEGLIGIBLE:
            total += np.exp(terms[k] - top)
    return top + np.log(total)


@compiled
def eliminate(c: Floats, last: int, totals: Floats) -> None:
    """Star to mesh for the nodes n-1, ..., `last`, in the lower triangle of `c`.

    Row k is left holding the shares p_kj of its neighbours j < k; `totals[k]` is log sum_j c_kj.
    """
    for k in range(len(c) - 1, last - 1, -1):
        total = log_sum(c[k], k)
        totals[k] = total
        for i in range(k):
            to_i = c[k, i]
            if to_i == -np.inf:
                continue
            row = c[i]
            for j in range(i):
                mesh = to_i + c[k, j] - total
                gap = mesh - row[j]
                if gap > -NEGLIGIBLE:
                    row[j] = mesh
                elif gap > NEGLIGIBLE:
                    row[j] += np.log1p(np.exp(gap))
        for j in range(k):
            c[k, j] -= total


@compiled
def unit_voltages(log_c: Floats, members: Ints, source: int, ground: int, phi: Floats) -> float:
    """Fill `phi` at `members`, a connected set; the log of the effective conductance."""
    order = np.empty(len(members), np.int64)
    order[0], order[1], filled = ground, source, 2
    for i in members:
        if i != ground and i != source:
            order[filled] = i
            filled += 1
    c, totals = block(log_c, order), np.empty(len(members))
    eliminate(c, 2, totals)
    phi[ground], phi[source] = 0.0, 1.0
    for k in range(2, len(order)):
        value = 0.0
        for j in range(k):
            if c[k, j] > -700.0:
                value += np.exp(c[k, j]) * phi[order[j]]
        phi[order[k]] = min(value, 1.0)
    return c[1, 0]


@compiled
def log_resistances(log_c: Floats, members: Ints, ground: int, out: Floats) -> None:
    """Fill `out` at `members` with the log of the effective resistance to `ground`.

    It is the diagonal of the inverse of the grounded Laplacian. An entry (k, a) of that inverse is the
    mean of the entries (b, a) over the neighbours b that k had left, which again only adds.
    """
    order = np.empty(len(members), np.int64)
    order[0], filled = ground, 1
    for i in members:
        if i != ground:
            order[filled] = i
            filled += 1
    n = len(order)
    c, totals = block(log_c, order), np.empty(n)
    eliminate(c, 1, totals)
    inverse, terms = np.full((n, n), -np.inf), np.empty(n + 1)
    out[ground] = -np.inf
    for k in range(1, n):
        for a in range(1, k):
            for b in range(1, k):
                terms[b - 1] = c[k, b] + inverse[a, b]
            inverse[k, a] = log_sum(terms, k - 1)
        for a in range(1, k):
            terms[a - 1] = c[k, a] + inverse[k, a]
            inverse[a, k] = inverse[k, a]
        terms[k - 1] = -totals[k]
        inverse[k, k] = log_sum(terms, k)
        out[order[k]] = inverse[k, k]


@compiled
def block(log_c: Floats, order: Ints) -> Floats:
    """The conductances among `order`, in that order."""
    n = len(order)
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            out[i, j] = log_c[order[i], order[j]]
    return out
