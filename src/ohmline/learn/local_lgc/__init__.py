"""LocalLGC: many classes at full rank, by local solves."""

from ohmline.learn.local_lgc.certain import Certainty as Certainty
from ohmline.learn.local_lgc.exact_many import ExactScores as ExactScores
from ohmline.learn.local_lgc.learner import LocalLGC as LocalLGC
