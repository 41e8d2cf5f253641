"""`ohmline bench serve`: durable answers, predictions and questions over HTTP, each beside its floor.

Floors of the same run: a bare route of the same HTTP server (no store, no learner, no checks), and a loop that appends
to a file and syncs it. The server runs in a process of its own, whose CPU time is read; the process that thinks of
questions ahead is beside it and is not counted. OHMLINE_SERVE_NODES=1000000 makes the graph larger than the usual
20,000 nodes.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ohmline.arrays import Ints
from ohmline.graph.graph import Graph
from ohmline.lab.bench import Measured, target
from ohmline.lab.benches.foundation import citations
from ohmline.project import Project
from ohmline.service.benches.children import BARE, Child, child, served
from ohmline.service.benches.load import Connection, Line, crowd, paced, share

NODES, LARGE, KNOWN = 20_000, 200_000, 40
CLASSES = ["a", "b"]
CROWD, ROUNDS, SECONDS = 64, 2, 2.5
PROJECT = "/api/projects/bench"


def serving() -> Measured:
    """What `ohmline serve` costs and how fast it answers."""
    name, graph, truth = _wanted(int(os.environ.get("OHMLINE_SERVE_NODES", NODES)))
    nodes, answers = list(graph.nodes), [CLASSES[int(label > 0)] for label in truth]
    known = dict(zip(nodes[:KNOWN], answers[:KNOWN], strict=True))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "bench")
        Project.create(folder, graph=graph, classes=CLASSES, labels=known)
        syncs = synced(Path(place, "floor"))
        with child("-c", BARE) as bare, child(*served(folder)) as server:
            found = asyncio.run(_measure(bare, server, nodes, answers))
    return _report(name, graph.n, syncs, found)


def _wanted(n: int) -> tuple[str, Graph, Ints]:
    if n == NODES:
        return citations()
    graph, truth = blocks(n)
    return f"a block model of {n:,} nodes", graph, truth


def blocks(n: int) -> tuple[Graph, Ints]:
    """Two groups of nodes on a path, with two edges a node to some near on it, and a few to anywhere."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, n, 2 * n)
    b = np.where(
        rng.random(2 * n) < 0.95, np.minimum(a + rng.integers(1, 50, 2 * n), n - 1), rng.integers(0, n, 2 * n)
    )
    path = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    pairs = np.concatenate([np.stack([a, b], axis=1)[a != b], path])
    return Graph.from_edges(np.unique(np.sort(pairs, axis=1), axis=0)), np.where(np.arange(n) < n // 2, 1, -1)


def synced(path: Path, times: int = 300) -> list[float]:
    """How long it takes the disk to take a short line for good."""
    found, line = [], b"x" * 300
    with path.open("wb", buffering=0) as file:
        for _ in range(times):
            start = time.perf_counter()
            file.write(line)
            os.fsync(file.fileno())
            found.append(time.perf_counter() - start)
    return found


async def _measure(bare: Child, server: Child, nodes: list[Any], answers: list[str]) -> dict[str, Any]:
    line, number, n = server.line, count(), len(nodes)
    truth = dict(zip(nodes, answers, strict=True))

    def labels() -> Iterator[bytes]:
        for k in number:
            node = nodes[k * 7919 % n]
            answer = {"node": node, "label": truth[node], "key": f"k{k}"}
            yield line.post(f"{PROJECT}/labels", answer)

    def predictions() -> Iterator[bytes]:
        return (line.post(f"{PROJECT}/predict", {"node": nodes[k * 104_729 % n]}) for k in count())

    def nothing() -> Iterator[bytes]:
        while True:
            yield bare.line.post("/bare", {"node": 17, "label": "a", "key": "k123"})

    rates: dict[str, list[float]] = {"bare": [], "labels": [], "predict": []}
    for _ in range(ROUNDS):  # in turns, so that a busy spell falls on all
        rates["bare"].append(await _per_cpu_second(bare, nothing()))
        rates["labels"].append(await _per_cpu_second(server, labels()))
        rates["predict"].append(await _per_cpu_second(server, predictions()))
    alone = await crowd(line, labels(), 1, 4.0)
    streaming = asyncio.ensure_future(paced(line, labels(), 100.0, 5.0))
    beside = await paced(line, predictions(), 100.0, 5.0)
    await streaming
    return {
        "rates": {name: max(found) for name, found in rates.items()},
        "alone": alone,
        "beside": beside,
        "next": await _questions(line, truth, 150),
    }


async def _per_cpu_second(server: Child, requests: Iterator[bytes]) -> float:
    before = server.cpu()
    times = await crowd(server.line, requests, CROWD, SECONDS)
    return len(times) / max(server.cpu() - before, 1e-3)


async def _questions(line: Line, truth: dict[Any, str], times: int) -> list[float]:
    """How long a question takes that is asked for right after an answer."""
    connection, found = await Connection.open(line), []
    for _ in range(times):
        start = time.perf_counter()
        reply = await connection.ask(line.post(f"{PROJECT}/next", {}))
        found.append(time.perf_counter() - start)
        questions = msgspec.json.decode(reply)["questions"]
        if not questions:
            break
        node = questions[0]["node"]
        answer = {"node": node, "label": truth[node], "lease": questions[0]["lease"]}
        await connection.ask(line.post(f"{PROJECT}/labels", answer))
        await asyncio.sleep(0.02)  # a quick person
    connection.close()
    return found


def _report(name: str, nodes: int, syncs: list[float], found: dict[str, Any]) -> Measured:
    rates, alone, beside, questions = found["rates"], found["alone"], found["beside"], found["next"]
    allowed = 3 * share(syncs, 0.99) + 2
    slow, next_ = share(alone, 0.99), share(questions, 0.99)
    targets = [
        target(
            f"durable answers one by one: p99 in ms, at most {allowed:.3g}: 3 syncs and 2 ms",
            slow,
            most=allowed,
        )
    ]
    if nodes <= LARGE:
        targets += [
            target("durable answers per CPU-second at 64 connections", rates["labels"], least=4000),
            target("predictions per CPU-second at 64 connections", rates["predict"], least=7000),
            target("predictions while labels stream in: p99 in ms", share(beside, 0.99), most=10.0),
        ]
    most = 50.0 if nodes <= LARGE else 200.0
    targets.append(
        target(f"the next question after an answer: p99 in ms, at most {most:g}", next_, most=most)
    )
    return Measured(
        "serve",
        rates["labels"] / rates["bare"],
        "requests per CPU-second of a bare route of the same HTTP server, without store, learner and checks",
        {
            "graph": name,
            "nodes": nodes,
            "bare_per_cpu_second": rates["bare"],
            "durable_per_cpu_second": rates["labels"],
            "predict_per_cpu_second": rates["predict"],
            "fsync_p50_ms": share(syncs, 0.5),
            "fsync_p99_ms": share(syncs, 0.99),
            "durable_one_by_one_p50_ms": share(alone, 0.5),
            "durable_one_by_one_p99_ms": share(alone, 0.99),
            "predict_while_labels_stream_p50_ms": share(beside, 0.5),
            "predict_while_labels_stream_p99_ms": share(beside, 0.99),
            "next_p50_ms": share(questions, 0.5),
            "next_p99_ms": share(questions, 0.99),
            "targets": targets,
        },
    )
