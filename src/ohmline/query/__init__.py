"""Queries: which labels are worth asking for."""

from ohmline.query.pool import MaxProgress, MinMargin, Random
from ohmline.query.stream import Always, Budget, GapBelow, RandomRate, StreamQuery, VarianceAbove

__all__ = [
    "Always",
    "Budget",
    "GapBelow",
    "MaxProgress",
    "MinMargin",
    "Random",
    "RandomRate",
    "StreamQuery",
    "VarianceAbove",
]
