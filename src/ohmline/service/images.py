"""Pictures of nodes: files in the project's `images/`, of a few types that cannot hold a script.

A picture that is sent gets its name from its content, never from the person who sent it. SVG is refused: it may hold
scripts.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from ohmline.checks import shown
from ohmline.errors import ParameterError
from ohmline.graph.files.paths import replacing
from ohmline.service.problems import Problem

FOLDER = "images"
MEDIA_TYPES = {"png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")


def kind_of(data: bytes) -> str | None:
    """What a picture is by its first bytes; None where it is none that is allowed.

    Parameters
    ----------
    data
        The bytes of the file.
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return None


def read_image(project: Path, name: str) -> tuple[bytes, str]:
    """A picture of a project, and its media type.

    Parameters
    ----------
    project
        The project's folder.
    name
        The name of the file.
    """
    if _NAME.fullmatch(name) and ".." not in name:
        try:
            descriptor = os.open(project / FOLDER / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with open(descriptor, "rb") as file:
                data = file.read()
        except OSError:
            data = b""
        kind = kind_of(data)
        if kind is not None:
            return data, MEDIA_TYPES[kind]
    raise Problem(
        404, "no-image", f"the project has no picture {shown(name)}", "PNG, JPEG, GIF and WebP are shown"
    )


def keep_image(project: Path, data: bytes) -> str:
    """Keep a picture, and give the name that it got.

    Parameters
    ----------
    project
        The project's folder.
    data
        The bytes of the file.
    """
    kind = kind_of(data)
    if kind is None:
        raise ParameterError(
            f"the body begins with {shown(data[:8])}, which is no PNG, JPEG, GIF or WebP; convert the picture to one"
        )
    name = f"{hashlib.sha256(data).hexdigest()[:40]}.{kind}"
    folder = project / FOLDER
    if not (folder / name).exists():
        folder.mkdir(exist_ok=True)
        with replacing(folder / name) as beside:
            beside.write_bytes(data)
    return name
