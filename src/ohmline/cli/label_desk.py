"""The desk at which a person labels: a key is read, the session hears of it, and the screen shows what is next."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ohmline.cli.label_keys import BACK, COMMANDS, ENTER, ESCAPE, NAME, TAB, Keyboard, Keymap
from ohmline.cli.label_screen import AUDIT, Screen, View
from ohmline.errors import JournalError
from ohmline.labelling.answers import id_of
from ohmline.labelling.texts import harmless

if TYPE_CHECKING:
    from ohmline.labelling import Neighbour, Opinion, Question
    from ohmline.labelling.asks import Asks


class Ended(BaseException):
    """A signal asked the process to end; its number is the argument."""


@contextmanager
def ending() -> Iterator[None]:
    """In a `with`: the signals that ask a process to end raise `Ended`, so that the terminal is left as it was."""

    def end(number: int, frame: Any) -> None:
        raise Ended(number)

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Desk:
    """A session and the terminal in front of it.

    Parameters
    ----------
    session
        The session.
    title
        What is shown above, the name of the graph.
    texts
        The text of each node.
    """

    def __init__(self, session: Asks, title: str, texts: Any) -> None:
        self.session, self.title = session, title
        self.keymap = Keymap([str(label) for label in session.classes])
        self.screen = Screen(self.keymap, texts)
        self._last, self._message, self._typed = "", "; ".join(session.notes), ""
        self._shown_why: Question | None = None
        self._view: View | None = None
        self._progress: Any = None
        self._opinion: Opinion | None = None
        self._around: list[Neighbour] = []
        session.notes.clear()

    def work(self) -> None:
        """Ask until the person quits, or until it is enough and the person says so."""
        with Keyboard(self.screen.size) as keyboard:
            while True:
                try:
                    question = self.session.question()
                except JournalError as error:  # a check began, and that could not be written
                    if self.session.broken or self._wait_for_room(error, keyboard) == "q":
                        raise
                    continue
                if self._view is None or self._view.question != question:
                    self._consider(question)
                    if self.session.notes:  # a check began
                        self._message = "; ".join(self.session.notes)
                        self.session.notes.clear()
                    keyboard.forget()  # what was pressed before the question was seen is no answer to it
                self._draw(question)
                begun = time.monotonic()
                key = self._key(keyboard)
                if not key:
                    continue
                self._message = ""
                if not self.screen.fits:  # nobody can see what the key would answer
                    if key == "q":
                        return
                    continue
                if question is None:
                    if key in ("q", ENTER):
                        return
                    if key == "u":
                        self._hear_safely(key, keyboard, 0.0)
                    else:
                        self._message = "u takes the last answer back, q quits"
                elif not self._hear_safely(key, keyboard, time.monotonic() - begun):
                    return

    def _wait_for_room(self, error: JournalError, keyboard: Keyboard) -> str:
        """Say that nothing can be written; the key that is pressed then."""
        self.screen.say(
            f"NOT saved: {harmless(str(error))}; make room and press a key, or q to quit with all answers so far"
        )
        key = ""
        while not key:
            key = self._key(keyboard)
        return key

    def _key(self, keyboard: Keyboard) -> str:
        try:
            return keyboard.read()
        except EOFError:
            return "q"

    def _hear_safely(self, key: str, keyboard: Keyboard, seconds: float) -> bool:
        """`_hear`; where an answer cannot be written, the question stays and says so."""
        try:
            return self._hear(key, keyboard, seconds)
        except JournalError as error:
            if self.session.broken:
                raise
            self._last, self._message = "", f"NOT saved: {harmless(str(error))}; make room and answer again"
            return True

    def _hear(self, key: str, keyboard: Keyboard, seconds: float) -> bool:
        """Do what a key says; False for quit."""
        if self._typed:
            self._go_on(key, seconds)
        elif key == NAME:
            self._typed = NAME
        elif key == "q":
            return False
        elif key == "u":
            self._undo()
        elif key == "s":
            event = self.session.skip()
            self._say(f"{harmless(str(event.payload['node']))} skipped", event.seq)
        elif key == "w":
            self._shown_why = self.session.question()
        elif key == "?":
            self.screen.help(self.session.goal)
            self._key(keyboard)
        elif (place := self.keymap.find(key)) is not None:
            self._label(place, seconds)
        elif self.keymap.begins(key):
            self._typed = key
        else:
            self._message = f"{_name(key)} does nothing here; ? shows the keys"
        return True

    def _go_on(self, key: str, seconds: float) -> None:
        """One more key of a number or a name."""
        typed = self._typed
        if key == ESCAPE:
            self._typed = ""
        elif key == BACK:
            self._typed = typed[:-1]
        elif not typed.startswith(NAME):
            self._typed = ""
            if (place := self.keymap.find(typed + key)) is not None:
                self._label(place, seconds)
            elif self.keymap.begins(typed + key):
                self._typed = typed + key
            else:
                self._message = f"no class has the number {typed}{_name(key)}"
        elif key in (ENTER, TAB):
            found = self.keymap.matches(typed[1:]) if len(typed) > 1 else []
            if len(found) == 1 and key == ENTER:
                self._typed = ""
                self._label(found[0], seconds)
            elif len(found) == 1:
                self._typed = NAME + self.keymap.names[found[0]]
            else:
                self._message = "more than one class fits; go on typing" if found else "no class fits"
        elif key.isprintable():
            self._typed = typed + key

    def _label(self, place: int, seconds: float) -> None:
        event = self.session.answer(self.session.classes[place], seconds=seconds)
        node, label = (harmless(str(event.payload[name])) for name in ("node", "label"))
        words = f"{node} → {label}"
        if event.payload["asked"] == AUDIT:
            predicted = event.payload["predicted"]
            right = predicted == event.payload["label"]
            words += ", as predicted" if right else f", predicted was {harmless(str(predicted))}"
        self._say(words, event.seq)

    def _undo(self) -> None:
        undone = self.session.undo()
        if undone is None:
            self._message = "there is nothing to undo"
            return
        if "node" not in undone.payload:
            self._say(f"the label of {len(undone.payload['nodes']):,} nodes is taken back", self.session.seq)
            return
        node, labels = harmless(str(undone.payload["node"])), self.session.labels
        known = id_of(undone.payload["node"]) in labels
        words = f"{node} is skipped no longer, and has a label" if known else f"{node} is open again"
        self._say(words, self.session.seq)
        self._message = "; ".join(self.session.notes)
        self.session.notes.clear()

    def _say(self, words: str, seq: int) -> None:
        """Show that something is on the disk, at once and above the next question."""
        self._last = f"saved #{seq}: {words}"
        self.screen.say(self._last)

    def _consider(self, question: Question | None) -> None:
        """Find out what is shown with a question."""
        self._progress = self.session.progress()
        self._opinion = None if question is None else self.session.opinion(question.node)
        self._around = [] if question is None else self.session.neighbours(question.node)

    def _draw(self, question: Question | None) -> None:
        hidden = question is not None and question.asked == AUDIT and self._shown_why != question
        self._view = View(
            self.title,
            question,
            self._progress,
            None if hidden else self._opinion,
            self._around,
            self._last,
            self._message,
            self._typed,
        )
        self.screen.draw(self._view)


def _name(key: str) -> str:
    """A key in words."""
    names = {ENTER: "Enter alone", ESCAPE: "that key", TAB: "Tab", BACK: "Backspace", " ": "the space bar"}
    return names.get(key, repr(harmless(key)) if key not in COMMANDS else key)
