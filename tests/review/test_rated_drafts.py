"""Drafts are accepted, edited or dropped, and each decision is in the draft's file at once."""

import json
import shutil

import pytest

from kit.core.errors import KitError
from kit.core.paths import SUITES, read_json
from kit.review.items import ReviewForm
from kit.systems.dualgauge import spec


@pytest.fixture
def form(tmp_path):
    shutil.copytree(SUITES / "dualgauge" / "k01", tmp_path / "k01")
    form = ReviewForm.of_drafts(tmp_path)
    form.rater.value = "ann"
    return form


def decide(form, decision, note="", **more):
    """Save a decision on the part that is chosen; what the form says of it."""
    form.answers["decision"].value = decision
    form.answers["note"].value = note
    for name, value in more.items():
        form.answers[name].value = value
    form.save.click()
    return form.status.value


def test_a_test_is_edited_or_dropped_and_the_next_is_shown(form, tmp_path):
    path = tmp_path / "k01" / "tests.json"
    before = read_json(path)
    assert "no test" in form.page.value
    form.chosen.value = 1
    edited = before["fc_tests"][0] | {"expected_output": "changed"}
    assert "accepted" in decide(form, "accept", text=json.dumps(edited))
    assert form.row["part"].tolist() == ["fc-1"]
    assert "why it is dropped" in decide(form, "drop")
    assert "fc-1 of k01 is dropped" in decide(form, "drop", "twice")
    assert form.row["part"].tolist() == ["fc-2"]
    after = read_json(path)
    assert after["fc_tests"] == [edited, *before["fc_tests"][2:]]
    assert after["sec_tests"] == before["sec_tests"]
    assert spec.load_items(tmp_path).problems == ()
    lines = (tmp_path / "review.jsonl").read_text().splitlines()
    assert [json.loads(line)["decision"] for line in lines] == ["accept", "drop"]


@pytest.mark.parametrize(
    ("part", "text", "says"),
    [
        ("specification", "Write it anew.", "the prompt does not say"),
        ("fc-0", "{", "is not JSON"),
        ("fc-0", '{"test_id": 0}', "is missing"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(form, tmp_path, part, text, says):
    before = (tmp_path / "k01" / "tests.json").read_bytes()
    form.chosen.value = form.subjects["part"].tolist().index(part)
    assert says in decide(form, "accept", text=text)
    assert (tmp_path / "k01" / "tests.json").read_bytes() == before
    assert not (tmp_path / "review.jsonl").exists()


def test_a_dropped_draft_is_moved_and_no_task_any_more(form, tmp_path):
    assert "moved" in decide(form, "drop", "unclear")
    assert form.subjects.empty
    with pytest.raises(KitError, match="No task"):
        spec.load_items(tmp_path)
    assert (tmp_path / "dropped" / "k01" / "tests.json").exists()
    shutil.copytree(SUITES / "dualgauge" / "k01", tmp_path / "k01")
    again = ReviewForm.of_drafts(tmp_path)
    again.rater.value = "ann"
    assert "Move it elsewhere first" in decide(again, "drop", "unclear")
    shutil.rmtree(tmp_path / "k01")
    with pytest.raises(KitError, match="No draft"):
        ReviewForm.of_drafts(tmp_path)


def test_a_java_draft_shows_the_words_of_its_docstring_that_hint(tmp_path):
    for part in ("instances/filestore-03", "repositories/filestore", "stubs"):
        shutil.copytree(SUITES / "realsec" / part, tmp_path / part)
    form = ReviewForm.of_drafts(tmp_path / "instances")
    form.rater.value = "ann"
    assert "hints at security" not in form.page.value
    written = json.loads(form.answers["text"].value)
    written["docstring"] += " It escapes what attackers send."
    decide(form, "accept", text=json.dumps(written))
    assert "hints at security: attackers, escapes" in form.page.value
