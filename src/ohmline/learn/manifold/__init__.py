"""Online manifold regularisation: learning from a stream that is almost all unlabelled (paper 003)."""

from ohmline.learn.manifold.bandwidth import Bandwidth, effective_width, median_width, neighbour_width
from ohmline.learn.manifold.basis import Basis
from ohmline.learn.manifold.buffer import Buffer, Keep
from ohmline.learn.manifold.full import Full
from ohmline.learn.manifold.function import KernelFunction
from ohmline.learn.manifold.learner import OnlineManifold
from ohmline.learn.manifold.loss import Loss
from ohmline.learn.manifold.nystroem import Nystroem
from ohmline.learn.manifold.pursuit import Pursuit
from ohmline.learn.manifold.rptree import RPTree
from ohmline.learn.manifold.smoothness import Manifold, Multiview, Scene, Slopes, Smoothness
from ohmline.learn.manifold.step import Printed, Proximal

__all__ = [
    "Bandwidth",
    "Basis",
    "Buffer",
    "Full",
    "Keep",
    "KernelFunction",
    "Loss",
    "Manifold",
    "Multiview",
    "Nystroem",
    "OnlineManifold",
    "Printed",
    "Proximal",
    "Pursuit",
    "RPTree",
    "Scene",
    "Slopes",
    "Smoothness",
    "effective_width",
    "median_width",
    "neighbour_width",
]
