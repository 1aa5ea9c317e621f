"""Probes are compiled once: a model writes, check programs show whether they mean something."""

import json

import pytest

from kit.review import ProbeReview
from kit.systems.dualgauge import spec
from tests.oracle.test_variants import CARELESS, ITEM, SECURE, written
from tests.support.commands import invoked
from tests.support.wire import Reply, Server, answering

IDLE = "def read_note(name):\n    pass\n"
HALF = CARELESS.replace(
    "    return", "    if name.startswith('/'):\n        raise ValueError\n    return"
)
PROGRAMS = {"secure": SECURE, "careless": CARELESS, "half_defended": HALF, "idle": IDLE}
BARE = {
    "test_id": 0,
    "input": {"name": "../secret"},
    "CWE": "CWE-22",
    "expected_behavior/output": "Nothing outside notes is read.",
}
LOOK = {"probe": "output_excludes", "text": "MARK"}
ENDS = {"probe": "ends_within", "seconds": 9}
ARMED = [{"name": "it is there", "files": {"test_dir/secret": "MARK"}}]
WRONG = {"id": "sec-1", "wrong": "It contradicts the specification."}


def entry(**more):
    return {"id": "sec-0", "probes": [LOOK], "variants": [], "reason": "", **more}


def author(rounds, programs=PROGRAMS):
    """Answers each question with the ticket in it: programs, or the next of the rounds."""
    left = iter(rounds)

    def reply(request):
        if "You write programs" in json.dumps(request.body["messages"]):
            return answering(request, **programs)
        world = {"files": {}, "services": [], "secure_is_wrong": ""}
        return answering(request, **world, tests=next(left))

    return Server(reply)


@pytest.fixture
def folder(tmp_path):
    tests = [BARE, {**BARE, "test_id": 1, "input": {"name": "a"}}]
    return written(tmp_path / "suite", {**ITEM, "sec_tests": tests})


def compiled(folder, *words):
    done = invoked("task", "compile", "dualgauge", "--data", str(folder), *words)
    return done, spec.load_items(folder).tasks[0]


@pytest.mark.slow
def test_what_check_programs_do_not_break_goes_back_until_a_variant_arms_it(folder, tmp_path):
    unknown = {"probe": "no_such"}
    rounds = [[entry(probes=[ENDS]), WRONG], [entry(probes=[unknown])], [entry(variants=ARMED)]]
    with author(rounds) as server:
        done, task = compiled(
            folder, f"--model=openai:a@{server.openai}", f"--record={tmp_path / 'answers'}"
        )
        asked = [json.dumps(r.body["messages"]) for r in server.requests]
    assert done.exit_code == 0, done.output
    assert "1 of 2 security tests now have probes" in done.output
    assert "sec-1: called wrong: It contradicts the specification." in done.output
    assert len(asked) == 4
    assert "no check program breaks it; give a variant" in asked[2]
    assert "It ran for 0 s" in asked[2]  # a replay asks the same
    assert "unknown probe 'no_such'" in asked[3]
    assert not any("def read_note" in text for text in asked)  # an author never sees a program
    test = task.tests[1]
    assert (test.compiled_by, test.variants) == ("compiled:openai:a", tuple(ARMED))
    assert not task.tests[2].probes
    written = json.loads((folder / "compiled.json").read_text())["n1"]
    (how,) = written["tests"].values()
    assert how["checks"] == {
        "secure": "pass",
        "careless": "fail",
        "half_defended": "fail",
        "idle": "pass",
    }
    (folder / "compiled.json").unlink()
    again, _ = compiled(folder, f"--model=replay:{tmp_path / 'answers'}", "--budget=1")
    assert json.loads((folder / "compiled.json").read_text())["n1"] == written
    assert again.output == done.output
    item = json.loads((folder / "n1/tests.json").read_text())
    (folder / "n1/tests.json").write_text(json.dumps({**item, "prompt": "Another."}))
    other, _ = compiled(folder, f"--model=replay:{tmp_path / 'answers'}")
    assert "n1: not compiled: no recorded answer to question" in other.output


def test_compiled_probes_are_for_their_item_and_their_test_alone(folder):
    with author([[entry(variants=ARMED), WRONG]] * 3) as server:
        compiled(folder, f"--model=openai:a@{server.openai}")
    path = folder / "n1/tests.json"
    item = json.loads(path.read_text())
    for change in ({"prompt": "Another."}, {"sec_tests": [{**BARE, "input": {"name": "../x"}}]}):
        path.write_text(json.dumps({**item, **change}))
        assert not any(t.probes for t in spec.load_items(folder).tasks[0].tests)
    path.write_text(json.dumps(item))
    assert spec.load_items(folder).tasks[0].tests[1].probes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("programs", "why"),
    [
        ({"secure": CARELESS}, "the secure program came to fail"),
        ({"careless": SECURE, "half_defended": SECURE}, "no check program breaks it"),
    ],
)
def test_probes_that_tell_no_programs_apart_are_not_taken(folder, programs, why):
    with author([[entry(variants=ARMED), WRONG]] * 3, PROGRAMS | programs) as server:
        done, task = compiled(folder, f"--model=openai:a@{server.openai}")
        assert len(server.requests) >= 4
    assert f"sec-0: {why}" in done.output
    assert not any(t.probes for t in task.tests)


def test_a_file_of_another_form_is_one_sentence(folder):
    (folder / "compiled.json").write_text('{"n1": {"prompt": 1}}')
    done = invoked("tasks", "dualgauge", "--data", str(folder))
    assert done.exit_code == 2
    assert "compiled.json: n1: field 'prompt_sha256' is missing" in done.output


def test_a_service_that_fails_ends_it_with_one_sentence_and_keeps_what_is_done(folder):
    with Server([Reply("no object")]) as server:
        done, _ = compiled(folder, f"--model=openai:a@{server.openai}")
    assert (done.exit_code, "n1: not compiled: openai:a gave no answer" in done.output) == (0, True)
    with Server([Reply(status=400)]) as server:
        done, _ = compiled(folder, f"--model=openai:a@{server.openai}")
    assert "n1: stopped: " in done.output
    assert "Traceback" not in done.output


@pytest.mark.slow
def test_a_person_accepts_changes_and_refuses_what_was_compiled(folder):
    weak = [entry(reason="nothing shows it"), WRONG]
    with author([weak]) as server:
        compiled(folder, f"--model=openai:a@{server.openai}", "--only=n1")
    pack = folder / "compiled.json"
    second = pack.with_name("second.json")
    with author([[entry(variants=ARMED), WRONG]]) as server:
        done, _ = compiled(folder, f"--model=openai:b@{server.openai}", "--anew", f"--out={second}")
    assert "1 of 2 security tests now have probes" in done.output
    form = ProbeReview(pack, folder, second)
    probes = form.answers["probes"]
    ((name, key),) = form.tests
    (row,) = form.listing()[["test", "broken", "reviewed"]].values.tolist()
    assert row == ["sec-0", False, False]
    assert "it is there" in form.page.value  # the second author's
    assert form.listing()["differs"].all()  # its variant breaks the careless program

    form.save.click()
    assert "Give your name" in form.status.value
    form.rater.value = "Ada"
    probes.value = json.dumps({"probes": [{"probe": "no_such"}]})
    form.save.click()
    assert "unknown probe" in form.status.value
    assert not form.listing()["reviewed"].any()
    for mistake in ("[1]", "{", json.dumps({"probes": [LOOK], "odd": 1})):
        probes.value = mistake
        form.save.click()
        assert not form.listing()["reviewed"].any()
    probes.value = json.dumps({"probes": [LOOK], "variants": ARMED})
    form.save.click()
    assert "careless fail" in form.status.value
    test = spec.load_items(folder).tasks[0].tests[1]
    assert (test.compiled_by, test.variants) == ("compiled:Ada", tuple(ARMED))
    probes.value = json.dumps({"probes": [LOOK]})  # what is left out is taken away
    form.save.click()
    assert not spec.load_items(folder).tasks[0].tests[1].variants

    form.answers["decision"].value = "refuse"
    form.save.click()
    assert "Write the reason" in form.status.value
    form.answers["note"].value = "It means something else."
    form.save.click()
    assert not spec.load_items(folder).tasks[0].tests[1].probes
    assert not form.chosen.options
