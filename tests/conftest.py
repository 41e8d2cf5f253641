"""Settings for every test: one thread, usual signals, bounded Hypothesis runs, a limit of time, a real PostgreSQL."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import closing
from subprocess import TimeoutExpired
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

# Whoever runs the tests by nohup or in the background of a shell hands down that these signals are ignored; the tests
# that send them, to this process and to its children, are about programs that are not run so.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

settings.register_profile(
    "default",
    deadline=None,
    max_examples=50,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("default")

BEGAN = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--minutes", type=float, help="begin no test after so many minutes; the rest are skipped"
    )
    parser.addoption(
        "--turn", type=int, default=0, help="which file comes first, so that not always the same are left out"
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files take turns at being the first; within a file the order stays."""
    files = list(dict.fromkeys(item.path for item in items))
    if files and config.getoption("--turn"):
        first = config.getoption("--turn") % len(files)
        place = {path: (k - first) % len(files) for k, path in enumerate(files)}
        items.sort(key=lambda item: place[item.path])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    minutes = item.config.getoption("--minutes")
    if minutes is not None and time.monotonic() - BEGAN > 60 * minutes:
        pytest.skip(f"not begun within {minutes:g} minutes (--minutes)")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real PostgreSQL: on the server that OHMLINE_POSTGRES names, or on one that is started."""
    named = os.environ.get("OHMLINE_POSTGRES")
    if named:
        psycopg = pytest.importorskip("psycopg")
        name = f"ohmline_test_{os.getpid()}"
        with closing(psycopg.connect(named, autocommit=True)) as connection:
            connection.execute(f"CREATE DATABASE {name}")
            yield urlsplit(named)._replace(path=f"/{name}").geturl()
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the folder where the wheel keeps its lock
        pgserver = pytest.importorskip("pgserver")
    # Not in pytest's own folder: each session of pytest locks that one for users other than its own, and the server
    # runs as another where root starts it.
    with TemporaryDirectory(prefix="ohmline-postgres-", ignore_cleanup_errors=True) as folder:
        try:
            server = pgserver.get_server(folder, cleanup_mode="delete")
        except TimeoutExpired:  # a busy machine
            server = pgserver.get_server(folder, cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()
