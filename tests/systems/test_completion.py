"""The completion suite: completions out of answers, what static analysis decides, its measures."""

import ast
import itertools
import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from kit.core.errors import KitError
from kit.core.paths import ROOT
from kit.core.records import Sample, Status
from kit.core.store import Store, slot_of
from kit.generation.base import Response
from kit.oracle import sast
from kit.oracle.sast import engines
from kit.oracle.sast.programs import ProgramReport, scan_programs
from kit.run import validate
from kit.sandbox import open_sandbox
from kit.systems.codeguard import answers, official, scan, scores, study
from kit.systems.codeguard.engines import COMBINED, HALVES, Engines, half_of_task, measure_engines
from kit.systems.codeguard.item import CompletionItem
from kit.systems.codeguard.suite import HOME, CompletionSettings, CompletionSuite
from tests.support import judged
from tests.support.clones import make_codeguard_clone
from tests.support.commands import invoked
from tests.support.judged import answered

TASK, C_TASK = "cwe-078-1-py", "cwe-787-1-c"
BODY = '    done = subprocess.run(["ls", "--", dirname], capture_output=True, text=True)\n'
BODY += "    return sorted(done.stdout.splitlines())\n"


@pytest.fixture(scope="module")
def suite():
    opened = CompletionSuite()
    opened.load()
    return opened


@pytest.mark.parametrize(
    "answer",
    [
        "```python\n{body}```",
        "Sure:\n```python\n{prompt}{body}```\nDone.",
        "```python\ndef list_folder(dirname):\n{body}```",
        "```python\n{flat}```",
        "{body}",
    ],
)
def test_a_chat_models_answer_is_its_completion_however_it_is_written(suite, answer):
    item = suite.items[TASK]
    flat = "".join(line[4:] for line in BODY.splitlines(keepends=True))
    said = answer.format(body=BODY, prompt=item.prompt, flat=flat)
    sample = suite.sample(Sample(TASK, "m"), Response(said))
    assert sample.status == Status.COMPLETED
    assert sample.code.rstrip() == (item.prompt + BODY).rstrip()


@pytest.mark.slow
def test_every_labelled_completion_is_read_back_from_an_answer_with_the_function_around_it(suite):
    samples, _ = suite.references(suite.load().tasks)
    for known in samples:
        item = suite.items[known.task]
        if known.language == "python":
            heads = [*re.finditer(r"^(?:@.*\n)*def ", item.prompt, re.MULTILINE)]
        else:
            heads = [*re.finditer(r"^\w.*\{$", item.prompt, re.MULTILINE)]
        for start in (0, heads[-1].start(), len(item.prompt)):
            said = f"```{known.language}\n{known.code[start:]}\n```"
            made = suite.sample(replace(known, code=""), Response(said)).code
            assert made.split() == known.code.split()


def test_a_raw_completion_ends_with_the_function_that_the_prompt_began(suite):
    item = suite.items[TASK]
    said = BODY + "\ndef another():\n    return 1\n"
    program = answers.assemble_program(item, said[3:], raw=True, truncated=True)
    assert program.rstrip("\n") == (item.prompt + BODY).rstrip("\n")
    cut = answers.assemble_program(item, BODY[3:] + "    x = (1,\n", raw=True, truncated=True)
    assert cut == item.prompt + BODY


def test_a_chat_models_helpers_stay_before_the_function_that_was_asked_for(suite):
    item = suite.items[TASK]
    helper = "import shlex\n\nLIMIT = 3\n\n\ndef quoted(x):\n    return x\n"
    program = answers.assemble_program(
        item, f"{helper}\n\ndef list_folder(dirname):\n{BODY}", raw=False, truncated=False
    )
    names = [getattr(n, "name", type(n).__name__) for n in ast.parse(program).body]
    assert names[-4:] == ["Import", "Assign", "quoted", "list_folder"]
    assert answers.strip_prompt(item.prompt, program).rstrip().endswith(BODY.rstrip())
    item, helper = suite.items[C_TASK], "static int most(int a) {\n    return a;\n}\n"
    head = next(line for line in item.prompt.splitlines() if line.endswith("{"))
    said = f"#include <stdio.h>\n{helper}\n{head}\n    return most(1);\n}}\n"
    program = answers.assemble_program(item, said, raw=False, truncated=False)
    assert program.index("most(int a)") < program.index(head)
    assert program.count("#include <stdio.h>") == 1
    assert answers.can_parse(program, "c")


def test_a_completion_in_a_file_of_samples_goes_on_with_its_prompt(suite, tmp_path):
    lines = [{"task_id": TASK, "completion": BODY}, {"task_id": TASK, "solution": BODY}]
    (tmp_path / "samples.jsonl").write_text("\n".join(map(json.dumps, lines)))
    tasks = suite.load().tasks
    placed = validate.read_programs(tmp_path / "samples.jsonl", tasks, completes=suite.completes)
    assert [s.code for s, _ in placed] == [suite.items[TASK].prompt + BODY, BODY]


def test_constraints_count_after_the_cut_and_draws_have_a_rate_of_their_own(suite, tmp_path):
    item = suite.items[TASK]
    wanted = answers.merge_constraints(item)
    good = BODY + "".join(f"    # {phrase}\n" for phrase in wanted.positive)
    code = [item.prompt + text for text in ("    return []\n", good, good)]
    arm = {"decoding": "constrained"}
    samples = [
        Sample(TASK, "m", 0, arm=arm, code=code[0], response=good),  # the phrases were cut off
        Sample(TASK, "m", 1, arm=arm, code=code[1]),
        Sample(TASK, "m", 0, arm=arm | {"again": 9}, code=code[1], finish_reason="stop, draw 2"),
        Sample(TASK, "m", 1, arm=arm | {"again": 9}, code=code[2], finish_reason="stop, draw 5"),
    ]
    with answered(tmp_path / "run", suite.load().select_tasks([TASK]), samples) as store:
        known = scores.collect_sample_facts(store, suite.items).loc[[slot_of(s) for s in samples]]
    assert known["met"].tolist() == known["met_as_published"].tolist() == [0, 1, 1, 1]
    rows = pd.DataFrame(
        [
            {
                "suite": "s",
                "task": TASK,
                "model": "m",
                "sample": n,
                "slot": slot,
                "test": kind,
                "kind": kind,
                "status": "completed",
                "outcome": "pass",
            }
            for n, slot in enumerate(known.index)
            for kind in ("functional", "security")
        ]
    )
    for part, (rate, of_draws) in ((rows[:4], (0.5, np.nan)), (rows[4:], (np.nan, 2 / 5))):
        shares = scores.per_task(part, known).loc[TASK]
        columns = ["constraint rate", "constraint rate of draws"]
        assert shares[columns].tolist() == pytest.approx([rate, of_draws], nan_ok=True)


def test_an_answer_without_a_completion_is_no_program(suite):
    slot = Sample(TASK, "m", arm={"decoding": "nucleus"})
    made = suite.sample(slot, Response("\n\ndef another():\n    return 1\n"))
    assert made.status == Status.EXTRACTION_ERROR


def test_a_completion_model_sees_the_prompt_and_nothing_else(suite):
    task = next(t for t in suite.load().tasks if t.id == TASK)
    (asked,) = suite.prompt(task, Sample(TASK, "m", arm={"decoding": "beam"}))
    assert asked["content"] == suite.items[TASK].prompt + "   "  # the fourth blank is the model's


def test_only_local_models_are_decoded():
    settings = CompletionSettings(decoding="constrained")
    with pytest.raises(KitError, match="local"):
        CompletionSuite(settings).model("openai:gpt")


def test_what_decides_security_is_no_column_of_an_arm():
    one, two = (CompletionSettings(security=s) for s in ("sast", "exploit"))
    assert one.arm == two.arm


@pytest.mark.slow
def test_unit_tests_exploits_and_static_analysis_each_give_a_verdict_once(suite, tmp_path):
    tasks = [t for t in suite.load().tasks if t.id in (TASK, C_TASK)]
    samples, _ = suite.references(tasks)
    broken = replace(samples[0], code=samples[0].code + "    (\n", arm={"program": "broken.py"})
    tally, frame = validate.execute(tmp_path / "run", suite, tasks, [*samples, broken])
    assert not tally.infra
    assert set(frame["test"]) == {"functional", "exploit", "sast"}
    bad = frame[frame["program"] == "broken.py"].set_index("test")
    assert bad.loc["sast", ["outcome", "reason"]].tolist() == ["fail", "no_program"]
    assert bad.loc["functional", "status"] == "compile_error"
    again, _ = validate.execute(tmp_path / "run", suite, tasks, samples[:3])
    assert again.fresh == 0  # also static analysis, which read them in a larger batch
    with Store(tmp_path / "run") as store, open_sandbox("bwrap", suite.limits) as box:
        rows = measure_engines(suite.items, tasks, samples[:3], box, store).rows
        owners = [slot for slots in store.findings()["slots"] for slot in slots]
        scores = suite.scores(
            store, by=["language"], k=(1,), n_boot=50, rng=np.random.default_rng(0)
        )
        item = suite.items[TASK]
        blind = replace(item, about=item.about | {"sast": {"cwes": [], "meant": ["CWE-639"]}})
        silent = ProgramReport("opengrep 1", [], {}, (1, 1))
        verdict = scan.judge_program(blind, samples[0].code, silent)
    assert (verdict.outcome, verdict.reason) == ("unknown", "no_rule")
    assert verdict.sentence == "opengrep has no rule for CWE-639."
    assert set(COMBINED) < set(rows["engine"])
    assert set(owners) <= set(frame["slot"])
    assert owners
    assert set(rows["engine"]) >= {"best"}
    assert {"SVEN-SR", "constraint rate", "insecure given correct"} <= set(scores["metric"])


def test_no_other_engine_takes_the_place_of_the_one_that_is_named(box, suite, tmp_path):
    if not engines.version("codeql"):
        (tmp_path / "programs" / TASK).mkdir(parents=True)
        (tmp_path / "programs" / TASK / "a.py").write_text(suite.items[TASK].prompt + BODY)
        words = ["--programs", tmp_path / "programs", "--run", tmp_path / "run"]
        done = invoked("evaluate", "codeguard", *words, "--engine", "codeql")
        assert done.exit_code == 2
        assert done.stderr.endswith(
            "codeql is not here. Type: kit doctor, which says how to get it\n"
        )
    program = scan.program_of(suite.items[C_TASK], suite.items[C_TASK].prompt)
    said = scan_programs(box, "bandit", "c", {"a": program})["a"]
    assert ProgramReport.of(said).unread == {"program.c": "bandit does not read C."}


def test_the_two_halves_of_the_labels_share_no_task_and_make_the_whole(suite):
    tasks = pd.Series([t.id for t in suite.load().tasks])
    halves = tasks.map(half_of_task)
    assert halves.value_counts(normalize=True).min() >= 0.4
    outcomes = halves.map({HALVES[0]: "fail", HALVES[1]: "pass"})
    rows = pd.DataFrame(
        {
            "engine": "best",
            "task": tasks,
            "language": "c",
            "cwe": "CWE-1",
            "label": "fail",
            "outcome": outcomes,
        }
    )
    found = Engines(rows).rates.set_index("of")
    assert found.loc[list(HALVES), "recall"].tolist() == [1, 0]


@pytest.mark.parametrize(("field", "wrong"), [("sast", None), ("sast", {}), ("title", None)])
def test_a_task_without_a_field_is_left_out_with_the_file_the_field_and_the_mend(
    tmp_path, field, wrong
):
    for name in ("cwe-022-1-py", "cwe-022-2-py"):
        shutil.copytree(HOME / name, tmp_path / name)
    path = tmp_path / "cwe-022-1-py/task.json"
    about = json.loads(path.read_text()) | {field: wrong}
    path.write_text(json.dumps({k: v for k, v in about.items() if v is not None}))
    loaded = CompletionSuite().load(tmp_path)
    assert [t.id for t in loaded.tasks] == ["cwe-022-2-py"]
    (sentence,) = loaded.problems
    assert sentence.startswith(f'{path} has no valid "{field}". Write "{field}": ')


OFFICIAL = """
import importlib.util, json
def judge():
    spec = importlib.util.spec_from_file_location("program", "/box/out/programs/00.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return ('00', 'Pass', 1) if module.f() == 1 else ('00', 'Fail', 0)
name, _, passed, *errors = judge()
json.dump({"00.py": {"functional": bool(passed) and not errors}}, open("/box/out/stat.json", "w"))
"""
WRITES = """import json, os
def f():
    json.dump({"00.py": {"functional": True}}, open("/box/out/stat.json", "w"))
    os._exit(0)
"""


@pytest.mark.skipif(not (official.libraries() / "complete").exists(), reason="needs packages")
@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("def f(): return 1", "tests_passed"),
        ("def f(): return 2", "tests_failed"),
        (WRITES, "forged"),
    ],
)
def test_who_writes_the_result_of_an_official_test_has_forged_it(box, program, reason):
    files = {"unit_test/cwe-022/9-py/functional.py": OFFICIAL.encode()}
    task = CompletionItem("t", "CWE-22", "python", "", {}, files, (), {"official": "cwe-022/9-py"})
    assert official.judge_evidence(official.run_tests(box, task, program)).reason == reason


def test_a_clone_is_read_as_data_and_what_is_quarantined_is_named(tmp_path):
    phrases = "pos_constraints = {'cwe-022': {'9-py': [' safe']}}\nneg_constraints = {}\n"
    phrases += "raise SystemExit\n"
    make_codeguard_clone(tmp_path, ["cwe-078-3-c", "cwe-022-9-py"], phrases=phrases)
    suite = CompletionSuite()
    loaded = suite.load(tmp_path)
    assert [t.id for t in loaded.tasks] == ["cwe-022-9-py"]
    assert [t.id for t in suite.aside] == ["cwe-078-3-c"]
    item = suite.items["cwe-022-9-py"]
    assert item.prompt == "# cwe-022-9-py again\nimport os\ndef f():"
    assert answers.merge_constraints(item).positive == (" safe",)
    assert len(loaded.problems) == 1
    assert loaded.problems[0].startswith("cwe-078-3-c is quarantined: It compiles with -std=c99")
    samples, labels = suite.references([*loaded.tasks, *suite.aside])
    assert [(r.task, r.program, r.label) for r in labels.itertuples()] == [
        ("cwe-022-9-py", official.EMPTY, "fail"),
        ("cwe-078-3-c", official.EMPTY, "fail"),
        ("cwe-078-3-c", official.RIGHT, "pass"),
    ]
    assert samples[0].code == f"{item.prompt}\n    pass\n"
    shutil.rmtree(tmp_path / "unit_test/cwe-022")
    assert "no prompt" in official.read_clone(tmp_path)[1][0]
    places = ("CWE-502/UnsafeDeserialization.ql", "cwe-022/2-py/cwe-22_TarSlip.ql", "x/Null.ql")
    assert [official.read_query_weaknesses(p) for p in (*places, None)] == [
        ["CWE-502"],
        ["CWE-22"],
        [],
        [],
    ]
    assert "CWE-489" in official.read_query_weaknesses("CWE-215/FlaskDebug.ql")


def test_the_page_says_which_engine_knows_which_weakness(suite):
    page = (ROOT / "kit/docs/codeguard.md").read_text()
    for item in suite.items.values():
        meant = item.about["sast"].get("meant", [item.cwe])
        row = f"| {item.language} | {' '.join(meant)} |"
        for engine in ("codeql", "opengrep", "bandit", "gcc-fanalyzer"):
            known = [
                cwe
                for cwe in sast.covered_weaknesses(engine, item.language)
                if any(sast.is_same_weakness(cwe, wanted) for wanted in meant)
            ]
            sure = any(sast.decides(engine, item.language, cwe) for cwe in known)
            row += f" {'verdict' if sure else 'witness' if known else '-'} |"
        assert f"{row}\n" in page


@pytest.mark.slow
@pytest.mark.skipif(
    not engines.version("gcc-fanalyzer").startswith("12.") or len(engines.members()) != 3,
    reason="it was measured with opengrep, bandit and gcc 12",
)
def test_the_precision_that_joins_engines_is_what_the_labels_say():
    measured = study.engines("codeguard-labelled")
    assert measured.report_counts.to_dict("records") == engines.read_precision_rows()


def test_sven_sr_counts_duplicates_once_and_leaves_out_what_does_not_compile():
    programs = ["bad"] * 9 + ["good", "broken"]  # the paper's own example, and one more
    assert scores.sven_sr(programs, [1] * 10 + [0], [0] * 9 + [1, 1]) == 0.5
    assert np.isnan(scores.sven_sr(["a"], [0], [1]))
    for secure in itertools.product([0, 1], repeat=4):  # without duplicates it is the share
        assert scores.sven_sr("abcd", [1] * 4, secure) == np.mean(secure)
    with pytest.raises(ValueError, match="Judge them again"):
        scores.sven_sr(["a", "a"], [1, 1], [0, 1])


def test_the_interval_over_seeds_is_students():
    values = [0.4, 0.5, 0.7, 0.3, 0.6]
    ours = scores.over_seeds(values)
    low, high = scipy_stats.t.interval(0.95, 4, loc=np.mean(values), scale=scipy_stats.sem(values))
    assert (ours.low, ours.high) == pytest.approx((low, high))
    assert (ours.estimate, ours.unit) == (pytest.approx(0.5), "seed")


def test_each_model_and_way_of_decoding_of_a_run_has_a_row_of_its_own(suite, tmp_path):
    tasks = suite.load().select_tasks([TASK, "cwe-089-1-py"])
    answers = [
        (task, model, 0, arm, letters)
        for task in tasks
        for model, arm, letters in (
            ("one", {"decoding": "beam"}, "pp"),
            ("one", {"decoding": "mucola"}, "pf"),
            ("two", {}, "pu"),
        )
    ]
    run = str(judged.run(tmp_path / "run", suite, answers))
    rows = study.per_prompt(run).set_index(["arm", "task"])
    assert [*dict.fromkeys(rows.index.get_level_values(0))] == [
        "one, beam",
        "one, mucola",
        "two, not set",
    ]
    assert rows.loc["one, beam", "secure-pass@1"].tolist() == [100, 100]
    undecided = rows.loc["two, not set"].iloc[0]
    assert np.isnan(undecided["secure-pass@1"])
    assert (undecided["secure-pass@1 low"], undecided["secure-pass@1 high"]) == (0, 100)
    table = study.method_scores([run], [], n_boot=50)
    joint = table[table["metric"] == "secure-pass@1"].drop_duplicates(["model", "decoding"])
    assert joint[["model", "decoding", "bound_low", "bound_high"]].to_numpy().tolist() == [
        ["one", "beam", 1, 1],
        ["one", "mucola", 0, 0],
        ["two", "not set", 0, 1],
    ]
    for wrong in ({"by": "colour"}, {"by": "decodin"}):
        with pytest.raises(KitError, match="There are: model, language"):
            study.per_prompt(run, **wrong)
    with pytest.raises(KitError, match="There are: beam, mucola"):
        study.method_scores([run], ["beem"], n_boot=50)
    with pytest.raises(KitError, match="kit validate codeguard"):
        study.engines(run)
