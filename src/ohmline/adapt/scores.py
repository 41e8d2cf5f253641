"""What every classifier adapter says about its certainty."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats
from ohmline.learn.manifold import Loss


def probabilities(scores: Floats, loss: Loss) -> Floats:
    """Turn scores into probabilities, row by row: softmax, at the scale of the loss.

    >>> probabilities(np.array([[-1.0, 1.0], [0.0, 0.0]]), Loss.HINGE).round(3)
    array([[0.119, 0.881], [0.5  , 0.5  ]])
    """
    scaled = scores / 2 if loss is Loss.LOGISTIC else scores  # for two classes: 1 / (1 + exp(-f))
    raised = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
