"""Paper 003, Figure 5: two spirals that turn, so that every place changes its label."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.game.vectors import Spirals
from ohmline.lab.experiment import Claim, Experiment, Result, Row, Settings
from ohmline.lab.experiments import glz2008 as glz
from ohmline.lab.experiments.glz2008 import Errors, note
from ohmline.lab.experiments.glz2008_figures import GREY, INK, LOOKS, boundaries, legend_below
from ohmline.lab.plot import PALETTE
from ohmline.learn.manifold import Buffer, OnlineManifold, Printed, Proximal

PERIOD = 4000
TIMES = tuple(range(500, 8001, 500))
SETTLED = 1000
"""Means are from here on: before, no method has enough labels."""

PRINTED = "buffer, printed step"
STEADY = "buffer, constant step"
REPLAYS = "buffer, constant step, replays"
KEEPS = "buffer-U"
COLOURS = {
    glz.BATCH: INK,
    KEEPS: LOOKS[glz.BUFFER_U][0],
    PRINTED: LOOKS[glz.BUFFER][0],
    STEADY: PALETTE[0],
    REPLAYS: PALETTE[3],
}


def learner_of(method: str) -> OnlineManifold:
    """The online methods: the paper's buffer, the recommended ones, and one that must fail."""
    newest = Buffer(glz.TAU, keep="newest")
    task = glz.SPIRALS
    if method == PRINTED:
        return task.learner(newest, Printed(0.1))
    if method == STEADY:
        return task.learner(newest, Proximal(0.3, decaying=False), drift=True)
    if method == REPLAYS:
        return task.learner(newest, Proximal(0.3, decaying=False, replays=5), drift=True)
    return task.learner(Buffer(glz.TAU, keep="labelled"), Proximal())


def run(settings: Settings) -> Result:
    """Test error at the present moment, over one and a half turns and more."""
    trials = 5
    source = Spirals(period=PERIOD, label_rate=glz.SPIRALS.label_rate)
    errors: Errors = {}
    batch_times = TIMES[1:4:2] if settings.quick else TIMES[:8]
    for trial in range(trials):
        settings.tick(f"stream {trial + 1} of {trials}")
        seed = settings.seed + trial
        stream = source.stream(max(TIMES), seed)
        tests = {t: source.at(t, 2000, seed) for t in TIMES}
        for t in batch_times if trial < (2 if settings.quick else 3) else ():
            f = glz.SPIRALS.batch().fit(*glz.seen(stream, t))
            note(errors, glz.BATCH, t, glz.error(f.margins(tests[t][0]), tests[t][1]))
        for method in (KEEPS, PRINTED, STEADY, REPLAYS):
            learner = learner_of(method)
            for t in glz.learn_up_to(learner, stream, TIMES):
                note(errors, method, t, glz.error(learner.function(tests[t][0]), tests[t][1]))
    settled = {
        m: [v for t, vs in by_time.items() if t >= SETTLED for v in vs] for m, by_time in errors.items()
    }
    rows = [Row.of("rotating spirals", m, f"mean test error, T >= {SETTLED}", v) for m, v in settled.items()]
    rows += [
        Row.of("rotating spirals", m, f"test error, T = {t}", v)
        for m, by_time in errors.items()
        for t, v in by_time.items()
    ]
    means = {m: float(np.mean(v)) for m, v in settled.items()}
    figures = {
        "Error at the present moment, while the spirals turn": lambda figure: _curves(figure, errors),
        "What each method believes after a turn and a half": lambda figure: _beliefs(figure, settings.seed),
    }
    return Result(rows, _claims(means), figures, NOTES)


NOTES = [
    f"The spirals turn by 360 degrees in {PERIOD} points; 2 % of the labels; each test set has 2000 points "
    "of the present moment; f_T throughout, as in the paper. Batch MR sees every point so far.",
    "buffer-U must not be used under drift: it keeps labels that have become wrong. "
    "OnlineManifold(drift=True) refuses it, and takes a plain buffer, a constant step and five replays a "
    "point by itself.",
]


def _claims(means: dict[str, float]) -> list[Claim]:
    return [
        Claim(
            "online MR (buffer) tracks the change and batch MR fails (printed step)",
            means[PRINTED] < means[glz.BATCH] / 1.5,
            f"mean error: buffer {means[PRINTED]:.3f}, batch {means[glz.BATCH]:.3f}",
            threshold="buffer below batch / 1.5",
        ),
        Claim(
            "online MR (buffer) maintains a small error rate at the printed step (at most .1)",
            means[PRINTED] <= 0.1,
            f"mean error {means[PRINTED]:.3f}",
            threshold="at most .1",
            reason="the printed step shrinks with time, and the spirals go on turning; a constant step follows them",
        ),
        Claim(
            "a constant proximal step brings the mean error to .06 or less",
            means[STEADY] <= 0.06,
            f"{means[STEADY]:.4f}",
            threshold="at most .06",
            ours=True,
        ),
        Claim(
            "with five replays it is .025 or less",
            means[REPLAYS] <= 0.025,
            f"{means[REPLAYS]:.4f}",
            threshold="at most .025",
            ours=True,
        ),
        Claim(
            "keeping the labelled points (buffer-U) fails under drift",
            means[KEEPS] > 0.2,
            f"mean error {means[KEEPS]:.3f}",
            threshold="above .2",
            ours=True,
        ),
    ]


def _curves(figure: Any, errors: Errors) -> None:
    figure.set_size_inches(8.6, 4.8)
    axes = figure.subplots()
    for method, by_time in errors.items():
        times = np.array(sorted(by_time))
        values = np.array([[np.mean(by_time[t]), np.std(by_time[t])] for t in times.tolist()])
        mean, std = values.T
        colour = COLOURS[method]
        marker = "s" if method == glz.BATCH else ""
        axes.plot(times, mean, color=colour, label=method, marker=marker)
        axes.fill_between(times, np.maximum(mean - std, 0), mean + std, color=colour, alpha=0.13, linewidth=0)
    axes.axhline(0.5, color=GREY, linestyle=":", linewidth=1)
    axes.annotate("a coin", (TIMES[-1], 0.5), ha="right", va="bottom", color=GREY, fontsize=9)
    turn = axes.secondary_xaxis("top", functions=(lambda t: t * 360 / PERIOD, lambda a: a * PERIOD / 360))
    turn.set_xticks(range(0, 721, 90), [f"{a}°" for a in range(0, 721, 90)])
    turn.set_xlabel("turned by")
    axes.set(
        xlim=(TIMES[0], TIMES[-1] + 60), ylim=(0, None), xlabel="T, points seen", ylabel="test error now"
    )
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    legend_below(figure, [axes])


def _beliefs(figure: Any, seed: int) -> None:
    at = 3 * PERIOD // 2
    stream = Spirals(period=PERIOD, label_rate=glz.SPIRALS.label_rate).stream(at, seed)
    points, labels = glz.seen(stream, at)
    functions: dict[str, Any] = {}
    kept = {}
    for title, method in (("buffer-U", KEEPS), ("buffer, printed step", PRINTED), ("drift=True", REPLAYS)):
        learner = learner_of(method)
        for _ in glz.learn_up_to(learner, stream, [at]):
            functions[title], kept[title] = learner.function, learner.function.points
    recent = at - glz.TAU
    boundaries(figure, functions, points[recent:], labels[recent:], kept)


EXPERIMENTS = {
    "glz2008-drift": Experiment(
        "glz2008-drift", "Rotating spirals: learning while the concept drifts", glz.PAPER, (), run
    )
}
