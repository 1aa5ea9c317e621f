"""Models behind a real socket propose tests; what holds becomes an item that the suite loads."""

import json

import pytest

from kit.core.paths import SUITES
from kit.systems.dualgauge import proposals, spec
from tests.support.commands import invoked, kit, told
from tests.support.wire import Reply, Server, answering

SPECIFICATION = "Write a function read_note(name) that returns the text of notes/<name>.\n"


def functional(value, expected, **more):
    return {
        "requirement": "r",
        "technique": "boundary value",
        "input": value,
        "expected_output": expected,
        **more,
    }


def security(value, behavior, cwe="CWE-22", fixture=""):
    return {
        "CWE": cwe,
        "requirement": "",
        "scenario": "s",
        "input": value,
        "fixture": fixture,
        "expected_behavior": behavior,
    }


A = {
    "functional": [
        functional({"name": "a"}, "A"),
        functional({"name": "", "n": 1}, "empty"),
        functional({"name": "b"}, "B", comment="an unknown field"),
    ],
    "security": [
        security({"name": "../x"}, "Nothing outside is opened."),
        security({"name": "%"}, "It refuses.", cwe="traversal"),
    ],
}
B = {
    "functional": [functional({"n": 1.0, "name": ""}, "other"), functional({"name": "a"}, "A")],
    "security": [
        security({"name": "../x"}, "No file is read.", fixture="a file x beside notes"),
        security({"name": "../x"}, "No path is shown.", cwe="CWE-209"),
    ],
}
C = {"functional": [functional({"name": "", "n": 1}, "other")], "security": []}


def speaker(proposals):
    """A server that answers each question with its proposals and the question's own ticket."""

    def reply(request):
        text = json.dumps(request.body["messages"])
        kind = "security" if "security tests" in text else "functional"
        return answering(request, tests=proposals[kind])

    return Server(reply)


@pytest.fixture(scope="module")
def drafted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("draft")
    (folder / "note.txt").write_text(SPECIFICATION)
    with speaker(A) as a, speaker(B) as b, speaker(C) as c, Server([Reply("no tests")]) as mute:
        words = ["task", "draft", "dualgauge", "--prompt", folder / "note.txt", "--out", folder]
        for name, server in zip("abcm", (a, b, c, mute), strict=True):
            words.append(f"--model=openai:{name}@{server.openai}")
        done, again = told(*words), invoked(*words)
    return done, folder, json.loads((folder / "note/provenance.json").read_text()), again


def test_the_draft_is_an_item_that_the_loader_reads(drafted):
    done, folder, _, _ = drafted
    suite = spec.load_items(folder)
    assert suite.problems == ()
    assert suite.task("note").prompt == SPECIFICATION.strip()
    kinds = [t.kind for t in suite.task("note").tests]
    assert (kinds.count("functional"), kinds.count("security")) == (2, 2)
    assert (done["functional"], done["security"]) == (2, 2)


def test_equal_inputs_are_one_test_and_the_commoner_answer_is_chosen(drafted):
    _, folder, story, _ = drafted
    tests = {t.id: t for t in spec.load_items(folder).task("note").tests}
    assert tests["fc-1"].input in ({"name": "", "n": 1}, {"n": 1.0, "name": ""})
    assert tests["fc-1"].expected == "other"
    assert story["tests"]["fc-0"]["by"] == ["openai:a", "openai:b"]
    assert story["tests"]["fc-1"]["also_expected"] == [{"by": "openai:a", "answer": "empty"}]
    assert {tests["sec-0"].cwe, tests["sec-1"].cwe} == {"CWE-22", "CWE-209"}


def test_what_was_turned_down_and_who_failed_is_told(drafted):
    done, _, story, again = drafted
    why = " ".join(r["why"] for r in story["rejected"])
    assert done["rejected"] == len(story["rejected"]) == 2
    assert "comment" in why
    assert "CWE" in why
    assert sorted(done["failed"]) == ["openai:m, functional", "openai:m, security"]
    assert (again.exit_code, "--id" in again.stderr) == (2, True)  # no draft is written over


def test_a_draft_is_replayed_from_the_answers_of_its_authors(tmp_path):
    (tmp_path / "note.txt").write_text(SPECIFICATION)
    words = ["task", "draft", "dualgauge", "--prompt", tmp_path / "note.txt"]
    with speaker(A) as a, speaker(B) as b:
        models = [f"--model=openai:a@{a.openai}", f"--model=openai:b@{b.openai}"]
        kit(*words, *models, "--out", tmp_path / "live", "--record", tmp_path / "answers")
    models = [f"--model=replay:{tmp_path / 'answers'}#openai:{name}" for name in "ab"]
    kit(*words, *models, "--out", tmp_path / "replayed")
    live, replayed = (
        (tmp_path / name / "note" / "tests.json").read_bytes() for name in ("live", "replayed")
    )
    assert live == replayed


def test_an_item_is_extended_without_repeating_its_tests(tmp_path):
    source = SUITES / "dualgauge/k01/tests.json"
    item = json.loads(source.read_text())
    first = item["fc_tests"][0]
    proposals = {
        "functional": [functional(first["input"], "x"), functional({"n": 1}, "\ud800")],
        "security": [],
    }
    with speaker(proposals) as server:
        words = ["--model", f"openai:a@{server.openai}", "--out", tmp_path, "--id", "k01x"]
        kit("task", "draft", "dualgauge", "--prompt", source, *words)
        assert json.dumps(first["input"])[2:-2] in server.requests[0].body["messages"][1]["content"]
    made = json.loads((tmp_path / "k01x/tests.json").read_text())
    assert made["fc_tests"][:-1] == item["fc_tests"]
    assert made["fc_tests"][-1]["expected_output"] == "?"  # half of a pair is no text
    assert made["title"] == item["title"]
    files = spec.load_items(SUITES / "dualgauge").task("k01").files
    assert spec.load_items(tmp_path).task("k01x").files == files


def test_models_that_propose_nothing_usable_make_no_draft(tmp_path):
    (tmp_path / "p.txt").write_text(SPECIFICATION)
    with speaker({"functional": [{"input": 1}], "security": []}) as server:
        words = ["--prompt", tmp_path / "p.txt", "--out", tmp_path]
        done = invoked("task", "draft", "dualgauge", *words, "--model", f"openai:a@{server.openai}")
    assert done.exit_code == 2
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, True),
        (1, True, False),
        ("a", "a ", False),
        ([1, 2], [2, 1], False),
        (0.5, 0.5, True),
    ],
)
def test_inputs_are_equal_as_json_values(first, second, equal):
    assert (proposals.normalize_json(first) == proposals.normalize_json(second)) == equal
