"""People, tokens and sessions."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ohmline.cli.app import app
from ohmline.errors import FileFormatError, ParameterError
from ohmline.service.people import (
    FILE,
    Role,
    add_person,
    new_person,
    read_people,
    remove_person,
)
from ohmline.service.register import Register
from ohmline.service.sessions import Sessions
from service.running import expect_problem, make_project, running


def test_a_token_is_kept_as_a_hash_alone(tmp_path: Path) -> None:
    person, token = add_person(tmp_path, "ann", Role.ADMIN)
    text = (tmp_path / FILE).read_text()
    assert token not in text
    assert token[13:] not in text
    assert stat.S_IMODE(os.stat(tmp_path / FILE).st_mode) == 0o600
    assert len(token) >= 13 + 43  # 256 bits
    [found] = read_people(tmp_path)
    assert found == person
    assert found.knows(token)
    assert not found.knows(token[:-1] + ("a" if token[-1] != "a" else "b"))
    assert not found.knows("")
    _, other = add_person(tmp_path, "bob", Role.ANNOTATOR)
    assert not found.knows(other)


@pytest.mark.parametrize(
    "name", ["", " ann", "ann ", "-x", "a\nb", 'a"b', "a" * 65, "../x", 7, None, "\x1b[2J"]
)
def test_names_that_are_none(tmp_path: Path, name: Any) -> None:
    with pytest.raises(ParameterError, match="name must be"):
        add_person(tmp_path, name, Role.ADMIN)
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize("name", ["ann", "Ann-Lee", "ann@example.org", "Zoë", "李", "a b"])
def test_names_survive_the_file(tmp_path: Path, name: str) -> None:
    add_person(tmp_path, name, Role.ANNOTATOR)
    assert [person.name for person in read_people(tmp_path)] == [name]


def test_nobody_is_added_twice_or_removed_who_is_not_there(tmp_path: Path) -> None:
    add_person(tmp_path, "ann", Role.ADMIN)
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(ParameterError, match="'ann' has a token already"):
        add_person(tmp_path, "ann", Role.ANNOTATOR)
    with pytest.raises(ParameterError, match="there is ann"):
        remove_person(tmp_path, "bob")
    with pytest.raises(ParameterError, match="role"):
        add_person(tmp_path, "bob", "king")  # type: ignore[arg-type]
    assert (tmp_path / FILE).read_bytes() == before


@pytest.mark.parametrize(
    "text", ["format = 2\n", "people = 3\n", "[[people]]\nname = 'a'\n", "x =", "[[people]]\nname = 7"]
)
def test_a_file_that_is_not_ours_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(FileFormatError, match=r"people\.toml"):
        read_people(tmp_path)


def test_a_server_notices_who_comes_and_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Register, "CHECK_SECONDS", 0.0)
    register = Register(tmp_path)
    guest, guests_token = new_person("root", Role.ADMIN)
    register.add_for_this_run(guest)
    person, token = add_person(tmp_path, "ann", Role.ANNOTATOR)
    assert register.by_token(token) == person
    assert register.role_of("ann") is Role.ANNOTATOR
    remove_person(tmp_path, "ann")
    assert register.by_token(token) is None
    assert register.by_token(guests_token) == guest
    (tmp_path / FILE).write_text("spoiled by hand")
    assert register.by_token(guests_token) == guest
    assert register.by_token(token) is None


def test_sessions_end_by_time_by_hand_and_with_the_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Register, "CHECK_SECONDS", 0.0)
    now = [0.0]
    register = Register(tmp_path)
    person, _ = add_person(tmp_path, "ann", Role.ANNOTATOR)
    sessions = Sessions(register, seconds=10, most=2, clock=lambda: now[0])
    first = sessions.begin(person)
    assert sessions.person(first) == person
    now[0] = 9.0
    assert sessions.person(first) == person  # which makes it last longer
    now[0] = 18.0
    assert sessions.person(first) == person
    now[0] = 29.0
    assert sessions.person(first) is None
    second, third, fourth = (sessions.begin(person) for _ in range(3))
    assert [sessions.person(name) for name in (second, third, fourth)] == [None, person, person]
    sessions.end(third)
    assert sessions.person(third) is None
    remove_person(tmp_path, "ann")
    assert sessions.person(fourth) is None
    assert sessions.person("x" * 43) is None


def test_the_command_shows_a_token_once(tmp_path: Path) -> None:
    run = CliRunner().invoke
    done = run(app, ["people", str(tmp_path), "add", "ann", "--role", "admin"])
    assert done.exit_code == 0, done.output
    [token] = re.findall(r"^ohm-\w{8}-\S{43}$", done.output, re.M)
    assert read_people(tmp_path)[0].knows(token)
    listed = run(app, ["people", str(tmp_path), "list"])
    assert "ann" in listed.output
    assert token not in listed.output
    added = json.loads(run(app, ["people", str(tmp_path), "add", "bob", "--json"]).output)
    assert (added["name"], added["role"]) == ("bob", "annotator")
    assert run(app, ["people", str(tmp_path), "remove", "ann"]).exit_code == 0
    found = json.loads(run(app, ["people", str(tmp_path), "list", "--json"]).output)["people"]
    assert [each["name"] for each in found] == ["bob"]
    for wrong in (
        ["add"],
        ["remove", "nobody"],
        ["list", "ann"],
        ["add", "bob"],
        ["add", "x", "--role", "king"],
    ):
        assert run(app, ["people", str(tmp_path), *wrong]).exit_code == 2
    assert run(app, ["people", str(tmp_path / "nowhere"), "add", "x"]).exit_code in (2, 3)


def test_who_is_removed_is_out(tmp_path: Path) -> None:
    make_project(tmp_path / "club", n=6)
    with running(tmp_path) as found:
        assert found.ann.get("/api/me").status_code == 200
        command = [
            sys.executable,
            "-c",
            "from ohmline.cli import main; main()",
            "people",
            str(tmp_path),
            "remove",
            "ann",
        ]
        subprocess.run(command, check=True, capture_output=True)
        time.sleep(Register.CHECK_SECONDS)
        expect_problem(found.ann.get("/api/me"), 401)
