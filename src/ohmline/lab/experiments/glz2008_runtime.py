"""Paper 003, Figure 2: how run time grows with T."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ohmline.data import is_here, load
from ohmline.game import Stream, play
from ohmline.game.images import Images
from ohmline.game.vectors import Spirals, VectorSource
from ohmline.lab.experiment import Claim, Experiment, Result, Row, Settings
from ohmline.lab.experiments import glz2008 as glz
from ohmline.lab.experiments.glz2008 import Task, Way
from ohmline.lab.experiments.glz2008_figures import legend_below, look

Seconds = dict[str, dict[int, float]]
"""Method -> T -> seconds."""

LONG = 64_000


def run(settings: Settings) -> Result:
    """Processor seconds on one stream, for batch MR from scratch and for the online methods."""
    tasks: list[tuple[Task, str, VectorSource]] = [(glz.SPIRALS, "spirals", Spirals())]
    notes = list(NOTES)
    if is_here("mnist"):
        data = load("mnist").only(0, 1).train
        tasks.append((glz.MNIST, "MNIST 0 vs 1", Images(data.points, data.signs(1).astype(int))))
    else:
        notes.append("MNIST is not at hand (ohmline data get mnist), so its panel is left out.")
    growth = {}
    for task, name, source in tasks:
        settings.tick(name)
        growth[name] = _measure(task, source, settings)
    settings.tick(f"{LONG} points")
    wrong, finite = _long_run(settings.seed)
    rows = [
        Row(name, method, f"seconds, T = {t}", seconds)
        for name, table in growth.items()
        for method, by_time in table.items()
        for t, seconds in by_time.items()
    ]
    rows.append(Row("spirals", "buffer-U, recommended steps, f_T", f"test error, T = {LONG}", wrong))
    claims = _claims(growth["spirals"])
    claims.append(
        Claim(
            f"after {LONG:,} points everything is finite and the error on the spirals at most .005",
            finite and wrong <= 0.005,
            f"error {wrong:.4f}",
            threshold="all scores finite, error at most .005",
            ours=True,
        )
    )
    figures: dict[str, Callable[[Any], None]] = {"Run time over T": lambda figure: _curves(figure, growth)}
    return Result(rows, claims, figures, notes)


NOTES = [
    "Processor seconds of one thread, compiled code warm; online methods: fastest of three runs over one "
    "stream, printed steps. Batch MR is one fit from scratch at each T. The paper's times are MATLAB's.",
    "Basic online MR costs t times the weights that are not zero per step, which with a fixed graph width "
    "is cubic in all and not quadratic; the tree is linear because its leaves are limited.",
]


def _measure(task: Task, source: VectorSource, settings: Settings) -> Seconds:
    largest = {glz.BATCH: 2000, glz.BASIC: 2000} if settings.quick else {glz.BATCH: 4000, glz.BASIC: 4000}
    times = [500 * 2**k for k in range(5 if settings.quick else 6)]
    stream = source.stream(max(times), settings.seed)
    _batch(task, stream, 200)  # what it imports is not on the clock
    table: Seconds = {glz.BATCH: {t: _batch(task, stream, t) for t in times if t <= largest[glz.BATCH]}}
    for method in glz.METHODS:
        play(Way.PRINTED.learner(task, method), stream.take(50))  # compiled before the clock starts
        wanted = [t for t in times if t <= largest.get(method, max(times))]
        runs = [_online(task, method, stream, wanted) for _ in range(1 if method == glz.BASIC else 3)]
        table[method] = {t: min(run[k] for run in runs) for k, t in enumerate(wanted)}
    return table


def _batch(task: Task, stream: Stream, t: int) -> float:
    points, labels = glz.seen(stream, t)
    start = time.process_time()
    task.batch().fit(points, labels)
    return time.process_time() - start


def _online(task: Task, method: str, stream: Stream, times: list[int]) -> list[float]:
    """Seconds up to each of `times`, in one pass."""
    learner, spent, start, found = Way.PRINTED.learner(task, method), 0.0, 0, []
    for stop in times:
        part = stream.ordered(range(start, stop))
        clock = time.process_time()
        play(learner, part)
        spent += time.process_time() - clock
        found.append(spent)
        start = stop
    return found


def _long_run(seed: int) -> tuple[float, bool]:
    learner = Way.RECOMMENDED.learner(glz.SPIRALS, glz.BUFFER_U)
    play(learner, Spirals().stream(LONG, seed))
    test, truth = Spirals().at(0, 2000, seed)
    scores = learner.function(test)
    return glz.error(scores, truth), bool(np.isfinite(scores).all())


def _claims(seconds: Seconds) -> list[Claim]:
    def doubling(method: str) -> tuple[int, float]:
        """The largest T measured, and by how much its time exceeds that of T / 2."""
        last = max(seconds[method])
        return last, seconds[method][last] / max(seconds[method][last // 2], 1e-9)

    claims = []
    for method in (glz.BUFFER, glz.BUFFER_U, glz.TREE, glz.TREE_PPK):
        ratio = seconds[method][8000] / max(seconds[method][4000], 1e-9)
        claims.append(
            Claim(
                f"{method} is linear: time(8000) / time(4000) at most 2.3",
                ratio <= 2.3,
                f"{ratio:.2f}",
                threshold="a ratio of at most 2.3",
            )
        )
    for method, name in ((glz.BATCH, "batch MR"), (glz.BASIC, "basic online MR")):
        last, ratio = doubling(method)
        claims.append(
            Claim(
                f"{name} grows at least quadratically (a factor of 3.5 or more as T doubles)",
                ratio >= 3.5,
                f"{ratio:.2f} from T = {last // 2} to {last}",
                threshold="a ratio of at least 3.5",
            )
        )
    cheaper = seconds[glz.BUFFER][2000] < seconds[glz.BATCH][2000]
    claims.append(
        Claim(
            "online MR scales better than batch MR in time (at T = 2000, anytime, against one batch fit)",
            cheaper,
            f"buffer {seconds[glz.BUFFER][2000]:.3f} s, batch {seconds[glz.BATCH][2000]:.3f} s",
            threshold="buffer faster than batch at T = 2000",
        )
    )
    return claims


def _curves(figure: Any, growth: dict[str, Seconds]) -> None:
    figure.set_size_inches(5.2 * max(len(growth), 1.4), 4.8)
    axes = figure.subplots(1, len(growth), squeeze=False)[0]
    for place, (name, table) in zip(axes, growth.items(), strict=True):
        for method, by_time in table.items():
            place.plot(list(by_time), list(by_time.values()), label=method, **look(method))
        place.set_xscale("log", base=2)
        place.set_yscale("log")
        times = sorted({t for by_time in table.values() for t in by_time})
        place.set_xticks(times)
        place.minorticks_off()
        place.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        grid = np.array(times[-2:], dtype=float)
        low = 0.1 * table[glz.BUFFER][times[-2]]
        for power, text in ((1, "T"), (2, "T²"), (3, "T³")):
            heights = low * (grid / grid[0]) ** power
            place.plot(grid, heights, color="#c3c9d4", linewidth=1.0, zorder=1)
            place.annotate(
                text, (grid[1], heights[1]), xytext=(4, 0), textcoords="offset points", color="#9aa2b1",
                fontsize=9, va="center", annotation_clip=False,
            )  # fmt: skip
        place.set_xlabel("T, points seen")
        place.set_ylabel("processor seconds")
        place.set_title(name, loc="left")
    legend_below(figure, axes)


EXPERIMENTS = {
    "glz2008-runtime": Experiment(
        "glz2008-runtime", "Run time of online and batch manifold regularisation", glz.PAPER, (), run
    )
}
