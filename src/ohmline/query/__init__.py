"""Queries: which labels are worth asking for."""

from ohmline.query.asking import Sight as Sight
from ohmline.query.asking import StreamQuery as StreamQuery
from ohmline.query.asking import asks as asks
from ohmline.query.contested import Contested as Contested
from ohmline.query.disagreement import Disagreement as Disagreement
from ohmline.query.error_reduction import ErrorReduction as ErrorReduction
from ohmline.query.farthest_first import FarthestFirst as FarthestFirst
from ohmline.query.model_change import ModelChange as ModelChange
from ohmline.query.next_labels import suggest as suggest
from ohmline.query.pool import MaxProgress as MaxProgress
from ohmline.query.pool import MinMargin as MinMargin
from ohmline.query.pool import PoolQuery as PoolQuery
from ohmline.query.pool import Random as Random
from ohmline.query.sigma_optimal import SigmaOptimal as SigmaOptimal
from ohmline.query.stream import Always as Always
from ohmline.query.stream import Budget as Budget
from ohmline.query.stream import GapAhead as GapAhead
from ohmline.query.stream import GapBelow as GapBelow
from ohmline.query.stream import RandomRate as RandomRate
from ohmline.query.stream import VarianceAbove as VarianceAbove
from ohmline.query.suggestions import Suggestion as Suggestion
from ohmline.query.suggestions import Suggestions as Suggestions
from ohmline.query.uncertainty import Uncertainty as Uncertainty
from ohmline.query.v_optimal import VOptimal as VOptimal
