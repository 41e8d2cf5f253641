"""What is known of the nodes beside the graph: rows of numbers, and learners over them."""

from ohmline.learn.features.given import GivenProbabilities as GivenProbabilities
from ohmline.learn.features.learner import FeatureLearner as FeatureLearner
from ohmline.learn.features.logistic import OnlineLogistic as OnlineLogistic
from ohmline.learn.features.rows import NodeFeatures as NodeFeatures
