"""Eigensolvers: the smallest eigenpairs of a Laplacian, small or large."""

from ohmline.kernel.eigen.smallest import Eigenpairs as Eigenpairs
from ohmline.kernel.eigen.smallest import Eigensolver as Eigensolver
from ohmline.kernel.eigen.smallest import eigensolver_of as eigensolver_of
from ohmline.kernel.eigen.smallest import residuals_of as residuals_of
from ohmline.kernel.eigen.smallest import smallest_eigenpairs as smallest_eigenpairs
