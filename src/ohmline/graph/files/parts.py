"""Tables in parts: a folder of Parquet files or a pattern of names, of which none may be missing."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path

from ohmline.checks import file_path
from ohmline.errors import DataError
from ohmline.graph.files.manifest import manifest_in, read_manifest

_NUMBER = re.compile(r"^(\D*)(\d+)(?:(-of-)(\d+))?(.*)$")
_PART = re.compile(r"(part|chunk|shard|block|piece|split)[-_. ]?$", re.IGNORECASE)
"""What stands before a number that counts the parts of one table."""


def is_parts(path: Path) -> bool:
    """Whether a name stands for a table in parts: a folder, or a pattern of Parquet files."""
    return path.is_dir() or (path.suffix.lower() == ".parquet" and _is_pattern(path))


def files_of(place: str | os.PathLike[str]) -> list[Path]:
    """The files of a folder, of a pattern such as `edges/*.parquet`, or the one that is named, in order.

    A folder with a manifest must hold every part that this lists; in one without, parts that are numbered must be
    numbered without a gap. A pattern takes what matches it.
    """
    path = file_path(place, "edges")
    if path.is_dir():
        if manifest_in(path) is not None:
            return [path / part.name for part in read_manifest(path).checked(path).parts]
        return _in_folder(path)
    if _is_pattern(path):
        found = sorted(Path(name) for name in glob.glob(str(path)))
        if not found:
            raise DataError(f"no file matches {path}; check the pattern")
        return found
    if not path.exists():
        raise DataError(f"{path} does not exist; give a folder of Parquet parts, a pattern, or a file")
    return [path]


def _is_pattern(path: Path) -> bool:
    return glob.has_magic(str(path)) and not path.exists()


def _in_folder(folder: Path) -> list[Path]:
    try:
        found = sorted(
            p
            for p in folder.iterdir()
            if p.suffix.lower() == ".parquet" and not p.name.startswith((".", "_"))
        )
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror or error}") from None
    if not found:
        raise DataError(f"the folder {folder} has no .parquet files; name the folder that has the parts")
    numbers = _numbers([path.name for path in found])
    if numbers is None:
        return found
    _expect_no_gap(folder, found[0].name, numbers)
    return [path for _, path in sorted(zip(numbers, found, strict=True))]


def _numbers(names: list[str]) -> list[int] | None:
    """The number of each file, where their names differ in it only and it counts them; None where it does not.

    It counts where a word such as part stands before it, or where the first is 0 or 1: years do not.
    """
    found = [_NUMBER.match(name) for name in names]
    if not all(found):
        return None
    groups = [match.groups() for match in found if match is not None]
    if len({(before, *rest) for before, _, *rest in groups}) > 1:
        return None
    numbers = [int(number) for _, number, *_ in groups]
    before, _, of, *_ = groups[0]
    counted = of is not None or _PART.search(before) is not None or min(numbers) <= 1
    return numbers if counted and len(set(numbers)) == len(numbers) else None


def _expect_no_gap(folder: Path, first: str, numbers: list[int]) -> None:
    match = _NUMBER.match(first)
    assert match is not None
    start, stop = min(min(numbers), 1), max(numbers) + 1
    if match[4] is not None:
        start = 1 if int(match[4]) == max(numbers) else 0
        stop = max(stop, start + int(match[4]))
    there = set(numbers)
    missing = [k for k in range(start, min(stop, start + len(numbers) + 1)) if k not in there]
    if missing:
        name = f"{match[1]}{missing[0]:0{len(match[2])}d}{match[3] or ''}{match[4] or ''}{match[5]}"
        raise DataError(
            f"the part {folder / name} is missing: the {len(numbers)} parts there are numbered up to {max(numbers)}; "
            f"write or copy it again, or, if it should not be there, name the parts by a pattern: "
            f"{folder / '*.parquet'}"
        )
