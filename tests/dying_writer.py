"""A process that appends to a log until it is killed, and says what was acknowledged."""

from __future__ import annotations

import random
from multiprocessing.connection import Connection

from event_logs import Place, draft


def write_until_killed(place: Place, seed: int, pipe: Connection) -> None:
    """Append batches that go on counting where the log ends; send (seq, hash) after each."""
    chance = random.Random(seed)
    while True:
        with place.open() as log:
            pipe.send(log.head)
            for _ in range(chance.randrange(1, 40)):
                first = log.head[0] + 1
                log.append([draft(first + k) for k in range(chance.choice([1, 1, 3, 20]))])
                pipe.send(log.head)
