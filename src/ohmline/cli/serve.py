"""`ohmline serve`."""

from __future__ import annotations

import gc
import json as json_
import sys
import threading
import webbrowser
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ohmline.cli.output import in_one_line
from ohmline.errors import ParameterError
from ohmline.extras import require

if TYPE_CHECKING:
    from ohmline.project.recipe import RecipeFunction
    from ohmline.service.server import Started

DEMO = "ohmline-demo"
"""The folder of the demo project."""


def serve(
    project: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PROJECT_DIR]", help="A project, or a folder of projects; a demo project without one."
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen at; any other than this machine's own needs people with tokens."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for a free one.")] = 8765,
    recipe: Annotated[
        Path | None,
        typer.Option(
            help="A Python file with a function recipe(graph, classes, seed), which is run; one that ships is for "
            "ohmline project."
        ),
    ] = None,
    public_url: Annotated[
        str, typer.Option(help="By which people know the server behind a proxy: https://label.example.org.")
    ] = "",
    rate: Annotated[
        float, typer.Option(min=0.01, help="Requests per second of one person, in the long run.")
    ] = 500.0,
    open_metrics: Annotated[
        bool,
        typer.Option("--open-metrics", help="Let /metrics be read without a token; on this machine only."),
    ] = False,
    who: Annotated[str, typer.Option(help="Who starts it; the name of the user by default.")] = "",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the page.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print one line of JSON with address and token; open no page.")
    ] = False,
) -> None:
    """Serve a project: a page where people label, and an API.

    Whoever starts it is admin; the address that is printed holds a token that ends with the server. Ctrl-C
    ends it: what was acknowledged is on the disk.
    """
    require("starlette", "serve")
    require("uvicorn", "serve")
    require("apsw", "serve")
    from ohmline.service.limits import Limits
    from ohmline.service.listening import Options
    from ohmline.service.server import serve as run

    if open_metrics and host not in ("127.0.0.1", "localhost", "::1"):
        raise ParameterError(
            "--open-metrics lets everybody read /metrics, and is for this machine's own address only"
        )
    folder, out = project if project is not None else _demo(), sys.stdout

    def started(server: Started) -> None:
        gc.collect()
        gc.freeze()  # graphs and learners stay; looking through them again and again would slow down every answer
        gc.set_threshold(20_000, 20, 50)
        if json:
            document = {
                "address": server.address,
                "port": server.port,
                "token": server.token,
                "person": server.person,
                "projects": server.projects,
            }
            print(json_.dumps(document), flush=True, file=out)
            return
        print(f"serving {in_one_line(folder)} at {server.address}", file=out)
        print(f"open    {server.page}", file=out)
        print("Ctrl-C ends it; what was acknowledged is on the disk.", flush=True, file=out)
        if not no_browser and out.isatty():
            threading.Thread(target=webbrowser.open, args=(server.page,), daemon=True).start()

    if sys.stderr.isatty():
        print(
            "getting ready; the first time after an installation takes minutes, while machine code is made …",
            file=sys.stderr,
        )
    with redirect_stdout(sys.stderr):  # what a recipe prints is none of what is said here
        options = Options(
            folder,
            host,
            port,
            public_url,
            open_metrics,
            None if recipe is None else _recipe(recipe, folder),
            Limits(rate=rate, burst=max(1, round(2 * rate))),
            who,
        )
        run(options, started)


def _recipe(given: Path, folder: Path) -> RecipeFunction | None:
    """The function of a file; None where the project has the recipe that ships and is named here once more."""
    from ohmline.project.folder import ABOUT, read_about
    from ohmline.project.recipe_files import SHIPPED, recipe_in_file

    name = str(given)
    if given.exists() or name not in SHIPPED:
        return recipe_in_file(given)
    if (folder / ABOUT).is_file() and read_about(folder).recipe == name:
        return None
    raise ParameterError(
        f"--recipe {name} names a recipe that ships, and serve takes a Python file of your own; a project has such a "
        f"recipe from the beginning: ohmline project PROJECT_DIR GRAPH LABELS --recipe {name}, then ohmline serve "
        "PROJECT_DIR"
    )


def _demo() -> Path:
    """The demo project of the current folder, made if it is not there."""
    from ohmline.recipes import demo

    folder = Path(DEMO)
    if not folder.exists():
        print(f"making a demo project in {folder} …", file=sys.stderr)
        demo(folder)
    return folder
