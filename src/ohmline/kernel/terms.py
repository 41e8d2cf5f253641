"""What can be added to a kernel: a bias and a ridge.

Neither is a kernel: it has no nodes until it is added to something that has.
"""

from __future__ import annotations

from typing import final

from ohmline.arrays import non_negative, positive


class KernelTerm:
    """b within every component and c on the diagonal, to be added to a kernel on either side."""

    __slots__ = ("b", "c")

    def __init__(self, b: float, c: float) -> None:
        self.b = non_negative(b, "b")
        """What is added wherever two nodes share a component."""
        self.c = non_negative(c, "c")
        """What is added on the diagonal."""

    @final
    def __add__(self, other: KernelTerm) -> KernelTerm:
        if not isinstance(other, KernelTerm):
            return NotImplemented  # a kernel adds its terms itself
        return KernelTerm(self.b + other.b, self.c + other.c)

    @final
    def __mul__(self, factor: float) -> KernelTerm:
        if not isinstance(factor, int | float):
            return NotImplemented
        factor = positive(factor, "the factor of a term")
        return KernelTerm(factor * self.b, factor * self.c)

    __rmul__ = __mul__

    @final
    def __eq__(self, other: object) -> bool:
        return isinstance(other, KernelTerm) and (self.b, self.c) == (other.b, other.c)

    @final
    def __hash__(self) -> int:
        return hash((self.b, self.c))

    @final
    def __repr__(self) -> str:
        return " + ".join(written(self.b, self.c))


@final
class Constant(KernelTerm):
    """The bias b: adds b wherever two nodes share a component.

    On a connected graph this is the papers' b 11'. Per component it keeps components from
    speaking for one another, and the kernel positive definite on each constant function.

    Parameters
    ----------
    b
        The bias, above 0.

    Examples
    --------
    >>> import ohmline as ohm
    >>> pair = ohm.Graph.from_edges([(0, 1)])
    >>> ohm.Constant(0.5) + 2 * ohm.LaplacianKernel(pair)
    2.0 * LaplacianKernel(Graph(nodes=2, edges=1, components=1)) + Constant(0.5)
    """

    __slots__ = ()

    def __init__(self, b: float) -> None:
        super().__init__(positive(b, "the bias b of Constant"), 0.0)


@final
class Ridge(KernelTerm):
    """The ridge c: adds c I, which keeps a few odd labels from costing a whole cut.

    Parameters
    ----------
    c
        The ridge, above 0.
    """

    __slots__ = ()

    def __init__(self, c: float) -> None:
        super().__init__(0.0, positive(c, "the ridge c of Ridge"))


def written(b: float, c: float) -> list[str]:
    """The terms that are there, as the calls that make them."""
    return [f"{name}({value!r})" for name, value in (("Constant", b), ("Ridge", c)) if value > 0]
