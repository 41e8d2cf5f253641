"""Queries: which labels are worth asking for."""

from ohmline.query.stream import Always, Budget, GapBelow, RandomRate, StreamQuery, VarianceAbove

__all__ = ["Always", "Budget", "GapBelow", "RandomRate", "StreamQuery", "VarianceAbove"]
