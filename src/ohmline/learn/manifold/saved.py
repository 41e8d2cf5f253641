"""The options of a learner as one line of text, for its snapshot."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from ohmline.checks import shown
from ohmline.errors import SnapshotError
from ohmline.kernel.vector import RBF, Linear, VectorKernel
from ohmline.learn.manifold.bases import Basis, Buffer, Full, Nystroem, RPTree
from ohmline.learn.manifold.descent import Printed, Proximal
from ohmline.learn.manifold.options import Options
from ohmline.learn.manifold.pursuit import Pursuit
from ohmline.learn.manifold.smoothness import Manifold, Multiview, Smoothness

BASES: dict[str, type[Basis]] = {kind.__name__: kind for kind in (Buffer, Full, RPTree, Nystroem)}
ARGUMENTS = {
    *(
        "kernel",
        "basis",
        "loss",
        "smoothness",
        "step",
        "classes",
        "late_classes",
        "label_rate",
        "lambda_1",
        "lambda_2",
    ),
    *("averaged", "drift", "bandwidth", "standardise", "seed"),
}
"""What a learner is made with."""
STEPS = {"Printed": Printed, "Proximal": Proximal}


def settings_text(options: Options, classes: tuple[Any, ...], late_classes: bool) -> str:
    """JSON of everything but a regulariser written in Python."""
    graph: Any = None
    if isinstance(options.smoothness, Manifold) and options.compiled:
        graph = ["Manifold", {"width": options.smoothness.width, "cutoff": options.smoothness.cutoff}]
    elif isinstance(options.smoothness, Multiview):
        graph = ["Multiview", options.smoothness.views]
    kernel = options.kernel
    plain = {
        "kernel": None if kernel is None else kernel.width if isinstance(kernel, RBF) else "linear",
        "basis": [type(options.basis).__name__, options.basis.settings(), asdict(options.basis.pursuit)],
        "loss": str(options.loss),
        "smoothness": graph,
        "step": [type(options.step).__name__, asdict(options.step)],
        "label_rate": options.label_rate,
        "lambda_1": options.lambda_1,
        "lambda_2": options.lambda_2,
        "averaged": options.averaged,
        "drift": options.drift,
        "bandwidth": str(options.bandwidth),
        "standardise": options.standardise,
        "seed": options.seed,
        "classes": list(classes),
        "late_classes": late_classes,
    }
    try:
        return json.dumps(plain)
    except TypeError as error:
        raise SnapshotError(
            f"the classes {list(classes)!r:.80} cannot be saved ({error}); use numbers or strings as labels"
        ) from None


def settings_from(text: str, kernel: VectorKernel | None, smoothness: Smoothness | None) -> dict[str, Any]:
    """The arguments that make the learner again."""
    try:
        plain = json.loads(text)
        if not isinstance(plain, dict):
            raise TypeError(f"they are {shown(plain)}")
        name, arguments, pursuit = plain["basis"]
        plain["basis"] = BASES[name](**arguments)
        plain["basis"].pursuit = Pursuit(**pursuit)
        name, arguments = plain["step"]
        plain["step"] = STEPS[name](**arguments)
        if smoothness is not None:
            plain["smoothness"] = smoothness
        elif plain["smoothness"] is None:
            raise SnapshotError(
                "the learner's regulariser was written in Python and is not in the snapshot; "
                "give it again with restore(state, smoothness=...)"
            )
        else:
            name, arguments = plain["smoothness"]
            plain["smoothness"] = Multiview(*arguments) if name == "Multiview" else Manifold(**arguments)
        if kernel is not None:
            plain["kernel"] = kernel
        elif plain["kernel"] is not None:
            plain["kernel"] = Linear() if plain["kernel"] == "linear" else RBF(plain["kernel"])
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, SnapshotError):
            raise
        raise SnapshotError(f"the settings of the snapshot cannot be read: {error}") from None
    strange = set(plain) - ARGUMENTS
    if strange:
        raise SnapshotError(
            f"the settings of the snapshot have {sorted(strange)!r:.80}, which no learner knows"
        )
    return dict(plain)
