"""Published learners that ours are measured against: own implementations, compiled, so that the comparison is fair."""

from ohmline.lab.rivals.dense_relaxation import DenseRelaxation as DenseRelaxation
from ohmline.lab.rivals.fastonl import FastONL as FastONL
from ohmline.lab.rivals.relaxation import Played as Played
from ohmline.lab.rivals.relaxation import PushKernel as PushKernel
