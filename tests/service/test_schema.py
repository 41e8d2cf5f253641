"""The whole API against its own document, with requests that schemathesis makes up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from ohmline.service.openapi import document
from ohmline.service.table import ROUTES
from service.running import Running, make_project, running

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
NO_HTTP = b"Invalid HTTP request received."
"""What is said below the application to headers and addresses that HTTP does not have."""
ENDLESS = "/api/projects/{p}/events"
"""A response that does not end is followed elsewhere."""


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("schema")
    make_project(folder / "club", n=12)
    with running(folder) as found:
        yield found


def cases() -> st.SearchStrategy[Any]:
    """Requests to any route, good and bad ones, most of them to the project that there is."""
    schema = schemathesis.openapi.from_dict(document(ROUTES))
    operations = [found.ok() for found in schema.get_all_operations()]
    modes = list(schemathesis.GenerationMode)
    made = [
        each.as_strategy(generation_mode=mode)
        for each in operations
        if each.path != ENDLESS
        for mode in modes
    ]
    nodes = st.sampled_from([0, 1, 2, 3, 11, "0", 99])

    def likely(case: Any, meant: bool, node: Any) -> Any:
        if meant and case.path_parameters and "p" in case.path_parameters:
            case.path_parameters["p"] = "club"
        if meant and isinstance(case.body, dict):
            for name in ("node", "id"):
                if name in case.body:
                    case.body[name] = node
            if "label" in case.body and isinstance(case.body["label"], str):
                case.body["label"] = "left"
        if meant and isinstance(case.query, dict) and "node" in case.query:
            case.query["node"] = str(node)
        return case

    return st.builds(likely, st.one_of(made), st.booleans(), nodes)


def answer_all(club: Running, count: int) -> None:
    """Send so many requests; none may end in an error of the server or in what the document does not say."""
    token, done = club.started.token, []

    @seed(20)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases())
    def answered(case: Any) -> None:
        reply = case.call(
            base_url=club.started.address, headers={"Authorization": f"Bearer {token}"}, timeout=60
        )
        if reply.content != NO_HTTP:
            case.validate_response(reply, checks=CHECKS)
        done.append(reply.status_code)

    answered()
    assert len(done) >= count * 0.9
    assert min(done) == 200
    assert len(set(done)) >= 4, sorted(set(done))
    club.project()
    reply = httpx.get(f"{club.started.address}/readyz", timeout=60)
    assert reply.status_code == 200, reply.text


def test_made_up_requests(club: Running) -> None:
    answer_all(club, 300)


@pytest.mark.slow
def test_ten_thousand_made_up_requests(club: Running) -> None:
    answer_all(club, 10_000)
