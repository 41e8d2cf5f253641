"""The arguments of a learner: checked, and filled in where none were given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ohmline.arrays import Floats, count, fraction
from ohmline.checks import flag, listed, number, shown
from ohmline.errors import LabelError, ParameterError
from ohmline.kernel.vector import RBF, Linear, VectorKernel
from ohmline.learn.classes import ClassTable
from ohmline.learn.manifold.bandwidth import Bandwidth
from ohmline.learn.manifold.bases import Basis, Buffer, Keep
from ohmline.learn.manifold.choices import member
from ohmline.learn.manifold.descent import LARGEST_WEIGHT, Printed, Proximal, Step
from ohmline.learn.manifold.loss import Loss
from ohmline.learn.manifold.options import Options
from ohmline.learn.manifold.smoothness import Manifold, Smoothness

REMEDY = "pass late_classes=True"
LARGEST_VALUE = 1e150
"""Features above this could not be squared."""


def options_of(
    kernel: VectorKernel | None,
    basis: Basis | None,
    loss: Loss | str,
    smoothness: Smoothness | None,
    step: Step | None,
    *,
    label_rate: float | None,
    lambda_1: float,
    lambda_2: float,
    averaged: bool,
    drift: bool,
    bandwidth: Bandwidth | str,
    standardise: bool,
    seed: int,
) -> Options:
    """The options of `OnlineManifold`, each checked, and those that fit together."""
    if kernel is not None and not isinstance(kernel, RBF | Linear):
        raise ParameterError(f"the kernel must be RBF(width) or Linear(), got {shown(kernel)}")
    drift = flag(drift, "drift")
    if basis is None:
        basis = Buffer(keep=Keep.NEWEST if drift else Keep.STRONGEST)
    if not isinstance(basis, Basis):
        raise ParameterError(f"basis must be Buffer, RPTree, Nystroem or Full, got {shown(basis)}")
    if drift and isinstance(basis, Buffer) and basis.keep is not Keep.NEWEST:
        raise ParameterError(
            "a buffer that keeps labelled points holds on to labels that drift has made wrong; "
            "use Buffer(keep='newest') with drift=True"
        )
    if step is None:
        replays = 5 if basis.replayable else 0
        step = Proximal(0.3, decaying=False, replays=replays) if drift else Proximal()
    if not isinstance(step, Printed | Proximal):
        raise ParameterError(f"the step must be Printed(gamma) or Proximal(gamma), got {shown(step)}")
    if label_rate is not None and fraction(label_rate, "label_rate") < 1e-12:
        raise ParameterError(
            f"label_rate must be above 0 (at least 1e-12), got {shown(label_rate)}: it is the share of points that "
            "come with a label"
        )
    if smoothness is not None and not isinstance(smoothness, Smoothness):
        raise ParameterError(
            f"smoothness must be Manifold(width), Multiview or a Smoothness of your own, got {shown(smoothness)}"
        )
    options = Options(
        kernel=kernel,
        basis=basis,
        loss=member(Loss, loss, "loss"),
        smoothness=Manifold() if smoothness is None else smoothness,
        step=step,
        label_rate=None if label_rate is None else float(label_rate),
        lambda_1=number(lambda_1, "lambda_1", least=0.0, most=LARGEST_WEIGHT),
        lambda_2=number(lambda_2, "lambda_2", least=0.0, most=LARGEST_WEIGHT),
        averaged=flag(averaged, "averaged"),
        drift=drift,
        bandwidth=member(Bandwidth, bandwidth, "bandwidth"),
        standardise=flag(standardise, "standardise"),
        seed=count(seed, "seed"),
    )
    options.check()
    return options


def vars_of(options: Options) -> dict[str, Any]:
    """The options by name, with those that the learner fills in itself left open."""
    given = {name: getattr(options, name) for name in Options.__slots__}
    filled = {
        "basis": Buffer(keep=Keep.NEWEST if options.drift else Keep.STRONGEST),
        "smoothness": Manifold(),
        "step": Proximal(0.3, decaying=False, replays=5) if options.drift else Proximal(),
    }
    return {name: None if repr(value) == repr(filled.get(name)) else value for name, value in given.items()}


def table_of(given: Sequence[Any] | None, late: bool) -> ClassTable:
    """The classes that a learner knows from the start."""
    names = None if given is None else listed(given, "classes")
    if names is None or (late and not names):
        return ClassTable(None) if late else ClassTable((-1, 1), remedy=f"give classes=[...], or {REMEDY}")
    table = ClassTable(names, remedy=REMEDY)
    if len(table) < 2 and not late:
        raise LabelError(f"classes must be two or more different labels, got {shown(names)}")
    if late:
        table.fixed = False
    return table


def expect_moderate(values: Floats, name: str) -> None:
    """Raise where a value is too large to be squared."""
    if values.size and max(values.max(), -values.min()) > LARGEST_VALUE:
        where = tuple(int(k) for k in np.argwhere(np.abs(values) > LARGEST_VALUE)[0])
        raise ParameterError(
            f"{name}{list(where)} is {values[where]:g}; features above {LARGEST_VALUE:g} in size cannot be squared, "
            "scale them first"
        )
