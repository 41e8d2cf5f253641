"""What handlers that change something share."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from ohmline.project.commands import Command
from ohmline.service.people import Role
from ohmline.service.route import Call


def is_admin(call: Call) -> bool:
    """Whether an admin asks.

    Parameters
    ----------
    call
        The request.
    """
    return call.person.role is Role.ADMIN


def looking(call: Call) -> str | None:
    """Who looks; None for an admin, who may see everything.

    Parameters
    ----------
    call
        The request.
    """
    return None if is_admin(call) else call.person.name


def with_address(call: Call, card: dict[str, Any]) -> dict[str, Any]:
    """A card whose picture has the address that a browser finds it at.

    Parameters
    ----------
    call
        The request.
    card
        What there is to see of a node.
    """
    if card["image"] is not None:
        card["image"] = f"/api/projects/{quote(call.path['p'])}/{card['image']}"
    return card


async def do(call: Call, command: Command) -> dict[str, Any]:
    """Do something in the project, and give the reply once it is on the disk.

    Parameters
    ----------
    call
        The request.
    command
        What to do.
    """
    reply = await call.at.submit(command, call.person.name, admin=is_admin(call))
    document: dict[str, Any] = reply.to_json()
    return document
