"""Snapshots: what the ledger and the learner were at some event, so that a project opens without learning all again.

A snapshot is a copy and never the truth: one that is damaged, of another version or of another log is passed over, and
the events are replayed instead.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.errors import OhmlineError
from ohmline.learn.contract import State
from ohmline.project.folder import SNAPSHOTS
from ohmline.project.ledger import Ledger
from ohmline.store import container
from ohmline.version import __version__

KEPT = 2
"""How many snapshots are kept."""


def digest_of(ledger: Ledger, state: Mapping[str, AnyArray]) -> str:
    """By which a state is known: equal for equal events, whichever store they came from."""
    digest = hashlib.sha256(
        json.dumps(ledger.to_json(), separators=(",", ":"), sort_keys=True).encode("ascii")
    )
    for name in sorted(state):
        array = np.ascontiguousarray(state[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def write_snapshot(folder: Path, ledger: Ledger, state: State) -> Path:
    """Keep a state, and delete all but the newest snapshots."""
    place = folder / SNAPSHOTS
    place.mkdir(exist_ok=True)
    path = place / f"{ledger.seq:012d}.ohm"
    header = {"ledger": ledger.to_json(), "digest": digest_of(ledger, state), "made_by": __version__}
    container.write(path, header, dict(state))
    for old in sorted(place.glob("*.ohm"))[:-KEPT]:
        old.unlink(missing_ok=True)
    return path


def read_snapshots(folder: Path, notes: list[str]) -> Iterator[tuple[Ledger, State]]:
    """The states that were kept and are whole, the newest first; what was passed over is noted."""
    for path in sorted((folder / SNAPSHOTS).glob("*.ohm"), reverse=True):
        try:
            header, arrays = container.read(path)
            if header.get("made_by") != __version__:
                notes.append(f"{path.name} was made by another version and is passed over")
                continue
            ledger, state = Ledger.from_json(header["ledger"]), dict(arrays)
            sound = header["digest"] == digest_of(ledger, state)
        except (OhmlineError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            notes.append(f"{path.name} is damaged and passed over ({error})")
            continue
        if sound:
            yield ledger, state
        else:
            notes.append(f"{path.name} is damaged and passed over")
