"""The screen of `ohmline label`: one node, what is known of it, and the keys."""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.segment import Segment, SegmentLines
from rich.table import Table
from rich.text import Text

from ohmline.cli.label_keys import COMMANDS, NAME, Keymap
from ohmline.labelling.texts import harmless

if TYPE_CHECKING:
    from ohmline.labelling import Neighbour, Opinion, Progress, Question

NEIGHBOURS = 8
"""How many neighbours are shown at most."""
BAR = 20
"""How long the bar of a certain class is."""
LEAST_TEXT = 3
"""How many lines the text of a node gets at least, blank ones included."""
CLASS_LINES = 6
"""How many lines the keys of the classes take at most."""
WIDE = 64
"""Below this width what stands side by side comes without its longer parts."""
NARROWEST = 16
"""Below this width the name of a node, or of a class, could not be known."""
SHORT = 16
"""Below this height the line at the top is left out."""
AUDIT = "audit"


@dataclass(frozen=True)
class View:
    """All that is shown at one moment."""

    title: str
    question: Question | None
    progress: Progress
    opinion: Opinion | None
    """None where it is hidden."""
    neighbours: Sequence[Neighbour]
    last: str
    message: str
    typed: str
    """What was typed of a class with a longer number or of its name."""


class Screen:
    """Draws on standard error, so that standard output is free for the result.

    Parameters
    ----------
    keymap
        The keys of the classes.
    texts
        The text of each node, harmless already.
    """

    def __init__(self, keymap: Keymap, texts: Mapping[Hashable, str]) -> None:
        self.console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
        self.keymap, self.texts = keymap, texts
        self.fits = True
        """Whether the window shows the node and the keys; where it does not, no key may label."""

    def size(self) -> tuple[int, int]:
        """The columns and lines of the window, whatever COLUMNS said when the shell began."""
        try:
            width, height = os.get_terminal_size(sys.stderr.fileno())
        except OSError:
            width = height = 0
        return width or 80, height or 24

    def say(self, words: str) -> None:
        """One line under what is there."""
        self.console.print(Text(words))

    def draw(self, view: View) -> None:
        """Draw everything anew."""
        width, height = self.console.size = self.size()
        head = self._lines(self._head(view)) if height >= SHORT else []
        foot = self._lines(self._foot(view, width))
        if len(head) + len(foot) + 2 > height:
            foot = self._lines(self._foot(view, width, short=True))
        room = height - 1 - len(head) - len(foot)
        self.fits = room >= 1 and self._is_wide_enough(view.question, width)
        if not self.fits:
            self.console.clear()
            self.console.print(Text("the window is too small; q quits"), end="")
            return
        body = self._lines(self._body(view, width, room))[:room]  # on a small screen the end of it is missing
        self.console.clear()
        self.console.print(SegmentLines([*head, *body, *foot], new_lines=True), end="")

    def _is_wide_enough(self, question: Question | None, width: int) -> bool:
        """Whether a node can be told from others; in a wide window the beginning of a long name has to do."""
        if question is None or width >= WIDE:
            return True
        return width >= NARROWEST and cell_len(f"node {harmless(str(question.node))}") <= width

    def _body(self, view: View, width: int, room: int) -> list[RenderableType]:
        question = view.question
        if question is None:
            return [Text(), *self._end(view.progress)]
        lead, below = self._lead(question, width), self._opinion(view)
        room -= len(self._lines(lead)) + len(self._lines(below))
        most = max(1, min(NEIGHBOURS, room - LEAST_TEXT - 1))
        around = self._neighbours(view.neighbours, width, most)
        text = self._text(question.node, width, room - len(self._lines(around)))
        return [*lead, *text, *around, *below]

    def help(self, goal: float | None) -> None:
        """Say what the keys do."""
        rows = Table.grid(padding=(0, 2))
        keys = self.keymap
        each = [f"{n} or {c}" if c else n for n, c in zip(keys.numbers, keys.letters, strict=True)]
        for key, name in list(zip(each, keys.names, strict=True))[:20]:
            rows.add_row(Text(f"  {key}", style="bold"), Text(f"label as {harmless(name)} and go on"))
        about = {
            NAME: "type the name of a class; Tab completes, Enter takes it, Esc goes back",
            "u": "undo the last answer, as often as you like, also after a restart",
            "s": "skip: somebody else may know; in a random check it counts as a wrong prediction",
            "w": "show what the learner thinks in a random check, where it is hidden at first",
            "q": "quit; everything is saved, and the same command goes on from here",
        }
        for key, words in about.items():
            rows.add_row(Text(f"  {key}", style="bold"), Text(words))
        lines = [
            "Each answer is on the disk before the next question comes.",
            "At first the nodes are asked whose labels say most about the others.",
        ]
        if goal is not None:
            lines.append(
                f"Then nodes come up at random, until at most {100 * goal:g} % of the predictions for the others are "
                "wrong. These answers measure the predictions, so give them without looking at the learner's."
            )
        self.console.size = self.size()
        self.console.clear()
        self.console.print(
            Group(Rule(" Keys "), rows, Text(), *map(Text, lines), Text(), Text("Any key goes back."))
        )

    def _lines(self, parts: Iterable[RenderableType]) -> list[list[Segment]]:
        return [line for part in parts for line in self.console.render_lines(part, pad=False)]

    def _head(self, view: View) -> list[RenderableType]:
        progress = view.progress
        counts = f"{progress.labels:,} of {progress.nodes:,} labelled"
        if progress.skipped:
            counts += f", {progress.skipped:,} skipped"
        line = Table.grid(expand=True, padding=(0, 1))
        line.add_column(no_wrap=True, overflow="ellipsis")
        line.add_column(justify="right", no_wrap=True)
        line.add_row(Text(harmless(view.title), style="bold"), Text(counts))
        return [line, Rule(style="dim")]

    def _lead(self, question: Question, width: int) -> list[RenderableType]:
        line = Text()
        line.append(f"node {harmless(str(question.node))}", style="bold")
        if question.asked == AUDIT:
            line.append(f"   {question.why}", style="yellow")
        elif width >= WIDE:
            line.append(f"   {harmless(question.why)}", style="dim")
        line.truncate(width, overflow="ellipsis")
        return [line]

    def _text(self, node: Hashable, width: int, most: int) -> list[RenderableType]:
        text = self.texts.get(node, "")
        if not text:
            return []
        most = max(most - 2, 1)  # a blank line before and after
        cut = text[: width * (most + 2)]
        wrapped = Text(cut).wrap(self.console, max(width - 4, 10))
        lines = [Text("  ") + line for line in wrapped[:most]]
        for line in lines:
            line.rstrip()
        if len(wrapped) > most or cut != text:
            lines[-1].append(" …")
        return [Text(), *lines, Text()]

    def _neighbours(self, found: Sequence[Neighbour], width: int, most: int) -> list[RenderableType]:
        if not found:
            return [Text("no neighbours: nothing but its text tells what it is", style="dim")]
        shown = found[:most]
        labelled = sum(each.label is not None for each in found)
        rest = f", the {most} heaviest here" if len(found) > most else ""
        head = Text(
            f"{len(found):,} neighbours, {labelled:,} labelled{rest}" if len(found) > 1 else "one neighbour"
        )
        rows = Table.grid(padding=(0, 2), expand=True)
        rows.add_column(no_wrap=True, overflow="ellipsis", max_width=24)
        weights = {each.weight for each in found} != {1.0} and width >= WIDE
        if weights:
            rows.add_column(justify="right", no_wrap=True)
        rows.add_column(no_wrap=True, overflow="ellipsis", max_width=24)
        rows.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        for each in shown:
            label = Text(
                "–" if each.label is None else harmless(str(each.label)),
                style="cyan" if each.label else "dim",
            )
            words = self.texts.get(each.node, "").partition("\n")[0][:400]
            weight = [Text(f"{each.weight:.3g}", style="dim")] if weights else []
            rows.add_row(Text(f"  {harmless(str(each.node))}"), *weight, label, Text(words, style="dim"))
        return [head, rows]

    def _opinion(self, view: View) -> list[RenderableType]:
        opinion = view.opinion
        if opinion is None:
            return [
                Text(),
                Text("what the learner thinks is hidden until you have answered; w shows it", style="dim"),
            ]
        if not opinion.probabilities:
            return [Text(), Text("the learner knows nothing yet")]
        if not opinion.reached:
            words = "no label reaches this node; the commonest class so far is "
            return [Text(), Text(words) + Text(harmless(str(opinion.prediction)), style="cyan")]
        rows = Table.grid(padding=(0, 2))
        rows.add_column(no_wrap=True, overflow="ellipsis", max_width=30)
        for label, chance in list(opinion.probabilities.items())[:3]:
            bar = "█" * round(BAR * chance) if self.size()[0] >= WIDE else ""
            rows.add_row(
                Text(f"  {harmless(str(label))}", style="cyan"), Text(percent(chance)), Text(bar, style="dim")
            )
        because = Text("because ")
        for k, share in enumerate(opinion.because):
            because.append(" · " if k else "")
            because.append(harmless(str(share.node)))
            because.append(f" {harmless(str(share.label))}", style="cyan")
            because.append(f" {percent(share.share)}")
        because.append(" of the evidence", style="dim")
        return [Text(), Text("the learner thinks"), rows, because]

    def _foot(self, view: View, width: int, *, short: bool = False) -> list[RenderableType]:
        """The keys, and below them where the session stands; the latter not where it must be short."""
        parts: list[RenderableType] = [Rule(style="dim")]
        if view.question is not None:
            parts.append(self._keys(view.typed, width))
        commands = Text()
        for key, words in COMMANDS.items():
            if view.question is None and words not in ("undo", "quit"):
                continue
            if words == "why" and (view.question is None or view.question.asked != AUDIT):
                continue
            commands.append(f"{key} ", style="bold")
            commands.append(f"{words}   ", style="dim")
        parts.append(commands)
        if not short:
            parts.append(Text(status(view.progress)))
        if view.last and not short:
            parts.append(Text(view.last, style="green"))
        if view.message:
            parts.append(Text(view.message, style="yellow"))
        return parts

    def _keys(self, typed: str, width: int) -> RenderableType:
        keys = self.keymap
        if typed.startswith(NAME):
            found = [keys.names[k] for k in keys.matches(typed[1:])] if len(typed) > 1 else keys.names
            listed = ", ".join(harmless(name) for name in found[:8]) or "no class has that in its name"
            return Text(f"class: {harmless(typed[1:])}▏ {listed}{' …' if len(found) > 8 else ''}")
        lines = [Text()]
        for number, letter, name in zip(keys.numbers, keys.letters, keys.names, strict=True):
            if typed and not number.startswith(typed):
                continue
            each = Text(f"{number}/{letter}" if letter else number, style="bold")
            each += Text(f" {harmless(name)[:24]}", style="cyan")
            if lines[-1] and lines[-1].cell_len + 3 + each.cell_len > width:
                lines.append(Text())
            lines[-1] += Text("   ") + each if lines[-1] else each
        if len(lines) > CLASS_LINES:
            lines = [*lines[: CLASS_LINES - 1], Text("…", style="dim")]
        if keys.digits > 1:
            lines.append(Text(f"{keys.digits} digits, or {NAME} and the name of the class", style="dim"))
        return Text("\n").join(lines)

    def _end(self, progress: Progress) -> list[RenderableType]:
        if progress.stage.value == "reached":
            words = "The goal is reached: you may stop."
            return [Text(words, style="bold green"), Text(f"{progress.limit}")]
        words = "Every node is labelled."
        if progress.skipped:
            words = f"Every node is labelled or was skipped ({progress.skipped:,})."
        return [Text(words, style="bold green")]


def percent(share: float) -> str:
    """A share in per cent, whole where that is enough.

    >>> percent(0.314), percent(0.0314), percent(0)
    ('31 %', '3.1 %', '0 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.0995 or share == 0 else f"{100 * share:.1f} %"


def status(progress: Progress) -> str:
    """Where a session stands, in one sentence."""
    goal = "" if progress.goal is None else f" (goal {percent(progress.goal)})"
    if progress.limit is None:
        words = f"estimated error {percent(progress.estimate)}{goal}"
        if progress.goal is not None:
            words += f"; random checks follow{at_least(progress.more)}"
        return words
    limit = progress.limit
    if progress.stage.value != "checking":
        return f"at most {percent(limit.share)} of the other predictions are wrong{goal}"
    more = "" if progress.more is None else f"; about {progress.more:,} more"
    return (
        f"{limit.found:,} of {limit.sampled:,} checked were wrong: at most {percent(limit.share)} of the others are"
        f"{goal}{more}"
    )


def at_least(more: int | None) -> str:
    """How many labels a check takes at least."""
    return "" if more is None else f", at least {more:,}"
