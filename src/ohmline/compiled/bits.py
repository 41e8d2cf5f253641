"""The ends of a word of 64 bits, each by one instruction of the processor, and a comparison that is no branch."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ohmline.compiled.decorators import inlined


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


@inlined
def all_bits_if_above(value: float, limit: float) -> int:
    """In compiled code: -1, all bits, where a finite size is above a finite limit, and 0 elsewhere; neither is -0.

    By the sign of their difference, because LLVM makes a branch of a comparison wherever it takes it for foreseeable.
    """
    return int(np.float64(limit - value).view(np.int64) >> np.int64(63))
