"""What no signal cuts in two."""

from __future__ import annotations

import signal
import threading
from typing import Any

import pytest

from ohmline.compiled import undisturbed


class TimeUp(Exception):
    """What the handler of an alarm raises."""


@pytest.fixture
def raising() -> Any:
    """Handlers that raise, for the time of a test."""

    def raise_it(number: int, frame: Any) -> None:
        raise TimeUp(signal.Signals(number).name)

    numbers = (signal.SIGALRM, signal.SIGUSR1, signal.SIGVTALRM)
    before = {number: signal.signal(number, raise_it) for number in numbers}
    yield raise_it
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGALRM, signal.SIGUSR1, signal.SIGVTALRM])
def test_any_signal_waits_until_the_work_is_done(raising: Any, number: signal.Signals) -> None:
    done = []

    def work() -> None:
        with undisturbed():
            signal.raise_signal(number)
            done.append(1)

    with pytest.raises(TimeUp, match=number.name):
        work()
    assert done == [1]
    assert signal.getsignal(number) is raising


def test_several_signals_are_all_answered_and_every_handler_comes_back(raising: Any) -> None:
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}

    def work() -> None:
        with undisturbed(), undisturbed():
            for number in (signal.SIGALRM, signal.SIGUSR1, signal.SIGINT):
                signal.raise_signal(number)

    with pytest.raises((TimeUp, KeyboardInterrupt)) as found:
        work()
    chain, error = set(), found.value
    while error is not None:
        chain.add(str(error))
        error = error.__context__  # type: ignore[assignment]
    assert {"SIGALRM", "SIGUSR1"} <= chain
    assert {number: signal.getsignal(number) for number in signal.valid_signals()} == before


def test_an_error_of_the_work_itself_passes(raising: Any) -> None:
    with pytest.raises(ZeroDivisionError), undisturbed():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGALRM) is raising


def test_other_threads_have_no_signals_to_wait_for() -> None:
    found = []

    def work() -> None:
        with undisturbed():
            found.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [1]
