"""The map of a project: where its nodes are drawn, and what is known and believed of each."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Hashable, Sequence
from math import cos, pi, sin, sqrt
from time import monotonic
from typing import Any, final

from ohmline.checks import count
from ohmline.errors import OhmlineError
from ohmline.labelling.answers import written_id
from ohmline.project.host import Host
from ohmline.project.layout import Layout, read_layout
from ohmline.project.surveys import seen_survey
from ohmline.project.unseen import seen_label

log = logging.getLogger("ohmline.project")
AROUND = 300
"""The most nodes of a neighbourhood."""

AGAIN = 10.0
"""Seconds after which a drawing that failed is tried again: a disk may have room by then."""
DRAW = "from ohmline.project.layout import main; main()"
"""What the process that draws does."""


@final
class Map:
    """Draws the graph once, in a process of its own, and colours it whenever somebody looks.

    Parameters
    ----------
    host
        The project that runs.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._layout: Layout | None = None
        self._drawing: asyncio.Task[None] | None = None
        self.failed = ""
        """Why there is no drawing; empty while there may be one."""
        self._failed_at = 0.0

    async def whole(self, person: str | None = None) -> dict[str, Any] | None:
        """The map; None while it is being drawn.

        Parameters
        ----------
        person
            Who looks; None (default) for somebody who may see everything.
        """
        if self._layout is None:
            if self._drawing is None or (self._drawing.done() and monotonic() - self._failed_at >= AGAIN):
                self.failed = ""
                self._drawing = asyncio.get_running_loop().create_task(self._draw())
            await asyncio.wait([self._drawing], timeout=0.5)
        if self._layout is None:
            if self.failed:
                raise OhmlineError(f"the map could not be drawn: {self.failed}")
            return None
        project, layout = self._host.project, self._layout
        ids = [project.model.first.nodes[int(i)] for i in layout.places]
        at = dict(zip(ids, layout.at.tolist(), strict=True))
        for node, _ in project.ledger.added_nodes:  # a new node lies among its neighbours
            near = [at[other] for other in project.model.neighbours(node) if other in at]
            if near:
                at[node] = [sum(xy[axis] for xy in near) / len(near) for axis in (0, 1)]
        edges = layout.edges.ravel().tolist()
        row = {node: k for k, node in enumerate(at)}
        for a, b, _ in project.ledger.added_edges:
            if a in row and b in row:
                edges += [row[a], row[b]]
        sampled = len(at) < len(project.nodes)
        return await self._coloured(list(at), list(at.values()), edges, person, sampled=sampled)

    async def around(self, node: Hashable, hops: int = 1, person: str | None = None) -> dict[str, Any]:
        """A node and those near it, the node first, without coordinates of the whole map.

        Parameters
        ----------
        node
            The node in the middle.
        hops
            How far to go, 1 to 3. Default 1.
        person
            Who looks; None (default) for somebody who may see everything.
        """
        project, far = self._host.project, count(hops, "hops", least=1, most=3)
        found = {project.known(node): 0}
        ring = [project.known(node)]
        for _ in range(far):
            ring = [other for each in ring for other in project.model.neighbours(each) if other not in found]
            for other in ring:
                if len(found) < AROUND:
                    found.setdefault(other, len(found))
        edges = [
            end
            for a, row in found.items()
            for b in project.model.neighbours(a)
            if row < found.get(b, -1)
            for end in (row, found[b])
        ]
        rings = _rings(len(found))
        return await self._coloured(list(found), rings, edges, person, sampled=False)

    async def close(self) -> None:
        """Stop drawing."""
        if self._drawing is not None:
            self._drawing.cancel()
            await asyncio.gather(self._drawing, return_exceptions=True)

    async def _coloured(
        self,
        nodes: Sequence[Hashable],
        at: Sequence[Any],
        edges: list[int],
        person: str | None,
        *,
        sampled: bool,
    ) -> dict[str, Any]:
        project = self._host.project
        said = await self._host.survey(nodes)
        predictions, confidence = seen_survey(project, nodes, said, person)
        codes = {label: k for k, label in enumerate(project.classes)}
        ahead = [choice.node for choice in project.desk.ahead or []]
        wanted = {node: round(1 - k / len(ahead), 3) for k, node in enumerate(ahead)}
        return {
            "seq": project.seq,
            "total": len(project.nodes),
            "shown": len(nodes),
            "sampled": sampled,
            "ids": [written_id(node) for node in nodes],
            "titles": [project.attributes.title(node) for node in nodes],
            "x": [xy[0] for xy in at],
            "y": [xy[1] for xy in at],
            "label": [codes.get(seen_label(project, node, person), -1) for node in nodes],
            "prediction": predictions,
            "confidence": confidence,
            "wanted": [wanted.get(node, 0) for node in nodes],
            "edges": edges,
            "classes": list(project.classes),
        }

    async def _draw(self) -> None:
        try:
            self.failed = await self._drawn()
        except (OSError, OhmlineError) as error:
            self.failed = str(error)
        self._failed_at = monotonic()

    async def _drawn(self) -> str:
        """Read or make the drawing, and say why there is none; "" where there is."""
        project = self._host.project
        folder, fingerprint = project.folder, project.model.first.fingerprint
        try:
            self._layout = read_layout(folder, fingerprint)
        except OhmlineError as error:
            log.warning("the drawing that was kept cannot be read: %s", error)
        if self._layout is not None:
            return ""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", DRAW, str(folder), stderr=asyncio.subprocess.PIPE
        )
        try:
            _, said = await process.communicate()
        except asyncio.CancelledError:
            process.kill()
            await process.wait()
            raise
        if process.returncode:
            return said.decode(errors="replace").strip().rpartition("\n")[2] or "its process was killed"
        self._layout = read_layout(folder, fingerprint)
        return "" if self._layout is not None else "the drawing that was made is not there"


def _rings(n: int) -> list[list[float]]:
    """A node in the middle and the others around it, on rings of growing size."""
    turn = pi * (3 - sqrt(5))
    return [[0.0, 0.0]] + [
        [
            round(sqrt((k + 3) / (n + 3)) * cos(k * turn), 4),
            round(sqrt((k + 3) / (n + 3)) * sin(k * turn), 4),
        ]
        for k in range(1, n)
    ]
