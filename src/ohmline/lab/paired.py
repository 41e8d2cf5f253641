"""Whether one method errs less than another over the same shuffles, by a test where there are runs enough for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.arrays import vector
from ohmline.errors import ParameterError

FEWEST = 5
"""Below this many runs no test is made: the spread of so few says next to nothing."""
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Paired:
    """The mean gain over the runs, and the p-value of the paired t-test; None where there are too few runs."""

    gain: float
    p: float | None
    runs: int

    @property
    def better(self) -> bool:
        """Lower on average, and by the test where one was made."""
        return self.gain > 0 and (self.p is None or self.p < LEVEL)

    @property
    def rule(self) -> str:
        """What `better` asks for, in words."""
        if self.p is None:
            return f"a lower mean over {self.runs} runs; a test needs {FEWEST}"
        return f"a lower mean, and p < {LEVEL:g} in a paired t-test over {self.runs} runs"

    def __str__(self) -> str:
        tested = f"no test with {self.runs} runs" if self.p is None else f"p = {self.p:.1g}, {self.runs} runs"
        return f"lower by {self.gain:.4f} ({tested})"


def paired(worse: Any, better: Any) -> Paired:
    """Compare two lists of errors, run by run; a test is made from `FEWEST` runs on.

    >>> paired([0.3, 0.4, 0.5], [0.1, 0.2, 0.3])
    Paired(gain=0.2, p=None, runs=3)
    """
    first = vector(worse, "the errors of one method")
    second = vector(better, "the errors of the other method", length=len(first))
    gain = round(float(np.mean(first - second)), 12)
    enough = len(first) >= FEWEST
    return Paired(gain, t_test(first, second) if enough else None, len(first))


def t_test(first: Any, second: Any) -> float:
    """The p-value of the paired t-test; refused below `FEWEST` runs."""
    from scipy import stats

    if len(first) < FEWEST:
        raise ParameterError(f"a paired t-test needs at least {FEWEST} runs, got {len(first)}; play more")
    gains = np.asarray(first) - np.asarray(second)
    if np.ptp(gains) <= 1e-12 * np.abs(gains).max():  # the test would divide by 0
        return float(not gains.any())
    return float(stats.ttest_rel(first, second).pvalue)
