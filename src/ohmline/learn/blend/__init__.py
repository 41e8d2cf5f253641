"""Several learners as one."""

from ohmline.learn.blend.fixed_share import FixedShare as FixedShare
from ohmline.learn.blend.learner import Blend as Blend
from ohmline.learn.blend.majority import Majority as Majority
from ohmline.learn.blend.mixture import Mixture as Mixture
from ohmline.learn.blend.product import Product as Product
