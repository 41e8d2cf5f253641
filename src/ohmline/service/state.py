"""What a server knows while it runs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import final

from ohmline.service.guards import HostNames
from ohmline.service.limits import Buckets, Limits, LiveConnections
from ohmline.service.metrics import Metrics
from ohmline.service.register import Register
from ohmline.service.sessions import Sessions
from ohmline.service.workspace import Workspace


@final
@dataclass
class State:
    """What a server knows while it runs.

    Attributes
    ----------
    workspace
        The projects.
    register
        The people.
    limits
        What one person may do.
    names
        The names that the server answers to.
    cookie
        The name of its cookie, which tells two servers on one machine apart.
    open_metrics
        Whether `/metrics` needs no token.
    """

    workspace: Workspace
    register: Register
    limits: Limits = field(default_factory=Limits)
    names: HostNames = field(default_factory=HostNames)
    cookie: str = "ohmline"
    open_metrics: bool = False

    def __post_init__(self) -> None:
        self.sessions = Sessions(self.register)
        self.buckets = Buckets(self.limits)
        self.live = LiveConnections(self.limits)
        self.metrics = Metrics()
        self.ready = False
        self.ending = asyncio.Event()
        self.document = b""
        self.cookie_start = f"{self.cookie}=".encode("ascii")
