"""The one file that knows the engine: Dask distributed.

Everything else in this package sees a `Cluster`, which runs tasks and places crews, and a `Crew`: one long-lived object
on each worker, whose methods can be called, on all of them at once by the client and on one by another. Calls go
straight to the worker that owns the object, not through the engine's table of tasks, so that a thousand steps of an
iteration leave nothing behind in the scheduler.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Self, final

from ohmline.checks import count, positive, shown, text
from ohmline.cluster.deaf import deaf_to_ctrl_c
from ohmline.cluster.errors import LostWorker
from ohmline.compiled import undisturbed
from ohmline.errors import ClusterError, OhmlineError, ParameterError
from ohmline.extras import require

PULSE = 0.5
"""Seconds between two looks at who is still there, while an answer is waited for."""
SHARE = 0.85
"""How much of its limit a worker may fill; at 0.95 Dask ends it."""
INTERPRETER = 256 * 2**20
"""Bytes of a worker that has read the libraries (200 MiB) and whose allocators keep some of what was freed."""
_NUMBERS = itertools.count()


@final
class Cluster:
    """Worker processes that can be given work, here or on other machines.

    Made by `Cluster.connect` or `Cluster.local`, and closed by `close` or at the end of a `with` block.

    Parameters
    ----------
    client
        A connected `distributed.Client`.
    own
        The local cluster to end with this one; None (default) where it belongs to somebody else.
    """

    def __init__(self, client: Any, own: Any = None) -> None:
        self._client, self._own = client, own
        client.loop.asyncio_loop.set_exception_handler(_unless_nobody_waits)

    @classmethod
    def connect(cls, address: str, *, timeout: float = 10.0) -> Cluster:
        """The cluster whose scheduler listens at an address.

        Parameters
        ----------
        address
            Such as `tcp://10.0.0.5:8786`: what `dask scheduler` prints when it starts.
        timeout
            Seconds after which a scheduler that does not answer is given up. Default 10.
        """
        distributed = require("distributed", "cluster")
        place, seconds = text(address, "address"), positive(timeout, "timeout")
        if ":" not in place.removeprefix("tcp://").removeprefix("tls://"):
            raise ClusterError(
                f"{shown(place)} is no address: it names no port; give the one that `dask scheduler` prints, such as "
                "tcp://10.0.0.5:8786"
            )
        quiet = logging.getLogger("distributed.client")
        level = quiet.level
        try:
            quiet.setLevel(logging.CRITICAL)  # the error below says it in one line
            return cls(distributed.Client(place, timeout=seconds, set_as_default=False))
        except (OSError, ValueError, TypeError) as error:  # of the network, or of the spelling
            raise ClusterError(
                f"no scheduler answers at {shown(place)} within {seconds:g} seconds ({error or 'no answer'}); "
                "give the address that `dask scheduler` prints, such as tcp://10.0.0.5:8786"
            ) from None
        finally:
            quiet.setLevel(level)

    @classmethod
    def local(cls, workers: int = 2, *, memory: int | None = None) -> Cluster:
        """Worker processes on this machine, reachable from nowhere else.

        Parameters
        ----------
        workers
            How many, at least 1. Default 2.
        memory
            Bytes that each may use; None (default) for an equal share of this machine's memory.
        """
        distributed = require("distributed", "cluster")
        n = count(workers, "workers", least=1, most=10_000)
        limit = "auto" if memory is None else count(memory, "memory", least=1)
        made: Cluster | None = None
        try:
            with undisturbed(), deaf_to_ctrl_c():  # a cluster that is half started cannot be ended
                own = distributed.LocalCluster(
                    n_workers=n,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    worker_dashboard_address=None,
                    memory_limit=limit,
                    silence_logs=logging.CRITICAL,
                )
                made = cls(distributed.Client(own, set_as_default=False), own)
            return made
        except BaseException:
            if made is not None:
                made.close()
            raise

    @property
    def address(self) -> str:
        """Where the scheduler listens."""
        return str(self._client.scheduler.address)

    def workers(self) -> list[str]:
        """The addresses of the workers that are there now, in order."""
        found = sorted(self._client.nthreads())
        if not found:
            raise ClusterError(
                f"the cluster at {self.address} has no worker; start some with `dask worker {self.address}`"
            )
        return found

    def room(self) -> dict[str, float]:
        """For each worker the bytes that our arrays may take: most of its limit, less what Python itself needs."""
        self.workers()
        known = self._client.sync(self._client.scheduler.identity, n_workers=-1)["workers"]
        return {
            name: SHARE * worker["memory_limit"] - INTERPRETER if worker["memory_limit"] else float("inf")
            for name, worker in known.items()
        }

    def map(self, function: Callable[..., Any], items: Sequence[Any], *common: Any) -> list[Any]:
        """`function(item, *common)` for every item, each on some worker; the results in order.

        A task whose worker is lost runs again elsewhere, so a function must do no harm when it runs twice, and its
        result must be small.

        Parameters
        ----------
        function
            A function of a module that the workers can import.
        items
            What it is called with.
        common
            Further arguments, the same for every item.
        """
        distributed = require("distributed", "cluster")
        futures = [self._client.submit(function, item, *common, pure=False) for item in items]
        try:
            return list(self._client.gather(futures))
        except distributed.KilledWorker as error:
            raise _lost(function, error) from None
        finally:
            self._client.cancel(futures)

    def each(
        self, function: Callable[..., Any], items: Sequence[Any], *common: Any
    ) -> Iterator[tuple[Any, Any]]:
        """Each item with `function(item, *common)`, as they end; otherwise as `map`, but for what is lost.

        An item whose workers were all lost comes with the `ClusterError` that says so, and the others go on.

        Parameters
        ----------
        function
            A function of a module that the workers can import.
        items
            What it is called with.
        common
            Further arguments, the same for every item.
        """
        distributed = require("distributed", "cluster")
        futures = {self._client.submit(function, item, *common, pure=False): item for item in items}
        try:
            with self._client.as_current():
                ended = distributed.as_completed(list(futures))
            for future in ended:
                try:
                    yield futures[future], future.result()
                except distributed.KilledWorker as error:
                    yield futures[future], _lost(function, error)
        finally:
            self._client.cancel(list(futures))

    def everywhere(self, function: Callable[[], Any]) -> dict[str, Any]:
        """`function()` once on every worker; the results by worker.

        Parameters
        ----------
        function
            A function of a module that the workers can import.
        """
        return dict(self._client.run(function))

    def crew(self, kind: type[Any], arguments: Mapping[str, tuple[Any, ...]]) -> Crew:
        """One object of a class on each of some workers.

        Parameters
        ----------
        kind
            A class of a module that the workers can import, with a method `meet(name, peers)`.
        arguments
            The workers, and for each what the class is called with there.
        """
        crew = Crew(self._client, kind, arguments)
        crew.meet()
        return crew

    @contextmanager
    def sweeps(self) -> Iterator[None]:
        """Within this block, what joblib would spread over processes (`ohmline.tune`) runs on the cluster."""
        joblib = require("joblib", "cluster")
        with self._client.as_current(), joblib.parallel_config("dask", client=self._client):
            yield

    def close(self) -> None:
        """Leave the cluster; a local one ends."""
        with suppress(Exception):  # a scheduler that is gone cannot be told
            self._client.close()
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Cluster({self.address!r})"


def _unless_nobody_waits(loop: Any, context: dict[str, Any]) -> None:
    """Dask's own sign that a wait is over is no error, where whoever waited was stopped by Ctrl-C."""
    from distributed.client import AllExit

    if not isinstance(context.get("exception"), AllExit):
        loop.default_exception_handler(context)


def _lost(function: Callable[..., Any], error: Exception) -> ClusterError:
    return ClusterError(
        f"several workers were lost in turn while they ran {function.__name__}; they probably ran out of "
        f"memory: give workers more, or more and smaller parts and blocks ({error})"
    )


def open_cluster(address: str | None, workers: int | None) -> Cluster:
    """The cluster at an address, or one of so many workers on this machine."""
    if address is not None and workers is not None:
        raise ParameterError(
            "cluster and workers are both given; connect to a cluster, or start workers here"
        )
    return Cluster.connect(address) if address is not None else Cluster.local(workers or 2)


@final
class Crew:
    """One object on each of some workers."""

    def __init__(self, client: Any, kind: type[Any], arguments: Mapping[str, tuple[Any, ...]]) -> None:
        self._client = client
        self.members = sorted(arguments)
        """The workers' addresses."""
        run = f"{kind.__name__}-{client.id}-{next(_NUMBERS)}"
        self._keys = {name: f"{run}-{k}" for k, name in enumerate(self.members)}
        self._futures = [
            client.submit(
                kind,
                *arguments[name],
                key=self._keys[name],
                actor=True,
                workers=[name],
                allow_other_workers=False,
            )
            for name in self.members
        ]
        self._wait_for_members()

    def meet(self) -> None:
        """Tell each member who the others are."""
        peers = {name: Peer(name, key) for name, key in self._keys.items()}
        self.call("meet", {name: (name, peers) for name in self.members})

    def call(self, method: str, arguments: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
        """Call a method of some members at once; the results by member, or `LostWorker`."""
        calls = {name: self._asked(name, method, given) for name, given in arguments.items()}
        return dict(self._client.sync(self._watched, calls))

    def call_all(self, method: str, *arguments: Any) -> dict[str, Any]:
        """Call a method of all members with the same arguments."""
        return self.call(method, dict.fromkeys(self.members, arguments))

    def release(self) -> None:
        """Let the objects go, with all that they hold."""
        calls = {name: self._asked(name, "release", ()) for name in self._there()}
        with suppress(Exception):
            self._client.sync(self._watched, calls, callback_timeout=10)
        with suppress(Exception):
            self._client.cancel(self._futures, force=True)

    def _there(self) -> list[str]:
        return [name for name in self.members if name in self._client.nthreads()]

    def _wait_for_members(self) -> None:
        while not all(future.done() for future in self._futures):
            time.sleep(0.01)
            if lost := sorted(set(self.members) - set(self._client.nthreads())):
                raise LostWorker(lost)
        for future in self._futures:
            if (error := future.exception()) is not None:
                raise error

    async def _asked(self, name: str, method: str, arguments: Iterable[Any]) -> Any:
        from distributed.protocol import to_serialize

        message = {
            "op": "actor_execute",
            "function": method,
            "actor": self._keys[name],
            "args": [to_serialize(each) for each in arguments],
        }
        return _answer(await self._client.scheduler.proxy(worker=name, msg=message), name)

    async def _watched(self, calls: Mapping[Any, Any]) -> dict[Any, Any]:
        """All answers; `LostWorker` as soon as a member is gone, whatever its calls are waiting for."""
        tasks = {name: asyncio.ensure_future(call) for name, call in calls.items()}
        try:
            pending = set(tasks.values())
            while pending:
                done, pending = await asyncio.wait(
                    pending, timeout=PULSE, return_when=asyncio.FIRST_EXCEPTION
                )
                failed = any(task.exception() is not None for task in done)
                if pending or failed:
                    there = await self._client.scheduler.ncores()
                    lost = [name for name in self.members if name not in there]
                    if lost:
                        raise LostWorker(lost)
                if failed:
                    await self._blamed(done)
            return {name: task.result() for name, task in tasks.items()}
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def _blamed(self, done: Iterable[Any]) -> None:
        """Raise what went wrong; a broken connection is a lost worker, even where nobody has noticed yet."""
        errors = [task.exception() for task in done if task.exception() is not None]
        for error in errors:
            if isinstance(error, OhmlineError) and not isinstance(error, LostWorker):
                raise error
        for error in errors:
            if isinstance(error, OSError | LostWorker):
                await asyncio.sleep(PULSE)
                raise LostWorker([str(error)])
        raise errors[0]


@final
class Peer:
    """A member of a crew as another one sees it."""

    def __init__(self, name: str, key: str) -> None:
        self.name, self.key = name, key

    async def call(self, method: str, *arguments: Any) -> Any:
        """The result of a method, which must not wait for this member."""
        from distributed import get_worker
        from distributed.protocol import to_serialize

        there = get_worker().rpc(self.name)
        answer = await there.actor_execute(
            function=method, actor=self.key, args=[to_serialize(each) for each in arguments]
        )
        return _answer(answer, self.name)


def _answer(answer: Any, name: str) -> Any:
    """What a worker answered, or the error that it met."""
    if not isinstance(answer, dict) or "status" not in answer:
        raise LostWorker([name])
    if answer["status"] != "OK":
        error = answer.get("exception")
        raise error if isinstance(error, Exception) else LostWorker([name])
    return answer["result"]
