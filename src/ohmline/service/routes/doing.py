"""What handlers that change something share."""

from __future__ import annotations

from typing import Any

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
