"""Machine code on disk that is never stale and never damaged.

Numba keys the machine code of a function by the file that the function stands in. A loop that calls a step
in another file would go on running the old step after that file changed, after an upgrade of the package as
well. So the key here holds a fingerprint of every source of the package, and each file carries a digest: what
does not match is compiled again. Functions that were compiled for a class of the user's own are not kept at
all, because nobody can tell when its bodies change.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import pickle
from functools import cache, wraps
from pathlib import Path
from typing import Any

from numba.core import types
from numba.core.caching import FunctionCache, IndexDataCacheFile

from ohmline.compiled.undisturbed import undisturbed

PACKAGE = "ohmline"
DIGEST = hashlib.sha256().digest_size


@cache
def fingerprint() -> str:
    """One hash of all sources of the package."""
    digest = hashlib.sha256()
    root = Path(__file__).resolve().parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


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


def _unsealed(sealed: bytes) -> bytes:
    body, digest = sealed[:-DIGEST], sealed[-DIGEST:]
    if hashlib.sha256(body).digest() != digest:
        raise ValueError("the cached machine code is damaged")
    return body


class PackageCache(FunctionCache):  # type: ignore[misc]
    """The cache of one function of this package."""

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        stamp = (self._impl.locator.get_source_stamp(), fingerprint())
        self._cache_file = SealedFile(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if _foreign(sig):
            return None
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # unreadable or damaged: compile again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if not _foreign(sig):
            with contextlib.suppress(OSError):  # a full or read-only disk costs time, not the result
                super().save_overload(sig, data)


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


def _foreign(sig: Any) -> bool:
    """Whether a signature holds a tuple class that is not of this package."""
    if isinstance(sig, types.BaseNamedTuple):
        if sig.instance_class.__module__.partition(".")[0] != PACKAGE:
            return True
        return any(_foreign(member) for member in sig.types)
    if isinstance(sig, types.CPointer):
        return _foreign(sig.dtype)
    if isinstance(sig, types.BaseTuple):
        return any(_foreign(member) for member in sig.types)
    return any(_foreign(member) for member in sig) if isinstance(sig, tuple) else False
