"""How much is measured: the full comparison, and a small one for a look and for tests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """Graphs, draws and budgets, the same for all systems."""

    name: str
    graphs: tuple[str, ...]
    shares: tuple[float, ...] = (0.01, 0.05, 0.2)
    """The parts of the nodes whose labels are known, in the task "accuracy"."""
    repeats: tuple[int, int, int] = (20, 4, 2)
    """Draws of labels, and orders, on graphs below `literal`, below `large` and above."""
    loops: tuple[int, int, int] = (20, 4, 2)
    """Draws of the first labels in the task "active", whose results differ more from draw to draw."""
    large: int = 5000
    """From so many nodes on a graph is large: fewer repeats, and fewer refits."""
    refits: tuple[int, int] = (24, 8)
    """Places in each order at which a system that has no online mode is fitted, on graphs below `large` and above."""
    literal: int = 100
    """Graphs with fewer nodes are played literally, refitting on every trial."""
    asked: tuple[int, ...] = (10, 25, 50, 100)
    """Queries after which the accuracy is looked at, in the task "active"."""
    patience: float = 60.0
    """Seconds of the processor after which a cell is given up."""

    def repeats_at(self, nodes: int, task: str) -> int:
        """How often a task is done on a graph of so many nodes."""
        draws = self.loops if task == "active" else self.repeats
        return draws[0 if nodes < self.literal else 1 if nodes < self.large else 2]

    def refits_at(self, nodes: int) -> int:
        """How often a system without an online mode is fitted in each order."""
        return nodes if nodes < self.literal else self.refits[0 if nodes < self.large else 1]


FULL = Size("full", ("cora", "pubmed", "karate", "digits", "wikimovies4"))
SMALL = Size(
    "small",
    ("karate",),
    shares=(0.2,),
    repeats=(2, 2, 2),
    loops=(2, 2, 2),
    refits=(6, 6),
    literal=0,
    asked=(4, 8),
    patience=60.0,
)
SIZES = {size.name: size for size in (FULL, SMALL)}
