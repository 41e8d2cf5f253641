"""The built page: it is what its source builds, small, self-contained and legible."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
FRONTEND = ROOT / "frontend"
STATIC = ROOT / "src" / "ohmline" / "service" / "static"
PAGE = ("index.html", "page.js", "app.js", "app.css")
PERMISSIVE = {"MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC"}
OUT_OF_REACH = re.compile(
    r"ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|E40[34]|ENOTCACHED|network"
)


def test_page_weighs_at_most_120_kB_compressed() -> None:
    weight = sum(len(gzip.compress((STATIC / name).read_bytes(), 9)) for name in PAGE)
    assert weight <= 120_000


@pytest.mark.parametrize("name", PAGE)
def test_nothing_is_loaded_from_outside(name: str) -> None:
    text = (STATIC / name).read_text("utf-8")
    outside = [
        found
        for found in re.findall(r"https?://[^\s\"'`)]+", text)
        if not found.startswith("http://www.w3.org/")
    ]
    assert outside == []
    assert re.findall(r"""["'(]//[a-z0-9-]+\.[a-z]""", text) == []


def test_page_needs_no_inline_code_or_style() -> None:
    text = (STATIC / "index.html").read_text("utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
    assert re.findall(r"<style|\sstyle=|\son[a-z]+=", text) == []
    assert re.findall(r"\beval\(|new Function\(", (STATIC / "app.js").read_text("utf-8")) == []


def test_source_never_reads_text_as_html() -> None:
    for path in sorted((FRONTEND / "src").rglob("*.js")):
        found = re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", path.read_text("utf-8"))
        assert found == [], path


def test_lock_names_no_registry_and_only_permissive_licences() -> None:
    packages = json.loads((FRONTEND / "package-lock.json").read_text("utf-8"))["packages"]
    notices = (STATIC / "LICENSES.txt").read_text("utf-8")
    for place, package in packages.items():
        assert "resolved" not in package, place
        if place:
            assert package["license"] in PERMISSIVE, place
            assert package["integrity"].startswith("sha512-"), place
        name = place.rpartition("node_modules/")[2]
        if name and not package.get("dev") and name != "graphology-types":  # which is types only
            assert f"{name} {package['version']} ({package['license']})" in notices


def _frontend_with_packages(tmp_path: Path) -> Path:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed, so the page cannot be built here")
    folder = tmp_path / "frontend"
    shutil.copytree(FRONTEND, folder, ignore=shutil.ignore_patterns("node_modules"))
    try:
        done = subprocess.run(
            ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
        )
    except subprocess.TimeoutExpired:
        pytest.skip("npm did not get the packages of the page within two minutes")
    if done.returncode != 0 and OUT_OF_REACH.search(done.stderr):
        pytest.skip(f"npm cannot reach the packages of the page: {done.stderr.strip().splitlines()[0]}")
    assert done.returncode == 0, done.stderr
    return folder


def test_committed_bundle_is_what_the_source_builds(tmp_path: Path) -> None:
    folder = _frontend_with_packages(tmp_path)
    built = tmp_path / "built"
    subprocess.run(["node", "build.mjs", str(built)], cwd=folder, check=True, timeout=120)
    assert sorted(path.name for path in built.iterdir()) == sorted(path.name for path in STATIC.iterdir())
    for path in built.iterdir():
        same = path.read_bytes() == (STATIC / path.name).read_bytes()
        assert same, (
            f"{path.name} is not what frontend/ builds: run `npm ci && npm run build` there and commit it"
        )
    tests = subprocess.run(["npm", "test"], cwd=folder, capture_output=True, text=True, timeout=120)
    assert tests.returncode == 0, tests.stdout


PALETTE: dict[str, dict[str, Any]] = json.loads((FRONTEND / "palette.json").read_text("utf-8"))
TEXT_ON = [
    *[(ink, ground) for ink in ("text", "muted", "accent") for ground in ("bg", "panel", "sunk")],
    *[(ink, "panel") for ink in ("ok", "warn", "bad")],
    *[(ink, f"{ink}-soft") for ink in ("accent", "ok", "warn", "bad")],
    *[("text", f"{ink}-soft") for ink in ("accent", "ok")],
    ("on-accent", "accent"),
    ("panel", "text"),
]
SHAPE_ON = [("edge", "panel"), ("edge", "bg"), ("accent", "panel"), ("none", "panel"), ("ok", "panel")]


def _linear(colour: str) -> Any:
    part = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def _contrast(one: str, other: str) -> float:
    light = sorted(float(_linear(each) @ [0.2126, 0.7152, 0.0722]) for each in (one, other))
    return (light[1] + 0.05) / (light[0] + 0.05)


def test_contrast_of_black_on_white() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_out(theme: str) -> None:
    palette = PALETTE[theme]
    low = {pair: ratio for pair in TEXT_ON if (ratio := _contrast(palette[pair[0]], palette[pair[1]])) < 4.5}
    assert low == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_and_edges_stand_out(theme: str) -> None:
    palette = PALETTE[theme]
    low = {pair: ratio for pair in SHAPE_ON if (ratio := _contrast(palette[pair[0]], palette[pair[1]])) < 3}
    assert low == {}
    assert [colour for colour in palette["classes"] if _contrast(colour, palette["panel"]) < 3] == []


# What people see who lack one kind of cone (Machado, Oliveira and Fernandes 2009, severity 1), in linear light.
SIGHT = {
    "usual": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
TO_CONES = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566]]
TO_CONES.append([0.0883024619, 0.2817188376, 0.6299787005])
TO_LAB = [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099]]
TO_LAB.append([0.0259040371, 0.7827717662, -0.808675766])


@pytest.mark.parametrize(("sight", "least"), [("usual", 0.15), *[(kind, 0.1) for kind in list(SIGHT)[1:]]])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_class_colours_differ_for_colour_blind_people_too(theme: str, sight: str, least: float) -> None:
    seen = np.clip([np.array(SIGHT[sight]) @ _linear(colour) for colour in PALETTE[theme]["classes"]], 0, 1)
    lab = np.cbrt(seen @ np.array(TO_CONES).T) @ np.array(TO_LAB).T  # Oklab: a step of 0.02 is just visible
    apart = np.linalg.norm(lab[:, None] - lab[None], axis=-1)[np.triu_indices(len(lab), 1)]
    assert apart.min() >= least


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_built_style_has_the_colours_that_are_checked_here(theme: str) -> None:
    css = (STATIC / "app.css").read_text("utf-8")
    for name, value in PALETTE[theme].items():
        colours = (
            {f"class-{k}": each for k, each in enumerate(value)} if isinstance(value, list) else {name: value}
        )
        for token, colour in colours.items():
            assert re.search(rf"--{token}:\s*{colour}\b", css), token
