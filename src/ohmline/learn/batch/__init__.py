"""Batch references: all points and labels at once, solved to optimality.

Online learners are measured against these: ``LapSVM`` is f* of paper 003, ``LLGC`` and ``Harmonic``
are the classics on a given graph, ``LabelledOnly`` ignores whatever has no label.
"""

from ohmline.learn.batch.harmonic import Harmonic
from ohmline.learn.batch.labelled import LabelledOnly
from ohmline.learn.batch.lapsvm import LapSVM
from ohmline.learn.batch.llgc import LLGC

__all__ = ["LLGC", "Harmonic", "LabelledOnly", "LapSVM"]
