"""Solvers of Laplacian systems: what each costs, which one suits a graph, and columns of L+ from it."""

from ohmline.kernel.solve.choice import Choice as Choice
from ohmline.kernel.solve.choice import Method as Method
from ohmline.kernel.solve.choice import built as built
from ohmline.kernel.solve.choice import choose as choose
from ohmline.kernel.solve.choice import method_of as method_of
from ohmline.kernel.solve.contract import Solver as Solver
from ohmline.kernel.solve.contract import System as System
from ohmline.kernel.solve.direct import Cholmod as Cholmod
from ohmline.kernel.solve.direct import Direct as Direct
from ohmline.kernel.solve.iterative import Iterative as Iterative
from ohmline.kernel.solve.iterative import iterate as iterate
from ohmline.kernel.solve.iterative import rows_of as rows_of
