"""Optional dependencies: imported on first use, with the exact remedy when absent."""

from __future__ import annotations

import importlib
from typing import Any

from ohmline.errors import MissingExtra


def require(module: str, extra: str) -> Any:
    """Import `module`, or say how to install the extra that brings it.

    >>> require("json", "io").__name__
    'json'
    >>> require("no_such_module", "io")
    Traceback (most recent call last):
    ohmline.errors.MissingExtra: no_such_module is not installed; run: pip install 'ohmline[io]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        raise MissingExtra(f"{module} is not installed; run: pip install 'ohmline[{extra}]'") from None
