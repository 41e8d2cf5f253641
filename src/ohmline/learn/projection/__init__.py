"""Online projections (paper 000)."""

from ohmline.learn.projection.convex import HalfSpace as HalfSpace
from ohmline.learn.projection.convex import Metric as Metric
from ohmline.learn.projection.convex import Projected as Projected
from ohmline.learn.projection.convex import project_online as project_online
from ohmline.learn.projection.learner import Projection as Projection
from ohmline.learn.projection.strategy import Chooser as Chooser
from ohmline.learn.projection.strategy import Contradiction as Contradiction
from ohmline.learn.projection.strategy import Strategy as Strategy
