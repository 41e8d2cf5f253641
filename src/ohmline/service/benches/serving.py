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

from ohmline.graph.graph import Graph
from ohmline.lab.bench import Measured, target
from ohmline.project import Project
from ohmline.service.benches.children import BARE, Child, child, served
from ohmline.service.benches.load import Connection, Line, crowd, paced, share

NODES, LARGE, CLASSES = 20_000, 200_000, ["a", "b", "c", "d"]
CROWD, ROUNDS, SECONDS = 64, 2, 2.5
PROJECT = "/api/projects/bench"


def serving() -> Measured:
    """What `ohmline serve` costs and how fast it answers."""
    nodes = int(os.environ.get("OHMLINE_SERVE_NODES", NODES))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "bench")
        Project.create(
            folder, graph=blocks(nodes), classes=CLASSES, labels={k: CLASSES[k % 4] for k in range(40)}
        )
        syncs = synced(Path(place, "floor"))
        with child("-c", BARE) as bare, child(*served(folder)) as server:
            found = asyncio.run(_measure(bare, server, nodes))
    return _report(nodes, syncs, found)


def blocks(n: int) -> Graph:
    """Four groups of nodes, with eight edges in ten inside a group, and a path through all."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, n, 3 * n), rng.integers(0, n, 3 * n)
    near = rng.random(3 * n) < 0.8
    b = np.where(near, np.minimum(a - a % 4 + 4 * (b % 50) + a % 4, n - 1), b)
    path = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    pairs = np.concatenate([np.stack([a, b], axis=1)[a != b], path])
    return Graph.from_edges(np.unique(np.sort(pairs, axis=1), axis=0))


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


async def _measure(bare: Child, server: Child, nodes: int) -> dict[str, Any]:
    line, number = server.line, count()

    def labels() -> Iterator[bytes]:
        for k in number:
            answer = {"node": k * 7919 % nodes, "label": CLASSES[k % 4], "key": f"k{k}"}
            yield line.post(f"{PROJECT}/labels", answer)

    def predictions() -> Iterator[bytes]:
        return (line.post(f"{PROJECT}/predict", {"node": k * 104_729 % nodes}) for k in count())

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
        "next": await _questions(line, 150),
    }


async def _per_cpu_second(server: Child, requests: Iterator[bytes]) -> float:
    before = server.cpu()
    times = await crowd(server.line, requests, CROWD, SECONDS)
    return len(times) / max(server.cpu() - before, 1e-3)


async def _questions(line: Line, times: int) -> list[float]:
    """How long a question takes that is asked for right after an answer."""
    connection, found = await Connection.open(line), []
    for _ in range(times):
        start = time.perf_counter()
        reply = await connection.ask(line.post(f"{PROJECT}/next", {}))
        found.append(time.perf_counter() - start)
        questions = msgspec.json.decode(reply)["questions"]
        if not questions:
            break
        answer = {"node": questions[0]["node"], "label": CLASSES[0], "lease": questions[0]["lease"]}
        await connection.ask(line.post(f"{PROJECT}/labels", answer))
        await asyncio.sleep(0.02)  # a quick person
    connection.close()
    return found


def _report(nodes: int, syncs: list[float], found: dict[str, Any]) -> Measured:
    rates, alone, beside, questions = found["rates"], found["alone"], found["beside"], found["next"]
    most = 50.0 if nodes <= LARGE else 200.0
    allowed = 3 * share(syncs, 0.99) + 2
    return Measured(
        "serve",
        rates["labels"] / rates["bare"],
        "requests per CPU-second of a bare route of the same HTTP server, without store, learner and checks",
        {
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
            "targets": [
                target("durable answers per CPU-second at 64 connections", rates["labels"], least=4000),
                target("predictions per CPU-second at 64 connections", rates["predict"], least=7000),
                target(
                    f"durable answers one by one: p99 at most {allowed:.3g} ms, 3 syncs and 2 ms",
                    share(alone, 0.99),
                    most=allowed,
                ),
                target("predictions while labels stream in: p99 in ms", share(beside, 0.99), most=10.0),
                target("the next question after an answer: p99 in ms", share(questions, 0.99), most=most),
            ],
        },
    )
