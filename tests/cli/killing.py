"""Kill `ohmline label` again and again at random moments, and see that nothing it had acknowledged is lost.

The command is imported and warmed up once; each victim is a fork of that, so that a kill costs no start of Python.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from cli.terminal import Terminal
from ohmline.cli.app import app
from ohmline.store.journal import Event, Journal, read_journal

SAVED = re.compile(r"saved #(\d+): ([^\n]*)\n")


def grid(folder: Path, side: int) -> Path:
    """A file with the edges of a square grid."""
    path = folder / "grid.csv"
    cells = [(i, j) for i in range(side) for j in range(side)]
    right = [(f"{i}-{j}", f"{i}-{j + 1}") for i, j in cells if j + 1 < side]
    down = [(f"{i}-{j}", f"{i + 1}-{j}") for i, j in cells if i + 1 < side]
    path.write_text("".join(f"{u},{v}\n" for u, v in right + down))
    return path


def said(event: Event) -> str:
    """How the screen acknowledges an event."""
    node = event.payload.get("node")
    if event.kind == "labelled":
        return f"{node} → {event.payload['label']}"
    return f"{node} skipped" if event.kind == "skipped" else "is open again"


def victim(folder: Path, journal: str, rng: random.Random, *, real: bool) -> tuple[dict[int, str], str]:
    """Label for a moment, and be killed; what was acknowledged, and when it came."""
    arguments = ["label", "grid.csv", "--classes", "a,b,c", "--journal", journal, "--goal", "20%"]
    terminal = Terminal(arguments, folder, child=None if real else lambda: app(arguments))
    start = rng.random() < 0.15  # some are killed before the first question is there
    if not start:
        terminal.node()
    end = time.monotonic() + rng.uniform(0, 0.3 if start else 0.8)
    shown = len(terminal.raw)
    while time.monotonic() < end:
        if not start and re.search(r"(?s)node \S+.*q quit.*\n(estimated|\d+ of)", terminal.screen):
            terminal.press(rng.choice("1112233su"))
            shown = len(terminal.raw)
            while len(terminal.raw) == shown and time.monotonic() < end:
                terminal.pump(0.003)
        terminal.pump(0.003)
    terminal.kill()
    found = {int(number): words for number, words in SAVED.findall(terminal.text)}
    return found, "start" if start else "work"


def main(kills: int, seed: int, folder: Path, mode: str) -> None:
    """Kill so many processes: "fork"s of this one, "real" commands, or forks whose journal is "late"."""
    real = mode == "real"
    rng = random.Random(seed)
    grid(folder, 40)
    if not real:
        warm_up(folder)
    if mode == "late":
        spoil()
    moments = {"start": 0, "work": 0, "torn": 0}
    acknowledged: dict[str, dict[int, str]] = {}
    lost = 0
    for k in range(kills):
        name = f"job{k // 20}.jsonl"
        found, moment = victim(folder, name, rng, real=real)
        moments[moment] += 1
        known = acknowledged.setdefault(name, {})
        known |= found
        if not (folder / name).exists():
            assert not known
            continue
        with Journal(folder / name, {}) as journal:  # as the next start does
            moments["torn"] += bool(journal.notes)
        events = read_journal(folder / name)
        lost += sum(not is_there(events, number, words) for number, words in known.items())
    total = sum(map(len, acknowledged.values()))
    print(json.dumps({"kills": kills, "acknowledged": total, "lost": lost, **moments}))


def is_there(events: list[Event], number: int, words: str) -> bool:
    """Whether the event that was acknowledged in these words is in the journal."""
    if number >= len(events):
        return False
    plain = said(events[number])
    return words.startswith(plain) or words.endswith(plain)  # in a check it goes on with what was predicted


def spoil() -> None:
    """Make a journal that acknowledges first and writes with the next event, to see that the kills find it out."""
    store = Journal._store
    waiting: list[tuple[bytes, Event]] = []

    def late(journal: Journal, line: bytes, event: Event) -> None:
        if waiting:
            store(journal, *waiting.pop())
        waiting.append((line, event))

    Journal._store = late  # type: ignore[method-assign]


def warm_up(folder: Path) -> None:
    """Load all machine code, so that the forks have it."""
    from ohmline.graph import read
    from ohmline.labelling import Session

    with Session(
        read(folder / "grid.csv"), ["a", "b", "c"], journal=folder / "warm.jsonl", goal=0.2
    ) as session:
        while session.progress().limit is None:
            question = session.question()
            assert question is not None
            session.opinion(question.node)
            session.answer("a")
        session.undo()
    os.environ["COLUMNS"] = "100"


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
