"""Settings for every test: a compile cache that never goes stale, and bounded Hypothesis runs."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "ohmline"


def _fingerprint() -> str:
    """Numba does not see that a callee in another file changed, so the cache is keyed by them all."""
    digest = hashlib.sha256()
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_bytes()
        if b"compiled" in text:
            digest.update(text)
    return digest.hexdigest()[:16]


os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(__file__).resolve().parents[1] / ".cache" / f"numba-{_fingerprint()}")
)
os.environ.setdefault("OMP_NUM_THREADS", "1")

from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile(
    "default",
    deadline=None,
    max_examples=50,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("default")
