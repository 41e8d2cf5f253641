"""Three worker processes on this machine for the tests of this folder, and graphs in parts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ohmline.cluster import Cluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with Cluster.local(3, memory=2**30) as workers:
        yield workers
