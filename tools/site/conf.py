"""How Sphinx builds the site: plain Markdown pages by MyST, the look of furo, the order of `docs/nav.yml`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "src")]

from reference import MARKER, expand  # noqa: E402

project = "Ohmline"
author = "Ohmline"
extensions = ["myst_parser", "sphinx_copybutton"]
exclude_patterns = ["figures"]
html_theme = "furo"
html_title = "Ohmline"
html_show_copyright = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#2456c8", "color-brand-content": "#2456c8"},
    "dark_css_variables": {"color-brand-primary": "#8db0ff", "color-brand-content": "#8db0ff"},
}
myst_heading_anchors = 4
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
python_maximum_signature_line_length = 88
toc_object_entries = False
add_module_names = False
nitpicky = False  # names of types in signatures are links where the type is public, and plain text elsewhere
suppress_warnings = ["ref.python"]  # two packages each have a Question: the link is to one of them


def trees(nav: list[dict[str, Any]]) -> str:
    """Tables of contents, one for each section of the navigation."""
    loose = [(title, page) for item in nav for title, page in item.items() if isinstance(page, str)]
    parts = [_tree("", [pair for pair in loose if pair[1] != "index.md"])]
    for item in nav:
        for title, pages in item.items():
            if isinstance(pages, list):
                parts.append(_tree(title, [pair for one in pages for pair in one.items()]))
    return "\n\n".join(parts)


def _tree(caption: str, pages: list[tuple[str, str]]) -> str:
    lines = "\n".join(f"{title} <{page.removesuffix('.md')}>" for title, page in pages)
    head = f":caption: {caption}\n" if caption else ""
    return f"```{{toctree}}\n:hidden:\n{head}\n{lines}\n```"


BLANK_END = re.compile(r"^(```\w[^\n]*\n(?:(?!```).*\n)*?)\n+(```)$", re.M)
"""Examples end with a blank line, without which their last output would take in the fence; readers need not see it."""


def fill(app: Any, name: str, source: list[str]) -> None:
    """Gives the first page its tables of contents, and the pages of the reference what they ask for.

    Both come from other files than the page itself, so that these pages are read again in every build.
    """
    if name == "index" or MARKER.search(source[0]):
        app.env.note_reread()
    if name == "index":
        nav = yaml.safe_load((ROOT / "docs" / "nav.yml").read_text(encoding="utf-8"))
        source[0] += "\n\n" + trees(nav["nav"])
    source[0] = BLANK_END.sub(r"\1\2", expand(source[0]))


def setup(app: Any) -> None:
    app.connect("source-read", fill)
