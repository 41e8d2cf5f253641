"""Online manifold regularisation: points per second, and whether a point costs the same after very many."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from ohmline.arrays import Floats
from ohmline.game import Spirals, Stream, play
from ohmline.kernel import RBF
from ohmline.lab.bench import Bench, Measured, side_by_side, target
from ohmline.learn.manifold import Buffer, Manifold, OnlineManifold, Proximal

SIZE = 300
FLAT_MICROSECONDS, HIGH_MICROSECONDS = 5.0, 15.0
"""That a point may take with a full buffer in 2 and in 256 dimensions, on a quiet machine."""
LABEL_RATE = 0.02


@final
class NumpyBuffer:
    """The buffered algorithm (buffer-U, proximal steps) in NumPy, with the Gram matrix kept.

    Literal, it holds the points in their order, as the paper writes them: one leaves, one is
    appended. `in_place` is as good as NumPy gets: the newcomer overwrites the slot of the one that
    leaves.
    """

    def __init__(
        self, kernel: float, graph: float, lambda_1: float, lambda_2: float, *, dimension: int, in_place: bool
    ) -> None:
        self.kernel, self.graph, self.lambda_1, self.lambda_2 = kernel, graph, lambda_1, lambda_2
        self.in_place = in_place
        self.points, self.labels = np.zeros((0, dimension)), np.zeros(0, dtype=np.int64)
        self.gram, self.alpha, self.mean = np.zeros((0, 0)), np.zeros(0), np.zeros(0)
        self.born, self.t = np.zeros(0, dtype=np.int64), 0

    def f(self, x: Floats) -> float:
        """The value at `x`."""
        k = np.exp(-np.sum((self.points - x) ** 2, axis=1) / (2 * self.kernel**2))
        return float(self.alpha @ k)

    def learn(self, x: Floats, y: int) -> float:
        """One trial; `y` is 0 without a label. Returns f(x) before it."""
        self.t += 1
        self.mean += (self.alpha - self.mean) / self.t
        sq = np.sum((self.points - x) ** 2, axis=1)
        k = np.exp(-sq / (2 * self.kernel**2))
        w = np.exp(-sq / (2 * self.graph**2)) * max((self.t - 1) / max(len(k), 1), 1.0)
        w *= min(1.0, 0.5 / LABEL_RATE / max(float(np.sum(w)), 1e-300))
        values, here, eta = self.gram @ self.alpha, float(self.alpha @ k), 1 / np.sqrt(self.t)
        step = eta * self.lambda_2 / (1 + eta * self.lambda_2 * np.sum(4 * w * (1 - k)))
        pull = 2 * step * (values - here) * w
        alpha, new = self.alpha / (1 + eta * self.lambda_1) - pull, float(np.sum(pull))
        if y:
            new += y * min(eta / LABEL_RATE, max(1 - y * float(alpha @ k + new), 0.0))
        if len(k) == SIZE:
            plain = np.flatnonzero(self.labels == 0)
            old = plain if len(plain) else np.arange(SIZE)
            out = int(old[np.argmin(self.born[old])])
            gone = (self.gram[out].copy(), alpha[out], self.mean[out])
            slot = (
                self._overwrite(out, x, y, k, alpha, new)
                if self.in_place
                else self._shift(out, x, y, k, alpha, new)
            )
            residual = gone[0] if self.in_place else np.append(np.delete(gone[0], out), 0.0)
            residual[slot] = np.exp(-sq[out] / (2 * self.kernel**2))
            self._spread(residual, gone[1], gone[2])
        else:
            self._append(x, y, k, alpha, new)
        return here

    def _append(self, x: Floats, y: int, k: Floats, alpha: Floats, new: float) -> None:
        self.points, self.labels = np.vstack([self.points, x]), np.append(self.labels, y)
        self.gram = np.block([[self.gram, k[:, None]], [k[None], np.ones((1, 1))]])
        self.alpha, self.mean = np.append(alpha, new), np.append(self.mean, 0.0)
        self.born = np.append(self.born, self.t)

    def _shift(self, out: int, x: Floats, y: int, k: Floats, alpha: Floats, new: float) -> int:
        """Take the point out of every array and append the new one."""
        stay = np.delete(np.arange(SIZE), out)
        self.points, self.labels, self.born = self.points[stay], self.labels[stay], self.born[stay]
        self.gram, self.mean = self.gram[np.ix_(stay, stay)], self.mean[stay]
        self._append(x, y, k[stay], alpha[stay], new)
        return SIZE - 1

    def _overwrite(self, out: int, x: Floats, y: int, k: Floats, alpha: Floats, new: float) -> int:
        """Put the new point where the old one was."""
        k[out], alpha[out], self.mean[out] = 1.0, new, 0.0
        self.gram[out], self.gram[:, out] = k, k
        self.points[out], self.labels[out], self.born[out], self.alpha = x, y, self.t, alpha
        return out

    def _spread(self, residual: Floats, share: float, share_mean: float) -> None:
        """Matching pursuit of the function that left."""
        norm = 1.0
        for _ in range(20):
            if norm <= 0.25:
                break
            best = int(np.argmax(np.abs(residual)))
            c = residual[best]
            self.alpha[best] += c * share
            self.mean[best] += c * share_mean
            residual -= c * self.gram[best]
            norm -= c * c


def flat_clouds(trials: int, seed: int) -> tuple[Floats, Any]:
    """Two clouds of dimension 8 inside 256 dimensions, about as far apart as handwritten digits are."""
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(trials) < 0.5, 1, -1)
    sheet = np.random.default_rng(0).standard_normal((9, 256)) / 16
    inside = np.column_stack([2.5 * labels, rng.standard_normal((trials, 8))])
    return inside @ (1.5 * sheet) + 0.1 * rng.standard_normal((trials, 256)), labels


def learner(kernel: float, graph: float, lambda_1: float, lambda_2: float) -> OnlineManifold:
    """The learner that the literal loop computes."""
    return OnlineManifold(
        RBF(kernel),
        Buffer(SIZE, keep="labelled"),
        smoothness=Manifold(graph),
        step=Proximal(),
        label_rate=LABEL_RATE,
        lambda_1=lambda_1,
        lambda_2=lambda_2,
    )


def against_references(
    points: Floats, labels: Any, settings: tuple[float, float, float, float]
) -> dict[str, float]:
    """Microseconds per point with a full buffer: ours, NumPy twice, scikit-learn."""
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.linear_model import SGDClassifier

    shown = np.random.default_rng(1).random(len(points)) < LABEL_RATE
    signs = np.where(shown, labels, 0)
    warm, few, many = slice(0, 600), slice(600, 900), slice(600, len(points))
    ours = learner(*settings)
    play(ours, Stream(points[warm], labels[warm], revealed=shown[warm]))
    loops = [NumpyBuffer(*settings, dimension=points.shape[1], in_place=flag) for flag in (False, True)]
    for loop in loops:
        for x, y in zip(points[warm], signs[warm], strict=True):
            loop.learn(x, int(y))
    apart = max(abs(loop.f(x) - ours.margin_one(x)) for loop in loops for x in points[few][:50])
    sampler = RBFSampler(gamma=1 / (2 * settings[0] ** 2), n_components=SIZE, random_state=0).fit(points[:1])
    linear = SGDClassifier(loss="hinge", random_state=0)
    linear.partial_fit(sampler.transform(points[:1]), labels[:1], classes=[-1, 1])
    stream = Stream(points[many], labels[many], revealed=shown[many])

    def in_numpy(loop: NumpyBuffer) -> None:
        for x, y in zip(points[few], signs[few], strict=True):
            loop.learn(x, int(y))

    def with_sklearn() -> None:
        for t in range(few.start, few.stop):
            linear.partial_fit(sampler.transform(points[t : t + 1]), labels[t : t + 1])

    seconds = side_by_side(
        lambda: play(ours, stream), lambda: in_numpy(loops[0]), lambda: in_numpy(loops[1]), with_sklearn
    )
    ours_us, literal, tuned, sklearn = (
        1e6 * s / n for s, n in zip(seconds, (len(stream), 300, 300, 300), strict=True)
    )
    return {
        "ours_us": ours_us,
        "numpy_us": literal,
        "numpy_in_place_us": tuned,
        "sklearn_us": sklearn,
        "largest_difference": apart,
    }


def flatness(settings: tuple[float, float, float, float]) -> dict[str, float]:
    """The cost of a point around the 10,000th and the 100,000th, and the size of the state there."""
    stream = Spirals(label_rate=LABEL_RATE).stream(112_000)
    model, chunk, cost, state = learner(*settings), 500, [], []
    for start in range(0, 112_000, chunk):
        cost.append(play(model, stream.ordered(range(start, start + chunk))).seconds / chunk)
        if start in (10_000, 100_000):
            state.append(sum(array.nbytes for array in model.snapshot().values()))
    early, late = min(cost[16:24]), min(cost[196:204])
    return {
        "at_10000_us": 1e6 * early,
        "at_100000_us": 1e6 * late,
        "state_bytes": state[0],
        "later": state[1],
    }


def manifold() -> Measured:
    """Points per second in 2 and 256 dimensions with a buffer of 300, on one thread."""
    spirals, clouds = (0.08, 0.05, 1e-4, 1.0), (2.5, 0.7, 0.01, 0.1)
    stream = Spirals().stream(20_000)
    flat = against_references(np.asarray(stream.nodes), np.array(stream.labels), spirals)
    high = against_references(*flat_clouds(8_000, 1), clouds)
    whole = [Spirals().stream(trials) for trials in (4000, 8000)]
    half, double = side_by_side(*(lambda stream=stream: play(learner(*spirals), stream) for stream in whole))
    level = flatness(spirals)
    ratios = {
        "numpy_2d": flat["numpy_us"] / flat["ours_us"],
        "numpy_256d": high["numpy_us"] / high["ours_us"],
        "numpy_in_place_2d": flat["numpy_in_place_us"] / flat["ours_us"],
        "numpy_in_place_256d": high["numpy_in_place_us"] / high["ours_us"],
        "sklearn_2d": flat["sklearn_us"] / flat["ours_us"],
        "sklearn_256d": high["sklearn_us"] / high["ours_us"],
    }
    return Measured(
        "manifold",
        min(ratios["numpy_2d"], ratios["numpy_256d"]),
        "a literal NumPy loop of the same algorithm, Gram matrix kept, in 2 and 256 dimensions (the worse)",
        {
            "points_per_second_2d": 1e6 / flat["ours_us"],
            "points_per_second_256d": 1e6 / high["ours_us"],
            "two_dimensions": flat,
            "high_dimension": high,
            "ratios": ratios,
            "flatness": level,
            "time_8000_over_4000": double / half,
            "targets": [
                target("microseconds a point, 2 dimensions", flat["ours_us"], most=FLAT_MICROSECONDS),
                target("microseconds a point, 256 dimensions", high["ours_us"], most=HIGH_MICROSECONDS),
                target("20 times the NumPy loop, 2 dimensions", ratios["numpy_2d"], least=20),
                target("20 times the NumPy loop, 256 dimensions", ratios["numpy_256d"], least=20),
                target("5 times scikit-learn, 2 dimensions", ratios["sklearn_2d"], least=5),
                target("5 times scikit-learn, 256 dimensions", ratios["sklearn_256d"], least=5),
                target(
                    "a point costs as much after 100,000 points as after 10,000",
                    level["at_100000_us"] / level["at_10000_us"],
                    most=1.1,
                ),
                target("the state does not grow", level["later"] / level["state_bytes"], most=1.0),
                target("8000 points take at most 2.3 times as long as 4000", double / half, most=2.3),
            ],
        },
    )


BENCHES: dict[str, Bench] = {"manifold": manifold}
