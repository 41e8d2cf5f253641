"""Machine code on disk that is never stale and never damaged.

Numba keys the machine code of a function by the file that the function stands in. A loop that calls a step
in another file would go on running the old step after that file changed, after an upgrade of the package as
well. So the key here holds a fingerprint of every source that the machine code was made from (`sources.py`),
and each file carries a digest: what does not match is compiled again. Functions that were compiled for a class
of the user's own are not kept at all, because nobody can tell when its bodies change.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import pickle
from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from numba.core import types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.typing import Signature

from ohmline.compiled.sources import PACKAGE, fingerprint
from ohmline.compiled.undisturbed import undisturbed

DIGEST = hashlib.sha256().digest_size
STAMP = "keyed by sources"
"""Numba's own stamp of an index, the age of a file, is not used: keys tell more."""


class SealedFile(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's index and data files, each with a digest at its end."""

    def _dump(self, obj: Any) -> bytes:
        body: bytes = super()._dump(obj)
        return body + hashlib.sha256(body).digest()

    def _load_index(self) -> dict[Any, Any]:
        try:
            file = io.BytesIO(Path(self._index_path).read_bytes())
            version = pickle.load(file)
            if version != self._version:
                return {}
            stamp, overloads = pickle.loads(_unsealed(file.read()))
        except Exception:  # whatever is wrong with it, it is compiled again
            return {}
        return overloads if stamp == self._source_stamp else {}

    def _load_data(self, name: str) -> Any:
        return pickle.loads(_unsealed(Path(self._data_path(name)).read_bytes()))

    def is_there(self) -> bool:
        """Whether anything was kept."""
        return Path(self._index_path).is_file()

    def save(self, key: Any, data: Any) -> None:
        """Keep the machine code, in the place of what older sources gave for the same types.

        The key goes with it: two processes may have chosen one file for different code.
        """
        overloads = self._load_index()
        older = next((other for other in overloads if other[:2] == key[:2]), None)
        if older is not None:
            overloads[key] = overloads.pop(older)
            self._save_index(overloads)
        super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        """The machine code for a key, if it is kept."""
        kept = super().load(key)
        return kept[1] if kept is not None and kept[0] == key else None


def _unsealed(sealed: bytes) -> bytes:
    body, digest = sealed[:-DIGEST], sealed[-DIGEST:]
    if hashlib.sha256(body).digest() != digest:
        raise ValueError("the cached machine code is damaged")
    return body


class PackageCache(FunctionCache):  # type: ignore[misc]
    """The cache of one function of this package."""

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        self._module = py_func.__module__
        self._cache_file = SealedFile(self._cache_path, self._impl.filename_base, STAMP)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        modules = {self._module, *(kind.__module__ for kind in _classes(sig))}
        return (*super()._index_key(sig, codegen), fingerprint(modules))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if foreign(sig):
            return None
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # unreadable or damaged: compile again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if not foreign(sig):
            with contextlib.suppress(OSError):  # a full or read-only disk costs time, not the result
                super().save_overload(sig, data)


def kept(dispatcher: Any) -> bool:
    """Whether some machine code of a compiled function is on disk, made by this or an earlier process."""
    cache = dispatcher._cache
    return isinstance(cache, PackageCache) and cache._cache_file.is_there()


def attach(dispatcher: Any) -> Any:
    """Give a compiled function its place on disk, where there is one to write to."""
    function = dispatcher.py_func
    dispatcher.compile = _whole(dispatcher.compile)
    dispatcher._compile_for_args = _whole(dispatcher._compile_for_args)
    if function.__module__.partition(".")[0] == PACKAGE:
        with contextlib.suppress(RuntimeError, OSError):  # no folder can be written: compile in every process
            dispatcher._cache = PackageCache(function)
    return dispatcher


def _whole(work: Any) -> Any:
    """The same work, which Ctrl-C cannot stop half-way: a compiler that is stopped does not work again."""

    @wraps(work)
    def undivided(*arguments: Any, **options: Any) -> Any:
        with undisturbed():
            return work(*arguments, **options)

    return undivided


def foreign(sig: Any) -> bool:
    """Whether a signature holds a tuple class that is not of this package."""
    return any(kind.__module__.partition(".")[0] != PACKAGE for kind in _classes(sig))


def _classes(sig: Any) -> Iterator[type]:
    """The tuple classes in a signature."""
    if isinstance(sig, types.BaseNamedTuple):
        yield sig.instance_class
    if isinstance(sig, Signature):
        yield from _classes(sig.args)
    elif isinstance(sig, types.CPointer):
        yield from _classes(sig.dtype)
    elif isinstance(sig, types.BaseTuple):
        yield from (kind for member in sig.types for kind in _classes(member))
    elif isinstance(sig, tuple):
        yield from (kind for member in sig for kind in _classes(member))
