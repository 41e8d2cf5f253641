"""scikit-learn's LabelSpreading in a process of its own, so that the demo goes on meanwhile.

Importing scikit-learn with its pandas and scipy.stats takes longer than all that the demo computes. Nothing else of the
demo needs it. The file is a program, too: it imports nothing of this package.
"""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import suppress
from typing import IO, Any, Self

import numpy as np

NEIGHBOURS, ROUNDS = 5, 200


def shares(points: Any, labels: Any, draws: Any) -> list[float]:
    """For each row of draws the share of all points that is named right, when the labels of that row are given.

    As many neighbours as our graph has, and otherwise scikit-learn's own defaults.
    """
    from sklearn.semi_supervised import LabelSpreading

    found = []
    for drawn in draws:
        given = np.full(len(points), -1)
        given[drawn] = labels[drawn]
        model = LabelSpreading(kernel="knn", n_neighbors=NEIGHBOURS, max_iter=ROUNDS).fit(points, given)
        found.append(float(np.mean(model.transduction_ == labels)))
    return found


class Aside:
    """The process: it imports as soon as it is made, computes when it is given something, and ends with the block."""

    def __init__(self) -> None:
        # -P: the folder of this file has modules whose names others use, such as `report`.
        command = [sys.executable, "-P", __file__]
        try:
            self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError:  # no more processes, or an interpreter that is no program: then it is done here
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        process = self._process
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    _close(pipe)

    def begin(self, points: Any, labels: Any, draws: Any) -> None:
        """Hand it the work.

        Parameters
        ----------
        points
            One row for each point.
        labels
            The class of each.
        draws
            One row for each draw: the positions of the labels that are given.
        """
        self._work = (points, labels, draws)
        if self._process is None or self._process.stdin is None:
            return
        message = io.BytesIO()
        np.savez(message, points=points, labels=labels, draws=draws)
        with suppress(OSError):  # it ended
            self._process.stdin.write(message.getvalue())
        _close(self._process.stdin)

    def found(self) -> list[float] | None:
        """What came of it; computed here if the process failed, and None where scikit-learn cannot be imported."""
        process = self._process
        if process is not None and process.stdout is not None:
            said = process.stdout.read().split()
            if process.wait() == 0 and len(said) == len(self._work[2]):
                return [float(number) for number in said]
        try:
            return shares(*self._work)
        except ImportError:
            return None


def _close(pipe: IO[bytes]) -> None:
    with suppress(OSError):  # what was not written yet cannot be
        pipe.close()


def _main() -> None:
    sys.modules["pandas"] = None  # type: ignore[assignment]  # a quarter of the import, and nothing here has a table
    import sklearn.semi_supervised  # noqa: F401  # while the other process still prepares the work

    with np.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False) as work:
        print(*shares(work["points"], work["labels"], work["draws"]))


if __name__ == "__main__":
    _main()
