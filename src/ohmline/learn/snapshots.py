"""Snapshots: how a learner's arrays are read back, each checked before it is used."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.checks import shown
from ohmline.errors import SnapshotError

E = TypeVar("E", bound=Enum)
State = dict[str, AnyArray]
"""A snapshot: plain arrays by name, fit for `numpy.savez` without pickle."""


def take(state: State, kind: str, key: str) -> AnyArray:
    """One array of a snapshot, or an error that says what is missing."""
    if not isinstance(state, Mapping):
        raise SnapshotError(f"a snapshot is a dict of arrays, got {shown(state)}; give what snapshot() gave")
    if key not in state:
        names = ", ".join(sorted(map(str, state)))
        raise SnapshotError(f"the snapshot has no {key!r}, so it is not one of {kind}; it has {names:.200}")
    try:
        found = np.asarray(state[key])
    except Exception as error:  # a damaged file of arrays fails in many ways when it is read
        raise SnapshotError(f"{key!r} of the snapshot cannot be read ({error}); save it again") from None
    if found.dtype.kind not in "biufUS":
        raise SnapshotError(
            f"{key!r} of the snapshot holds {found.dtype}, not numbers or text; give what snapshot() gave"
        )
    return found


def saved_text(state: State, kind: str, key: str) -> str:
    """A string of a snapshot."""
    found = take(state, kind, key)
    if found.dtype.kind != "U" or found.ndim != 0:
        raise SnapshotError(f"{key!r} of the snapshot must be a string, got {shown(found)}")
    return str(
        found.item()
    )  # what str(array) gives is wrong for ever once Ctrl-C stopped NumPy in the midst of it


def saved_list(state: State, kind: str, key: str) -> list[Any]:
    """A list of strings and numbers, which a snapshot holds as JSON."""
    try:
        found = json.loads(saved_text(state, kind, key))
    except (ValueError, RecursionError) as error:
        raise SnapshotError(f"{key!r} of the snapshot cannot be read ({error}); save it again") from None
    if not isinstance(found, list) or not all(isinstance(y, str | int | float) and y == y for y in found):
        raise SnapshotError(
            f"{key!r} of the snapshot must be a list of strings or numbers, got {shown(found)}"
        )
    return found


def saved_number(state: State, kind: str, key: str) -> float:
    """A number of a snapshot, which may be infinite."""
    found = take(state, kind, key)
    if found.dtype.kind not in "iuf" or found.ndim != 0 or np.isnan(found):
        raise SnapshotError(f"{key!r} of the snapshot must be one number, got {shown(found)}")
    return float(found)


def saved_count(state: State, kind: str, key: str) -> int:
    """A whole number of a snapshot."""
    found = take(state, kind, key)
    if found.dtype.kind not in "iu" or found.ndim != 0:
        raise SnapshotError(f"{key!r} of the snapshot must be one whole number, got {shown(found)}")
    return int(found)


def saved_seed(state: State, kind: str) -> int:
    """The seed of a snapshot, which holds it as text because it may be of any size."""
    found = saved_text(state, kind, "seed")
    if not found.isdecimal():
        raise SnapshotError(
            f"'seed' of the snapshot must be a whole number of at least 0, got {shown(found)}"
        )
    try:
        return int(found)
    except ValueError as error:  # more digits than Python reads
        raise SnapshotError(f"'seed' of the snapshot cannot be read ({error}); save it again") from None


def saved_flag(state: State, kind: str, key: str) -> bool:
    """A flag of a snapshot."""
    found = take(state, kind, key)
    if found.dtype.kind != "b" or found.ndim != 0:
        raise SnapshotError(f"{key!r} of the snapshot must be True or False, got {shown(found)}")
    return bool(found)


def saved_member(state: State, kind: str, key: str, members: type[E]) -> E:
    """A member of an enum, by its value."""
    found = take(state, kind, key)
    try:
        return members(found.item() if found.ndim == 0 else found)
    except ValueError:
        values = ", ".join(repr(member.value) for member in members)
        raise SnapshotError(f"{key!r} of the snapshot must be one of {values}, got {shown(found)}") from None


def expect_place(state: State, kind: str, fingerprint: str, n: int) -> None:
    """Refuse a snapshot that was made over other nodes, another graph or another kernel."""
    saved = saved_count(state, kind, "n")
    if saved != n:
        raise SnapshotError(
            f"the snapshot is of {saved} nodes, the kernel has {n}; restore it over the kernel it was made with"
        )
    expect_fingerprint(state, kind, fingerprint)


def expect_fingerprint(state: State, kind: str, fingerprint: str) -> None:
    """Refuse a snapshot that was made over another graph or kernel, or that does not say over which."""
    if "fingerprint" not in state:
        raise SnapshotError(
            "the snapshot has no fingerprint of its graph: an older version of Ohmline made it, and it cannot be "
            "checked; learn again, and take a new one"
        )
    if saved_text(state, kind, "fingerprint") != fingerprint:
        raise SnapshotError(
            "the snapshot was made over another graph or kernel: nodes, edges, weights or parameters are "
            "different; restore it over the one it was made with"
        )


def expect_settings(state: State, kind: str, settings: State) -> None:
    """Refuse a snapshot of a learner that was made with other parameters or classes."""
    for key, mine in settings.items():
        saved = take(state, kind, key)
        if saved.dtype.kind != mine.dtype.kind or not np.array_equal(saved, mine):
            raise SnapshotError(
                f"the snapshot was made with {key} = {shown(saved.tolist())}, this {kind} with {shown(mine.tolist())}; "
                f"{kind}.restore makes a learner with the parameters of the snapshot"
            )


def expect_kind(state: State, kind: str) -> None:
    """Refuse a snapshot of another class of learner."""
    found = saved_text(state, kind, "kind")
    if found != kind:
        raise SnapshotError(f"this is a snapshot of {found}, not of {kind}; call {found}.restore")
