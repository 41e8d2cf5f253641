"""`ohmline people`."""

from __future__ import annotations

import json as json_
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ohmline.cli.output import AsJson, print_json, show_table
from ohmline.errors import ParameterError


class Action(StrEnum):
    """What to do."""

    ADD = "add"
    LIST = "list"
    REMOVE = "remove"


class Part(StrEnum):
    """What a person may do."""

    ANNOTATOR = "annotator"
    ADMIN = "admin"


def people(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that is served.")],
    action: Annotated[Action, typer.Argument(help="add, list or remove.")] = Action.LIST,
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Whom to add or remove.")] = "",
    role: Annotated[Part, typer.Option(help="What a new person may do.")] = Part.ANNOTATOR,
    json: AsJson = False,
) -> None:
    """Say who may use a server: add somebody, which shows their token once, list them, or remove somebody.

    A server that runs notices within a second.
    """
    from ohmline.service.people import FILE, Role, add_person, read_people, remove_person

    if action is not Action.LIST and not name:
        raise ParameterError(f"whom to {action} is not said; write ohmline people {folder} {action} NAME")
    if action is Action.LIST and name:
        raise ParameterError(f"list takes no name, got {name!r}; write ohmline people {folder} list")
    if action is Action.ADD:
        person, token = add_person(folder, name, Role(role.value))
        if json:
            print(json_.dumps({"name": person.name, "role": person.role.value, "token": token}))
        else:
            print(f"{person.name} is an {person.role.value}. The token, which is shown only now:")
            print(token)
    elif action is Action.REMOVE:
        remove_person(folder, name)
        if json:
            print_json({"removed": name})
        else:
            print(f"{name} is removed, and the token is worth nothing")
    else:
        found = [{"name": p.name, "role": p.role.value, "created": p.created} for p in read_people(folder)]
        if json:
            print_json({"people": found})
        elif found:
            show_table("", ["name", "role", "created"], [list(each.values()) for each in found], frozenset())
        else:
            print(f"there is nobody in {folder / FILE}; add somebody with ohmline people {folder} add NAME")
