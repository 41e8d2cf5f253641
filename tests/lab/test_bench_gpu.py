"""The benchmark of the GPU measures what it says; here on the CPU, in miniature."""

from __future__ import annotations

from ohmline.device import choose
from ohmline.lab.benches.gpu import Sizes, measure


def test_every_line() -> None:
    sizes = Sizes(inverses=(60,), points=(200, 4), nodes=1500, orders=3, ring=60, classes=3)
    found = measure(choose("cpu"), sizes).document()
    assert found["details"]["device"] == "NumPy"
    lines = found["details"]["lines"]
    assert len(lines) == 6
    assert all(line["seconds"] > 0 for line in lines)
    assert lines[3]["residual"] <= 1e-6
    assert lines[4]["residual"] <= 1e-5
    assert len(found["details"]["targets"]) == 2  # lengths of time are for the sizes of a card
