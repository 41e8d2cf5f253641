"""The benchmark of starting, once."""

from __future__ import annotations

import pytest

from ohmline.lab.bench import find
from ohmline.lab.benches.start import start


@pytest.mark.slow
def test_a_later_start_makes_no_machine_code() -> None:
    details = start(repeat=1).details
    assert details["second_start_processor_seconds"] < details["first_start_processor_seconds"] / 3
    assert details["libraries_processor_seconds"] < details["second_start_processor_seconds"]


def test_the_benchmark_is_known_by_its_name() -> None:
    assert find("start") is start
