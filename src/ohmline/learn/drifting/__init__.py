"""Labels that change on a graph: several ways to forget, and the best of the moment."""

from ohmline.learn.drifting.learner import DriftingLGC as DriftingLGC
