"""What the service costs, beside what bare parts cost in the same run."""

from __future__ import annotations

from ohmline.lab.bench import Bench
from ohmline.service.benches import serving

BENCHES: dict[str, Bench] = {"serve": serving.serving}
