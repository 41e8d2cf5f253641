"""The README's ten lines for one's own files, run as they stand."""

from __future__ import annotations

import csv
import random
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

README = Path(__file__).parents[1] / "README.md"


def test_the_lines_for_own_files_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    section = README.read_text(encoding="utf-8").split("## Your own files")[1]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found is not None
    code = found.group(1)
    assert sum(bool(line) for line in code.splitlines()) <= 10
    _write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(code, str(README), "exec"), names)
    assert "Suggestions(5 nodes)" in capsys.readouterr().out
    with open("predictions.csv", newline="") as file:
        rows = {row["node"]: row["prediction"] for row in csv.DictReader(file)}
    right = [said == "xyz"[int(node[1:]) % 3] for node, said in rows.items()]
    assert len(rows) == 120
    assert sum(right) > 100
    assert {path.name for path in tmp_path.iterdir()} == {
        "edges.csv",
        "labels.csv",
        "predictions.csv",
        "graph.png",
        "model.ohm",
    }


_COMMAND = "ohmline (?:predict|project|suggest|play)"
COMMANDS = [
    " ".join(command.split())
    for pair in re.findall(
        rf"(?m)^({_COMMAND} [^#\n]*)|`({_COMMAND} [^`]*edges[^`]*)`", README.read_text(encoding="utf-8")
    )
    for command in pair
    if command
]
"""Those for files of one's own, that ask nobody anything."""


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_for_own_files_run(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ohmline.cli.app import app

    _write_files(tmp_path)
    (tmp_path / "texts.csv").write_text("account,text\n" + "".join(f"a{k},number {k}\n" for k in range(120)))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output


def test_all_kinds_of_commands_are_among_them() -> None:
    assert {command.split()[1] for command in COMMANDS} == {"predict", "suggest", "play", "project"}


def _write_files(folder: Path) -> None:
    draw = random.Random(0)
    with (folder / "edges.csv").open("w") as file:
        file.write("payer,payee,amount\n")
        for k in range(120):
            for _ in range(4):
                other = draw.choice(
                    [j for j in range(120) if j != k and (j % 3 == k % 3 or draw.random() < 0.05)]
                )
                file.write(f"a{k},a{other},{draw.randint(1, 9)}\n")
    with (folder / "labels.csv").open("w") as file:
        file.write("account,kind\n" + "".join(f"a{k},{'xyz'[k % 3]}\n" for k in range(12)))
