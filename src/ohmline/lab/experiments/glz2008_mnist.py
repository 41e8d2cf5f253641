"""Paper 003, Figure 4(b) and (c): generalisation error on MNIST digits at 16 x 16."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ohmline.data import load
from ohmline.game.images import Images
from ohmline.lab.experiment import Claim, Experiment, Result, Settings
from ohmline.lab.experiments import glz2008 as glz
from ohmline.lab.experiments.glz2008 import Errors, Way, mean, note
from ohmline.lab.experiments.glz2008_figures import panels

TIMES = (500, 1000, 2000, 4000)
ALLOWED = {(0, 1): 0.002, (1, 2): 0.01}
"""How far buffer-U may be above batch MR at T = 4000."""


def run(settings: Settings, low: int, high: int) -> Result:
    """Digit `low` (-1) against `high` (+1), with the official test set."""
    trials, times = (2, TIMES[:3]) if settings.quick else (5, TIMES)
    data = load("mnist").only(low, high)
    source = Images(data.train.points, data.train.signs(high).astype(int), label_rate=glz.MNIST.label_rate)
    test, truth = data.test.points, data.test.signs(high)
    errors: dict[Way, Errors] = {way: {} for way in Way}
    for trial in range(trials):
        settings.tick(f"stream {trial + 1} of {trials}")
        stream = source.stream(max(times), settings.seed + trial)
        for t in times:
            for name, model in (
                (glz.BATCH, glz.MNIST.batch()),
                (glz.LABELLED_ONLY, glz.MNIST.labelled_only()),
            ):
                wrong = glz.error(model.fit(*glz.seen(stream, t)).margins(test), truth)
                for way in Way:
                    note(errors[way], name, t, wrong)
        for way in Way:
            for method in glz.METHODS:
                learner = way.learner(glz.MNIST, method)
                for t in glz.learn_up_to(learner, stream, times):
                    note(errors[way], method, t, glz.error(way.function(learner)(test), truth))
    name = f"MNIST {low} vs {high}"
    columns = {way.title: errors[way] for way in (Way.PRINTED, Way.RECOMMENDED)}
    figures: dict[str, Callable[[Any], None]] = {
        f"{name}: test error over T": lambda figure: panels(figure, columns, "test error")
    }
    return Result(
        glz.rows_of(name, errors, "test error"),
        _claims(errors, max(times), ALLOWED[low, high]),
        figures,
        NOTES,
    )


NOTES = [
    "256 pixels between 0 and 1; sigma_K = 2.5, sigma = 0.7, lambda_1 = 0.01, lambda_2 = 0.1; 2 % of the "
    "labels; the official test set. RPtree PPK, which the paper leaves out because its covariances are "
    "singular, runs here with covariances of low rank.",
    "A support vector machine on the labelled points alone is as good as batch manifold regularisation "
    "on these digits. They show that online learning keeps up with batch learning, and not that unlabelled "
    "points help.",
]


def _claims(errors: dict[Way, Errors], last: int, allowed: float) -> list[Claim]:
    printed, ours = errors[Way.PRINTED], errors[Way.RECOMMENDED]
    batch, alone = mean(printed, glz.BATCH, last), mean(printed, glz.LABELLED_ONLY, last)
    kept, plain = mean(printed, glz.BUFFER_U, last), mean(printed, glz.BUFFER, last)
    best = mean(ours, glz.BUFFER_U, last)
    return [
        Claim(
            f"buffer-U (recommended steps, f_T) at T = {last}: at most {allowed:g} above batch MR",
            best <= batch + allowed,
            f"buffer-U {best:.4f}, batch {batch:.4f}",
            threshold=f"at most batch + {allowed:g}",
            full=True,
            ours=True,
        ),
        Claim(
            "buffer-U can be much better than buffer (printed steps, f-bar)",
            kept < plain / 2,
            f"buffer-U {kept:.4f}, buffer {plain:.4f}",
            threshold="below half of buffer's error",
            reason="f-bar is an average over all steps, the first ones too",
            full=True,
        ),
        Claim(
            "buffer-U consistently achieves test accuracy comparable to batch MR (printed steps, f-bar: "
            "at most .02 above)",
            kept <= batch + 0.02,
            f"buffer-U {kept:.4f}, batch {batch:.4f}",
            threshold="at most batch + .02",
            reason="f-bar averages over the poor functions of the first steps; the last one, f_T, is as good as batch",
            full=True,
        ),
        Claim(
            "the performance of RPtree is no better than buffer-U",
            mean(printed, glz.TREE, last) >= kept and mean(ours, glz.TREE, last) >= best,
            f"printed: RPtree {mean(printed, glz.TREE, last):.4f}, buffer-U {kept:.4f}; recommended: RPtree "
            f"{mean(ours, glz.TREE, last):.4f}, buffer-U {best:.4f}",
            threshold="RPtree no lower in either",
            full=True,
        ),
        Claim(
            "unlabelled points help batch MR here (it beats a machine on the labelled points by a tenth)",
            batch <= 0.9 * alone,
            f"batch MR {batch:.4f}, labelled only {alone:.4f}",
            threshold="at most .9 of the error without them",
            reason="on these digits a machine on the labelled points alone is as good",
            full=True,
            ours=True,
        ),
    ]


EXPERIMENTS = {
    f"glz2008-mnist{low}{high}": Experiment(
        f"glz2008-mnist{low}{high}",
        f"MNIST {low} against {high}: error of online and batch manifold regularisation",
        glz.PAPER,
        ("mnist",),
        partial(run, low=low, high=high),
    )
    for low, high in ((0, 1), (1, 2))
}
