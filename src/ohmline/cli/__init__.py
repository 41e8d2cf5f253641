"""The command line: `ohmline demo`, `play`, `reproduce`, `bench`, `data`."""

from __future__ import annotations


def main() -> None:
    """The entry point of the command `ohmline`."""
    from ohmline.cli.app import app

    app()
