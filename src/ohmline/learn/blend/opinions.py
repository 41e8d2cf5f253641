"""What each member says of a thing, in the classes of the blend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from ohmline.arrays import AnyArray, Floats
from ohmline.learn.belief import TellsChances
from ohmline.learn.blend.ways import Opinions, evened
from ohmline.learn.contract import OnlineLearner
from ohmline.learn.predictions import Predictions


def opinions_on(
    members: Sequence[OnlineLearner[Any, Any]],
    tells: Sequence[bool],
    x: Any,
    codes: dict[Any, int],
    chances: bool,
) -> Opinions:
    """What the members say of one thing; without `chances` their probabilities are even.

    `tells` says which of them are `TellsChances`: to look is slower than to ask.
    """
    said = np.full((len(members), 1), -1)
    table = np.full((len(members), 1, len(codes)), 1 / max(len(codes), 1))
    for k, member in enumerate(members):
        if not chances:
            said[k, 0] = codes.get(member.predict_one(x), -1)
        elif tells[k]:
            told = cast(TellsChances, member).predict_proba_one(x)
            if told:
                table[k, 0], said[k, 0] = _row(told, codes), codes.get(max(told, key=told.__getitem__), -1)
        else:
            said[k], table[k] = _rows(member.predict_many([x]), codes)
    return Opinions(said, evened(table))


def opinions_on_many(
    members: Sequence[OnlineLearner[Any, Any]], things: Any, codes: dict[Any, int], n: int
) -> tuple[Opinions, Sequence[Any] | None]:
    """What the members say of many things, and the labels that the first member to remember them was given."""
    said = np.empty((len(members), n), np.int64)
    table = np.empty((len(members), n, len(codes)))
    labels: Sequence[Any] | None = None
    for k, member in enumerate(members):
        told = member.predict_many(things)
        said[k], table[k] = _rows(told, codes)
        labels = told.labels if labels is None else labels
    return Opinions(said, evened(table)), labels


def _row(told: dict[Any, float], codes: dict[Any, int]) -> Floats:
    row = np.zeros(len(codes))
    for label, chance in told.items():
        if label in codes:
            row[codes[label]] = chance
    return _normalised(row[None])[0]


def _rows(table: Predictions, codes: dict[Any, int]) -> tuple[AnyArray, Floats]:
    """The predictions and the probabilities of a table, in the classes of the blend."""
    column = np.array([codes.get(label, -1) for label in table.classes], dtype=np.int64)
    said = np.where(table.codes < 0, -1, np.append(column, -1)[table.codes])
    rows = np.zeros((len(table), len(codes)))
    there = np.flatnonzero(column >= 0)
    rows[:, column[there]] = table.probabilities[:, there]
    rows[table.codes < 0] = 0.0
    return said, _normalised(rows)


def _normalised(rows: Floats) -> Floats:
    """Rows that sum to 1: even ones where nothing is known."""
    total = rows.sum(axis=1, keepdims=True)
    even = np.full_like(rows, 1 / max(rows.shape[1], 1))
    return np.divide(rows, total, out=even, where=total > 0)
