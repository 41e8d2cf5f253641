"""Accounts that were never opened: who pays whom, and a few that only pass money on.

One account in a hundred is bad. Bad accounts come in rings of about six: they pay each other, and are paid by a few
ordinary ones. Ordinary accounts pay their neighbours, some shops, and now and then anybody.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import final

import numpy as np

from ohmline.checks import count, fraction, generator
from ohmline.graph.graph import Graph

RING = 6
"""Accounts in a ring."""


@final
@dataclass(frozen=True, slots=True)
class Accounts:
    """A graph of payments.

    Attributes
    ----------
    graph
        Who pays whom; the weight is how often.
    bad
        The bad accounts.
    nodes
        What there is to read about each account.
    """

    graph: Graph
    bad: frozenset[Hashable]
    nodes: dict[Hashable, dict[str, str]]


def accounts(n: int = 3000, share: float = 0.01, seed: int = 0) -> Accounts:
    """Some accounts.

    Parameters
    ----------
    n
        How many, at least 200. Default 3,000.
    share
        The share of bad ones. Default 0.01.
    seed
        The same seed gives the same accounts. Default 0.
    """
    n, rng = count(n, "n", least=200, most=10**6), generator(seed)
    ids = [f"account-{k:05}" for k in range(n)]
    bad = rng.permutation(n)[: max(RING, round(fraction(share, "share") * n))]
    is_bad = np.zeros(n, np.bool_)
    is_bad[bad] = True
    good = np.flatnonzero(~is_bad)
    shops = good[: max(1, len(good) // 60)]
    paid: dict[tuple[int, int], int] = {}

    def pay(a: int, b: int) -> None:
        if a != b:
            pair = (min(a, b), max(a, b))
            paid[pair] = paid.get(pair, 0) + 1

    for place, a in enumerate(good.tolist()):
        for _ in range(int(rng.integers(2, 6))):
            near = good[(place + int(rng.integers(1, 12))) % len(good)]
            pay(a, int(near) if rng.random() < 0.7 else int(rng.choice(good)))
        pay(a, int(rng.choice(shops)))
    for start in range(0, len(bad), RING):
        ring = bad[start : start + RING].tolist()
        for a in ring:
            for b in rng.choice(ring, 2).tolist():
                pay(a, b)
            for b in rng.choice(good, 3).tolist():
                pay(a, b)
        pay(ring[0], int(rng.choice(bad)))
    nodes: dict[Hashable, dict[str, str]] = {}
    for k in range(n):
        # What a person sees of a bad account: money comes and goes within hours.
        hours = rng.exponential(6.0 if is_bad[k] else 200.0)
        opened = 1 + int(rng.exponential(40 if is_bad[k] else 900))
        nodes[ids[k]] = {
            "text": f"Money stays {hours:,.0f} hours on average; opened {opened:,} days ago",
            "hours": f"{hours:.0f}",
            "days": str(opened),
        }
    edges = [(ids[a], ids[b], float(times)) for (a, b), times in paid.items()]
    return Accounts(Graph.from_edges(edges, nodes=ids), frozenset(ids[k] for k in bad), nodes)
