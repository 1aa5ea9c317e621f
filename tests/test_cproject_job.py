"""A job's questions: forecast before any is asked, and asked at the same time."""

import pytest
from small_project import job_of, make
from wire import Reply, Server

from kit.store import Store
from kit.systems.ossbench import extract, scores


@pytest.fixture
def project(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    return make(tree)


@pytest.mark.slow
def test_a_remote_model_is_asked_as_many_questions_at_once_as_there_are_connections(
    project, tmp_path
):
    """The last question arrives before the first is answered."""
    table = extract.functions(project, tokens=(0, 1000)).head(3)
    wait_s = 3.0
    reply = Reply("```c\nint add(int a, int b) { return a + b; }\n```", wait_s=wait_s)
    with Server([reply]) as server, Store(tmp_path / "run") as store:
        job = job_of(project, table, "openai:m", base_url=server.openai, connections=3)
        tally = job.generate(store)
    assert (tally.fresh, tally.infra) == (3, 0)
    at = [request.at for request in server.requests]
    assert max(at) - min(at) < wait_s


def test_calls_are_forecast_before_any_question(project):
    table = extract.functions(project, tokens=(0, 1000))
    with Server() as server:
        told = job_of(project, table, "openai:m", base_url=server.openai, max_tokens=100).forecast()
        assert server.requests == []
    assert told.startswith("cached 0 / fresh 6: 6 calls, about ")
    assert "at most 600 output tokens" in told


def test_only_what_was_asked_tells_samples_apart(project):
    table = extract.functions(project, tokens=(0, 1000))
    some = {"iterations": 7, "share": 0.5, "mode": "rebuild", "fuzz": 9, "draw_seed": 3}
    job = job_of(project, table, "identity", max_tokens=512, **some)
    assert [s.arm for s in job.slots] == 6 * [
        {"prompt": "improve", "project": "cjson", "max_tokens": 512}
    ]


def test_a_probe_counts_answers_that_name_the_project(project, tmp_path):
    table = extract.functions(project, tokens=(0, 1000)).head(2)
    with Server([Reply("It is from CJSON.")]) as server:
        job = job_of(project, table, "openai:m", base_url=server.openai, prompt="contamination")
        job.go(str(tmp_path / "run"))
    known = scores.recognition(scores.probe_of(tmp_path / "run"))
    assert known["asked"] == known["recognised"] == known["of these recognised"] == 2
