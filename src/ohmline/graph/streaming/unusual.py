"""What a stream is not read for: the careful reader has the rules, and the words for errors."""

from __future__ import annotations

from typing import final


@final
class Unusual(Exception):
    """Something in the input that only the careful reader decides, or refuses with an error that names it."""
