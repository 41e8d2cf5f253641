"""The commands, and the one place where an error becomes a line and an exit code.

Nothing heavy is imported here: each command imports what it needs when it runs.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ohmline.cli.bench import bench
from ohmline.cli.data import data
from ohmline.cli.demo import demo
from ohmline.cli.embed import embed
from ohmline.cli.flags import InFlags, flags_of, in_flags
from ohmline.cli.graph import graph
from ohmline.cli.label import label
from ohmline.cli.output import ExitCode
from ohmline.cli.papers import papers
from ohmline.cli.people import people
from ohmline.cli.play import play
from ohmline.cli.predict import predict
from ohmline.cli.project import project
from ohmline.cli.reproduce import reproduce
from ohmline.cli.serve import serve
from ohmline.cli.suggest import suggest
from ohmline.errors import DataError, MissingExtra, OhmlineError

_EPILOG = (
    "Exit codes: 0 done; 1 done, and a claim, certificate or target failed; 2 the input or the command is "
    "wrong; 3 data or an optional package is missing; 130 interrupted; 129 and 143 asked to end by SIGHUP and SIGTERM; "
    "141 whoever read the output has gone."
)


class Commands(TyperGroup):
    """Turns every error of ours into one line on standard error; no traceback."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        try:
            try:
                return super().main(*arguments, **options)
            finally:
                sys.stdout.flush()
        except BrokenPipeError:
            _drop_output()
            sys.exit(ExitCode.GONE)
        except OSError as error:
            if error.filename is not None:
                raise
            _drop_output()
            print(
                f"ohmline: the output cannot be written: {error.strerror}; send it elsewhere", file=sys.stderr
            )
            sys.exit(ExitCode.BAD_INPUT)

    def invoke(self, ctx: Any) -> Any:
        listener = logging.StreamHandler(sys.stderr)
        listener.setLevel(logging.WARNING)
        listener.setFormatter(InFlags(lambda: self.get_command(ctx, ctx.invoked_subcommand or "")))
        log = logging.getLogger("ohmline")
        log.addHandler(listener)
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            _drop_output()
            raise typer.Exit(ExitCode.GONE) from None
        except OhmlineError as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            print(f"ohmline: {in_flags(str(error), flags_of(command))}", file=sys.stderr)
            missing = isinstance(error, DataError | MissingExtra)
            raise typer.Exit(ExitCode.MISSING if missing else ExitCode.BAD_INPUT) from None
        finally:
            log.removeHandler(listener)


def _drop_output() -> None:
    """Let what is left in the buffer go, so that the end of the process does not fail once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EPILOG,
)


def _version(wanted: bool) -> None:
    if wanted:
        from ohmline.version import __version__

        print(f"ohmline {__version__}")
        raise typer.Exit()


@app.callback()
def ohmline(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Learn the labels of a graph's nodes online, with few labels and provable limits on the mistakes."""


app.command()(demo)
app.command()(play)
app.command()(predict)
app.command()(embed)
app.command()(suggest)
app.command()(label)
app.command()(serve)
app.command()(project)
app.command()(people)
app.command()(reproduce)
app.command()(papers)
app.command()(bench)
app.add_typer(data, name="data")
app.add_typer(graph, name="graph")
