"""A whole run on a small project of our own: builds, switches, tests, scores, resume."""

import copy
import re
from dataclasses import replace

import pandas as pd
import pytest

from kit.core.errors import KitError
from kit.core.paths import SUITES
from kit.core.store import Store
from kit.run.job import runs_below
from kit.run.suite import pick_tasks_evenly
from kit.run.suites import of_run
from kit.sandbox import open_sandbox
from kit.scoring import stats
from kit.systems.ossbench import extract, mock_models, schemata, scores, study, testsuite, toolchain
from kit.systems.ossbench.builds import SwitchedProject
from kit.systems.ossbench.fuzz import Fuzzer
from kit.systems.ossbench.original import Original
from kit.systems.ossbench.project import open_project
from kit.systems.ossbench.suite import CProjectSuite
from kit.systems.ossbench.testsuite import SuiteResult
from kit.systems.ossbench.toolchain import Workshop
from tests.benchmarks import ossbench as speed
from tests.support.commands import frame_of, invoked
from tests.support.small_project import TESTS, built, edit_of, go, job_of, readers_of, switched
from tests.support.wire import Reply, Server


@pytest.fixture(scope="module")
def checker(world):
    return toolchain.Checker(world[3], readers_of(world[2]))


BAD = {
    "a name that nobody declares": (
        "add",
        lambda t: mock_models.insert_statements(t, "kit_x = 1;"),
    ),
    "a function that nobody defines": (
        "add",
        lambda t: mock_models.insert_statements(t, speed.BESIDE["lost"]),
    ),
    "other parameters than its callers give": ("twice", lambda t: t.replace("int x", "void")),
    "nothing to link against": ("fact", lambda t: "static " + t.replace("fact(", "fact (", 1)),
}


@pytest.mark.parametrize("why", BAD)
def test_an_edit_that_a_rebuild_refuses_is_refused_without_one(world, checker, why):
    name, change = BAD[why]
    edit = edit_of(world[2], name, change)
    assert checker.check(edit).build == checker.check(edit, full=True).build == "failure"


def test_an_edit_that_builds_is_said_to(world, checker):
    edit = edit_of(world[2], "add", lambda t: t.replace("a + b", "b + a"))
    assert checker.check(edit).build == checker.check(edit, full=True).build == "success"


def test_two_definitions_of_one_name_do_not_link(checker):
    whole = checker.baseline
    assert checker.link_error(whole) == ""
    clash = {"lib.c": whole["lib.c"] | {("T", "main")}}
    assert "multiple definition of `main'" in checker.link_error(clash)


def test_an_edit_that_a_test_program_refuses_does_not_build(world):
    """cJSON's tests include cJSON.c, so its new names may be theirs already."""
    _, project, table, shop = world
    whole = project.tree / "whole.c"
    whole.write_text(
        '#include "lib.c"\nstatic int more(void) { return 0; }\nint main(void) { return more(); }\n'
    )
    other = copy.copy(shop)
    other.project = replace(
        project, units=(*project.units, replace(project.unit("lib.c"), source="whole.c"))
    )
    made = toolchain.Checker(other, {"lib.c": ("whole.c",)})
    helped = edit_of(table, "add", lambda t: "static int more(void) { return 1; }\n" + t)
    done = made.check(helped)
    whole.unlink()
    assert (done.build, "redefinition" in done.reason) == ("failure", True)


def test_a_function_outside_the_build_is_unrelated(world, checker):
    edit = edit_of(world[2], "add", str)
    assert checker.check(replace(edit, path="")).build == "unrelated"
    assert checker.check(replace(edit, path="elsewhere.c")).build == "unrelated"


@pytest.fixture(scope="module")
def broken(world):
    """Every function but one broken in its own way, each behind its switch."""
    _, _, table, shop = world
    changes = {
        "add": lambda t: t.replace("a + b", "a - b"),
        "fact": lambda t: mock_models.sabotage(t, "quit"),
        "at": lambda t: mock_models.sabotage(t, "spatial"),
        "twice": lambda t: t.replace("x + x", "x"),
        "sum": lambda t: mock_models.sabotage(t, "leak"),
        "unused": lambda t: mock_models.sabotage(t, "temporal"),
    }
    edits = [edit_of(table, n, c) for n, c in changes.items()]
    made, suite = switched(shop, table, *edits)
    return {e.name: e.index for e in edits}, made, suite


def test_with_no_switch_on_the_build_is_the_original(world, broken):
    plain, off = built(world[3], world[2], {}).run(), broken[2].run()
    assert plain.tests == off.tests
    assert set(plain.tests) == TESTS
    assert (off.alerts, off.executed) == ((), frozenset())


@pytest.mark.parametrize(
    ("name", "failed"),
    [("add", {"math/add", "sums/sum"}), ("twice", {"math/twice"}), ("unused", set())],
)
def test_a_switch_puts_one_edit_in_force(broken, name, failed):
    index, _, suite = broken
    seen = suite.run([index[name]])
    bad = {t for t, passed in seen.tests.items() if not passed} - {"math/known failure"}
    assert bad == failed
    assert seen.executed == (frozenset() if name == "unused" else {index[name]})


def test_the_original_is_run_once_for_a_build_and_a_choice_of_tests(world):
    _, project, table, shop = world
    rows = {row["function_index"]: row for row in table.to_dict("records")}
    first, again = (SwitchedProject(shop, rows, {}) for _ in range(2))
    assert first.baseline() == again.baseline()  # with its times
    seen = again.coverage().observed.value
    names = {number: row["name"] for number, row in rows.items()}
    reached = {run: {names[n] for n in numbers} for run, numbers in seen["reached"].items()}
    assert reached["sums"] == {"add", "at", "sum"}
    assert "unused" not in reached["math"] | reached["sums"]
    original = Original.of(first.baseline().observed.value, seen)
    (unused,) = (n for n, name in names.items() if name == "unused")
    assert original.plan_runs([unused]) == ([], original.runs)
    some = Workshop(shop.box, replace(project, runs=project.runs[:1], suite_runs=2))
    part = Original.of(SwitchedProject(some, rows, {}).baseline().observed.value, seen)
    assert part.runs == ["math"]
    assert "1 of 2 test runs of the suite (50.0%)" in part.describe(some.project, len(rows))


def test_more_workers_show_the_same(broken):
    index, _, suite = broken
    edits = [index["add"], index["twice"]]
    one, two = (suite.run(edits, workers=workers) for workers in (1, 2))
    assert (one.tests, one.reached, one.ended) == (two.tests, two.reached, two.ended)


def test_a_test_run_that_ends_well_alone_has_not_ended_badly():
    first = SuiteResult({"a/x": True}, ended={"b": "timeout"}, seconds={"a": 1.0, "b": 9.0})
    again = SuiteResult({"b/y": True}, seconds={"b": 1.0})
    joined = testsuite.join_results([first, again])
    assert (joined.tests, joined.ended) == ({"a/x": True, "b/y": True}, {})


def test_a_suite_that_ends_early_with_success_has_failed_its_tests(broken):
    index, _, suite = broken
    seen = suite.run([index["fact"]])
    wanted = TESTS - {"math/known failure"}
    assert "math/fact" not in seen.tests
    assert seen.ended == {"math": f"edit {index['fact']} ended the program"}
    assert seen.pass_rate(wanted) == 2 / 5


def test_an_alert_names_the_edit_and_the_functions_own_name(broken):
    index, _, suite = broken
    seen = suite.run([index["at"], index["unused"]])
    ((alert, owners), *_) = seen.alerts
    assert (alert.group, owners) == ("spatial", (index["at"],))
    assert alert.frames[0] == "at lib.c"


def test_a_leak_is_an_alert_of_its_own_class(broken):
    index, _, suite = broken
    seen = suite.run([index["sum"]])
    assert {a.group for a, _ in seen.alerts} == {"leak"}
    assert seen.ended == {}


def test_what_cannot_stand_beside_the_original_asks_for_a_rebuild(world):
    table = world[2]
    text = edit_of(table, "add", str).original
    for new in (
        text.replace("int a", "long a"),
        mock_models.insert_statements(text, '__asm__("");'),
    ):
        assert schemata.explain_unmovable(edit_of(table, "add", lambda _, new=new: new))
    assert (
        schemata.explain_unmovable(edit_of(table, "add", lambda t: t.replace("{", "{ /* */"))) == ""
    )


@pytest.mark.slow
def test_fuzzing_finds_what_no_test_asks_for(world, checker, broken):
    index, made, _ = broken
    for texts in ({}, dict(made.texts)):
        fuzzer = Fuzzer.build(world[3], texts, checker.readers, last=9)
        off = fuzzer.run([], inputs=2_000)
        assert (off.alerts, off.ended, off.executed) == ((), {}, frozenset())
    edits = [edit_of(world[2], "add", lambda t: mock_models.sabotage(t, "spatial"))]
    hurt = schemata.plan_switches(world[3], edits)
    fuzzer = Fuzzer.build(world[3], dict(hurt.texts), checker.readers, last=9)
    seen, again = (fuzzer.run([index["add"]], inputs=20_000) for _ in range(2))
    assert len({a.key for a, _ in seen.alerts if a.group == "spatial"}) == 1
    assert seen.ended == again.ended
    assert seen.executed == {index["add"]}


def test_a_probe_counts_functions_that_name_the_project_apart():
    rows = pd.DataFrame(
        {"recognised": [True, True, False], "named": [True, False, False], "name": "f", "path": "p"}
    )
    assert scores.count_recognitions(rows) == {
        "asked": 3,
        "recognised": 2,
        "without the name in the text": 2,
        "of these recognised": 1,
    }
    assert scores.has_project_name("Yes. It belongs to CJSON.", "cjson")
    assert not scores.has_project_name("I do not know", "cjson")


@pytest.fixture(scope="module")
def run(launch, tmp_path_factory):
    """The folder of a run of the saboteur over all six functions, and what was said of it."""
    folder = tmp_path_factory.mktemp("run")
    return folder, launch(folder, iterations=3, share=0.3)


def test_a_second_run_finds_everything_done(run, launch):
    folder, said = run
    first, rows = scores.evaluate_tables(scores.load_tables(folder)), facts(folder)
    again = launch(folder, iterations=3, share=0.3)
    assert "6 new" in said[0]
    assert [w.split(" (")[0] for w in again] == ["6 stored, 0 new", "24 stored, 0 new"]
    assert scores.evaluate_tables(scores.load_tables(folder)) == first
    assert facts(folder) == rows


def facts(folder):
    return frame_of(folder)[["slot", "test", "status", "outcome", "reason"]].to_json()


def test_more_iterations_go_on_where_the_run_stopped(run, launch):
    said = launch(run[0], iterations=4, share=0.3)[1]
    assert int(re.search(r"(\d+) new", said)[1]) <= 1 + 12  # it, and what it says of edits
    assert len(scores.sampled_iterations(scores.load_tables(run[0]))) == 4


def test_scores_count_what_they_rest_on(run):
    got = scores.evaluate_tables(scores.load_tables(run[0]))
    assert got["planned"] == got["checked"] == got["success"] + got["failure"] == 6
    assert got["chained"][1] <= got["chained"][0]
    assert 0 <= got["functional"] <= 100


def test_a_run_says_how_edits_came_into_force_and_which_faults_it_can_see(run, world):
    meta = scores.load_tables(run[0]).meta
    assert meta["mode"] == "schemata"
    assert meta["faults_seen"]["leak"] == "yes"
    assert testsuite.detectable_faults(replace(world[1], leaks=False))["leak"].startswith("no")


def test_the_tidy_table_has_three_tests_for_each_function(run):
    frame = frame_of(run[0])
    assert len(frame) == 3 * 6
    assert set(frame["language"]) == {"c"}
    assert (frame.loc[frame["status"] == "compile_error", "outcome"] == "fail").all()
    assert not frame["status"].isin(["not_run", "infra_error"]).any()


@pytest.mark.slow
def test_a_finding_is_of_the_sample_whose_edit_it_names(world, launch, tmp_path):
    hurt = edit_of(world[2], "at", lambda t: mock_models.sabotage(t, "spatial"))
    (tmp_path / "at.c").write_text(hurt.text)
    launch(tmp_path / "run", f"hands:{tmp_path}", draw="alone")
    with Store(tmp_path / "run", write=False) as store:
        found, frame = store.findings(), store.frame()
    memory = frame[frame["test"] == "memory"]
    failed = set(memory.loc[memory["outcome"] == "fail", "slot"])
    assert len(failed) == 1
    assert [set(slots) for slots in found["slots"]] == [failed]
    assert set(found["rule"]) == {"spatial"}
    assert (found["function"] == "at").all()


def test_the_measured_rows_are_the_scores(run):
    got = scores.evaluate_tables(scores.load_tables(run[0]))
    with Store(run[0], write=False) as store:
        suite = of_run(store)
        rows = suite.scores(store, by=["model"], k=(1,), rng=stats.seed("x"), n_boot=100)
        with pytest.raises(KitError, match="one score"):
            suite.scores(store, by=["test"], k=(1,), rng=stats.seed("x"), n_boot=100)
    points = dict(zip(rows["metric"], 100 * rows["estimate"], strict=True))
    for name in ("compilability", "functional test", "memory safety", "Delta", "score"):
        assert points[name] == pytest.approx(got[name.split()[0].lower()])
    assert (rows["low"].isna() | (rows["low"] <= rows["estimate"])).all()
    assert set(rows["planned"]) == {6}


def test_an_edit_alone_is_judged_by_its_own_iteration(launch, tmp_path):
    launch(tmp_path, draw="alone")
    with Store(tmp_path, write=False) as store:
        frame = store.frame()
        tested = frame[(frame["test"] == "tests") & (frame["status"] == "completed")]
        rates = {t["position"]: t["rate"] for t in store.trials("sample")}
    for row in tested.itertuples():
        rate = rates[int(row.task.rpartition(":")[2])]
        assert row.outcome in (("pass", "unknown") if rate == 1 else ("fail",))


@pytest.mark.slow
def test_until_stops_when_the_interval_is_narrow(launch, tmp_path):
    launch(tmp_path, "identity", iterations=50, until=1.0, share=0.3)
    assert len(scores.sampled_iterations(scores.load_tables(tmp_path))) == 10


def test_of_two_answers_each_is_edits_of_its_own_and_pass_at_k_counts_functions(launch, tmp_path):
    once, twice = (tmp_path / name for name in ("once", "twice"))
    launch(once, iterations=2, share=0.5)
    launch(twice, iterations=2, share=0.5, n=2)
    one, both = scores.load_tables(once), scores.load_tables(twice)
    first = scores.select_answer(both, 0)
    assert list(both.edits["answer"].value_counts()) == [6, 6]
    assert list(first.iterations["digest"]) == list(one.iterations["digest"])
    assert len(scores.sampled_iterations(both)) == 4
    with Store(twice, write=False) as store:
        frame = store.frame()
        rows = of_run(store).scores(store, by=["model"], k=(1, 2), rng=stats.seed("x"), n_boot=50)
    assert set(frame.groupby("task")["slot"].nunique()) == {2}
    bounds = rows.set_index("metric")[["bound_low", "bound_high"]]  # an edit that ran in none
    assert (bounds.loc["pass@1"] <= bounds.loc["pass@2"]).all()
    assert bounds.loc["pass@2", "bound_high"] < 1  # the edit that does not build
    assert evaluated(one, "compilability") == evaluated(both, "compilability")  # equal answers


def evaluated(tables, name):
    return scores.evaluate_tables(tables)[name]


def test_an_alert_costs_what_the_settings_say():
    tables = scores.load_tables("ossbench-cjson")
    cheaper = replace(tables, meta={**tables.meta, "deduction": 0.1})
    lost, lost_less = (100 - evaluated(each, "memory") for each in (tables, cheaper))
    assert lost_less == pytest.approx(lost * 0.1 / 0.69)


def test_scores_are_made_as_the_settings_say(run):
    tables = scores.load_tables(run[0])

    def say(**settings):
        return scores.evaluate_tables(replace(tables, meta={**tables.meta, **settings}))

    usual = say()
    first, second, third = usual["chained"]
    weighted = say(weights="0.5,0.3,0.2,0.2")
    assert weighted["delta"] == pytest.approx(2 * usual["delta"])
    assert weighted["score"] == pytest.approx(
        0.5 * first + 0.3 * second + 0.2 * third + weighted["delta"]
    )
    assert not say(least_changed=1e6)["ranked"]
    assert say(scale="paper")["changed lines"] == tables.edits["differing"].mean()
    for words in ("1,1,1", "a,1,1,1", "2,0,0,0"):
        with pytest.raises(KitError, match="four numbers of 0 to 1"):
            say(weights=words)


def test_a_prompt_from_a_file_is_an_arm_that_its_text_names(world, tmp_path):
    own = tmp_path / "own.txt"
    own.write_text("You know C.\n---\nShorten this:\n```c\n{function}\n```\n")
    job = job_of(*world[1:3], "identity", template=str(own))
    arm, asked = job.slots[0].arm["prompt"], job.messages(job.slots[0])
    assert arm.startswith("own-")
    assert asked[0]["content"] == "You know C."
    assert asked[1]["content"].startswith("Shorten this:")
    own.write_text(own.read_text().replace("Shorten", "Lengthen"))
    assert job_of(*world[1:3], "identity", template=str(own)).slots[0].arm["prompt"] != arm
    with pytest.raises(KitError, match="Unknown prompt"):
        job.messages(job.slots[0])
    own.write_text("Shorten {function}")
    with pytest.raises(KitError, match="needs {function}"):
        job_of(*world[1:3], "identity", template=str(own)).forecast()


@pytest.mark.slow
def test_the_self_check_holds_on_a_small_project(world, tmp_path):
    suite = CProjectSuite(given=world[1:3])
    result, _ = suite.selfcheck(suite.load().tasks, runs_below(tmp_path / "run.sqlite", suite))
    assert all(result["identity"]["checks"].values())
    assert result["missed"] == []
    assert result["alarms without a fault"] == 0


def test_another_sandbox_is_refused(world):
    with open_sandbox("bare") as bare, pytest.raises(KitError, match="bwrap"):
        Workshop(bare, world[1])


def test_an_unknown_project_is_refused_by_name():
    done = invoked("run", "ossbench", "--project", "x", "--model", "identity")
    assert done.exit_code == 2
    assert "Use cjson, sqlite, php, php_whole, or a folder with a project.py" in done.stderr


@pytest.mark.slow
def test_cjson_validates_on_a_part_of_it(tmp_path, monkeypatch):
    monkeypatch.delenv("KIT_CACHE", raising=False)  # what was built of it before is there
    names = ("parse_examples", "misc_tests")
    project = open_project("cjson")
    part = replace(project, runs=tuple(r for r in project.runs if r.name in names))
    suite = CProjectSuite(given=(part, extract.kept_functions(project)))
    tasks = pick_tasks_evenly(suite.load().tasks, 32)
    result, _ = suite.selfcheck(tasks, runs_below(tmp_path / "run.sqlite", suite))
    assert result["identity"]["checks"] == dict.fromkeys(result["identity"]["checks"], True)
    assert result["missed"] == []
    assert result["ok"]


@pytest.mark.slow
def test_the_fast_check_and_the_switches_agree_with_rebuilds(world):
    box, project, table, _ = world
    result = speed.measure(project, table, box, edits=40, rebuilds=40, iterations=2)
    assert result["verdicts that differ"] == []
    assert 0 < result["edits that failed"] < 40
    assert result["iterations that differ"] == 0


@pytest.mark.slow
def test_a_remote_model_is_asked_as_many_questions_at_once_as_there_are_connections(
    world, tmp_path
):
    """The last question arrives before the first is answered."""
    wait_s = 3.0
    reply = Reply("```c\nint add(int a, int b) { return a + b; }\n```", wait_s=wait_s)
    with Server([reply]) as server, Store(tmp_path / "run") as store:
        job = job_of(world[1], world[2].head(3), "openai:m", base_url=server.openai, connections=3)
        tally = job.generate(store)
    assert (tally.fresh, tally.infra) == (3, 0)
    at = [request.at for request in server.requests]
    assert max(at) - min(at) < wait_s


def test_calls_are_forecast_before_any_question(world):
    with Server() as server:
        options = {"base_url": server.openai, "max_tokens": 100}
        told = job_of(*world[1:3], "openai:m", **options).forecast()
        assert server.requests == []
    assert told.startswith("0 stored, 6 new: 6 calls, about ")
    assert "at most 600 output tokens" in told


@pytest.mark.usefixtures("run")
def test_hours_are_forecast_from_what_the_last_run_of_these_tests_took(world):
    options = {"iterations": 3600, "share": 0.5}
    told = job_of(*world[1:3], "identity", **options).forecast()
    hours, edit_s, tests_s = map(float, re.findall(r"([\d.]+) (?:hours|s\b)", told))
    assert edit_s >= 0
    assert abs(hours - tests_s) <= 0.5 + 0.1, told
    assert "hours" not in job_of(*world[1:3], "identity", prompt="contamination").forecast()


def test_only_what_was_asked_tells_samples_apart(world):
    some = {"iterations": 7, "share": 0.5, "mode": "rebuild", "fuzz": 9, "draw_seed": 3}
    job = job_of(*world[1:3], "identity", max_tokens=512, **some)
    assert [s.arm for s in job.slots] == 6 * [
        {"prompt": "improve", "project": "cjson", "max_tokens": 512}
    ]


def test_a_probe_counts_answers_that_name_the_project(world, tmp_path):
    with Server([Reply("It is from CJSON.")]) as server:
        options = {"base_url": server.openai, "prompt": "contamination"}
        job_of(world[1], world[2].head(2), "openai:m", **options).go(str(tmp_path / "run"))
    known = scores.count_recognitions(scores.probe_of(tmp_path / "run"))
    assert known["asked"] == known["recognised"] == known["of these recognised"] == 2


HANDS = SUITES / "ossbench" / "good_edits"


@pytest.mark.slow
def test_good_edits_build_pass_all_tests_and_raise_no_alert(tmp_path, monkeypatch):
    """The hand-written improvements of cJSON."""
    monkeypatch.delenv("KIT_CACHE", raising=False)
    names = {file.stem for file in HANDS.glob("*.c")}
    assert len(names) >= 10
    project = open_project("cjson")
    table = extract.kept_functions(project)
    table = table[table["name"].isin(names)]
    assert set(table["name"]) == names
    go(project, table, tmp_path, f"hands:{HANDS}", iterations=1, draw="all")
    tables = scores.load_tables(tmp_path)
    got = scores.evaluate_tables(tables)
    assert (got["compilability"], got["functional"], got["memory"]) == (100, 100, 100)
    assert (tables.edits["changed"] > 0).all()
    ran = set().union(*tables.iterations["executed"])
    assert set(tables.edits.loc[tables.edits["function_index"].isin(ran), "name"]) == names


def test_scores_rest_on_the_share_of_edits_that_ran(run):
    tables = study.builds(str(run[0]))
    ran = set().union(*scores.sampled_iterations(tables)["executed"])
    held = set().union(*scores.sampled_iterations(tables)["edits"])
    assert ran <= held
    assert tables.percent_reached == 100 * len(ran) / len(held)
    assert list(tables.answers["name"]) == list(tables.edits["name"])


CASES = SUITES / "ossbench" / "case_studies"


@pytest.mark.slow
def test_each_edit_of_the_case_studies_is_stopped_where_the_notebook_says(tmp_path, monkeypatch):
    monkeypatch.delenv("KIT_CACHE", raising=False)
    project = open_project("cjson")
    table = extract.kept_functions(project)
    table = table[table["name"].isin({file.stem for file in CASES.glob("*.c")})]
    go(project, table, tmp_path, f"hands:{CASES}", draw="all", fuzz=20_000, fuzzed=1)
    tables = study.builds(str(tmp_path))
    (tested,) = scores.sampled_iterations(tables).to_dict("records")
    assert tested["passed"] == tested["planned"]
    outcomes = tables.answers.set_index("name")
    assert outcomes["build"].value_counts().to_dict() == {"pass": 3, "fail": 2}
    assert "passed 3 arguments" in outcomes.loc["skip_utf8_bom", "why"]
    assert list(outcomes.index[outcomes["memory"] == "pass"]) == ["cJSON_IsRaw"]
    assert set(tables.alerts["purpose"]) == {"sample", "fuzz"}
