"""Kernels: the space of functions on a graph or on vectors."""

from ohmline.graph.measure import resistance
from ohmline.kernel.contract import Constant, Kernel, Ridge
from ohmline.kernel.laplacian import LaplacianKernel, default_bias
from ohmline.kernel.solver import SolverKernel
from ohmline.kernel.spectral import SpectralKernel
from ohmline.kernel.vector import RBF, Linear, VectorKernel

__all__ = [
    "RBF",
    "Constant",
    "Kernel",
    "LaplacianKernel",
    "Linear",
    "Ridge",
    "SolverKernel",
    "SpectralKernel",
    "VectorKernel",
    "default_bias",
    "resistance",
]
