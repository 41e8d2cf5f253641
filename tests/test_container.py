"""The image of the service: built from the Containerfile, started, and asked, where a builder of images is."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
IMAGE = "localhost/ohmline-test"
VERSION = "9.8.7"

pytestmark = pytest.mark.slow


def run(*command: str, seconds: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds, cwd=ROOT)


@pytest.fixture(scope="module")
def builder() -> str:
    """podman or docker, if one of them is here and works."""
    told = []
    for name in ("podman", "docker"):
        if shutil.which(name) is None:
            told.append(f"{name} is not installed")
            continue
        try:
            asked = run(name, "info")
        except (OSError, subprocess.TimeoutExpired) as error:
            told.append(f"{name} does not answer: {error}")
            continue
        if asked.returncode == 0:
            return name
        told.append(f"{name} does not work here: {asked.stderr.strip().splitlines()[-1:]}")
    pytest.skip("; ".join(told))


@pytest.fixture(scope="module")
def image(builder: str) -> Iterator[str]:
    pull = run(builder, "pull", "docker.io/library/python:3.12-slim", seconds=200)
    if pull.returncode:
        pytest.skip(f"the image it starts from cannot be had: {pull.stderr.strip()[-300:]}")
    command = ["build", "--build-arg", f"VERSION={VERSION}", "-t", IMAGE, "-f", "Containerfile", "."]
    built = run(builder, *command, seconds=600)
    assert built.returncode == 0, built.stderr[-3000:]
    yield IMAGE
    run(builder, "rmi", "--force", IMAGE)


def test_the_image_has_the_version_that_it_was_built_with(builder: str, image: str) -> None:
    said = run(builder, "run", "--rm", "--entrypoint", "ohmline", image, "--version")
    assert said.stdout.strip() == f"ohmline {VERSION}", said.stderr


@pytest.fixture
def volume(builder: str) -> Iterator[str]:
    """A volume for projects, which gets the rights that the image gives the folder."""
    name = f"ohmline-test-{os.getpid()}"
    assert run(builder, "volume", "create", name).returncode == 0
    yield f"{name}:/projects"
    run(builder, "volume", "rm", "--force", name)


def test_the_image_serves_those_who_were_added(builder: str, image: str, volume: str) -> None:
    who = run(builder, "run", "--rm", "--entrypoint", "id", image, "-un")
    assert who.stdout.strip() == "ohmline"
    refused = run(builder, "run", "--rm", "-v", volume, image)
    assert refused.returncode == 2
    assert "0.0.0.0" in refused.stderr
    add = ("people", "/projects", "add", "ann", "--role", "admin")
    added = run(builder, "run", "--rm", "-v", volume, "--entrypoint", "ohmline", image, *add)
    assert added.returncode == 0, added.stderr
    started = run(builder, "run", "--rm", "-d", "-v", volume, "-p", "127.0.0.1::8765", image)
    assert started.returncode == 0, started.stderr
    name = started.stdout.strip()
    try:
        place = run(builder, "port", name, "8765").stdout.split()[-1]
        deadline = time.monotonic() + 90
        while True:
            try:
                with urllib.request.urlopen(f"http://{place}/healthz", timeout=5) as answer:
                    assert answer.status == 200
                break
            except OSError:
                assert time.monotonic() < deadline, run(builder, "logs", name).stderr
                time.sleep(0.5)
    finally:
        run(builder, "stop", name)
