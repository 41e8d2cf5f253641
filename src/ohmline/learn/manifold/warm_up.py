"""The first points of a stream: kept until widths can be read off them, then learned in their order."""

from __future__ import annotations

import warnings
from typing import final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.learn.manifold.bandwidth import different, lopsided
from ohmline.learn.manifold.model import Functions, Model
from ohmline.learn.manifold.options import Options

WARM_UP = 100
"""Different points from which missing widths are read. They are kept and learned, none is lost."""
LONGEST_WARM_UP = 1000
"""Points after which the warm-up ends with however many different ones there were."""


@final
class WarmUp:
    """The points so far, and a draft of the model that predicts while their widths are open.

    Attributes
    ----------
    draft
        A model whose widths are from the first 2^k points and that has learned all; None until `redraft` makes it.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.draft: Model | None = None
        self._points: list[tuple[Floats, int]] = []
        self._different: set[bytes] = set()

    def __len__(self) -> int:
        return len(self._points)

    def keep(self, row: Floats, code: int) -> None:
        """Keep one more point with the code of its label."""
        self._points.append((row.copy(), code))
        self._different.add((row + 0.0).tobytes())  # -0.0 is 0.0

    def add(self, row: Floats, code: int) -> bool:
        """Keep one more point, and learn it in the draft; whether there are enough now."""
        if self.draft is not None:
            self.draft.learn(row, code)
        self.keep(row, code)
        n = len(self._points)
        if len(self._different) >= WARM_UP or n >= LONGEST_WARM_UP:
            return True
        if n & (n - 1) == 0:
            self.draft = None
        return False

    def keep_first(self, n: int) -> None:
        """As it was after the first n points."""
        points = self._points[:n]
        self._points, self._different, self.draft = [], set(), None
        for row, code in points:
            self.keep(row, code)

    def classes(self) -> Ints:
        """The codes of the labels, in the order in which they came."""
        return np.array(list(dict.fromkeys(y for _, y in self._points if y >= 0)), dtype=np.int64)

    def redraft(self, functions: Functions) -> bool:
        """Make the draft where it is missing; whether that was so."""
        if self.draft is not None or not self._points:
            return False
        self.draft = self._learned(1 << (len(self._points).bit_length() - 1), functions)
        return True

    def end(self, functions: Functions) -> Model:
        """The model with widths from all points, which has learned them; nothing is kept any more."""
        model, points = self._learned(len(self._points), functions), np.array([x for x, _ in self._points])
        _warn(points, self.options.standardise)  # before anything changes: a warning may be an error
        self._points.clear()
        self._different.clear()
        self.draft = None
        return model

    def renumber(self, number: Ints) -> None:
        """Give every label the code that `number` has at its place."""
        self._points = [(x, int(number[y])) for x, y in self._points]

    def arrays(self, dimension: int) -> tuple[Floats, Ints]:
        """The points, and the codes of their labels."""
        points = np.array([x for x, _ in self._points]).reshape(len(self._points), dimension)
        return points, np.array([y for _, y in self._points], dtype=np.int64)

    def _learned(self, first: int, functions: Functions) -> Model:
        """A model with widths from the `first` points that has learned them all."""
        points = different(np.array([x for x, _ in self._points[:first]]))
        model = Model.fit_widths(self.options, points, functions)
        for x, y in self._points:
            model.learn(x, y)
        return model


def _warn(points: Floats, standardise: bool) -> None:
    """Say where the widths that were read off these points cannot be trusted."""
    seen = different(points)
    if not np.any(np.ptp(seen, axis=0) ** 2 > 0):
        warnings.warn(
            f"the first {len(points)} points are all the same, so the widths are a guess; "
            "give them: OnlineManifold(RBF(width), smoothness=Manifold(width))",
            stacklevel=2,
        )
    wide = None if standardise else lopsided(seen)
    if wide is not None:
        warnings.warn(
            f"feature {wide[0]} spreads {wide[1]:.0f} times as far as the others, so it alone decides which points "
            "are near; scale the features, or pass standardise=True",
            stacklevel=2,
        )
