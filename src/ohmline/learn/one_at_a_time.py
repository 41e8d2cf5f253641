"""A learner whose step is compiled, as it is asked and taught one thing at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from copy import deepcopy
from math import nan
from typing import Any, ClassVar, Self, cast, final

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.checks import shown
from ohmline.compiled import has_body, has_own_body, undisturbed
from ohmline.errors import LearnerError, ParameterError
from ohmline.kernel.contract import Kernel
from ohmline.kernel.space import MissingColumn, may_miss_columns
from ohmline.learn.contract import OnlineLearner, Update, View, X, Y
from ohmline.learn.step import UNLABELLED, Bound, bind, learn, variance, variance_at, view, view_at
from ohmline.learn.turns import TakesTurns


class OneAtATime(TakesTurns, OnlineLearner[X, Y]):
    """A space, a state and the compiled bodies of `view`, `variance` and `learn` for its class.

    Subclasses say what compiled code calls a thing (`locate`) and a label (`codes_of`, `decode`). The state is
    changed in place by its step alone; anything else replaces the tuple.
    """

    learns_unlabelled: ClassVar[bool] = False
    """Whether a thing without a label is learned from too."""
    _space: Any = None
    _state: Any = None
    _bound: Bound | None = None

    @property
    def space(self) -> Any:
        """What the step reads: the compiled kernel or graph, with the learner's options."""
        return self._space

    @space.setter
    def space(self, space: Any) -> None:
        with self._still:
            self._space, self._bound = space, None

    @property
    def state(self) -> Any:
        """What the step changes."""
        return self._state

    @state.setter
    def state(self, state: Any) -> None:
        with self._still:
            self._state, self._bound = state, None

    @abstractmethod
    def locate(self, x: X) -> Any:
        """What compiled code is given for a thing: a node's position, or a point as a row of numbers.

        Raises an error that names the thing where the learner cannot be asked about it.

        Parameters
        ----------
        x
            A node, or a point for learners over vectors.
        """

    @abstractmethod
    def locate_all(self, xs: Iterable[X]) -> AnyArray:
        """What compiled code is given for many things, in one array.

        Parameters
        ----------
        xs
            Nodes, or points for learners over vectors.

        Returns
        -------
        array
            One position per node, or one row per point.
        """

    @abstractmethod
    def encode(self, y: Any) -> int:
        """The code of a label in compiled code, with room made for a new class; or `LabelError`.

        Parameters
        ----------
        y
            A label, not None.
        """

    @abstractmethod
    def codes_of(self, labels: Sequence[Any]) -> list[int]:
        """The codes of several labels; where one is refused, `LabelError`, and nothing has changed.

        Parameters
        ----------
        labels
            Labels, none of them None.
        """

    @abstractmethod
    def decode(self, code: int) -> Y | None:
        """The label of a code; None for "don't know".

        Parameters
        ----------
        code
            What `encode` or compiled code gave.
        """

    def ready(self, trials: int) -> int:
        """Make room for trials to come, and say how many of them can run in compiled code.

        Parameters
        ----------
        trials
            How many trials are to come, at least 1.

        Returns
        -------
        int
            How many can run now; 0 where the next one needs Python, so that it goes through `learn_event`.
        """
        return trials

    def learn_event(self, place: Any, code: int) -> tuple[int, bool, float]:
        """Learn one trial that needs Python.

        Parameters
        ----------
        place
            What `locate` gave.
        code
            What `encode` gave, or `UNLABELLED`.

        Returns
        -------
        tuple
            The code of the prediction before learning, whether the hypothesis moved, and how far.
        """
        return self.learn_compiled(place, code)

    def settle(self) -> None:
        """Forget the classes for which room was made and that were never learned."""

    @final
    def look(self, place: Any) -> tuple[int, float]:
        """The prediction and its margin, by what compiled code calls a thing; never changes the learner.

        Parameters
        ----------
        place
            What `locate` gave.

        Returns
        -------
        tuple
            The code of the prediction, and the margin.
        """
        return self._look(self._placed(place))

    def _look(self, place: Any) -> tuple[int, float]:
        """`look` at a place that was checked."""
        try:
            with self._still:
                bound = self.step()
                return bound.view(bound.address, place)
        except MissingColumn:
            return self._columns.fetching(lambda: view_at(bound.address, place))

    @final
    def spread(self, place: Any) -> float:
        """The learner's own uncertainty, by what compiled code calls a thing; NaN when it keeps none.

        Parameters
        ----------
        place
            What `locate` gave.
        """
        return self._spread(self._placed(place))

    @final
    def _spread(self, place: Any) -> float:
        """`spread` at a place that was checked."""
        if not has_own_body(variance, type(self.state)):
            return nan
        try:
            with self._still:
                bound = self.step(watched=True)
                return variance_at(bound.address, place)
        except MissingColumn:
            return self._columns.fetching(lambda: variance_at(bound.address, place))

    @final
    def learn_compiled(self, place: Any, code: int) -> tuple[int, bool, float]:
        """Learn one trial in compiled code; columns that its kernel misses are fetched on the way.

        Parameters
        ----------
        place, code
            As for `learn_event`, which returns the same too.
        """
        return self._learn(self._placed(place), self._coded(code))

    @final
    def _learn(self, place: Any, code: int) -> tuple[int, bool, float]:
        """`learn_compiled` of a place and a code that were checked."""
        bound = self.step()
        try:
            with self._still:  # or a snapshot could be of two moments
                return bound.learn(bound.address, place, code)
        except MissingColumn:
            return self._learn_fetching(bound, place, code)
        except BaseException:
            self.restage()
            raise

    @final
    def _learn_fetching(self, bound: Bound, place: Any, code: int) -> tuple[int, bool, float]:
        """The same, after a column was found missing."""
        asked: set[int] = set()
        while True:
            self.restage()
            self.supply(asked)
            try:
                with self._still:
                    return bound.learn(bound.address, place, code)
            except MissingColumn:
                continue
            except BaseException:
                self.restage()
                raise

    @final
    def step(self, *, watched: bool = False) -> Bound:
        """The step for loops to call, bound to the space and the state of now.

        Its address is valid only while what is returned is held: another thread may bind the learner anew.

        Parameters
        ----------
        watched
            Whether the loop will ask for variances. Default False.
        """
        bound = self._bound
        # A thread that reads may have bound what the learner was before another one changed it.
        if (
            bound is None
            or bound.state is not self._state
            or bound.space is not self._space
            or (watched and not bound.watched)
        ):
            bound = self._bind(watched=watched)
        return bound

    @final
    def _bind(self, *, watched: bool) -> Bound:
        self._check_bodies()
        space, state = self._space, self._state
        rehearsal = copied(state) if may_miss_columns(space) else None
        place, every = self._any_place(), self.learns_unlabelled
        bound = bind(space, state, rehearsal, place, every_point=every, watched=watched)
        self._bound = bound
        return bound

    @final
    def restage(self) -> None:
        """Forget an interrupted step: make the copy of the state that it spoiled equal to the state again."""
        if self._bound is not None:
            restage(self._bound.rehearsal, self.state)

    @final
    def supply(self, asked: set[int]) -> None:
        """Fetch the columns at which a step was interrupted; see `Kernel.supply`.

        Parameters
        ----------
        asked
            The columns that were fetched for this step so far; the new ones are added to it.
        """
        self._columns.supply(asked)

    @property
    @final
    def _columns(self) -> Kernel:
        """The kernel whose columns may be missing: only one that a learner keeps as `kernel` can be."""
        return cast(Kernel, vars(self)["kernel"])

    @final
    def _coded(self, code: Any) -> int:
        """A code that compiled code may be given, or an error."""
        if isinstance(code, int | np.integer) and (code in self._codes() or self._is_no_label(code)):
            return int(code)
        raise ParameterError(f"code {shown(code)} stands for no label of this learner; encode gives one")

    def _is_no_label(self, code: int | np.integer[Any]) -> bool:
        return self.learns_unlabelled and code == UNLABELLED

    @abstractmethod
    def _codes(self) -> Collection[int]:
        """The codes of labels."""

    @abstractmethod
    def _placed(self, place: Any) -> Any:
        """What compiled code may be given as a place, or an error: it does not check an index itself."""

    def _any_place(self) -> Any:
        """Something of the type that `locate` gives."""
        return 0

    @final
    def _check_bodies(self) -> None:
        kind = type(self.state)
        for generic in (view, learn):
            if not has_body(generic, kind):
                raise LearnerError(
                    f"{kind.__name__} has no body of {generic.__name__}; write one and register it with "
                    f"@implements({generic.__name__}, {kind.__name__})"
                )

    @final
    def view_one(self, x: X) -> View[Y]:
        place = self.locate(x)
        with self._still:
            code, margin = self._look(place)
            return View(self.decode(code), margin)

    @final
    def variance_one(self, x: X) -> float:
        return self._spread(self.locate(x))

    @final
    def learn_one(self, x: X, y: Y | None) -> Update:
        with self.alone():
            known = len(self._codes())
            try:
                return self._learn_one(x, y)
            except BaseException:
                if len(self._codes()) > known:  # a class was let in, and never learned
                    self.settle()
                raise

    @final
    def _learn_one(self, x: X, y: Y | None) -> Update:
        """`learn_one`, while nobody else changes the learner."""
        place = self.locate(x)
        if y is None:
            if not self.learns_unlabelled:
                return Update(None, False, 0.0)
            code = UNLABELLED
        else:
            code = self.encode(y)
        step = self._learn if self.ready(1) else self.learn_event
        prediction, updated, progress = step(place, code)
        return Update(None if y is None else prediction != code, updated, progress)

    def __copy__(self) -> Self:
        return deepcopy(self)  # two learners never share a state

    def checkpoint(self) -> Callable[[], None]:
        with self._still:
            again = self._remembered()

        def put_back() -> None:
            with undisturbed():
                self.state = again()

        return put_back

    def _remembered(self) -> Callable[[], Any]:
        """What gives the state of now again, once; a learner with much work space leaves that out."""
        kept = copied(self._state)
        return lambda: kept

    def __getstate__(self) -> dict[str, Any]:  # machine code does not travel to another process
        with self._still:
            return {**super().__getstate__(), "_bound": None, "_state": copied(self._state)}


def copied(state: Any) -> Any:
    """A copy of a tuple of arrays, and of the tuples within it."""
    if isinstance(state, tuple):
        return type(state)(*(copied(member) for member in state))
    return np.array(state) if isinstance(state, np.ndarray) else state


def restage(rehearsal: Any, state: Any) -> None:
    """Make the copy equal to the state again."""
    if isinstance(rehearsal, tuple):
        for copy, member in zip(rehearsal, state, strict=True):
            restage(copy, member)
    elif isinstance(rehearsal, np.ndarray):
        rehearsal[...] = state
