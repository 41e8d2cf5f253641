"""Online projections (paper 000)."""

from ohmline.learn.projection.learner import Projection as Projection
from ohmline.learn.projection.strategy import Chooser as Chooser
from ohmline.learn.projection.strategy import Contradiction as Contradiction
from ohmline.learn.projection.strategy import Strategy as Strategy
