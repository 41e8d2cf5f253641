"""The work: accuracy against labels, mistakes online, accuracy after queries. All draws depend on the seed alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from ohmline.arrays import Ints
from ohmline.lab.peers.contract import BEFORE, Problem, System
from ohmline.lab.peers.sizes import Size

Numbers = dict[str, Any]


def accuracy(system: System, problem: Problem, size: Size, seed: int) -> Numbers:
    """The share of the other nodes that are right, after the labels of a part of all nodes."""
    assert system.fit is not None
    found: Numbers = {"accuracy": [], "std": [], "seconds": []}
    for share in size.shares:
        right, seconds = [], []
        for draw in range(size.repeats_at(problem.n, "accuracy")):
            known = labels_of(problem, share, np.random.default_rng([seed, draw, round(1000 * share)]))
            start = time.process_time()
            predicted = checked(system.fit(problem, known), problem)
            seconds.append(time.process_time() - start)
            right.append(correct(predicted, problem, known))
        found["accuracy"].append(float(np.mean(right)))
        found["std"].append(float(np.std(right)))
        found["seconds"].append(float(np.median(seconds)))
    return found


def labels_of(problem: Problem, share: float, rng: np.random.Generator) -> Ints:
    """One random node of each class, then random nodes until that share of all nodes is reached."""
    first = one_of_each(problem, rng)
    rest = np.setdiff1d(np.arange(problem.n), first)
    more = max(round(share * problem.n) - len(first), 0)
    return np.concatenate([first, rng.permutation(rest)[:more]])


def one_of_each(problem: Problem, rng: np.random.Generator) -> Ints:
    """A random node of each class."""
    return np.array([rng.choice(np.flatnonzero(problem.codes == c)) for c in range(problem.classes)])


def correct(predicted: Ints, problem: Problem, known: Ints) -> float:
    """The share of the nodes without a label that are right."""
    rest = np.ones(problem.n, dtype=np.bool_)
    rest[known] = False
    return float(np.mean(predicted[rest] == problem.codes[rest]))


def checked(predicted: Any, problem: Problem) -> Ints:
    """A prediction for every node, or an error: what is missing must not count as a mistake in silence."""
    codes = np.asarray(predicted)
    if codes.shape != (problem.n,):
        raise ValueError(f"it predicted an array of shape {codes.shape} for {problem.n} nodes")
    return codes.astype(np.int64)


def online(system: System, problem: Problem, size: Size, seed: int) -> Numbers:
    """The mistake rate over all nodes in random orders, each predicted before its label is seen.

    A system without an online mode is refitted: on every trial of a small graph. On a larger one it is fitted at some
    places of each order, and its share of wrong predictions for all nodes that are still to come is averaged over the
    order. That is the rate that refitting on every trial would be expected to have, because in a random order each of
    them is as likely to be next. Time is then that of a fit, which each trial would need.
    """
    orders = [
        np.random.default_rng([seed, k, 7]).permutation(problem.n)
        for k in range(size.repeats_at(problem.n, "online"))
    ]
    rates, seconds = [], []
    for order in orders:
        start = time.process_time()
        if system.play is not None:
            rates.append(system.play(problem, order) / problem.n)
            seconds.append((time.process_time() - start) / problem.n)
        else:
            refits = size.refits_at(problem.n)
            rates.append(refitted(system, problem, order, refits))
            seconds.append((time.process_time() - start) / refits)
    how = "online" if system.play else "every trial" if problem.n < size.literal else "refits"
    return {
        "rate": float(np.mean(rates)),
        "std": float(np.std(rates)),
        "seconds": float(np.median(seconds)),
        "how": how,
    }


def refitted(system: System, problem: Problem, order: Ints, refits: int) -> float:
    """The mistake rate of fitting anew on every trial; expected, from so many fits, where there are fewer than trials.

    The places are midpoints of stretches that grow with the square of their number, since the first labels change most.
    """
    n = problem.n
    if refits >= n:
        return float(np.mean([first_wrong(system, problem, order, t) for t in range(n)]))
    edges = np.unique(np.round(n * np.linspace(0, 1, refits + 1) ** 2).astype(np.int64))
    total = 0.0
    for low, high in pairwise(edges):
        total += (high - low) * share_wrong(system, problem, order, int(low + high - 1) // 2)
    return float(total / n)


def fitted(system: System, problem: Problem, known: Ints) -> Ints:
    """Every node's class from these labels; where they are of one class, all are predicted to be of that one."""
    assert system.fit is not None
    present = np.unique(problem.codes[known])
    if len(present) < 2:
        return np.full(problem.n, present[0] if len(present) else BEFORE)
    return checked(system.fit(problem, known), problem)


def first_wrong(system: System, problem: Problem, order: Ints, t: int) -> bool:
    """Whether trial t is a mistake."""
    node = order[t]
    return bool(fitted(system, problem, order[:t])[node] != problem.codes[node])


def share_wrong(system: System, problem: Problem, order: Ints, t: int) -> float:
    """The share of the nodes still to come that are wrong after t labels."""
    rest = order[t:]
    return float(np.mean(fitted(system, problem, order[:t])[rest] != problem.codes[rest]))


def active(system: System, problem: Problem, size: Size, seed: int) -> Numbers:
    """Accuracy on the nodes without a label after so many labels that the system asked for."""
    assert system.begin is not None
    rows, seconds = [], []
    for k in range(size.repeats_at(problem.n, "active")):
        first = one_of_each(problem, np.random.default_rng([seed, k, 11]))
        row, known = [], [int(i) for i in first]
        start = time.process_time()
        chooser = system.begin(problem, first)
        for asked in range(1, max(size.asked) + 1):
            node = chooser.next()
            if node in known or not 0 <= node < problem.n:
                raise ValueError(f"it asked for node {node}, which has its label or is not there")
            known.append(node)
            chooser.learn(node, int(problem.codes[node]))
            if asked in size.asked:
                row.append(correct(checked(chooser.predict(), problem), problem, np.array(known)))
        seconds.append((time.process_time() - start) / max(size.asked))
        rows.append(row)
    table = np.array(rows)
    return {
        "accuracy": table.mean(axis=0).tolist(),
        "std": table.std(axis=0).tolist(),
        "seconds": float(np.median(seconds)),
    }


Task = Callable[[System, Problem, Size, int], Numbers]
TASKS: dict[str, Task] = {"accuracy": accuracy, "online": online, "active": active}


def can(system: System, task: str) -> bool:
    """Whether the system does that at all."""
    if task == "online":
        return system.play is not None or system.fit is not None
    return (system.fit if task == "accuracy" else system.begin) is not None


def fits(problem_nodes: int, size: Size, task: str) -> bool:
    """Whether the graph is large enough for the task: queries must leave nodes to be judged by."""
    return task != "active" or problem_nodes >= 2 * max(size.asked)
