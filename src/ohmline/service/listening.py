"""Where a server listens, and for whom."""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, final

from ohmline.checks import count, shown
from ohmline.errors import DataError, ParameterError
from ohmline.service.limits import Limits
from ohmline.service.people import FILE, read_people

if TYPE_CHECKING:
    from ohmline.project.recipe import RecipeFunction

LOOPBACK = "127.0.0.1"
PORT = 8765


@final
@dataclass(frozen=True)
class Options:
    """How a server is started.

    Attributes
    ----------
    folder
        A project, or a folder of projects.
    host, port
        Where it listens; port 0 takes a free one.
    public_url
        By which people know it, where that is not its address: `https://label.example.org`, behind a proxy.
    open_metrics
        Whether `/metrics` needs no token; only on loopback.
    recipe
        What the projects do; None for what each says itself.
    limits
        What one person may do.
    who
        Who starts it, and is admin; "" for the name of the user.
    """

    folder: Path
    host: str = LOOPBACK
    port: int = PORT
    public_url: str = ""
    open_metrics: bool = False
    recipe: RecipeFunction | None = None
    limits: Limits = field(default_factory=Limits)
    who: str = ""


def listening(options: Options) -> socket.socket:
    """The socket of a server, or an error that says why there is none.

    Parameters
    ----------
    options
        How the server is started.
    """
    count(options.port, "port", most=65535)
    if not options.folder.is_dir():
        raise DataError(f"{options.folder} is no folder; name a project, or a folder of projects")
    try:
        found = socket.getaddrinfo(
            options.host, options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (socket.gaierror, UnicodeError) as error:
        raise ParameterError(
            f"host {shown(options.host)} has no address ({error}); write {LOOPBACK}"
        ) from None
    family, _, _, _, address = found[0]
    if not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback and not read_people(
        options.folder
    ):
        raise ParameterError(
            f"host {options.host} can be reached from other machines, and there is nobody in {options.folder / FILE}; "
            f"make tokens first: ohmline people {options.folder} add NAME --role admin"
        )
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise ParameterError(
                f"port {options.port} of {options.host} is taken, perhaps by another ohmline serve; end that, or "
                "choose another with --port, or --port 0 for a free one"
            ) from None
        raise ParameterError(
            f"{options.host} port {options.port} cannot be used: {error.strerror}; choose others with --host and --port"
        ) from None
    return listener
