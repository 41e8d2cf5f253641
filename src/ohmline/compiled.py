"""Compiled code: one decorator, and generic functions that dispatch on a tuple's type.

A *generic* function is a Python stub. ``implements`` gives it a compiled body for one
``NamedTuple`` class, so that the same compiled loop can drive every learner over every
kernel, and the arithmetic of each is written once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, overload

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile ``function`` for the processor; the result is cached on disk."""
    return cast(F, njit(cache=True)(function))


def inlined(function: F) -> F:
    """Compile ``function`` as a part of whatever compiled code calls it."""
    return cast(F, njit(forceinline=True, cache=True)(function))


def inner(function: F) -> F:
    """Compile ``function`` for the use of compiled code only.

    Without a way in from Python it compiles faster: unpacking large tuples is a good part of the work.
    """
    return cast(F, njit(cache=True, no_cpython_wrapper=True)(function))


def implements(generic: Callable[..., Any], kind: type, argument: str) -> Callable[[F], F]:
    """Register a compiled body of ``generic`` for calls whose ``argument`` is a ``kind``."""
    names = list(inspect.signature(generic).parameters)

    def register(body: F) -> F:
        if list(inspect.signature(body).parameters) != names:
            raise TypeError(f"{body.__name__} must take the arguments {names} of {generic.__name__}")

        # The overload's own signature must be that of the generic function, so it is built from it.
        source = f"def choose({', '.join(names)}):\n    return body if is_kind({argument}) else None\n"
        scope: dict[str, Any] = {"body": body, "is_kind": lambda given: _is(given, kind)}
        exec(source, scope)
        overload(generic, strict=False)(scope["choose"])
        return body

    return register


def _is(given: Any, kind: type) -> bool:
    return isinstance(given, types.NamedTuple | types.NamedUniTuple) and given.instance_class is kind


@cast(Any, intrinsic)  # type: ignore[untyped-decorator]
def lend(typing: Any, bundle: Any) -> Any:
    """In compiled code: the same tuple of arrays, not counted as a user of them.

    A loop that reads a few arrays a trial would otherwise spend longer counting its references
    than reading. The caller must keep the arrays alive, as the arguments of a compiled function are.
    Give the result to an ``inlined`` function only: written to under a name of its own, it looks
    like a local array that nobody reads, and the writes would be dropped.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _uncounted(context, builder, signature.args[0], arguments[0])

    return bundle(bundle), generate


def _uncounted(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        for k, member in enumerate(kind.types):
            part = _uncounted(context, builder, member, builder.extract_value(value, k))
            value = builder.insert_value(value, part, k)
    elif isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value=value)
        array.meminfo = array.meminfo.type(None)  # a null owner is never counted
        array.parent = array.parent.type(None)
        value = array._getvalue()
    return value


@cast(Any, intrinsic)  # type: ignore[untyped-decorator]
def _hint(typing: Any, table: Any, i: Any, j: Any) -> Any:
    """Ask the processor to bring the cache line of table[i, j] near."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        indices = list(arguments[1:])
        place = cgutils.get_item_pointer(
            context, builder, signature.args[0], array, indices, wraparound=False
        )
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        read, keep, data = word(0), word(3), word(1)
        builder.call(prefetch, [builder.bitcast(place, byte), read, keep, data])
        return context.get_dummy_value()

    return types.void(table, types.intp, types.intp), generate


@compiled
def fetch_row(table: Any, i: int) -> None:
    """Have row i of a table of numbers on its way while other work is done."""
    for j in range(0, table.shape[1], 8):  # eight float64 a cache line
        _hint(table, i, j)


# Reassociation lets the loop vectorise. It is confined to this one loop, whose shape is the same
# wherever it is inlined, so the streaming and the looping driver see the same bits.
@cast(Any, njit(cache=True, fastmath={"reassoc", "nsz"}))  # type: ignore[untyped-decorator]
def dot(a: Any, b: Any, length: int) -> float:
    """Sum of the first ``length`` products of two vectors, in the type of the first."""
    total = a.dtype.type(0)
    for k in range(length):
        total += a[k] * b[k]
    return total  # type: ignore[no-any-return]
