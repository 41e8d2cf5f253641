"""Errors of the library in the words of the command line: the flag, not the Python argument.

Messages name a remedy as `name=value`, and a bad value as `name must be ...`. Where the command that runs has an option
of that name, its flag takes the place.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any

_VALUE = r"(?:'[^']*'|\"[^\"]*\"|\.\.\.|\[[^\]]*\]|[\w.+-]*\w)?"


_SHOWN = re.compile(r"(\b[A-Z]\w*\((?:[^()]|\([^()]*\))*\)?)")


def flags_of(command: Any) -> dict[str, tuple[str, str]]:
    """For every option of a command the flag that sets it, and the one that turns it off ("" where there is none).

    A group of commands has the options of all of them.
    """
    found: dict[str, tuple[str, str]] = {}
    for inner in getattr(command, "commands", {}).values():
        found |= flags_of(inner)
    for parameter in getattr(command, "params", ()):
        if parameter.param_type_name == "option":
            longest = max(parameter.opts, key=len)
            found[parameter.name] = (longest, max(parameter.secondary_opts, key=len, default=""))
    return found


def in_flags(message: str, flags: Mapping[str, tuple[str, str]]) -> str:
    """A message with the flags of a command in place of the parameters that they set.

    >>> flags = {"symmetrise": ("--symmetrise", ""), "header": ("--header", "--no-header"), "source": ("--source", "")}
    >>> in_flags("edge (0, 1) has two weights; pass symmetrise=True to take max(S, S')", flags)
    "edge (0, 1) has two weights; pass --symmetrise to take max(S, S')"
    >>> in_flags("'a' names a column, and header=False says that there are none; pass source=...", flags)
    "'a' names a column, and --no-header says that there are none; pass --source ..."

    What a library object shows of itself stays as it is, and a parameter without a flag is named as Python's.

    >>> in_flags("no graph: Graph(source=3); pass signed=True", flags)
    'no graph: Graph(source=3); in Python, pass signed=True'
    """
    parts = _SHOWN.split(message)  # every second one is an object as it shows itself
    parts[::2] = [_outside(part, flags, first=k == 0) for k, part in enumerate(parts[::2])]
    return "".join(parts)


class InFlags(logging.Formatter):
    """Warnings in the words of the command that runs.

    Parameters
    ----------
    command
        Says which command that is.
    """

    def __init__(self, command: Callable[[], Any]) -> None:
        super().__init__("ohmline: %(message)s")
        self._command = command

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The message with flags in place of the parameters."""
        message = super().formatMessage(record)
        if getattr(record, "of_labels", False):  # the header of the labels has a flag of its own
            message = re.sub(r"(?<!\w)header=", "labels_header=", message)
        return in_flags(message, flags_of(self._command()))


def _outside(message: str, flags: Mapping[str, tuple[str, str]], *, first: bool) -> str:
    for name, (on, off) in flags.items():

        def flag(match: re.Match[str], on: str = on, off: str = off) -> str:
            value = match.group(1).strip("'\"")
            if value in ("True", "False") and (value == "True" or off):
                return on if value == "True" else off
            return f"{on} {value}".rstrip()

        message = re.sub(rf"(?<![\w.]){name}=(?!=)({_VALUE})", flag, message)
        if first:
            message = re.sub(rf"^{name} (?=must )", f"{on} ", message)
    return re.sub(r"\bpass (?=[a-z_]+=(?!=))", "in Python, pass ", message)
