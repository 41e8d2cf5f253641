"""Batch references: all points and labels at once, solved to optimality.

Online learners are measured against these: `LapSVM` and `MultiviewSVM` are f* of paper 003, `LLGC` and `Harmonic`
are the classics on a given graph, `LabelledOnly` ignores whatever has no label.
"""

from ohmline.learn.batch.harmonic import Harmonic as Harmonic
from ohmline.learn.batch.labelled import LabelledOnly as LabelledOnly
from ohmline.learn.batch.lapsvm import LapSVM as LapSVM
from ohmline.learn.batch.llgc import LLGC as LLGC
from ohmline.learn.batch.multiview import MultiviewSVM as MultiviewSVM
