"""Asking a person for labels: which node, what is known of it, and an answer that is never lost."""

from ohmline.labelling.opinion import Neighbour as Neighbour
from ohmline.labelling.opinion import Opinion as Opinion
from ohmline.labelling.records import Progress as Progress
from ohmline.labelling.records import Question as Question
from ohmline.labelling.records import Stage as Stage
from ohmline.labelling.session import Session as Session
