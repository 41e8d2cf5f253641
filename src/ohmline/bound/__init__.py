"""Bounds: what a learner can promise, and proof of it."""

from ohmline.bound.best import best_bound as best_bound
from ohmline.bound.contract import Assumption as Assumption
from ohmline.bound.contract import Bound as Bound
from ohmline.bound.contract import Certificate as Certificate
from ohmline.bound.embedding import EmbeddingBound as EmbeddingBound
from ohmline.bound.geometry import NoisyNorm as NoisyNorm
from ohmline.bound.geometry import PointLengths as PointLengths
from ohmline.bound.geometry import noisy_norm as noisy_norm
from ohmline.bound.geometry import point_lengths as point_lengths
from ohmline.bound.graph_partition import PartitionBound as PartitionBound
from ohmline.bound.graph_perceptron import GraphPerceptronBound as GraphPerceptronBound
from ohmline.bound.halving import HalvingBound as HalvingBound
from ohmline.bound.halving import labelling_bits as labelling_bits
from ohmline.bound.lgc import LabelComplexity as LabelComplexity
from ohmline.bound.lgc import OnlineLGCBound as OnlineLGCBound
from ohmline.bound.lgc import OnlineLGCRegret as OnlineLGCRegret
from ohmline.bound.manifold_average import AverageBound as AverageBound
from ohmline.bound.manifold_regret import ManifoldRegret as ManifoldRegret
from ohmline.bound.one_vs_rest import OneVsRestBound as OneVsRestBound
from ohmline.bound.perceptron import Fit as Fit
from ohmline.bound.perceptron import PerceptronBound as PerceptronBound
from ohmline.bound.perceptron import live_curve as live_curve
from ohmline.bound.pounce import PounceBound as PounceBound
from ohmline.bound.projection import ProjectionBound as ProjectionBound
