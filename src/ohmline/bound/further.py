"""How many mistakes can still come, and how much the labels so far are known to cut."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from ohmline import checks
from ohmline.arrays import Floats, Ints
from ohmline.bound.contract import Assumption, Certificate
from ohmline.bound.interpolant import leading_factor
from ohmline.errors import ConflictingLabels, KernelError, LabelError, ParameterError
from ohmline.graph.elimination import EPS
from ohmline.kernel import LaplacianKernel, SolverKernel
from ohmline.kernel.contract import Kernel, expect_kernel
from ohmline.learn.labels import plain_label

THEOREM = "Pythagoras for minimum-norm interpolation"


@dataclass(frozen=True, slots=True)
class Further:
    """What some labels prove about those that are still to come.

    Let w be the function of smallest norm in the kernel's space that fits the labels seen, S their nodes, and
    Var(i) = K_ii - K_iS K_SS^-1 K_Si what they leave open at node i; for a Laplacian kernel the effective resistance
    from i to S. Every labelling u that agrees with the labels seen has ||u - w||^2 = ||u||^2 - ||w||^2. A mistake of w
    at i adds at least 1 / Var(i) to ||w||^2 once i is labelled, and Var only falls as labels come. So the mistakes
    that can still come are limited by ||u||^2 - ||w||^2, and ||u||^2 by the weight that u cuts.

    With more than two classes there is one such function for each, +1 on its class and -1 elsewhere, and the class of
    largest value is predicted: a mistake adds at least 2 / Var(i) to the sum of their squared norms, and an edge that
    is cut is cut for two of them.

    Attributes
    ----------
    energy
        The squared norms of the interpolants, summed.
    open
        Var of every node without a label that may come, in descending order.
    problems
        How many functions there are: one for each class, or a single one for two classes.
    constants
        What constant functions can add to the squared norm: the components over the bias, for each function.
    factor
        What multiplies the Laplacian kernel.
    """

    energy: float
    open: Floats
    problems: int
    constants: float
    factor: float

    @property
    def least_cut(self) -> float:
        """The labels seen prove that every labelling which agrees with them cuts at least so much weight."""
        found = (self.energy * (1 - 1e-9) - self.constants) * self.factor / self._norm_of_a_cut
        return max(found, 0.0)

    @property
    def _norm_of_a_cut(self) -> float:
        return 4.0 if self.problems == 1 else 8.0

    def at_most(self, cut: float) -> Certificate:
        """The most mistakes that can still come, in whatever order, if the labelling cuts no more than that.

        Parameters
        ----------
        cut
            A limit on the weight of the edges whose ends have different labels, at least 0.

        Returns
        -------
        Certificate
            Of minimum-norm interpolation that is given every label. It is void where the labels seen cut more already.
        """
        cut = checks.non_negative(cut, "cut")
        budget = self._norm_of_a_cut * cut / self.factor + self.constants
        left = budget * (1 + 1e-12) - self.energy * (1 - 1e-9)
        each = (1.0 if self.problems == 1 else 2.0) / self.open
        fits = int(np.searchsorted(np.cumsum(each), max(left, 0.0) * (1 + 1e-9), side="right"))
        terms = {"left": max(left, 0.0), "largest_variance": float(self.open.max(initial=0.0)), "cut": cut}
        assumptions = (
            Assumption(f"the labels of all nodes cut a weight of at most {cut:g}", checked=False),
            Assumption("there are no classes but those seen or declared", checked=False),
            Assumption(
                f"the labels seen leave room for that (they cut at least {self.least_cut:.4g})",
                checked=True,
                holds=left >= 0,
            ),
        )
        return Certificate(THEOREM, float(fits), 0, terms, assumptions, counts="further mistakes")


def further(
    kernel: Kernel,
    labels: Mapping[Hashable, Hashable],
    *,
    nodes: Iterable[Hashable] | None = None,
    classes: Iterable[Hashable] | None = None,
) -> Further:
    """What the labels seen so far prove about the mistakes that can still come.

    Parameters
    ----------
    kernel
        The kernel of a graph with positive weights, with a `Constant`, and perhaps a `Ridge` and a factor: the space in
        which labels are interpolated (`Projection.min_norm`, `Harmonic` up to its bias).
    labels
        The labels seen, by node.
    nodes
        The nodes that can still come; None (default) for all without a label.
    classes
        The classes that there are; None (default) for those among the labels.

    Returns
    -------
    Further
        Ask it for `at_most(cut)` and `least_cut`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> barbell = ohm.graph.generate.barbell(6)
    >>> kernel = ohm.LaplacianKernel(barbell.graph) + ohm.Constant(10.0)
    >>> seen = further(kernel, {0: -1, 11: 1})
    >>> print(seen.at_most(cut=1))
    at most 0 further mistakes (Pythagoras for minimum-norm interpolation, assuming that the labels of all nodes cut a \
weight of at most 1; left = 1.7, largest_variance = 0.316, cut = 1)
    """
    base = _expect_space(kernel)
    seen, targets = _expect_labels(kernel, labels, classes)
    rest = _still_open(kernel, seen, nodes)
    block = kernel.block(seen)
    factor, definite = leading_factor(block)
    if definite < len(seen):
        node = kernel.nodes[int(seen[definite])]
        raise KernelError(
            f"the label of node {node!r} follows from those before it, so that the labels cannot be interpolated "
            "freely; add a Ridge to the kernel"
        )
    solved = linalg.solve_triangular(factor, targets, lower=True)
    energy = float((solved**2).sum())
    columns = (
        np.stack([_column(kernel, int(i))[rest] for i in seen]) if len(seen) else np.empty((0, len(rest)))
    )
    explained = linalg.solve_triangular(factor, columns, lower=True) if len(seen) else columns
    diagonal = kernel.diagonal()[rest]
    variance = np.maximum(diagonal - (explained**2).sum(axis=0), 0.0) + 64 * len(seen) * EPS * diagonal
    problems = targets.shape[1]
    constants = problems * (int(base.component_of.max()) + 1) / kernel.b
    return Further(energy, np.sort(variance)[::-1], problems, constants, kernel.factor)


def _expect_space(kernel: Kernel) -> Kernel:
    base = expect_kernel(kernel).base
    if not isinstance(base, LaplacianKernel | SolverKernel) or base.graph.signed:
        raise KernelError(
            f"{kernel!r} is not the kernel of a graph with positive weights, so that the weight cut does not limit the "
            "norm of a labelling; use LaplacianKernel(graph) + Constant(b)"
        )
    if kernel.b <= 0:
        raise KernelError(
            f"{kernel!r} has no bias, so that no labelling with more of one label than of the other is in its space; "
            "add a Constant"
        )
    return base


def _expect_labels(kernel: Kernel, labels: Any, classes: Any) -> tuple[Ints, Floats]:
    """The positions of the labelled nodes, and their targets: one column, or one for each of three or more classes."""
    found = checks.instance(labels, Mapping, "labels", "give a dict from nodes to labels")
    plain = {kernel.nodes.position(node): plain_label(label) for node, label in found.items()}
    if len(plain) < len(found):
        raise ConflictingLabels("labels name one node twice; give one label for each node")
    if not plain:
        raise LabelError("labels are empty; at least one label must have been seen")
    if None in plain.values():
        raise LabelError("a label is missing; leave out the nodes that have none")
    declared = plain.values() if classes is None else map(plain_label, checks.listed(classes, "classes"))
    codes = {label: k for k, label in enumerate(dict.fromkeys(declared))}
    for label in plain.values():
        if label not in codes:
            raise LabelError(f"label {label!r} is not among the classes {list(codes)!r}; add it to them")
    one_hot = -np.ones((len(plain), len(codes)))
    one_hot[np.arange(len(plain)), [codes[label] for label in plain.values()]] = 1.0
    seen = np.fromiter(plain, dtype=np.int64, count=len(plain))
    return seen, one_hot if len(codes) > 2 else one_hot[:, :1]


def _still_open(kernel: Kernel, seen: Ints, nodes: Iterable[Hashable] | None) -> Ints:
    mask = np.zeros(kernel.n, dtype=bool)
    mask[slice(None) if nodes is None else kernel.nodes.positions(nodes)] = True
    if nodes is not None and mask[seen].any():
        node = kernel.nodes[int(seen[mask[seen]][0])]
        raise ParameterError(f"node {node!r} is labelled already; nodes are those that can still come")
    mask[seen] = False
    return np.flatnonzero(mask)


def _column(kernel: Kernel, position: int) -> Floats:
    return kernel.fetching(lambda: kernel.space.column(position))
