"""The folder that a server serves: a project, or a folder of projects."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from ohmline.checks import file_path, shown
from ohmline.errors import DataError, OhmlineError, UnknownProject
from ohmline.project.folder import ABOUT
from ohmline.service.problems import Problem
from ohmline.service.warming import warm_up

if TYPE_CHECKING:
    from ohmline.project import Host
    from ohmline.project.map import Map
    from ohmline.project.recipe import RecipeFunction

log = logging.getLogger("ohmline.service")

ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""What the name of a project's folder must be, in a folder of projects."""
MOST = 32
"""So many projects can be made over HTTP."""
UNFINISHED = ".new-"
"""What the folder of a project is called while it is being made."""


@final
class Workspace:
    """The projects of a server.

    Parameters
    ----------
    folder
        A project, or a folder of projects.
    recipe
        What the person who started the server wants a project to do; None for what the project says itself.
    """

    def __init__(self, folder: str | Path, recipe: RecipeFunction | None = None) -> None:
        self.folder = file_path(folder, "folder").resolve()
        if not self.folder.is_dir():
            raise DataError(f"{self.folder} is no folder; name a project, or a folder of projects")
        self._recipe = recipe
        self._hosts: dict[str, Host] = {}
        self._maps: dict[str, Map] = {}
        self._broken: dict[str, OhmlineError] = {}
        self._making = asyncio.Lock()
        self._warm: set[RecipeFunction | None] = set()
        self.single = (self.folder / ABOUT).is_file()

    def __iter__(self) -> Iterator[tuple[str, Host]]:
        return iter(self._hosts.items())

    @property
    def broken(self) -> dict[str, str]:
        """The projects that cannot be opened, and why."""
        return {id: str(error) for id, error in self._broken.items()}

    async def open(self) -> None:
        """Open every project. An error is raised where there is only one, else told to whoever asks for it."""
        if self.single:
            await self._open(self.folder, project_id(self.folder.name))
            return
        for folder in sorted(self.folder.iterdir()):
            if ID.fullmatch(folder.name) and (folder / ABOUT).is_file():
                try:
                    await self._open(folder, folder.name)
                except OhmlineError as error:
                    log.warning("project %s cannot be opened: %s", folder.name, error)
                    self._broken[folder.name] = error

    async def close(self) -> None:
        """Let every project finish what it has begun, and close it."""
        hosts, self._hosts = self._hosts, {}
        for map in self._maps.values():
            await map.close()
        for host in hosts.values():
            try:
                await host.stop()
            finally:
                host.project.close()

    def host(self, id: str) -> Host:
        """The project of an id.

        Parameters
        ----------
        id
            The name of its folder.
        """
        found = self._hosts.get(id)
        if found is not None:
            return found
        if id in self._broken:
            raise self._broken[id]
        raise UnknownProject(f"there is no project {shown(id)}; GET /api/projects lists those there are")

    def map(self, id: str) -> Map:
        """The map of a project.

        Parameters
        ----------
        id
            The name of its folder.
        """
        self.host(id)
        return self._maps[id]

    async def create(self, id: str | None, name: str, make: Callable[[Path], Any]) -> Host:
        """Make a project, whole or not at all, and open it.

        Parameters
        ----------
        id
            The name of its folder; None to make one of the project's name.
        name
            What people call it.
        make
            Makes the project in the folder that it is given.
        """
        if self.single:
            raise Problem(
                409,
                "one-project",
                f"this server serves the one project {shown(self.folder.name)}",
                "start a server on a folder of projects to make more",
            )
        async with self._making:
            if len(self._hosts) >= MOST:
                raise Problem(
                    409,
                    "projects",
                    f"this server has {MOST} projects, each with a process that thinks ahead",
                    "start another server for more",
                )
            wanted = self._free(id, name)
            beside, folder = self.folder / f"{UNFINISHED}{secrets.token_hex(8)}", self.folder / wanted
            try:
                await asyncio.to_thread(make, beside)
                beside.rename(folder)
            except BaseException:
                await asyncio.to_thread(shutil.rmtree, beside, ignore_errors=True)
                raise
            await self._open(folder, wanted)
        return self._hosts[wanted]

    def _free(self, id: str | None, name: str) -> str:
        if id is not None:
            if (self.folder / id).exists():
                raise Problem(409, "taken", f"there is a project {shown(id)} already", "choose another id")
            return id
        base = project_id(name)
        for k in range(1, 10_000):
            wanted = base if k == 1 else f"{base[:58]}-{k}"
            if not (self.folder / wanted).exists():
                return wanted
        raise Problem(
            409, "taken", f"there are too many projects called {shown(name)}", "choose another name"
        )

    async def _open(self, folder: Path, id: str) -> None:
        from ohmline.project import Host, Project
        from ohmline.project.folder import read_about
        from ohmline.project.map import Map
        from ohmline.recipes import find

        named = read_about(folder).recipe
        recipe = self._recipe or (find(named) if named else None)
        project = await asyncio.to_thread(Project.open, folder, recipe=recipe)
        if recipe not in self._warm:
            await asyncio.to_thread(warm_up, recipe)
            self._warm.add(recipe)
        try:
            host = Host(project)
            await host.start()
        except BaseException:
            project.close()
            raise
        self._hosts[id] = host
        self._maps[id] = Map(host)


def project_id(name: str) -> str:
    """The id of a project of a name.

    >>> project_id("Citation topics, 2nd try!")
    'citation-topics-2nd-try'

    Parameters
    ----------
    name
        What people call it, or the name of its folder.
    """
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64].strip("-")
    return plain or "project"
