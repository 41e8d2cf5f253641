"""What a graph file looks like: a head, a table of contents in JSON, and arrays that begin at whole pages.

| bytes | hold |
|---|---|
| 0-7 | `OHMGRAPH` |
| 8-11 | the number 0x01020304, by which another byte order shows |
| 12-15 | the version of the format |
| 16-19 | the length of the table of contents |
| 20-51 | its SHA-256 |
| 52- | the table of contents: the sizes, and of each array its type, its place and its SHA-256 |
| 4096- | the arrays, little-endian |
"""

from __future__ import annotations

import json
import struct
import sys
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, final

import numpy as np

from ohmline.errors import FileFormatError

MAGIC = b"OHMGRAPH"
MARK = 0x01020304
VERSION = 1
PAGE = 4096
HEAD = struct.Struct("<8sIII32s")
MOST_NODES = 2**31 - 1
"""Neighbours have 32 bits."""
TYPES = {
    "indptr": "<i8",
    "indices": "<i4",
    "weights": "<f8",
    "ids": "<i8",
    "id_order": "<i8",
    "name_bytes": "|u1",
    "name_offsets": "<i8",
    "name_slots": "<i4",
}
"""The arrays that there may be."""
NEEDED = {
    "range": (),
    "numbers": ("ids",),
    "names": ("name_bytes", "name_offsets", "name_slots"),
    "json": ("name_bytes", "name_offsets"),
}
"""The arrays of each kind of ids: 0..n-1, whole numbers, strings, or others, each as JSON."""


@final
@dataclass(frozen=True)
class Section:
    """Where an array lies."""

    offset: int
    length: int
    """Entries, not bytes."""
    sha256: str


@final
@dataclass(frozen=True)
class Contents:
    """The table of contents."""

    nodes: int
    entries: int
    signed: bool
    dropped_loops: int
    ids: str
    fingerprint: str
    nodes_fingerprint: str
    sections: dict[str, Section]

    def size(self) -> int:
        """How large the file is that has these contents."""
        return max(s.offset + s.length * width(name) for name, s in self.sections.items())


def width(name: str) -> int:
    """Bytes of an entry of an array."""
    return np.dtype(TYPES[name]).itemsize


def encoded(contents: Contents) -> bytes:
    """The first bytes of a file with these contents."""
    text = json.dumps(asdict(contents), sort_keys=True).encode()
    head = HEAD.pack(MAGIC, MARK, VERSION, len(text), sha256(text).digest()) + text
    if len(head) > PAGE:
        raise AssertionError("the table of contents is longer than a page")
    return head


def decoded(path: Path, head: bytes) -> Contents:
    """The contents that the first bytes of a file state, or an error that says why they cannot."""
    if sys.byteorder != "little":
        raise FileFormatError(f"{path}: graph files are for little-endian machines; read an edge list here")
    if len(head) < HEAD.size or not head.startswith(MAGIC):
        raise FileFormatError(
            f"{path} is not a graph file of Ohmline; Graph.read reads other formats, and Graph.write writes this one"
        )
    _, mark, version, length, digest = HEAD.unpack_from(head)
    if mark != MARK:
        raise FileFormatError(
            f"{path} was written with another byte order (mark {mark:#010x}, expected {MARK:#010x}); write it again "
            "on a machine like this one"
        )
    if version != VERSION:
        raise FileFormatError(
            f"{path} has version {version} of the format, and this version of Ohmline reads {VERSION}; write it again "
            "with this one, or open it with the other"
        )
    text = head[HEAD.size : HEAD.size + length]
    if len(text) != length or sha256(text).digest() != digest:
        raise FileFormatError(f"{path}: its table of contents is damaged; write the file again")
    try:
        return _checked(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise FileFormatError(
            f"{path}: its table of contents says what cannot be ({error}); write the file again"
        ) from None


def _checked(found: Any) -> Contents:
    sections = {name: Section(**about) for name, about in found.pop("sections").items()}
    contents = Contents(**found, sections=sections)
    n, entries = _number(contents.nodes, 1, MOST_NODES), _number(contents.entries, 0, 2**62)
    _number(contents.dropped_loops, 0, 2**62)
    if contents.signed is not True and contents.signed is not False:
        raise ValueError(f"signed is {contents.signed!r}")
    for digest in (contents.fingerprint, contents.nodes_fingerprint, *(s.sha256 for s in sections.values())):
        if not isinstance(digest, str) or len(digest) != 64:
            raise ValueError(f"{digest!r} is no SHA-256")
    lengths = {
        "indptr": n + 1,
        "indices": entries,
        "weights": entries,
        "ids": n,
        "id_order": n,
        "name_offsets": n + 1,
    }
    for name in ("indptr", "indices", *NEEDED[contents.ids]):
        if name not in sections:
            raise ValueError(f"there is no array {name}")
    for name, section in sections.items():
        length = _number(section.length, 0, 2**62)
        if length != lengths.get(name, length):
            raise ValueError(f"the array {name} has {length} entries, expected {lengths[name]}")
        if _number(section.offset, PAGE, 2**62) % width(name):
            raise ValueError(f"the array {name} begins at byte {section.offset}")
    slots = sections.get("name_slots")
    if slots is not None and (slots.length <= n or slots.length & (slots.length - 1)):
        raise ValueError(f"the table of names has {slots.length} slots for {n} names")
    return contents


def _number(value: Any, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{value!r} is not a number from {least} to {most}")
    return value
