"""A run as one page: everything of the run is in it, and nothing of it is markup."""

import json
import re

import pytest
from markupsafe import escape

from kit.core.errors import KitError
from kit.core.records import Evidence, Outcome, Reason, Sample, Status, Task, Test, Verdict
from kit.core.store import Store, slot_of
from kit.explore import page, render
from kit.explore.samples import OpenRun
from tests.support import evil
from tests.support.commands import invoked, kit
from tests.support.judged import answered


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return evil.run(tmp_path_factory.mktemp("page") / evil.IMG)


def test_the_page_holds_every_sample_and_no_markup_of_the_run(run, tmp_path):
    target = tmp_path / "run.html"
    tasks = evil.suite(tmp_path / "tasks")
    assert "5 samples" in kit("export", run, "--html", target, "--data", tasks).stdout
    text = target.read_text()
    assert "<img" not in text
    assert text.count("<script") == text.count("</script>") == 2
    assert "http" not in re.sub(r"http-equiv", "", text)
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    pages = re.findall(r"<template id=.*?</template>", text, re.DOTALL)
    assert len(pages) == len(data["samples"]) == 5
    assert all(escape(evil.EVIL) in one for one in pages)
    assert "Answer of the model" in pages[4]


def test_each_test_of_a_sample_has_its_sentence_and_scores_are_those_of_the_run(run):
    with Store(run, write=False) as store:
        content = page.read_content(store, n_boot=50)
    pages, scores = content.pages, content.scores
    assert re.findall(r'class="key (\w+)"', pages[1]) == ["fail", "fail", "pass"]  # failed first
    assert pages[1].count(f"{escape(evil.EVIL)}</td></tr>") == 4  # of three tests and a finding
    assert pages[1].count("class='alert'") == 1
    rows = scores[scores["model"] == f"model {evil.EVIL}"].set_index(["metric", "temperature"])
    assert {arm for _, arm in rows.index} == {"0", "0.25", "0.5", "0.75"}  # never pooled
    shares = rows[page.PERCENT]
    assert (shares["pass@1", "0"], shares["pass@1", "0.25"]) == ("100.0 %", "0.0 %")


def test_only_programs_that_ran_have_weaknesses_and_the_example_says_what_was_expected(tmp_path):
    task = Task(
        "t",
        "demo",
        "Do.",
        (
            Test("fc-0", "functional"),
            Test("sec-0", "security", cwe="CWE-22", behavior="It opens nothing outside."),
        ),
    )
    samples = [
        Sample(
            "t",
            "m",
            n,
            response="A",
            finish_reason="length",
            input_tokens=5,
            output_tokens=7,
            code="x = 1",
        )
        for n in range(2)
    ]
    samples.append(Sample("t", "m", 2, status=Status.REFUSED))
    with answered(tmp_path / "run", [task], samples) as store:
        for key, status in (("ran", Status.COMPLETED), ("not", Status.COMPILE_ERROR)):
            store.put_evidence(key, Evidence(status))
        store.put_verdict("v", Verdict("", Outcome.FAIL, Reason.PROBE_BROKEN, "It did.", "probes"))
        for sample, key in zip(samples, ("ran", "not"), strict=False):
            store.put_cells([(slot_of(sample), t.id, key, "v", False) for t in task.tests])
        frame = store.frame()
        run = OpenRun(store, {"t": task}, {})
        (one,) = page.tell_weaknesses(run, frame.assign(quadrant="neither"))
        assert (one["samples"], one["expected"]) == (1, "It opens nothing outside.")
        assert page.count_others(frame) == (
            "Not among them, as no program ran: 1 refused, 1 with a program that does not compile."
        )
    asked = {"system": "Be brief.", "user": "Do it."}
    question = [{"role": role, "content": said} for role, said in asked.items()]
    text = render.make_sample_html(task, samples[0], [], question=question)
    answer = "Answer of the model · ended with length · 5 input and 7 output tokens"
    folds = {"Prompt: system": "Be brief.", "Prompt: user": "Do it.", answer: "A"}
    places = [text.index(f"<summary>{t}</summary><pre>{said}") for t, said in folds.items()]
    assert places == sorted(places)


def test_a_large_page_says_its_size_before_it_is_written_and_lists_chosen_tasks(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(page, "SOUNDED", 2)
    monkeypatch.setattr(page, "LARGE_MB", 0.001)
    tasks = [Task(name, "demo", "Do.", (Test("fc-0", "functional"),)) for name in "ab"]
    samples = [Sample(task.id, "m", n, code="x = 1") for task in tasks for n in range(3)]
    with answered(tmp_path / "run", tasks, samples) as store:
        content = page.read_content(store, only=["b"], n_boot=9)
        assert [line["task"] for line in content.samples] == ["b"] * 3
        said = r"A page of 3 samples has about \d+ MB. .* --only"
        assert re.search(said, capsys.readouterr().err)
        with pytest.raises(KitError, match="no task 'c'. Use some of: a, b"):
            page.read_content(store, only=["c"])


def test_a_page_is_called_html_and_lies_in_a_folder_that_exists(run, tmp_path):
    for target, said in ((tmp_path / "x.csv", "ends in .html"), (tmp_path / "a/b.html", "folder")):
        with pytest.raises(KitError, match=said):
            page.write_html(run, target)
    assert invoked("export", run).exit_code == 2
