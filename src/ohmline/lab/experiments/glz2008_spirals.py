"""Paper 003, Figure 4(a): generalisation error on two spirals; and its Figure 1."""

from __future__ import annotations

from typing import Any

from ohmline.game.vectors import Spirals
from ohmline.lab.experiment import Claim, Experiment, Result, Settings
from ohmline.lab.experiments import glz2008 as glz
from ohmline.lab.experiments.glz2008 import Errors, Way, mean, note
from ohmline.lab.experiments.glz2008_figures import boundaries, panels
from ohmline.lab.experiments.glz2008_tree import draw_tree, swiss_roll

TIMES = (500, 1000, 2000, 4000, 8000)
PICTURE_AT = 2000
BUFFERS = (glz.BUFFER, glz.BUFFER_U)


def run(settings: Settings) -> Result:
    """Every method over increasing T, at the printed and at the recommended steps."""
    trials, slow = 10, 2 if settings.quick else 5
    source = Spirals(label_rate=glz.SPIRALS.label_rate)
    errors: dict[Way, Errors] = {way: {} for way in Way}
    for trial in range(trials):
        settings.tick(f"stream {trial + 1} of {trials}")
        seed = settings.seed + trial
        stream, (test, truth) = source.stream(max(TIMES), seed), source.at(0, 2000, seed)
        if trial < slow:
            for t in [t for t in TIMES if t <= (1000 if settings.quick else 4000)]:
                f = glz.SPIRALS.batch().fit(*glz.seen(stream, t))
                for way in Way:
                    note(errors[way], glz.BATCH, t, glz.error(f.margins(test), truth))
        for way in Way:
            for method in glz.METHODS:
                if trial >= slow and (method == glz.BASIC or (settings.quick and method not in BUFFERS)):
                    continue
                # The paper stops basic online MR at 4000 as well: its cost is cubic.
                times = [t for t in TIMES if method != glz.BASIC or t <= (2000 if settings.quick else 4000)]
                learner = way.learner(glz.SPIRALS, method)
                for t in glz.learn_up_to(learner, stream, times):
                    note(errors[way], method, t, glz.error(way.function(learner)(test), truth))
        bare = Way.RECOMMENDED.learner(glz.SPIRALS, glz.BUFFER_U, lambda_2=0.0)
        for t in glz.learn_up_to(bare, stream, TIMES):
            note(errors[Way.RECOMMENDED], glz.NO_GRAPH, t, glz.error(bare.function(test), truth))
    rows = glz.rows_of("spirals", errors, "test error")
    return Result(rows, _claims(errors), _figures(errors, settings.seed), NOTES)


NOTES = [
    "Two spirals of 1.5 turns, inner radius 0.12, noise 0.02; 2 % of the labels; sigma_K = 0.08, sigma = "
    "0.05, lambda_1 = 1e-4, lambda_2 = 1; test sets of 2000. Batch MR is solved for its exact minimiser.",
    "Printed steps: gamma / sqrt(t) with gamma = 0.1 (0.03 for trees), judged by the averaged f-bar. "
    "Recommended: proximal steps, gamma = 1, judged by the latest f_T.",
]


def _claims(errors: dict[Way, Errors]) -> list[Claim]:
    printed, ours = errors[Way.PRINTED], errors[Way.RECOMMENDED]

    last = {m: mean(printed, m, max(printed[m])) for m in glz.METHODS}
    batch_first = all(mean(printed, glz.BATCH, 1000) <= mean(printed, m, 1000) for m in glz.METHODS)
    at_2000, at_4000 = mean(ours, glz.BUFFER_U, 2000), mean(ours, glz.BUFFER_U, 4000)
    worse = mean(ours, glz.NO_GRAPH, 2000) - at_2000
    return [
        Claim(
            "all the online methods perform nearly as well as batch MR (Figure 4a, printed steps, f-bar)",
            max(last.values()) <= 0.02,
            "error at the largest T: " + ", ".join(f"{m} {v:.4f}" for m, v in last.items()),
            threshold="every method at most .02 at the largest T",
        ),
        Claim(
            "batch MR makes the most efficient use of the data and reaches 0 test error first",
            batch_first and mean(printed, glz.BATCH, 1000) <= 0.001,
            f"at T = 1000: batch {mean(printed, glz.BATCH, 1000):.4f}, basic online "
            f"{mean(printed, glz.BASIC, 1000):.4f}",
            threshold="no method below batch at T = 1000, and batch at most .001",
        ),
        Claim(
            "recommended steps, buffer-U, f_T: error at most .01 at T = 2000 and .002 at 4000",
            at_2000 <= 0.01 and at_4000 <= 0.002,
            f"{at_2000:.4f} and {at_4000:.4f}",
            threshold="at most .01 and .002",
            ours=True,
        ),
        Claim(
            "unlabelled points pay here: without the graph (lambda_2 = 0) the error at 2000 is .04 higher",
            worse >= 0.04,
            f"{mean(ours, glz.NO_GRAPH, 2000):.4f} against {at_2000:.4f}",
            threshold="at least .04 higher",
            ours=True,
        ),
    ]


def _figures(errors: dict[Way, Errors], seed: int) -> dict[str, Any]:
    columns = {way.title: errors[way] for way in (Way.PRINTED, Way.RECOMMENDED)}

    def picture(figure: Any) -> None:
        stream = Spirals(label_rate=glz.SPIRALS.label_rate).stream(PICTURE_AT, seed)
        points, labels = glz.seen(stream, PICTURE_AT)
        functions: dict[str, Any] = {
            "labelled points only": glz.SPIRALS.labelled_only().fit(points, labels).margins,
            f"batch MR, T = {PICTURE_AT}": glz.SPIRALS.batch().fit(points, labels).margins,
        }
        kept = {}
        for method in (glz.BUFFER_U, glz.TREE):
            learner = Way.RECOMMENDED.learner(glz.SPIRALS, method)
            for _ in glz.learn_up_to(learner, stream, [PICTURE_AT]):
                functions[f"{method}, T = {PICTURE_AT}"] = learner.function
                kept[f"{method}, T = {PICTURE_AT}"] = learner.function.points
        boundaries(figure, functions, points, labels, kept)

    return {
        "Test error over T": lambda figure: panels(figure, columns, "test error"),
        "Decision boundaries, and the basis that each method keeps": picture,
        "A random projection tree on the swiss roll (Figure 1)": lambda figure: draw_tree(
            figure, *swiss_roll(1500, 75, seed)
        ),
    }


EXPERIMENTS = {
    "glz2008-spirals": Experiment(
        "glz2008-spirals",
        "Two spirals: error of online and batch manifold regularisation",
        glz.PAPER,
        (),
        run,
    )
}
