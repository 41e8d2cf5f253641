"""`ohmline serve` as a process: how it begins, what it refuses, how it ends."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from ohmline.cli.app import app
from ohmline.errors import ParameterError
from ohmline.project import Project
from ohmline.service.listening import Options, listening
from ohmline.service.people import Role, add_person
from service.running import expect_problem, make_project

COMMAND = [sys.executable, "-c", "from ohmline.cli import main; main()", "serve"]


@contextmanager
def serving(
    *arguments: str, cwd: Path | None = None
) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, Any]]]:
    with subprocess.Popen(
        [*COMMAND, *arguments, "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            assert line, process.stderr and process.stderr.read()
            yield process, json.loads(line)
        finally:
            process.kill()


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["serve", *arguments])
    assert done.exit_code in (2, 3), done.output
    return done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_nothing_is_lost(tmp_path: Path, number: signal.Signals) -> None:
    folder = make_project(tmp_path / "club")
    with serving(str(folder), "--who", "zoe") as (process, started):
        assert started["person"] == "zoe"
        assert started["projects"] == ["club"]
        headers = {"Authorization": f"Bearer {started['token']}"}
        with httpx.Client(base_url=started["address"], headers=headers, timeout=60) as client:
            reply = client.post("/api/projects/club/labels", json={"node": 3, "label": "left"}).json()
            with client.stream(
                "GET", "/api/projects/club/events?after=-1"
            ) as live:  # it does not hold the end up
                next(live.iter_lines())
                process.send_signal(number)
                assert process.wait(60) == 0
    with Project.open(folder) as project:
        assert (project.seq, project.hash) == (reply["seq"], reply["hash"])
        assert project.ledger.labels == {3: "left"}


def test_without_a_project_it_makes_a_demo(tmp_path: Path) -> None:
    with serving(cwd=tmp_path) as (process, started):
        assert started["projects"] == ["ohmline-demo"]
        headers = {"Authorization": f"Bearer {started['token']}"}
        with httpx.Client(base_url=started["address"], headers=headers, timeout=60) as client:
            [question] = client.post("/api/projects/ohmline-demo/next", json={}).json()["questions"]
            assert question["card"]["text"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert (tmp_path / "ohmline-demo" / "project.toml").is_file()


def test_two_servers_on_one_project(tmp_path: Path) -> None:
    folder = make_project(tmp_path / "club", n=6)
    with serving(str(folder)):
        assert "club" in refused(str(folder), "--port", "0")


def test_what_it_refuses(tmp_path: Path) -> None:
    folder = make_project(tmp_path / "club", n=6)
    assert "no folder" in refused(str(tmp_path / "nowhere"), "--port", "0")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        said = refused(str(folder), "--port", port)
        assert f"port {port}" in said
        assert "--port 0" in said
    assert "no address of a server" in refused(
        str(folder), "--port", "0", "--public-url", "label.example.org"
    )
    assert "--open-metrics" in refused(str(folder), "--open-metrics", "--host", "0.0.0.0")
    assert "mine.py" in refused(str(folder), "--recipe", "mine.py", "--port", "0")


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_other_machines_need_tokens(tmp_path: Path, host: str) -> None:
    folder = make_project(tmp_path / "club", n=6)
    said = refused(str(folder), "--host", host)
    assert "ohmline people" in said
    add_person(folder, "ann", Role.ADMIN)
    if host == "0.0.0.0":
        listening(Options(folder, host=host, port=0)).close()
    with pytest.raises(ParameterError, match="no address"):
        listening(Options(folder, host="no such host", port=0))


def test_behind_a_proxy_the_public_name_is_ours(tmp_path: Path) -> None:
    folder = make_project(tmp_path / "club", n=6)
    with serving(str(folder), "--public-url", "https://label.example.org", "--open-metrics") as (_, started):
        assert started["address"] == "https://label.example.org"
        at = {"base_url": f"http://127.0.0.1:{started['port']}", "timeout": 60}
        names = {"Host": "label.example.org", "X-Ohmline": "1", "Origin": "https://label.example.org"}
        with httpx.Client(**at) as client:
            reply = client.post("/api/login", json={"token": started["token"]}, headers=names)
            assert reply.status_code == 200, reply.text
            assert "; Secure" in reply.headers["set-cookie"]
            wrong = {**names, "Origin": "http://label.example.org"}
            expect_problem(client.post("/api/login", json={"token": "x"}, headers=wrong), 403)
            assert client.get("/metrics").status_code == 200


def test_what_a_recipe_prints_is_not_taken_for_an_answer(tmp_path: Path) -> None:
    folder = make_project(tmp_path / "club")
    recipe = tmp_path / "loud.py"
    recipe.write_text(
        "print('imported')\n"
        "from ohmline.project.recipe import default_recipe\n\n"
        "def recipe(graph, classes, seed):\n"
        "    print('called')\n"
        "    return default_recipe(graph, classes, seed)\n"
    )
    with serving(str(folder), "--recipe", str(recipe)) as (process, started):
        headers = {"Authorization": f"Bearer {started['token']}"}
        url = f"{started['address']}/api/projects/club"
        drawn = httpx.get(f"{url}/neighbourhood", params={"node": "1"}, headers=headers, timeout=60)
        while drawn.status_code == 202:  # the process that predicts is starting
            drawn = httpx.get(f"{url}/neighbourhood", params={"node": "1"}, headers=headers, timeout=60)
        assert drawn.json()["ids"][0] == 1
        process.send_signal(signal.SIGTERM)
        out, said = process.communicate(timeout=60)
    assert out == b""
    assert b"imported" in said
    assert b"called" in said
