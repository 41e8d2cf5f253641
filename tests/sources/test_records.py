"""Records of a stream, and streams from lists."""

from __future__ import annotations

from typing import Any

import pytest

from ohmline.errors import OhmlineError, ParameterError
from ohmline.sources import from_iterable
from ohmline.sources.record import json_record, record_of


def test_a_record_has_a_node_fields_and_edges() -> None:
    record = json_record(
        '{"node": ["a", 1], "fields": {"text": "x", "year": 1999}, "neighbours": ["b", ["c", 2]]}'
    )
    assert record.node == ("a", 1)
    assert record.fields == {"text": "x", "year": "1999"}
    assert record.edges == ((("a", 1), "b", 1.0), (("a", 1), "c", 2.0))
    assert record_of({"node": 1, "edges": [[2, 3], [3, 4, 0.5]]}).edges == ((2, 3, 1.0), (3, 4, 0.5))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([], "must be an object"),
        ({}, "must have a node"),
        ({"node": None}, "a node must be"),
        ({"node": {}}, "a node must be"),
        ({"node": []}, "a node must be"),
        ({"node": [[[[[["deep"]]]]]]}, "a node must be"),
        ({"node": float("nan")}, "a node must be"),
        ({"node": "a", "weight": 1}, "has no 'weight'"),
        ({"node": "a", "fields": ["x"]}, "fields must be texts"),
        ({"node": "a", "fields": {"x": None}}, "fields must be texts"),
        ({"node": "a", "edges": [["a"]]}, "an edge must be"),
        ({"node": "a", "edges": "ab"}, "edges must be a list"),
        ({"node": "a", "edges": [["a", "b", -1]]}, "the weight of an edge"),
        ({"node": "a", "edges": [["a", "b", "1"]]}, "the weight of an edge"),
        ({"node": "a", "neighbours": [["b", 1, 2]]}, "a neighbour must be"),
        ({"node": "a", "key": "x" * 201}, "key must be"),
        ({"node": "a", "key": 7}, "key must be"),
    ],
)
def test_what_is_no_record_is_refused_by_name(value: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        record_of(value)


@pytest.mark.parametrize("line", ["", "{", '{"node": NaN}', "[" * 100_000, '{"node": "a"} x', b"\xff\xfe"])
def test_what_is_no_json_is_refused(line: Any) -> None:
    with pytest.raises(OhmlineError):
        json_record(line)


def test_keys_of_a_list_are_the_same_when_it_is_sent_again_and_else_differ() -> None:
    def keys(values: list[Any], name: str = "") -> list[str]:
        return [item.key for item in from_iterable(values, name=name)]

    values = ["a", "a", {"node": "a", "neighbours": ["b"]}, {"node": "c", "key": "mine"}]
    assert keys(values) == keys(values)
    assert len(set(keys(values))) == 4
    assert keys(values)[3] == "mine"
    assert keys(["a"])[0] == keys(values)[0]
    assert not set(keys(["a"], "other")) & set(keys(values))
    assert not set(keys(["b"])) & set(keys(values))


def test_a_list_has_no_place_for_what_is_refused_and_stops_when_closed() -> None:
    source = from_iterable(iter(range(10)))
    first = next(iter(source))
    first.ack()
    assert not first.refuse("no")
    source.close()
    assert list(source) == []
    with pytest.raises(ParameterError, match="values must be a list"):
        from_iterable(3)  # type: ignore[arg-type]
