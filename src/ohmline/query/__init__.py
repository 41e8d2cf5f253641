"""Queries: which labels are worth asking for."""

from ohmline.query.asking import Sight as Sight
from ohmline.query.asking import StreamQuery as StreamQuery
from ohmline.query.asking import asks as asks
from ohmline.query.pool import MaxProgress as MaxProgress
from ohmline.query.pool import MinMargin as MinMargin
from ohmline.query.pool import PoolQuery as PoolQuery
from ohmline.query.pool import Random as Random
from ohmline.query.stream import Always as Always
from ohmline.query.stream import Budget as Budget
from ohmline.query.stream import GapBelow as GapBelow
from ohmline.query.stream import RandomRate as RandomRate
from ohmline.query.stream import VarianceAbove as VarianceAbove
