"""Every attack by name: what it does, and what it must not find."""

from __future__ import annotations

import gzip
import os
import random
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

import ohmline as ohm
from fuzz import examples
from fuzz.nasty import NASTY, Boom
from ohmline.errors import OhmlineError

Attack = Callable[[], None]


@dataclass(frozen=True)
class Finding:
    """Something that must not happen, and where."""

    what: str
    """The class of the error, or "changed"."""
    where: str
    """The innermost line of the package."""
    attack: str
    message: str


def calls() -> Iterator[tuple[str, Attack]]:
    """One bad argument at a time, on top of a valid call."""
    for name, (get, parameters) in examples.targets().items():
        for parameter in parameters:
            for nasty in NASTY:
                yield (
                    f"call {name}({parameter}={nasty})",
                    lambda n=name, g=get, p=parameter, v=nasty: _call(n, g, {p: v}),
                )


def snapshots() -> Iterator[tuple[str, Attack]]:
    """Snapshots with damaged arrays: refused, or at least safe to use."""
    for name in examples.LEARNERS:
        for key in _saved(name):
            for damage in DAMAGES:
                yield f"snapshot {name}[{key}] {damage}", lambda n=name, k=key, d=damage: _restore(n, {k: d})


def files() -> Iterator[tuple[str, Attack]]:
    """Files with damaged bytes: refused, or read."""
    for name in _contents():
        for number in range(400):
            yield f"file {name} {number}", lambda n=name, k=number: _read(n, k)


def every() -> dict[str, Attack]:
    """All attacks by name."""
    return dict([*calls(), *snapshots(), *files()])


TWO = " && "
"""Between the names of two attacks that are made at once: two bad arguments, two damaged arrays."""
_CALL, _SNAPSHOT = re.compile(r"call (.+?)\((\w+)=(.*)\)"), re.compile(r"snapshot (.+?)\[(.+?)\] (.*)")


def find(name: str, attacks: dict[str, Attack]) -> Attack:
    """The attack of that name: one of `attacks`, two of them at once, or a file damaged in yet another way."""
    if name in attacks:
        return attacks[name]
    if name.startswith("file "):
        _, kind, number = name.split(" ")
        return lambda: _read(kind, int(number))
    parts = name.split(TWO)
    calls = [found.groups() for part in parts if (found := _CALL.fullmatch(part))]
    if calls:
        target = calls[0][0]
        spoiled = {parameter: nasty for _, parameter, nasty in calls}
        return lambda: _call(target, examples.targets()[target][0], spoiled)
    found = [match.groups() for part in parts if (match := _SNAPSHOT.fullmatch(part))]
    return lambda: _restore(found[0][0], {key: damage for _, key, damage in found})


def attempt(name: str, attack: Attack) -> Finding | None:
    """Run an attack; what it found, if anything."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            attack()
    except (OhmlineError, Boom):
        return None
    except Changed as change:
        return Finding("changed", name.partition("(")[0], name, str(change))
    except Exception as error:
        here = f"{os.sep}ohmline{os.sep}"
        frames = [f for f in traceback.extract_tb(error.__traceback__) if here in f.filename]
        if not frames and isinstance(error, TypeError):
            return None  # a wrong number of arguments
        inner = frames[-1] if frames else None
        where = f"{inner.filename.split(here)[-1]}:{inner.name}" if inner else "outside"
        chain = f"{type(error).__name__}: {error}"
        return Finding(type(error).__name__, where, name, chain[:200])
    return None


class Changed(Exception):
    """A refused call has changed the learner."""


def _call(name: str, get: Callable[[], Any], spoiled: dict[str, str]) -> None:
    thing = get()
    given = examples.arguments(name, thing) | {key: NASTY[nasty]() for key, nasty in spoiled.items()}
    watched = [
        v
        for v in (*given.values(), getattr(thing, "__self__", None))
        if isinstance(v, ohm.learn.OnlineLearner)
    ]
    before = [learner.snapshot() for learner in watched]
    try:
        found = thing(**given)
        if isinstance(found, Iterator):
            next(found, None)
    except OhmlineError:
        for learner, state in zip(watched, before, strict=True):
            _expect_unchanged(learner, state)
        raise


def _expect_unchanged(learner: Any, before: dict[str, Any]) -> None:
    after = learner.snapshot()
    differ = [k for k in before if k not in after or before[k].tobytes() != after[k].tobytes()]
    if differ or after.keys() != before.keys():
        raise Changed(f"{type(learner).__name__} after a refusal: {', '.join(differ) or 'other keys'}")


@cache
def _saved(name: str) -> dict[str, Any]:
    return examples.LEARNERS[name]().snapshot()


def _offset(array: Any, by: float) -> Any:
    changed = np.array(array)
    if array.dtype.kind in "iuf" and array.size:
        changed.flat[-1] = array.flat[-1] + np.asarray(by).astype(array.dtype)
    return changed


DAMAGES: dict[str, Callable[[Any], Any]] = {
    "missing": lambda a: None,
    "one more": lambda a: _offset(a, 1),
    "one less": lambda a: _offset(a, -1),
    "ten more": lambda a: _offset(a, 10),
    "far": lambda a: a + np.asarray(10**7).astype(a.dtype) if a.dtype.kind in "iuf" else a,
    "far below": lambda a: a - np.asarray(10**7).astype(a.dtype) if a.dtype.kind in "if" else a,
    "largest": lambda a: (
        np.full_like(a, np.iinfo(a.dtype).max)
        if a.dtype.kind in "iu"
        else a * 1e300
        if a.dtype.kind == "f"
        else a
    ),
    "nan": lambda a: a * np.nan if a.dtype.kind == "f" else a,
    "inf": lambda a: a + np.inf if a.dtype.kind == "f" else a,
    "zero": lambda a: np.zeros_like(a),
    "as float": lambda a: a.astype(float) if a.dtype.kind in "iub" else a,
    "as int32": lambda a: a.astype(np.int32) if a.dtype.kind in "iubf" else a,
    "as float32": lambda a: a.astype(np.float32) if a.dtype.kind in "iubf" else a,
    "as object": lambda a: a.astype(object),
    "as text": lambda a: a.astype(str),
    "longer": lambda a: np.concatenate([np.atleast_1d(a)] * 2),
    "empty": lambda a: np.atleast_1d(a)[:0],
    "flat": lambda a: a.ravel(),
    "deeper": lambda a: a[None],
    "reversed": lambda a: np.atleast_1d(a)[::-1].reshape(a.shape),
    "shuffled": lambda a: np.random.default_rng(0).permutation(a.ravel()).reshape(a.shape),
    "broken text": lambda a: np.array(str(a)[: len(str(a)) // 2]) if a.dtype.kind == "U" else a,
    "other text": lambda a: np.array("[[1, null, {}], 1e999, -0]") if a.dtype.kind == "U" else a,
    "a list": lambda a: a.tolist(),
}


def _restore(name: str, damages: dict[str, str]) -> None:
    learner = examples.LEARNERS[name]()
    before = learner.snapshot()
    state = dict(_saved(name))
    with np.errstate(all="ignore"):
        for key, damage in damages.items():
            state[key] = DAMAGES[damage](state[key])
    state = {key: value for key, value in state.items() if damages.get(key) != "missing"}
    if hasattr(learner, "load"):
        try:
            learner.load(dict(state))
        except OhmlineError:
            _expect_unchanged(learner, before)
        else:
            _use(learner, name)
    _use(type(learner).restore(state, examples.OVER.get(name, examples.biased)()), name)


def _use(learner: Any, name: str) -> None:
    """A learner that was accepted is used, so that a bad index shows."""
    things = examples.points() if "Manifold" in name else range(6)
    for x, y in zip(things, (1, 1, -1, 1, -1, -1), strict=True):
        learner.predict_one(x)
        learner.variance_one(x)
        learner.learn_one(x, y)
    stream = ohm.Stream(examples.points() if "Manifold" in name else range(6), examples.signs())
    ohm.play(learner, stream)
    learner.snapshot()


@cache
def _contents() -> dict[str, bytes]:
    """A valid file of every kind that is read, by name."""
    graph = ohm.Graph.from_edges([("a", "b", 0.5), ("b", "c", 2.0), ("c", "d"), ("d", "a")], nodes="abcde")
    plain = ohm.Graph.from_edges([(k, (k + 1) % 30, 1.0 + k) for k in range(30)])
    found: dict[str, bytes] = {}
    for end in ("csv", "txt", "tsv", "graphml", "parquet", "mtx"):
        path = Path(f"valid.{end}")
        ohm.graph.write(plain if end == "mtx" else graph, path)
        found[f"graph.{end}"] = path.read_bytes()
        found[f"graph.{end}.gz"] = gzip.compress(path.read_bytes(), mtime=0)
        found[f"graph.{end}.zst"] = zstandard.compress(path.read_bytes())
    found["labels.csv"] = b"node,label\na,1\nb,-1\nc,1\n"
    found["points.csv"] = b"p,q,label\n" + b"".join(b"%d,%d.5,%d\n" % (k, -k, k % 2) for k in range(20))
    np.savez("valid.npz", **_saved("LocalLGC"))
    found["state.npz"] = Path("valid.npz").read_bytes()
    return found


WORDS = [
    b"1000000000",
    b"-1",
    b"nan",
    b"1e999",
    b"\x00",
    b'"',
    b"\n",
    b"<",
    b"\xff\xfe",
    b"%",
    b",,,",
    b"9" * 400,
    b"\xe2\x80",
]


def damaged(data: bytes, seed: str) -> bytes:
    """Bytes with flips, cuts, repeats, zeros and foreign words in them."""
    draw = random.Random(seed)
    out = bytearray(data)
    for _ in range(draw.choice([1, 1, 1, 2, 5, 20])):
        if not out:
            break
        at, length = draw.randrange(len(out)), draw.randrange(1, 40)
        match draw.randrange(6):
            case 0:
                out[at] ^= 1 << draw.randrange(8)
            case 1:
                del out[at:]
            case 2:
                out[at:at] = out[at : at + length]
            case 3:
                del out[at : at + length]
            case 4:
                out[at : at + length] = bytes(len(out[at : at + length]))
            case 5:
                word = draw.choice(WORDS)
                out[at : at + len(word)] = word
    return bytes(out)


def _read(name: str, number: int) -> None:
    path = Path(f"damaged-{name}")
    path.write_bytes(damaged(_contents()[name], f"{name} {number}"))
    if name.startswith("graph"):
        ohm.graph.read(path, signed=bool(number % 2), symmetrise=bool(number % 3))
    elif name.startswith("labels"):
        ohm.graph.read_labels(path)
    elif name.startswith("points"):
        for _ in ohm.read_points(path):
            pass
    else:
        try:
            with np.load(path, allow_pickle=False) as state:
                names = list(state)
        except Exception:
            return  # numpy opens the file, not we
        with np.load(path, allow_pickle=False) as state:
            assert names is not None
            _use(ohm.LocalLGC.restore(state, examples.graph()), "LocalLGC")
