"""The command line: `ohmline demo`, `play`, `reproduce`, `bench`, `data`."""

from __future__ import annotations

import sys

from ohmline.cli.ending import at_once, in_order

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""


def main() -> None:
    """The entry point of the command `ohmline`."""
    at_once()
    from ohmline.cli.app import app

    in_order()
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
