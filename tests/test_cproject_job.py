"""A job's questions: forecast before any is asked, and asked at the same time."""

import pytest
from small_project import make
from wire import Reply, Server

from kit.store import Store
from kit.suites.cproject import extract
from kit.suites.cproject.job import OssJob


@pytest.fixture
def project(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    return make(tree)


def test_a_remote_model_is_asked_as_many_questions_at_once_as_there_are_connections(
    project, tmp_path
):
    """The last question arrives before the first is answered."""
    table = extract.functions(project, tokens=(0, 1000)).head(3)
    wait_s = 3.0
    reply = Reply("```c\nint add(int a, int b) { return a + b; }\n```", wait_s=wait_s)
    with Server([reply]) as server, Store(tmp_path / "run") as store:
        job = OssJob(project, table, "openai:m", base_url=server.openai, connections=3)
        tally = job.generate(store)
    assert (tally.fresh, tally.infra) == (3, 0)
    at = [request.at for request in server.requests]
    assert max(at) - min(at) < wait_s


def test_calls_and_time_are_forecast_before_any_question(project):
    table = extract.functions(project, tokens=(0, 1000))
    with Server() as server:
        job = OssJob(project, table, "openai:m", base_url=server.openai, connections=2,
                     sampling={"max_tokens": 100})  # fmt: skip
        told = job.forecast()
        assert server.requests == []
    assert told.startswith("6 calls, about ")
    assert "at most 600 output tokens" in told
    assert "about 0.0 h if an answer takes 10 s (assumed), 2 at a time" in told
    more = OssJob(project, table, "identity").forecast()
    assert more == "6 edits made by rule or recorded; no call is made."
