"""Settings for every test: one thread, bounded Hypothesis runs, and a real PostgreSQL for those that ask."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import closing
from subprocess import TimeoutExpired
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default",
    deadline=None,
    max_examples=50,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("default")


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
