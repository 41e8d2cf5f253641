"""Label Studio's formats: there and back again, as it writes them, and as nobody should."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohmline.errors import ConflictingLabels, FileFormatError, OhmlineError
from ohmline.project.formats.label_studio import labelling_interface, labels_of, read_tasks, tasks_to_json
from ohmline.project.formats.task import Task, Vote

WHEN = "2026-01-02T03:04:05.678Z"
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=8)
VOTES = st.builds(Vote, st.none() | NAMES, NAMES, st.sampled_from(["", WHEN]), st.none() | st.floats(0, 1e6))
IDS = st.recursive(NAMES | st.integers(-(2**40), 2**40), lambda part: st.tuples(part, part), max_leaves=3)
FIELDS = st.dictionaries(NAMES.filter(lambda name: name not in ("node", "id")), NAMES, max_size=3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.builds(Task, IDS, FIELDS, st.lists(VOTES, max_size=3).map(tuple)), max_size=4))
def test_tasks_come_back_as_they_went(tasks: list[Task]) -> None:
    skip = {"annotator", "annotation_id", "completed_by", "created_at", "updated_at", "lead_time"}
    again = read_tasks(json.dumps(tasks_to_json(tasks)))
    for one, other in zip(tasks, again, strict=True):
        kept = {name: words for name, words in one.fields.items() if name not in skip}
        assert other == Task(one.node, {"text": "", **kept}, one.votes)


def test_a_prediction_goes_with_its_probability() -> None:
    task = Task("p", {"text": "x"}, (), "theory", 0.75)
    [written] = tasks_to_json([task])
    assert written["predictions"][0]["score"] == 0.75
    assert read_tasks(json.dumps([written])) == [task]


def test_only_addresses_are_written_as_users_of_label_studio() -> None:
    votes = (Vote("a", "ann@example.org", WHEN, 2.5), Vote("a", "bob", WHEN))
    [written] = tasks_to_json([Task(1, {"text": "x"}, votes)])
    assert [one.get("completed_by") for one in written["annotations"]] == [{"email": "ann@example.org"}, None]
    assert read_tasks(json.dumps([written]))[0].votes == votes


EXPORTED = [
    {
        "id": 17,
        "annotations": [
            {
                "id": 3,
                "completed_by": {"id": 1, "email": "ann@example.org", "first_name": ""},
                "result": [
                    {
                        "id": "Qx",
                        "from_name": "topic",
                        "to_name": "text",
                        "type": "choices",
                        "origin": "manual",
                        "value": {"choices": ["theory"]},
                    }
                ],
                "was_cancelled": False,
                "ground_truth": False,
                "created_at": WHEN,
                "lead_time": 3.25,
                "draft_created_at": None,
            },
            {"id": 4, "completed_by": 2, "result": [], "was_cancelled": True, "created_at": WHEN},
        ],
        "file_upload": "a.csv",
        "drafts": [],
        "predictions": [],
        "data": {"text": "A title", "year": 1999, "tags": ["x"]},
        "meta": {},
        "created_at": WHEN,
        "inner_id": 1,
        "total_annotations": 1,
    }
]
SHORT = [
    {
        "text": "A title",
        "id": 17,
        "topic": "theory",
        "annotator": 2,
        "annotation_id": 3,
        "created_at": WHEN,
        "lead_time": 1,
    },
    {"text": "B", "id": 18, "topic": {"choices": ["rl"]}, "annotator": "bob", "annotation_id": 4},
    {"text": "C", "id": 19, "annotator": 1, "annotation_id": 5},
]


def test_what_label_studio_exports_is_read() -> None:
    [task] = read_tasks(json.dumps(EXPORTED))
    assert task == Task(
        17,
        {"text": "A title", "year": "1999"},
        (Vote("theory", "ann@example.org", WHEN, 3.25), Vote(None, "2", WHEN)),
    )
    assert labels_of([task]) == {17: "theory"}


def test_its_short_format_is_read() -> None:
    tasks = read_tasks(json.dumps(SHORT), "topic")
    assert [task.node for task in tasks] == [17, 18, 19]
    assert tasks[0] == Task(17, {"text": "A title"}, (Vote("theory", "2", WHEN, 1.0),))
    assert [task.votes[0].label for task in tasks] == ["theory", "rl", None]
    assert labels_of(tasks) == {17: "theory", 18: "rl"}


def test_one_of_several_controls_can_be_chosen() -> None:
    rows = json.loads(json.dumps(EXPORTED))
    rows[0]["annotations"][0]["result"].append({"from_name": "mood", "value": {"choices": ["glad"]}})
    with pytest.raises(FileFormatError, match=r"has the controls \['mood', 'topic'\]"):
        read_tasks(json.dumps(rows))
    assert labels_of(read_tasks(json.dumps(rows), "mood")) == {17: "glad"}


def test_people_who_disagree_are_not_imported_as_one() -> None:
    tasks = [Task("p", {}, (Vote("a", "ann"), Vote(None, "eve"), Vote("b", "bob")))]
    with pytest.raises(ConflictingLabels, match="'p' has the labels 'a' and 'b'"):
        labels_of(tasks)


def spoiled(path: list[Any], value: Any) -> str:
    rows = json.loads(json.dumps(EXPORTED))
    place = rows
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return json.dumps(rows)


@pytest.mark.parametrize("value", [3, "x", [[]], [3], {"a": 1}, True])
@pytest.mark.parametrize(
    "path",
    [
        [0, "data"],
        [0, "annotations"],
        [0, "predictions"],
        [0, "meta"],
        [0, "meta", "votes"],
        [0, "annotations", 0, "result"],
        [0, "annotations", 0, "result", 0, "value"],
        [0, "annotations", 0, "result", 0, "value", "choices"],
        [0, "annotations", 0, "completed_by"],
        [0, "annotations", 0, "lead_time"],
        [0, "annotations", 0, "created_at"],
        [0, "id"],
    ],
    ids=str,
)
def test_odd_values_are_refused_or_left_out_and_never_break(path: list[Any], value: Any) -> None:
    try:
        tasks = read_tasks(spoiled(path, value))
    except FileFormatError as error:
        assert "task 1" in str(error)  # noqa: PT017
    else:
        for vote in tasks[0].votes:
            assert isinstance(vote.person, str)
            assert isinstance(vote.time, str)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "3",
        "{}",
        "[3]",
        "[null]",
        "[" * 10**5,
        '[{"data": {}}]',
        '[{"data": {"node": NaN}}]',
        b"\xff",
        '[{"data": {"node": [[[[[["x"]]]]]]}}]',
    ],
)
def test_what_is_no_export_is_refused(content: Any) -> None:
    with pytest.raises(FileFormatError):
        read_tasks(content)


def test_two_choices_of_one_person_are_refused() -> None:
    content = spoiled([0, "annotations", 0, "result", 0, "value", "choices"], ["a", "b"])
    with pytest.raises(FileFormatError, match=r"task 1: an annotation chooses .*a node has one label"):
        read_tasks(content)


KEYS = ("data", "id", "result", "node", "meta", "value", "choices", "annotations", "votes", "label")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.sampled_from(KEYS), part, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(JSON, max_size=3))
def test_any_json_is_read_or_refused(rows: Any) -> None:
    with suppress(OhmlineError):
        read_tasks(json.dumps(rows))


def test_hostile_names_of_classes_stay_within_their_quotes() -> None:
    written = labelling_interface(['"/><script>', "a'b"])
    assert "<script>" not in written
    from xml.etree import ElementTree

    assert [choice.get("value") for choice in ElementTree.fromstring(written).iter("Choice")] == [
        '"/><script>',
        "a'b",
    ]
