"""Asking a person for labels: which node, what is known of it, and an answer that is never lost."""

from ohmline.labelling.opinion import Neighbour as Neighbour
from ohmline.labelling.opinion import Opinion as Opinion
from ohmline.labelling.session import Progress as Progress
from ohmline.labelling.session import Question as Question
from ohmline.labelling.session import Session as Session
from ohmline.labelling.session import Stage as Stage
