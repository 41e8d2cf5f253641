"""Sets of labels with a coverage that is kept whatever the labels are."""

from ohmline.learn.conformal.label_set import LabelSet as LabelSet
from ohmline.learn.conformal.learner import ConformalSets as ConformalSets
