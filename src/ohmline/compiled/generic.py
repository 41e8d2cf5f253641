"""Generic functions of compiled code, dispatched on the class of one tuple among their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from numba.extending import overload

F = TypeVar("F", bound=Callable[..., Any])


class Dispatch(NamedTuple):
    """What is known of one generic function."""

    place: int
    """Which argument decides."""
    parameters: tuple[str, ...]
    default: Callable[..., Any] | None
    """The body for every class that has none of its own."""
    bodies: dict[type, Callable[..., Any]]


_DISPATCH: dict[Callable[..., Any], Dispatch] = {}


def generic(on: str, *, default: Callable[..., Any] | None = None) -> Callable[[F], F]:
    """Make a stub callable from compiled code, with bodies that `implements` registers.

    Parameters
    ----------
    on
        The name of the parameter whose class decides which body runs.
    default
        The body for classes without one of their own; without it such a call does not compile.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> from ohmline.compiled import compiled, implements
    >>> class Square(NamedTuple):
    ...     side: float
    >>> @generic("shape")
    ... def area(shape): ...
    >>> @implements(area, Square)
    ... def square_area(shape):
    ...     return shape.side * shape.side
    >>> @compiled
    ... def doubled(shape):
    ...     return 2 * area(shape)
    >>> doubled(Square(3.0))
    18.0
    """

    def declare(stub: F) -> F:
        parameters = tuple(inspect.signature(stub).parameters)
        dispatch = Dispatch(parameters.index(on), parameters, default, {})
        _DISPATCH[stub] = dispatch

        def choose(*given: Any) -> Callable[..., Any] | None:
            kind = getattr(given[dispatch.place], "instance_class", None)
            return _body(dispatch, kind) if kind else dispatch.default

        overload(stub, strict=False, jit_options={"forceinline": True})(choose)
        return stub

    return declare


def implements(stub: Callable[..., Any], *kinds: type) -> Callable[[F], F]:
    """Register the body of a generic function for one or more `NamedTuple` classes.

    Parameters
    ----------
    stub
        The generic function.
    kinds
        The classes of the deciding argument for which this body runs.
    """
    dispatch = _DISPATCH[stub]

    def register(body: F) -> F:
        taken = tuple(inspect.signature(body).parameters)
        if taken != dispatch.parameters:
            raise TypeError(
                f"{body.__name__} takes {taken}; a body of {stub.__name__} takes {dispatch.parameters}"
            )
        for kind in kinds:
            if kind in dispatch.bodies:
                raise TypeError(
                    f"{kind.__name__} has a body of {stub.__name__} already; define the class again to replace it"
                )
            dispatch.bodies[kind] = body
        return body

    return register


def modules_with_bodies(module: str) -> set[str]:
    """The modules of the bodies for the classes that stand in a module."""
    return {
        body.__module__
        for dispatch in _DISPATCH.values()
        for kind, body in dispatch.bodies.items()
        if kind.__module__ == module
    }


def has_body(stub: Callable[..., Any], kind: type) -> bool:
    """Whether calls of a generic function with this class compile."""
    return _body(_DISPATCH[stub], kind) is not None


def has_own_body(stub: Callable[..., Any], kind: type) -> bool:
    """Whether a class has a body of its own, rather than the default."""
    dispatch = _DISPATCH[stub]
    return _body(dispatch, kind) is not dispatch.default


def _body(dispatch: Dispatch, kind: type) -> Callable[..., Any] | None:
    """The body of a class: its own, that of the nearest class that it derives from, or the default."""
    return next((dispatch.bodies[base] for base in kind.__mro__ if base in dispatch.bodies), dispatch.default)
