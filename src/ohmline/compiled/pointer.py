"""Calling compiled code through addresses, so that one loop serves every learner and every query.

A loop that is specialised on what it calls is compiled together with it, again for each combination, and the
loop over a large learner takes many seconds to compile. Here a tuple of arrays is handed over as the address of
its *packed* form, the few bytes by which compiled code knows it, and a function as the address of its machine
code. So the loop is compiled once, each step once, and a call from Python has no tuples to take apart.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.errors import NumbaError
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from ohmline.arrays import AnyArray
from ohmline.compiled.borrow import uncounted
from ohmline.errors import LearnerError


@cache
def address_of(function: Any, returned: Any, *kinds: Any) -> int:
    """The address of a compiled function's machine code for these argument types.

    Whoever calls it takes what it returns to be of the type `returned`, so another one is an error.
    """
    what = function.__name__.removesuffix("_through")
    try:
        function.compile(returned(*kinds))
    except NumbaError as error:
        owner = ", ".join(str(kind.dtype.instance_class.__name__) for kind in kinds if hasattr(kind, "dtype"))
        raise LearnerError(f"the body of {what} for {owner} cannot be compiled: {told(error)}") from error
    found = function.overloads[kinds]
    return int(found.library.get_pointer_to_function(found.fndesc.llvm_func_name))


def told(error: Exception) -> str:
    """What a compiler's error says, without the path that it took through the compiler."""
    lines = [line.strip() for line in str(error).splitlines()]
    causes = [line for line in lines if line.startswith(CAUSES)]
    return causes[-1] if causes else " ".join(line for line in lines if line)[:300]


CAUSES = (
    "Unknown attribute",
    "Cannot unify",
    "Untyped global",
    "Cannot infer",
    "No conversion",
    "cannot unpack",
)
"""How the lines begin that say what is wrong."""


def pointer_to(kind: Any) -> Any:
    """The type of a pointer to a packed tuple of this type."""
    return types.CPointer(kind)


def packed(bundle: Any, form: struct.Struct) -> AnyArray:
    """The bytes of a tuple as compiled code holds it. Its arrays are pointed to, so they must be kept alive."""
    numbers: list[Any] = []
    _gather(bundle, numbers)
    return np.frombuffer(form.pack(*numbers), np.uint8)


def _gather(bundle: Any, numbers: list[Any]) -> None:
    """The numbers by which compiled code knows each member of a tuple, in their order."""
    for member in bundle:
        if isinstance(member, np.ndarray):
            numbers += (member.size, member.itemsize, member.ctypes.data, *member.shape, *member.strides)
        elif isinstance(member, tuple):
            _gather(member, numbers)
        else:
            numbers.append(member)


def fingerprint(bundle: Any) -> Any:
    """What decides the type of a tuple in compiled code, to be looked up faster than the type itself is found."""
    if isinstance(bundle, tuple):
        return (type(bundle), *map(fingerprint, bundle))
    if isinstance(bundle, np.ndarray):
        flags = bundle.flags
        return bundle.dtype, bundle.ndim, flags.c_contiguous, flags.writeable, flags.aligned
    return type(bundle)


SCALARS = {
    types.int64: "q",
    types.int32: "i",
    types.int16: "h",
    types.int8: "b",
    types.uint64: "Q",
    types.uint32: "I",
    types.uint16: "H",
    types.uint8: "B",
    types.float64: "d",
    types.float32: "f",
    types.boolean: "?",
}


def packed_form(kind: Any) -> struct.Struct:
    """Where each number of a packed tuple of this type goes."""
    context = cpu_target.target_context
    form, end = "=", 0
    for offset, code in _places(kind, 0):
        form += f"{offset - end}x{code}"
        end = offset + struct.calcsize("=" + code)
    size = max(context.get_abi_sizeof(context.get_data_type(kind)), 1)
    return struct.Struct(f"{form}{size - end}x")


def _places(kind: Any, offset: int) -> Iterator[tuple[int, str]]:
    """The offset and the format of each member of a tuple, in their order."""
    context = cpu_target.target_context
    if isinstance(kind, types.BaseTuple):
        data, uniform = context.get_data_type(kind), isinstance(kind, types.UniTuple | types.NamedUniTuple)
        for k, member in enumerate(kind.types):
            if uniform:
                inside = k * context.get_abi_sizeof(context.get_data_type(member))
            else:
                inside = data.get_element_offset(context.target_data, k)
            yield from _places(member, offset + inside)
    elif isinstance(kind, types.Array):
        # The two owners of an array stay null: nobody counts who uses a borrowed one.
        yield offset, f"16x{3 + 2 * kind.ndim}q"
    elif kind in SCALARS:
        yield offset, SCALARS[kind]
    else:
        raise LearnerError(
            f"compiled code cannot be handed a member of type {kind}; a learner's or query's tuple holds numbers, "
            "booleans, arrays of them, and tuples of these"
        )


@cast(Any, intrinsic)  # type: ignore[untyped-decorator]
def unpacked(typing: Any, pointer: Any) -> Any:
    """In compiled code: the tuple that a pointer points to, whose arrays are borrowed."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.return_type
        place = builder.bitcast(arguments[0], context.get_data_type(kind).as_pointer())
        value = context.data_model_manager[kind].from_data(builder, builder.load(place))
        return uncounted(context, builder, kind, value)

    return pointer.dtype(pointer), generate


def loader(kind: Any) -> Any:
    """A function of compiled code that gives the packed tuple of one type at an address."""

    @cast(Any, intrinsic)  # type: ignore[untyped-decorator]
    def load(typing: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = builder.inttoptr(arguments[0], context.get_data_type(kind).as_pointer())
            value = context.data_model_manager[kind].from_data(builder, builder.load(place))
            return uncounted(context, builder, kind, value)

        return kind(types.intp), generate

    return load


def caller(returned: Any) -> Any:
    """A function of compiled code that calls an address with a tuple of arguments.

    Packed tuples are given by their addresses; errors of the called function are raised in the caller.
    """

    @cast(Any, intrinsic)  # type: ignore[untyped-decorator]
    def call(typing: Any, address: Any, arguments: Any) -> Any:
        kinds = tuple(arguments.types)

        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            values = [builder.extract_value(given[1], k) for k in range(len(kinds))]
            kind = context.call_conv.get_function_type(returned, kinds).as_pointer()
            callee = builder.inttoptr(given[0], kind)
            status, value = context.call_conv.call_function(builder, callee, returned, kinds, values)
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return value

        return returned(types.intp, arguments), generate

    return call
