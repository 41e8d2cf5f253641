"""Kernels: the space of functions on a graph or on vectors."""

from ohmline.graph.measure import resistance as resistance
from ohmline.kernel.contract import Kernel as Kernel
from ohmline.kernel.estimated import EstimatedDiagonal as EstimatedDiagonal
from ohmline.kernel.laplacian import LaplacianKernel as LaplacianKernel
from ohmline.kernel.laplacian import default_bias as default_bias
from ohmline.kernel.solver import SolverKernel as SolverKernel
from ohmline.kernel.spectral import SpectralKernel as SpectralKernel
from ohmline.kernel.terms import Constant as Constant
from ohmline.kernel.terms import Ridge as Ridge
from ohmline.kernel.tree import TreeKernel as TreeKernel
from ohmline.kernel.vector import RBF as RBF
from ohmline.kernel.vector import Linear as Linear
from ohmline.kernel.vector import VectorKernel as VectorKernel
