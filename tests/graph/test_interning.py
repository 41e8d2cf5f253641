"""Codes of names, beside a dictionary; and lines of two cells, beside the scan that takes every line."""

from __future__ import annotations

import numpy as np
import pytest

from ohmline.arrays import AnyArray
from ohmline.graph.files.scan import DONE, scan, whole_numbers
from ohmline.graph.files.scan_pairs import newlines, scan_names, scan_numbers
from ohmline.graph.streaming import Names, Unusual
from ohmline.graph.streaming.interning import PADDING, SHORT

AFTER = b"\n\n\n" + bytes(PADDING)


def laid_out(names: list[bytes]) -> tuple[AnyArray, AnyArray]:
    ends = np.cumsum([0] + [len(name) for name in names]).astype(np.int32)
    spans = np.stack([ends[:-1:2], ends[1::2], ends[1::2], ends[2::2]], axis=1)
    return np.frombuffer(b"".join(names) + bytes(PADDING), np.uint8), np.ascontiguousarray(spans)


@pytest.mark.parametrize("seed", range(4))
def test_names_get_the_codes_that_a_dictionary_gives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Names that differ in one byte only, of every length around that at which they leave their slot, some empty.
    pool = [
        bytes([97 + k % 7]) * at + bytes([65 + k]) + b"z" * (size - at - 1)
        for size in [*range(1, 27), 40]
        for at in {0, size // 2, size - 1}
        for k in range(8)
    ]
    pool += [b"", "zoë".encode(), bytes(3), bytes(4), b"\xff" * SHORT, *(b"user%d" % k for k in range(9000))]
    names, known = Names(), dict[bytes, int]()
    for _ in range(3):
        batch = [pool[k] for k in rng.integers(0, len(pool), 8000)]
        codes = names.codes(*laid_out(batch))
        assert codes.ravel().tolist() == [known.setdefault(name, len(known)) for name in batch]
        assert names.top == len(known)
    assert names.number("user3") == known.get(b"user3", -1)
    assert names.number("nobody") == -1
    assert names.number("") == known[b""]
    index, rank = names.nodes(np.ones(names.top, np.bool_))
    assert not len(rank)
    assert [str(name) for name in index] == [name.decode("utf-8", "replace") for name in known]


def test_names_without_padding_are_not_read() -> None:
    text, spans = laid_out([b"ada", b"bob"])
    for bad in (text[:-1], text[:3]):
        with pytest.raises(Unusual):
            Names().codes(bad, spans)
    with pytest.raises(Unusual):
        Names().codes(text, spans - 5)


def careful(raw: bytes, separator: int) -> tuple[int, AnyArray, int]:
    """The rows that the scan of every line finds, up to the first that is not plain."""
    text, spans = np.frombuffer(raw + AFTER, np.uint8), np.empty((1000, 4), np.int32)
    rows, begin, how = scan(text, 0, len(raw), separator, 2, np.array([0, 1]), 1000, spans)
    assert how != DONE or begin == len(raw)
    return rows, spans, begin


@pytest.mark.parametrize("separator", [b",", b"\t", b" "])
def test_pairs_are_those_of_the_careful_scan(separator: bytes) -> None:
    rng = np.random.default_rng(0)
    cells = [
        b"a",
        b"b c",
        b"0",
        b"7",
        b"12",
        b"007",
        b"-3",
        b"1" * 18,
        b"1" * 19,
        b"",
        b" x",
        b"x ",
        b'"q"',
        b"#a",
        b"%",
    ]
    cells += [
        b"a#",
        "zoë".encode(),
        "ë".encode(),
        "\u00a0x".encode(),
        "x\u00a0".encode(),
        "\u3000".encode(),
        b"1.5",
    ]
    code = 0 if separator == b" " else separator[0]
    seen = 0
    for _ in range(3000):
        lines = [separator.join(cells[k] for k in rng.integers(0, len(cells), 2)) for _ in range(4)]
        raw = b"".join(line + (b"\r\n" if rng.random() < 0.1 else b"\n") for line in lines)
        text = np.frombuffer(raw + AFTER, np.uint8)
        rows, spans, _ = careful(raw, code)
        found = np.empty((10, 4), np.int32)
        names, begin = scan_names(text, 0, len(raw), code, 1000, found)
        # Whatever the fast scan takes, the careful one takes alike; it may stop sooner, before a line's beginning.
        assert names <= rows
        assert (found[:names] == spans[:names]).all()
        assert begin == 0 or raw[begin - 1 : begin] == b"\n"
        assert newlines(text, 0, begin) == names
        ends, wanted = np.empty((10, 2), np.int64), np.empty((rows, 2), np.int64)
        numbers, begin = scan_numbers(text, 0, len(raw), code, ends)
        assert numbers <= rows
        assert newlines(text, 0, begin) == numbers
        if numbers:
            assert whole_numbers(text, spans[:numbers], wanted[:numbers]) == 0
            assert (ends[:numbers] == wanted[:numbers]).all()
        seen += names + numbers
    assert seen > 1000


def test_plain_lines_are_all_taken() -> None:
    raw = b"".join(b"%d,%d\n" % (k, 10**k) for k in range(18)) + b"0,0\r\n"
    text, ends = np.frombuffer(raw + AFTER, np.uint8), np.empty((100, 2), np.int64)
    assert scan_numbers(text, 0, len(raw), 44, ends) == (19, len(raw))
    assert ends[:18].tolist() == [[k, 10**k] for k in range(18)]
    raw = "zoë,日本\nO'Neil,x y\n".encode()
    text, spans = np.frombuffer(raw + AFTER, np.uint8), np.empty((100, 4), np.int32)
    assert scan_names(text, 0, len(raw), 44, 1000, spans) == (2, len(raw))
    assert scan_names(text, 0, len(raw), 44, 5, spans) == (0, 0)  # a line that is too long is somebody else's
    assert scan_names(text, 0, len(raw), 44, 1000, spans[:1])[0] == 1
