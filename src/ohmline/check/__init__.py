"""The laws that every learner, kernel and bound keeps, for anyone who writes one.

>>> import ohmline as ohm
>>> subject = ohm.check.Subject(
...     make=lambda graph: ohm.Perceptron(ohm.LaplacianKernel(graph) + ohm.Constant(1.0)),
...     restore=lambda state, graph: ohm.Perceptron.restore(
...         state, ohm.LaplacianKernel(graph) + ohm.Constant(1.0)
...     ),
... )
>>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(5)])
>>> ohm.check.learner(subject, line, ohm.Stream(range(6), [1, 1, 1, -1, -1, -1]))
"""

from ohmline.check.kernels import FullRankFeatures as FullRankFeatures
from ohmline.check.kernels import kernel as kernel
from ohmline.check.law import LawBroken as LawBroken
from ohmline.check.learners import Subject as Subject
from ohmline.check.learners import learner as learner
