"""The version, where every layer may read it."""

from importlib import import_module

try:
    # Written from the last tag when the package is built or installed, editable or not.
    __version__: str = import_module("ohmline._version").version
except ModuleNotFoundError:
    # Sources that nobody installed: what pyproject.toml falls back to, too.
    __version__ = "0.1.0.dev0"
