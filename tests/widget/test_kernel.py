"""The labeller in a real kernel: what a browser would send goes in, what it would be told comes out."""

from __future__ import annotations

import queue
import time
from pathlib import Path
from typing import Any

import pytest

CODE = """
from pathlib import Path
from ohmline.recipes import demo
from ohmline.widget import Labeller
labeller = Labeller(demo(Path({folder!r}, "papers"), size=300), person="ann")
labeller
"""
LATEST = 300.0


class Kernel:
    """A kernel, and the messages that it sends."""

    def __init__(self, folder: Path) -> None:
        self._manager = pytest.importorskip("jupyter_client.manager").KernelManager(kernel_name="python3")
        self._manager.start_kernel(cwd=str(folder))
        self._client = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=120)

    def run(self, code: str) -> list[dict[str, Any]]:
        """Run a cell; everything that it said."""
        name = self._client.execute(code)
        return self.heard(
            lambda m: (
                m["msg_type"] == "status"
                and m["content"]["execution_state"] == "idle"
                and m["parent_header"].get("msg_id") == name
            )
        )

    def heard(self, last: Any) -> list[dict[str, Any]]:
        """Messages, up to the one that is waited for."""
        found, until = [], time.monotonic() + LATEST
        while time.monotonic() < until:
            try:
                message = self._client.get_iopub_msg(timeout=5)
            except queue.Empty:
                continue
            assert message["msg_type"] != "error", message["content"]
            found.append(message)
            if last(message):
                return found
        raise AssertionError(f"not heard: {[m['msg_type'] for m in found]}")

    def ask(self, comm: str, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """What the page's transport does: a custom message, and the answer with its id."""
        name = f"r{time.monotonic_ns()}"
        content = {"id": name, "method": method, "path": path, "body": body}
        session, shell = self._client.session, self._client.shell_channel
        shell.send(
            session.msg("comm_msg", {"comm_id": comm, "data": {"method": "custom", "content": content}})
        )
        answer = self.heard(lambda m: custom(m).get("id") == name)[-1]
        return custom(answer)

    def close(self) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


def custom(message: dict[str, Any]) -> dict[str, Any]:
    """The content of a widget's message to the page; empty for any other."""
    data = message["content"].get("data", {}) if message["msg_type"] == "comm_msg" else {}
    found: dict[str, Any] = data.get("content", {}) if data.get("method") == "custom" else {}
    return found


@pytest.mark.slow
def test_a_cell_shows_the_desk_and_answers_it(tmp_path: Path) -> None:
    pytest.importorskip("ipykernel")
    kernel = Kernel(tmp_path)
    try:
        said = kernel.run(CODE.format(folder=str(tmp_path)))
        opened = [
            m["content"]
            for m in said
            if m["msg_type"] == "comm_open" and "_esm" in m["content"]["data"]["state"]
        ]
        assert len(opened) == 1
        state, comm = opened[0]["data"]["state"], opened[0]["comm_id"]
        assert "export" in state["_esm"]
        assert ".ohm" in state["_css"]
        assert state["project"] == "papers"
        shown = [m["content"]["data"] for m in said if m["msg_type"] == "execute_result"]
        assert "application/vnd.jupyter.widget-view+json" in shown[0]

        questions = kernel.ask(comm, "POST", "/api/projects/papers/next", {"count": 1})
        assert questions["status"] == 200
        (question,) = questions["json"]["questions"]
        assert question["card"]["text"]
        body = {"node": question["node"], "label": "botany", "lease": question["lease"], "key": "one"}
        first = kernel.ask(comm, "POST", "/api/projects/papers/labels", body)
        again = kernel.ask(comm, "POST", "/api/projects/papers/labels", body)
        assert (first["status"], again["status"]) == (200, 200)
        assert first["json"]["seq"] == again["json"]["seq"]
        assert kernel.ask(comm, "GET", "/metrics")["status"] == 400

        last = "print(labeller.client.progress().labels, labeller.client.state().person); labeller.close()"
        printed = kernel.run(last)
        assert "".join(m["content"]["text"] for m in printed if m["msg_type"] == "stream").split() == [
            "1",
            "ann",
        ]
    finally:
        kernel.close()
