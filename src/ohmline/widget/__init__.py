"""Labelling in a cell of a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohmline.lazy_names import attach

if TYPE_CHECKING:
    from ohmline.widget.labeller import Labeller as Labeller
else:
    __getattr__, __dir__ = attach(__name__)
