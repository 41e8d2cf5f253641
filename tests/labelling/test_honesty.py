"""When a session says that the goal is reached, it is, as often as it promises; a plain share says so too soon."""

from __future__ import annotations

from pathlib import Path

import pytest

from labelling.test_session import blocks
from ohmline.labelling import Session, Stage, asking, session

RUNS = 50
GOAL = 0.15


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coarser choices, which do not matter here, so that many sessions can be played."""
    monkeypatch.setattr(asking, "SAMPLE", 20)
    monkeypatch.setattr(session, "FIRST_CHECK", 20)


def played(folder: Path, noise: float) -> tuple[int, int, int]:
    """How often sessions stopped, how often wrongly, and how often a plain share would have stopped them wrongly."""
    stopped, wrongly, naively = 0, 0, 0
    for run in range(RUNS):
        graph, truth = blocks(150, 2, noise, run)
        path = folder / f"{run}.jsonl"
        with Session(graph, [0, 1], journal=path, goal=GOAL, confidence=0.9, seed=run) as job:
            fooled = False
            while len(job.labels) < 120 and (question := job.question()) is not None:
                check = job._check
                if check is not None:
                    rest = [node for node in check.predictions if node not in job.labels]
                    wrong = sum(check.predictions[node] != truth[node] for node in rest)
                    limit = check.limit(0.9)
                    few = limit.sampled >= 10 and limit.found <= GOAL * limit.sampled
                    fooled = fooled or (few and wrong > GOAL * len(rest))
                job.answer(truth[question.node])
            naively += fooled
            if job.progress().stage is Stage.REACHED:
                stopped += 1
                found, known = job.predictions(), job.labels
                rest = [node for node in truth if node not in known]
                wrongly += sum(found[node][0] != truth[node] for node in rest) > GOAL * len(rest)
    return stopped, wrongly, naively


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_a_session_stops_wrongly_no_more_often_than_it_promises(tmp_path: Path) -> None:
    _, wrongly, naively = played(tmp_path, noise=0.36)  # 18 % of the labels are not what the graph says
    assert naively > 0.3 * RUNS  # whoever stops at the first good share of random labels is wrong very often
    assert wrongly <= 0.1 * RUNS


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_a_session_stops_where_the_predictions_are_good(tmp_path: Path) -> None:
    stopped, wrongly, _ = played(tmp_path, noise=0.06)
    assert stopped > 0.7 * RUNS
    assert wrongly <= 0.1 * RUNS
