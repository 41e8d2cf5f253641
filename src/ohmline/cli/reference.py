"""The page `docs/cli.md`, made from the commands themselves.

Write it anew with `python -m ohmline.cli.reference > docs/cli.md`; a test compares the two.
"""

from __future__ import annotations

import inspect
from typing import Any

from typer.main import get_command

from ohmline.cli.app import _EPILOG, app


def page() -> str:
    """The reference of all commands, as Markdown."""
    parts = ["# Command line", "Made from the commands' own help.", _EPILOG]
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        subcommands = getattr(command, "commands", None)
        if subcommands is None:
            parts += _command(f"ohmline {name}", command)
        else:
            for sub, each in subcommands.items():
                parts += _command(f"ohmline {name} {sub}", each)
    return "\n\n".join(parts) + "\n"


def _command(name: str, command: Any) -> list[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = " ".join([name, *(_placeholder(p) for p in arguments), "[OPTIONS]"])
    rows = ["| option | does |", "|---|---|"]
    for p in command.params:
        words = ", ".join(f"`{word}`" for word in (*p.opts, *p.secondary_opts))
        head = f"`{_placeholder(p)}`" if p in arguments else words
        rows.append(f"| {head} | {(p.help or '').replace('|', chr(92) + '|')} |")
    about = inspect.cleandoc(command.help or "").replace("\b\n", "")
    return [f"## {name}", about, f"```\n{usage}\n```", "\n".join(rows)]


def _placeholder(argument: Any) -> str:
    name = argument.name.upper()
    many = f"{name} …" if argument.nargs != 1 else name
    return many if argument.required else f"[{many}]"


if __name__ == "__main__":
    print(page(), end="")
