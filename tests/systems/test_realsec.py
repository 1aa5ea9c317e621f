"""RealSec's suite: methods out of answers, reports matched, panels that may only acquit."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pytest

from kit.core.errors import KitError
from kit.core.records import (
    Cell,
    Evidence,
    Finding,
    Observed,
    Outcome,
    Reason,
    Sample,
    Status,
    Trial,
    to_json,
)
from kit.core.store import Store
from kit.generation import hints
from kit.generation.base import NotRecorded, Response
from kit.generation.replay import recorded_in
from kit.generation.structured import Asker
from kit.oracle.sast.programs import ProgramReport
from kit.run import validate
from kit.run.job import Job
from kit.run.suites import open_suite
from kit.systems.realsec import instance as instances
from kit.systems.realsec import (
    measured,
    prompting,
    renaming,
    scan,
    similarity,
    study,
    testing,
)
from kit.systems.realsec.scan import ALONE, Panel, PanelCase
from kit.systems.realsec.suite import DATA, JavaRepoSettings, JavaRepoSuite
from tests.support.commands import invoked, kit, told
from tests.support.wire import Reply, Server, answering

ONE = "filestore-03"


@pytest.fixture(scope="module")
def suite():
    made = open_suite("realsec")
    made.load()
    return made


@pytest.fixture
def quota(suite):
    return suite.instance(ONE)


SLOT = Sample(ONE, "m", language="java")
BODY = "public boolean reserve(long bytes) {\n    return false;\n}"


@pytest.mark.parametrize(
    "said",
    [
        f"```java\n{BODY}\n```",
        f"Sure.\n```java\npackage depot.store;\npublic class Quota {{\n int o() {{ return 1; }}\n"
        f"{BODY}\nprivate final Object meter = null;\n}}\n```",
        BODY,
    ],
)
def test_the_method_is_found_in_an_answer_and_helpers_come_with_it(suite, said):
    read = suite.sample(SLOT, Response(said))
    assert read.status is Status.COMPLETED
    helper = "\nint o() { return 1; }" if "int o()" in said else ""
    assert read.code.strip() == BODY + helper


def test_prose_is_no_method(suite):
    assert suite.sample(SLOT, Response("I cannot.")).status is Status.EXTRACTION_ERROR


def test_an_instance_that_does_not_fit_is_refused_with_a_sentence(tmp_path):
    shutil.copytree(DATA / "instances" / ONE, tmp_path / "instances" / ONE)
    shutil.copytree(DATA / "repositories/filestore", tmp_path / "repositories/filestore")
    path = tmp_path / "instances" / ONE / "instance.json"
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"function_body": "int f() {}", "test_functions": ["a.B#c"]}))
    good, problems = instances.read_folder(tmp_path)
    assert good == []
    assert "filestore-03 is refused: function_body is not the method" in problems[0]
    assert "there is no test a.B#c" in problems[0]


@pytest.mark.parametrize(
    ("security", "test", "outcome"),
    [
        ("best", "adjudicated", Outcome.PASS),
        ("both", "sast", Outcome.PASS),
        ("exploit", "exploit", Outcome.UNKNOWN),
    ],
)
def test_without_exploit_tests_others_decide_and_say_so(quota, security, test, outcome):
    bare = replace(quota, data=quota.data | {"exploit_functions": []})
    suite = JavaRepoSuite(JavaRepoSettings(security=security))
    suite.instances[ONE], task = bare, bare.task(suite.tests(bare))
    assert [t.id for t in task.tests] == ["functional", test]
    cell = Cell(task, task.tests[1], replace(SLOT, code=BODY))
    (verdict,) = suite.judge(Trial("k", (cell,), test), evidence(bare)).verdicts
    assert "no exploit test" in verdict.sentence
    assert verdict.outcome is outcome
    assert "exploit" not in set(instances.read_labelled_bodies([bare])[1]["test"])


@pytest.mark.parametrize("security", ["exploit", "both", "all"])
def test_one_validation_serves_all_settings_with_the_exploit_test(suite, security):
    other = JavaRepoSuite(JavaRepoSettings(security=security))
    for mine, theirs in zip(suite.load().tasks, other.load().tasks, strict=True):
        keys = [validate.task_key(s, t, s.labels) for s, t in ((suite, mine), (other, theirs))]
        assert keys[0] == keys[1]
    assert suite.decided == other.decided


def test_no_engine_is_asked_for_where_exploit_tests_decide(suite):
    assert {t.id for task in suite.load().tasks for t in task.tests} == {"functional", "exploit"}
    assert "engine" not in suite.about()


def found(instance, **other):
    line = instance.method.first_line + 1
    values = {"engine": "e", "rule": "r", "cwe": "CWE-367", "file": instance.data["file"]}
    return Finding(**{**values, "line": line, **other})


def evidence(instance, *findings, **other):
    lines = [instance.method.first_line, instance.method.last_line]
    report = to_json(ProgramReport("opengrep 1", findings, {}, lines))
    return Evidence(Status.COMPLETED, observed=Observed("value", report | other))


def test_a_report_counts_by_weakness_and_method(quota):
    lines = (quota.method.first_line, quota.method.last_line)
    through = f"{quota.data['file']}:{lines[1]} reserve"
    mine = found(quota)
    flows = found(quota, file="src/main/java/depot/store/Meter.java", line=3, flow=(through,))
    others = [
        found(quota, cwe="CWE-22"),
        found(quota, line=lines[1] + 5),
        found(quota, file="x.java"),
    ]
    report = ProgramReport("opengrep 1", [mine, *others, flows], {}, lines)
    assert scan.select_alarms(report, quota) == [mine, flows]


def test_what_was_not_read_is_not_secure(quota):
    seen = evidence(quota, unread={"a.java": "It does not parse."})
    verdict, _ = scan.verdict_of_scan("sast", quota, seen)
    assert (verdict.outcome, verdict.reason) == (Outcome.UNKNOWN, Reason.NOT_SCANNED)
    assert scan.verdict_of_scan("sast", quota, evidence(quota))[0].outcome is Outcome.PASS
    other = replace(quota, data={**quota.data, "cwe": "CWE-841"})
    verdict, _ = scan.verdict_of_scan("sast", other, evidence(other))
    assert (verdict.outcome, verdict.reason) == (Outcome.UNKNOWN, Reason.NO_RULE)


def test_nothing_passes_that_was_not_seen_to_pass():
    functions = ["a.B#c", "a.B#d"]
    outcomes = {"a.B#c": "pass"}
    text = json.dumps({"outcomes": outcomes, "messages": {}})
    seen = Evidence(Status.COMPLETED, channel=text.encode())
    assert testing.judge_evidence("functional", functions, seen).outcome is Outcome.FAIL
    text = json.dumps({"outcomes": outcomes | {"a.B#d": "pass"}, "messages": {}})
    seen = replace(seen, channel=text.encode())
    verdict = testing.judge_evidence("functional", functions, seen)
    assert (verdict.outcome, verdict.reason) == (Outcome.UNKNOWN, Reason.NO_EVIDENCE)
    assert (
        testing.judge_evidence("exploit", functions, Evidence(Status.TIMEOUT)).outcome
        is Outcome.FAIL
    )


@dataclass(frozen=True)
class Scripted:
    """A model that answers by a function of the question's last message."""

    name: str
    answer: Callable[[str], str]
    price_key: str = ""
    default_max_tokens: int | None = None

    @property
    def identity(self):
        return f"scripted:{self.name}"

    def generate(self, messages, **_):
        return Response(self.answer(messages[-1]["content"]), "stop", self.name)


def write_answer(question, **values):
    """An answer in the form that a question asks for, with its ticket."""
    return json.dumps({"ticket": re.findall(r'"ticket": "(\w+)"', question)[-1], **values})


def credulous(question):
    return write_answer(question, analysis="so", reason="so", score=0.9)


CASE = PanelCase("CWE-22", "r: a path", "old", "f(x)", "a:1", "class A {}")


@pytest.mark.parametrize(("score", "stands"), [(0.9, True), (0.5, False), (0.1, False)])
def test_a_report_stands_above_a_half(score, stands):
    last = Scripted("last", lambda q: write_answer(q, meta_analysis="so", score=score))
    voters = tuple(Asker(Scripted(str(number), credulous)) for number in range(3))
    ruling = Panel(voters, Asker(last)).decide(CASE)
    assert ruling.stands is stands
    assert [v.score for v in ruling.votes] == [0.9, 0.9, 0.9]


def better(question):
    return write_answer(question, meta_analysis="x", score=0.0)


def test_a_malformed_ruling_acquits_nobody_and_is_asked_for_again(quota):
    said = {
        "mute": lambda _: "score 0",
        "wild": lambda q: write_answer(q, meta_analysis="", score=7),
    }
    for name in said:
        cache = {}
        panel = Panel(final=Asker(Scripted(name, said[name]), cache))
        with pytest.raises(KitError, match="gave no ruling"):
            scan.adjudicate_reports(panel, quota, BODY, evidence(quota, found(quota)))
        assert all(entry["malformed"] for entry in cache.values())
        assert not Panel(final=Asker(Scripted(name, better), cache)).decide(CASE).stands


def test_a_panel_is_replayed_from_the_recording_of_its_models(tmp_path):
    scores = {"a": 0.2, "b": 0.9, "c": 0.7}

    def reply(request):
        name = request.body["model"]
        text = "meta_analysis" if name == "c" else "analysis"
        more = {} if name == "c" else {"reason": name}
        return answering(request, **{text: f"{name} read it."}, **more, score=scores[name])

    with Server(reply) as server, recorded_in(tmp_path / "panel") as cache:
        names = [f"openai:{name}@{server.openai}" for name in scores]
        ruling = Panel.of(",".join(names[:2]), names[2], cache).decide(CASE)
    names = [f"replay:{tmp_path / 'panel'}#openai:{name}" for name in scores]
    panel = Panel.of(",".join(names[:2]), names[2], {})
    assert panel.decide(CASE) == ruling
    assert [vote.score for vote in ruling.votes] == [0.2, 0.9]
    assert (ruling.score, ruling.stands) == (0.7, True)
    with pytest.raises(NotRecorded, match="no recorded answer"):
        panel.decide(replace(CASE, code="g(x)"))


def test_labels_and_what_is_wrong_with_them_are_those_of_the_folder_that_was_named(tmp_path):
    for part in (f"instances/{ONE}", "repositories/filestore", "stubs"):
        shutil.copytree(DATA / part, tmp_path / part)
    labels = tmp_path / f"instances/{ONE}/bodies/labels.json"
    labels.write_text(labels.read_text()[:-9])
    done = invoked("validate", "realsec", "--data", str(tmp_path))
    assert done.exit_code == 2
    assert f"{labels} cannot be read" in done.output


@pytest.mark.parametrize("command", ["validate", "evaluate", "run"])
@pytest.mark.parametrize(
    ("suite", "words"),
    [("codeguard", "security engine"), ("realsec", "security engine voters final")],
)
def test_what_decides_is_an_option_of_every_command_that_judges(command, suite, words):
    said = invoked(command, suite, "--help").output
    assert all(f"--{word} " in said for word in words.split())


def test_a_panel_acquits_and_without_one_the_scan_stands_alone_and_says_so(quota):
    alone, acquitted = (
        scan.verdict_of_panel(
            "adjudicated",
            quota,
            scan.adjudicate_reports(panel, quota, BODY, evidence(quota, found(quota))),
        )
        for panel in (Panel(), Panel(final=Asker(Scripted("no", better))))
    )
    assert (alone.outcome, acquitted.outcome) == (Outcome.FAIL, Outcome.PASS)
    assert ALONE in alone.sentence


def test_retrieval_never_gives_the_target(suite):
    for instance in list(suite.instances.values())[:6]:
        for how in ("bm25", "dataflow"):
            places = list(prompting.retrieve_methods(instance, how))
            target = f"{instance.data['file']}:{instance.method.first_line} "
            assert not any(p.startswith(target) for p in places)


def test_an_instance_with_hops_of_whose_flow_nothing_is_shown_is_not_validated(suite):
    hops = [i for i in suite.instances.values() if i.data["hops"]]
    assert len(hops) > 30
    suite.selfcheck([i.task(("functional",)) for i in suite.instances.values()], None)
    broken = JavaRepoSuite()
    lost = replace(hops[0], root=Path("nowhere"), data=hops[0].data | {"flow": []})
    broken.instances = {lost.id: lost}
    with pytest.raises(KitError, match=f"{lost.id}: no other method"):
        broken.selfcheck([lost.task(("functional",))], None)


@pytest.mark.slow
def test_dense_retrieval_finds_what_is_meant(quota):
    assert 0 < len(prompting.retrieve_methods(quota, "dense", k=2)) <= 2


def test_the_question_is_the_specification_and_what_an_arm_adds(quota):
    def ask(arm, **more):
        return prompting.build_messages(prompting.InstanceQuestion(quota, arm, **more))[-1][
            "content"
        ]

    origin = ask("origin")
    assert quota.data["docstring"] in origin
    assert quota.data["signature"] in origin
    assert "class " not in origin.partition("Specification:")[2]
    augmented = ask("guideline+bm25")
    assert augmented.endswith(origin.rpartition("Specification:")[2])
    shown = ask("guideline+bm25", shows_class=True)
    assert "to be written" in shown
    assert "meter.add(bytes);\n        return true" not in shown
    with pytest.raises(KitError, match="Unknown prompt"):
        ask("magic")
    with pytest.raises(KitError, match="has no other names"):
        ask("origin", is_renamed=True)


def test_an_arm_is_named_by_the_settings_that_it_has():
    told = study.Methods("realsec-claude-real")
    assert {"origin", "bm25", "origin, renamed"} <= set(told.frame["arm"])
    assert set(told.steps(n_boot=20)["from"]) == {"origin"}


def test_answers_under_other_names_come_back_to_the_repositorys_own():
    renames = {"count": "tally", "limit": "bound", "total": "sum0"}
    comment = "/** Adds to {@code total} at most the limit. @param limit it; see count(int) */"
    assert renaming.rename_comment(comment, renames) == (
        "/** Adds to {@code sum0} at most the limit. @param bound it; see tally(int) */"
    )
    own = 'int count(int limit) { String s = "limit"; return this.total + limit; }'
    asked = 'int tally(int bound) { String s = "limit"; return this.sum0 + bound; }'
    assert renaming.rename_code(own, renames) == asked
    assert renaming.undo_renames(asked, renames) == own
    local = "int tally(int bound) { int limit = bound; return limit; }"
    back = "int count(int limit) { int limit_ = limit; return limit_; }"
    assert renaming.undo_renames(local, renames) == back


@pytest.mark.slow
def test_programs_are_methods_or_whole_classes_and_an_empty_one_is_counted(tmp_path):
    programs = tmp_path / "my programs" / ONE
    programs.mkdir(parents=True)
    body = (DATA / "instances" / ONE / "bodies" / "original.java").read_text()
    (programs / "method.java").write_text(body)
    whole = f"package depot.store;\npublic class Quota {{\n/** Mine. */\n{body}\n}}\n"
    (programs / "class.java").write_bytes(whole.replace("\n", "\r\n").encode())
    (programs / "none.java").write_text("")
    kit("evaluate", "realsec", "--programs", programs.parent, "--run", tmp_path / "my run")
    with Store(tmp_path / "my run", write=False) as store:
        frame = store.frame()
    outcomes = frame.set_index(["model", "test"])["outcome"]
    assert outcomes["method"].equals(outcomes["class"])
    assert outcomes["class", "functional"] == "pass"
    assert set(frame.loc[frame["model"] == "none", "status"]) == {"extraction_error"}


def test_likeness_is_of_tokens_not_of_layout_or_comments():
    one = "int f(int x) { // why\n  return x + 1; }"
    assert similarity.compare_code(one, "int f(int x){return x+1;}") == 1
    assert 0.8 < similarity.compare_code(one, "int f(int y) { return y + 1; }") < 1
    assert similarity.compare_code(one, "void g() { }") < 0.7


def test_hints_are_a_ladder_and_one_arm_for_every_suite(suite):
    tasks = suite.load().select_tasks([ONE, "orders-03"])
    sizes = []
    for level in hints.LEVELS[:-1]:  # feedback asks plainly first
        job = Job.of(suite, tasks, "openai:any", hint=level, base_url="http://localhost:1/v1")
        sizes.append(len(job.messages(job.slots[0])[-1]["content"]))
    assert sizes[0] < sizes[1] < sizes[3] < sizes[4]
    assert sizes[1] < sizes[2]
    assert job.slots[0].arm["hint"] == "policy"


def test_who_judges_is_no_arm():
    assert set(JavaRepoSettings(security="all", final="openai:x").arm) == {"prompt", "max_tokens"}


@pytest.mark.slow
def test_drafts_find_sql_that_is_built_of_strings_and_pass_the_suites_own_check(tmp_path):
    repository = tmp_path / "repositories" / "shop"
    shutil.copytree(Path(__file__).parents[1] / "files/shop", repository)
    with Server([Reply("Counts the rows.")]) as server:
        kit(
            "task",
            "draft",
            "realsec",
            "--repo",
            repository,
            "--out",
            tmp_path / "instances",
            "--docstrings",
            f"openai:m@{server.openai}",
        )
    good, problems = instances.read_folder(tmp_path)
    assert (problems, {i.data["docstring"] for i in good}) == ([], {"Counts the rows."})
    injections = {i.method.name for i in good if i.data["cwe"] == "CWE-89"}
    assert injections == {"of", "count", "rename", "sorted", "forget", "since", "run"}
    words = ["--data", tmp_path, "--run", tmp_path / "run", "--security", "sast"]
    shown = told("validate", "realsec", *words)["shown"]
    assert [*shown.values()] == [len(good)] * 3  # the originals pass, and the stubs fail


@pytest.mark.slow
def test_labelled_bodies_are_judged_as_labelled_and_only_once(box, tmp_path):
    suite = JavaRepoSuite(JavaRepoSettings(security="all"))
    tasks = suite.load().select_tasks([ONE])
    samples, labels = suite.references(tasks)
    _, frame = validate.execute(tmp_path / "run", suite, tasks, samples)
    rows = validate.join_labels(labels, frame)
    rows = rows[rows["test"].isin(("functional", "exploit"))]
    assert (rows["label"] == rows["outcome"]).all()
    with Store(tmp_path / "run") as store:
        result, text = suite.measured(
            tasks, samples, validate.join_labels(labels, frame), box, store
        )
    assert result["shown"]["stubs that fail"] == 1
    assert "stubs that fail: 1" in text
    again, _ = validate.execute(tmp_path / "run", suite, tasks, samples)
    assert again.fresh == 0


def test_rates_stand_for_each_half_of_the_repositories():
    same = {"cwe": "CWE-1", "label": "fail", "outcome": "fail", "reason": "", "kind_of_program": ""}
    rows = pd.DataFrame(
        {"task": ["a", "b", measured.YOUNGER[0]], "repository": ["access", "jobs", "jobs"], **same}
    )
    rates = measured.by_type(rows, name="x")
    halves = rates["by half of the repositories"]
    assert {name: r["tp"] for name, r in halves.items()} == {
        "tuned on": 1,
        "held out": 1,
        "younger than rules": 1,
    }
    found = measured.describe_default_oracle({"together": rates}, {"sast": "it says so"})
    assert (found["f1"], found["types below 0.9"]) == (1.0, [])


def test_stubs_beside_the_repositories_belong_to_each(quota):
    found = quota.repository.read_sources()
    assert "stubs/org/slf4j/Logger.java" in found
    assert not (quota.repository.folder / "stubs").exists()


def test_each_model_and_arm_of_a_run_is_a_row_and_a_step_stays_within_a_model():
    one = study.Methods("realsec-bodies").frame.drop(columns=["arm", "hops", "category"])
    told = study.Methods(pd.concat([one, one.assign(model="other")], ignore_index=True))
    rows = told.scores("arm", k=[1, 2], n_boot=20)
    joint = rows[rows["metric"] == "secure-pass@1"].set_index("arm")["value"]
    arms = one["prompt"].unique()
    assert {*joint.index} == {f"{m}, {a}" for m in ("labelled-bodies", "other") for a in arms}
    assert joint["labelled-bodies, bm25"] == joint["other, bm25"]
    assert set(rows.loc[rows["metric"] == "pass@2", "shown"]) == {"too few samples"}
    assert told.scores("hops", n_boot=20)["model"].nunique() == 2
    steps = told.steps(n_boot=20)
    assert set(steps["from"]) == {"labelled-bodies, origin", "other, origin"}
    assert (steps["from"].str.split(",").str[0] == steps["to"].str.split(",").str[0]).all()
    with pytest.raises(KitError, match="is of codeguard, and this notebook reads one of realsec"):
        study.Methods("claude-completions")
    with pytest.raises(KitError, match="--security both --run nothing"):
        study.adjudicated("nothing")
