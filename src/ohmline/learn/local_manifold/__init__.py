"""Learning vectors of many dimensions from few labels, on a budget: the successor of `OnlineManifold`."""

from ohmline.learn.local_manifold.learner import LocalManifold as LocalManifold
