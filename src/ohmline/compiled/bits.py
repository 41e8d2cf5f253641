"""The ends of a word of 64 bits, each by one instruction of the processor."""

from __future__ import annotations

from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@cast(Any, intrinsic)  # type: ignore[untyped-decorator]
def lowest_bit(typing: Any, word: Any) -> Any:
    """In compiled code: the place of the lowest bit that is set in an unsigned word, which is not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.uint64), generate


@cast(Any, intrinsic)  # type: ignore[untyped-decorator]
def highest_bit(typing: Any, word: Any) -> Any:
    """In compiled code: the place of the highest bit that is set in an unsigned word, which is not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        above = builder.ctlz(arguments[0], ir.IntType(1)(1))
        return builder.sub(ir.IntType(64)(63), above)

    return types.int64(types.uint64), generate
