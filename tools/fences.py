"""For ``make docs``: examples in docstrings are shown as code, not read as Markdown."""

from __future__ import annotations

from typing import Any

import griffe


class Fences(griffe.Extension):
    """Puts every run of doctest lines, with its output, between fences."""

    def on_instance(self, *, obj: griffe.Object, **options: Any) -> None:
        if obj.docstring is not None and ">>>" in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        if not inside and line.startswith(">>>"):
            lines.append("```pycon")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join([*lines, "```"] if inside else lines)
