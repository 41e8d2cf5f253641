"""The site: each page is in the navigation, Markdown is plain, the reference shows every public name whole."""

from __future__ import annotations

import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import ohmline as ohm
from ohmline.lazy_names import public_names

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "site" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_navigation_holds_every_page_once() -> None:
    listed = re.findall(r"^\s+- .+: (\S+\.md)$", (DOCS / "nav.yml").read_text(encoding="utf-8"), re.M)
    assert sorted(listed) == [str(page.relative_to(DOCS)) for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_markdown_is_plain(page: Path) -> None:
    text = re.sub(r"^( *)(`{3,}).*?^\1\2", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    macros = re.findall(r"^(?:!!!|\?\?\?|:::|===|\{%|```\{).*|\{[.#:][^}]*\}|^\[\[.*", text, re.M)
    assert not macros


@pytest.mark.parametrize("page", [*PAGES, *ROOT.glob("*.md")], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^( *)(`{3,}).*?^\1\2", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", re.sub(r"`[^`\n]*`", "", text)):
        if not re.match(r"\w+:", target):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_package_has_its_reference() -> None:
    asked = {
        name for page in PAGES for name in re.findall(r"^<!-- reference: (\S+) -->$", page.read_text(), re.M)
    }
    packages = {name.removeprefix("ohmline.").split(".")[0] for name in asked}
    homes = {home.split(".")[1] for home in public_names("ohmline").values() if home.count(".")}
    assert not homes - packages - {"errors", "version"}
    assert packages <= {path.stem for path in (ROOT / "src" / "ohmline").iterdir()}


def test_the_reference_shows_signatures_defaults_and_inherited_methods() -> None:
    text = reference().expand("# learn\n\n<!-- reference: ohmline.learn -->\n")
    for name in public_names("ohmline.learn"):
        assert f"\n## {name}\n" in text
    start = text.index("{py:class} ohmline.LocalLGC(")
    one = text[start : text.index("\n## ", start)]
    head = one.split("\n")[0]
    for parameter in inspect.signature(ohm.LocalLGC).parameters.values():
        assert re.search(rf"\b{parameter.name}\b", head)
        assert f"- `{parameter.name}`:" in one
    assert "ridge: float = 0.1, mu: float | None = None" in head
    for method in ("predict_many", "add_node", "learn_one"):
        assert f"{{py:method}} {method}(" in one
    assert "*Inherited from `" in one
    assert "{py:method} _" not in text


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("sklearn", ["GraphClassifier", "LocalManifoldClassifier", "OnlineManifoldClassifier"]),
        ("river", ["LocalManifoldClassifier", "OnlineManifoldClassifier"]),
        ("networkx", ["label_nodes", "play_nodes"]),
        ("sql", ["IfExists", "write_table"]),
    ],
)
def test_the_reference_shows_every_adapter(module: str, names: list[str]) -> None:
    text = reference().expand((DOCS / "api" / f"adapt-{module}.md").read_text(encoding="utf-8"))
    for name in names:
        assert f"\n## {name}\n" in text
        assert f"ohmline.adapt.{module}.{name}" in text
    assert re.search(r"^- `\w+`:", text, re.M) or module == "sql"  # parameters with their words


def test_examples_and_sections_become_markdown() -> None:
    doc = "Says.\n\nParameters\n----------\nx, y\n    Two.\n\n    More.\n\nExamples\n--------\n>>> 1\n1\n"
    shown = reference().readable(doc)
    assert shown == (
        "Says.\n\n**Parameters**\n\n\n- `x`, `y`:\n  Two.\n\n  More.\n\n**Examples**\n\n```pycon\n>>> 1\n1\n```"
    )


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    for needed in ("sphinx", "furo", "myst_parser", "sphinx_copybutton", "yaml"):
        pytest.importorskip(needed, reason="pip install 'ohmline[docs]'")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", str(tmp_path / "trees")]
    done = subprocess.run(
        [*command, "-c", "tools/site", "docs", str(tmp_path / "site")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "GapBelow" in (tmp_path / "site" / "api" / "query.html").read_text(encoding="utf-8")
