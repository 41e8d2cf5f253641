"""About how long each experiment takes, so that a run of many can say how much is left.

Seconds on one core of an ordinary machine, quick and in full, as `ohmline reproduce all` measured them. They decide
nothing but the order of work and the estimate.
"""

from __future__ import annotations

USUAL: dict[str, tuple[float, float]] = {
    "hpw2005-digits": (3.8, 48.3),
    "hpw2005-hierarchical": (1.8, 58.4),
    "hp2006-barbell": (0.5, 3.7),
    "hp2006-flower": (0.4, 2.9),
    "hp2006-octopus": (0.8, 6.6),
    "hp2006-line": (0.5, 3.6),
    "hp2006-b-and-c": (1.0, 3.1),
    "h2008-three-clusters": (4.5, 35.9),
    "h2008-two-moons": (1.9, 14.9),
    "h2008-strips": (0.1, 0.8),
    "h2008-size-of-a": (12.0, 96.2),
    "glz2008-runtime": (3.7, 29.8),
    "glz2008-risk": (3.3, 140.7),
    "glz2008-spirals": (1.8, 14.3),
    "glz2008-mnist01": (4.7, 52.5),
    "glz2008-mnist12": (4.4, 106.3),
    "glz2008-drift": (11.2, 35.5),
    "glz2008-leaves": (16.8, 2.3),
    "gu2013-data": (0.1, 0.3),
    "gu2013-coauthor": (5.0, 40.0),
    "gu2013-cora": (11.0, 9.9),
    "gu2013-movies": (1.2, 5.1),
    "gu2013-pubmed": (19.8, 56.8),
    "gu2013-rank": (13.9, 110.9),
    "gu2013-kappa": (2.4, 38.9),
    "gu2013-label-rate": (0.7, 5.9),
    "frontier": (60.0, 900.0),
    "local-lgc": (38.6, 133.7),
    "local-lgc-proofs": (10.0, 80.0),
    "calibration": (15.0, 280.0),
    "local-manifold": (35.4, 283.4),
    "switching": (60.0, 170.0),
    "relations": (15.0, 130.0),
    "conformal": (25.0, 120.0),
    "ogbn": (1.0, 1.0),
}
UNKNOWN = (10.0, 60.0)
"""What is guessed of an experiment of somebody's own."""


def guess(id: str, quick: bool) -> float:
    """Seconds that an experiment may take.

    >>> guess("an experiment of mine", quick=True)
    10.0
    """
    return USUAL.get(id, UNKNOWN)[0 if quick else 1]
