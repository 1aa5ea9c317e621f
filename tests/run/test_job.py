"""The main job end to end: a model behind a real socket, its programs in the sandbox, a number."""

import json

import pytest

from kit.core import paths, store
from kit.core.paths import REFERENCES
from kit.core.store import Store
from kit.run import report
from tests.support.commands import invoked
from tests.support.wire import Reply, Server

IDS = "k13,k14"  # they have the fewest executions
PROSE = Reply("I would rather talk about the weather.")  # nothing of it is executed


def reference(request):
    """What a model that knows the secure references would answer to this prompt."""
    return reference_of("k13" if "LogStore" in json.dumps(request.body) else "k14")


def reference_of(task):
    code = (REFERENCES / task / "secure.py").read_text()
    return Reply(f"Here it is.\n\n```python\n{code}```\n")


def run(server, folder, *words):
    base = ["run", "dualgauge", "--model", "openai:gpt-4.1", "--base-url", server.openai]
    more = ["--only", IDS, "--run", str(folder), "--unvalidated", *words]
    return invoked(*base, *more)


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


@pytest.mark.slow
def test_the_second_start_asks_and_runs_nothing(finished):
    server, folder, _ = finished
    before = len(server.requests)
    again = run(server, folder)
    assert "2 stored, 0 new: nothing to ask" in again.stderr
    assert "generate: 2 stored, 0 new" in again.stdout
    assert ", 0 new" in again.stdout.split("execute:")[1]
    assert len(server.requests) == before


@pytest.mark.slow
def test_a_service_that_fails_is_asked_again_and_prose_stays_in_the_denominator(tmp_path):
    with Server([Reply(status=401)]) as server:
        done = run(server, tmp_path / "run", "--json")
        assert set(store.frame(tmp_path / "run")["status"]) == {"infra_error"}
        out = json.loads(done.stdout)
        assert all(s["infra"] == 2 for s in out["scores"])
        assert (done.exit_code, "2 infrastructure failures" in out["tally"]) == (1, True)
        assert "2 requests got no answer: AuthenticationFailed" in done.stderr
    with Server([PROSE]) as server:
        done = run(server, tmp_path / "run", "--json")
    assert set(store.frame(tmp_path / "run")["status"]) == {"extraction_error"}
    assert shares(done)["secure-pass@1"] == 0


def test_a_budget_without_a_known_price_is_refused_before_the_first_call(tmp_path):
    with Server() as server:
        refused = run(server, tmp_path / "run", "--budget", "1")
        assert server.requests == []
    assert refused.exit_code == 2
    assert "Type --price IN OUT" in refused.stderr


@pytest.mark.slow
def test_another_server_under_the_same_name_is_asked_anew(tmp_path):
    with Server([PROSE]) as first, Server([PROSE]) as second:
        run(first, tmp_path / "run")
        run(second, tmp_path / "run")
        assert (len(first.requests), len(second.requests)) == (2, 2)
        again = run(second, tmp_path / "run")
        assert "generate: 2 stored, 0 new" in again.stdout


def test_a_service_that_never_answers_is_given_up_after_a_few_questions(tmp_path):
    with Server([Reply(status=401)]) as server:
        done = run(server, tmp_path / "run", "--n", "40")
        assert len(server.requests) < 20
    assert done.exit_code == 2
    assert "had infrastructure failures" in done.stderr


def test_what_the_options_say_reaches_the_server(tmp_path):
    words = ["--top-p", "0.5", "--stop", "END", "--system", "Be brief.", "--extra", '{"top_k": 4}']
    with Server([PROSE]) as server:
        done = run(server, tmp_path / "run", *words)
        assert done.exit_code == 0, done.output
        body = server.requests[0].body
    assert (body["top_p"], body["stop"], body["top_k"]) == (0.5, ["END"], 4)
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}


@pytest.mark.slow
def test_a_price_of_your_own_bounds_any_server_over_all_invocations(tmp_path):
    words = ["--price", "1", "1", "--max-tokens", "10"]
    with Server([PROSE]) as server:
        run(server, tmp_path / "run", *words, "--budget", "5")
        with Store(tmp_path / "run", write=False) as store:
            spent = store.meta()["spent_usd"]
        assert spent > 0
        more = run(server, tmp_path / "run", *words, "--budget", str(spent), "--n", "2")
        assert len(server.requests) == 2
    assert f"${spent:.4f} is spent" in more.stdout
    assert more.exit_code == 1  # two are left


@pytest.mark.slow
def test_answers_that_were_cut_off_or_empty_are_counted_beside_the_scores(tmp_path):
    replies = [Reply("", reason="length", thought="Hm,\x1b[2J"), Reply("Sun.", reason="zeal")]
    with Server([replies[0]]) as server:
        done = run(server, tmp_path / "run")
    cut = "2 of 2 answers were cut off at 2048 tokens: raise --max-tokens"
    told = [done, invoked("score", str(tmp_path / "run"))]
    assert all(f"\n{cut}\n2 of 2 answers were empty\n" in one.stdout for one in told)
    with Server([replies[1]]) as server:
        done = run(server, tmp_path / "run", "--max-tokens", "9")
        assert done.exit_code == 0, done.output
    page = tmp_path / "page.html"
    assert invoked("export", str(tmp_path / "run"), "--html", str(page)).exit_code == 0
    for text in (done.stdout, page.read_text()):
        assert "max_tokens 2048: 2 of 2 answers were empty" in text
    shown = invoked("show", str(tmp_path / "run"), "k13").stdout
    assert "ended with: length\nthought: Hm,\\u001b[2J" in shown


def test_answers_that_wait_for_execution_are_counted(tmp_path):
    with Server([reference_of("k13")]) as server:
        done = run(server, tmp_path / "run", "--cluster", "later")
    assert "\n2 of 2 answers are stored and not yet executed: rerun the command\n" in done.stdout


def test_a_request_that_can_never_succeed_is_not_to_be_repeated(tmp_path):
    replies = [Reply(status=400, error={"message": "no \x1b[2J such tool"}), PROSE]
    with Server(replies) as server:
        done = run(server, tmp_path / "run", "--connections", "1")
    assert done.exit_code == 1
    assert "BadRequest" in done.stderr
    assert "will fail again; change the model, its settings or its key." in done.stderr
    assert "Rerun" not in done.stderr
    assert "same command again" not in done.stdout
    assert "\x1b" not in done.output


@pytest.mark.slow
def test_a_run_names_all_of_its_models_and_is_judged_again_by_its_name(tmp_path, monkeypatch):
    with Server([PROSE]) as server:
        for model in ("gpt-4", "gpt-4.1"):
            run(server, tmp_path / "run", "--model", f"openai:{model}")
    for home in ("RUNS", "RECORDED"):
        monkeypatch.setattr(paths, home, tmp_path)
    names = dict(report.list_runs()[["run", "model"]].to_numpy())
    assert names["run"] == "openai:gpt-4, openai:gpt-4.1"
    assert "judged again: 0" in invoked("runs", "judge", str(tmp_path / "run")).stdout
