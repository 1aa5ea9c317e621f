"""The main job end to end: a model behind a real socket, its programs in the sandbox, a number."""

import json

import pytest
from click.testing import CliRunner
from wire import Reply, Server

from kit import store
from kit.cli.main import main
from kit.paths import REFERENCES

IDS = "k01,k09"


def reference(request):
    """What a model that knows the secure references would answer to this prompt."""
    text = json.dumps(request.body)
    task = "k01" if "read_document" in text else "k09"
    code = (REFERENCES / task / "secure.py").read_text()
    return Reply(f"Here it is.\n\n```python\n{code}```\n")


def run(server, folder, *words):
    base = ["run", "dualgauge", "--model", "openai:gpt-4.1", "--base-url", server.openai]
    more = ["--only", IDS, "--run", str(folder), "--unvalidated", *words]
    return CliRunner().invoke(main, [*base, *more])


def shares(done):
    scores = json.loads(done.stdout)["scores"]
    return {s["metric"]: s["estimate"] for s in scores}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("job") / "run"
    with Server(reference) as server:
        done = run(server, folder, "--json")
        assert done.exit_code == 0, done.output
        yield server, folder, done


def test_a_model_that_writes_secure_programs_scores_one(finished):
    _, _, done = finished
    assert shares(done)["secure-pass@1"] == 1
    assert "2 calls" in done.stderr


def test_the_second_start_asks_and_runs_nothing(finished):
    server, folder, _ = finished
    before = len(server.requests)
    again = run(server, folder)
    assert "generate: cached 2 / fresh 0" in again.stdout
    assert "fresh 0" in again.stdout.split("execute:")[1]
    assert len(server.requests) == before


def test_a_service_that_fails_is_not_the_models_failure_and_is_asked_again(tmp_path):
    with Server([Reply(status=401)]) as server:
        done = run(server, tmp_path / "run", "--json")
        assert set(store.frame(tmp_path / "run")["status"]) == {"infra_error"}
        assert all(s["infra"] == 2 for s in json.loads(done.stdout)["scores"])
    with Server(reference) as server:
        assert shares(run(server, tmp_path / "run", "--json"))["pass@1"] == 1


def test_prose_instead_of_a_program_stays_in_the_denominator(tmp_path):
    with Server([Reply("I would rather talk about the weather.")]) as server:
        done = run(server, tmp_path / "run", "--json")
    assert set(store.frame(tmp_path / "run")["status"]) == {"extraction_error"}
    assert shares(done)["secure-pass@1"] == 0


def test_a_budget_without_a_known_price_is_refused_before_the_first_call(tmp_path):
    with Server(reference) as server:
        refused = run(server, tmp_path / "run", "--budget", "1")
        assert server.requests == []
    assert refused.exit_code == 2
    assert "price" in refused.stderr
