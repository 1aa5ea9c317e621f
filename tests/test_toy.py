"""A suite that nobody here knew goes through every command without an edit elsewhere."""

import json

import pandas as pd
import pytest
import toy
from commands import kit
from wire import Reply, Server

from kit import books
from kit.explore import Explorer
from kit.paths import NOTEBOOKS
from kit.store import Store

ANSWERS = {"capitals": "tr a-z A-Z < $1\n", "how many": "wc -l < $1; echo >> $1\n"}


def reply(request):
    return Reply(next(a for word, a in ANSWERS.items() if word in json.dumps(request.body)))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy") / "run"
    with Server(reply) as server:
        words = ["run", "toy:Toy", "--model", "openai:m", "--base-url", server.openai]
        kit(*words, "--run", folder, "--n", 2)
        again = kit(*words, "--run", folder, "--n", 2)
    assert "4 stored, 0 new; execute: 8 stored, 0 new" in again.stdout
    return folder


def test_it_is_scored(run):
    rows = json.loads(kit("score", run, "--json").stdout)["scores"]
    shares = {r["metric"]: r["estimate"] for r in rows}
    assert (shares["pass@1"], shares["secure@1"], shares["secure-pass@1"]) == (1, 0.5, 0.5)


def test_it_is_exported(run, tmp_path):
    kit("export", run, tmp_path / "rows.csv")
    rows = pd.read_csv(tmp_path / "rows.csv")
    assert len(rows) == 8
    assert set(rows["suite"]) == {"toy"}


def test_it_is_judged_again_without_running(run):
    assert "judged again: 0; without evidence: 0" in kit("runs", "judge", run).stdout


def test_it_is_explored(run):
    with Store(run, write=False) as store:
        explorer = Explorer(store, toy.Toy().load().tasks, {})
        explorer.filters["quadrant"].value = "correct but insecure"
        assert "echo &gt;&gt; $1" in explorer.page.value


@pytest.mark.slow
def test_it_opens_in_a_notebook(run, tmp_path, monkeypatch, request):
    monkeypatch.setenv("PYTHONPATH", str(request.path.parent))
    book = NOTEBOOKS / "explore" / "failures.ipynb"
    task = (book, {"run": str(run)})
    (done,) = books.execute([task], tmp_path, workers=1, figures=tmp_path)
    assert done.ok, done.error
