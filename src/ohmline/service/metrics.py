"""What the server counts, in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import final

TIMES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 30.0)
"""The upper ends of the histogram's ranges, in seconds."""
MEDIA_TYPE = b"text/plain; version=0.0.4; charset=utf-8"


@final
class Metrics:
    """Requests by route and status, and how long they took."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, str, int], int] = {}
        self._times: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request.

        Parameters
        ----------
        method, route
            What was asked: the route's pattern, never what a client made up.
        status
            How it was answered.
        seconds
            How long that took.
        """
        key = (method, route, status)
        requests = self._requests
        requests[key] = requests.get(key, 0) + 1
        times = self._times.get(route)
        if times is None:
            times = self._times[route] = [0] * (len(TIMES) + 1)
            self._seconds[route] = 0.0
        times[bisect_left(TIMES, seconds)] += 1
        self._seconds[route] += seconds

    def text(self, gauges: Mapping[str, tuple[str, Iterable[tuple[str, float]]]]) -> str:
        """Everything as Prometheus reads it.

        Parameters
        ----------
        gauges
            What is true now: name -> (help, [(labels, value), ...]); a name that ends in `_total` is a counter.
        """
        lines = [
            "# HELP ohmline_requests_total Requests answered, by route and status.",
            "# TYPE ohmline_requests_total counter",
        ]
        lines += [
            f'ohmline_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
            for (method, route, status), count in sorted(self._requests.items())
        ]
        lines += [
            "# HELP ohmline_request_seconds How long requests took, without the sending of streams.",
            "# TYPE ohmline_request_seconds histogram",
        ]
        for route, counts in sorted(self._times.items()):
            so_far = 0
            for end, count in zip((*map(str, TIMES), "+Inf"), counts, strict=True):
                so_far += count
                lines.append(f'ohmline_request_seconds_bucket{{route="{route}",le="{end}"}} {so_far}')
            lines.append(f'ohmline_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
            lines.append(f'ohmline_request_seconds_count{{route="{route}"}} {so_far}')
        for name, (about, values) in gauges.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
            lines += [f"{name}{'{' + labels + '}' if labels else ''} {value:g}" for labels, value in values]
        return "\n".join(lines) + "\n"
