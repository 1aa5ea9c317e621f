"""Notebooks on a run of one's own: each ends and shows the run's own numbers and all its rows."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pytest

from kit.core.paths import NOTEBOOKS, REFERENCES, SUITES
from kit.run.books import read_parameters
from tests.support.commands import kit
from tests.support.wire import Reply, Server

PROCESS = Path(__file__).parents[1] / "support" / "notebook_process.py"
TASKS = ("k13", "k16")  # a function and a class, with few tests
OPEN = ("nan", "–", "not stated", "None")  # words that no row may be called by
PACKED = re.compile(r"\((model|prompt|decoding|language|of) ")
NO_PROGRAM = ("extraction_error", "refused", "compile_error")
NOT_THE_MODELS = ("infra_error", "not_run")
MOST_UNDECIDED = 0.05


def in_list(run):
    return [run]


def in_two_arms(run):
    return [{"arm": name, "run": run} for name in ("one", "two")]


@dataclass(frozen=True)
class Reading:
    """How a notebook is given a run, and what has to be seen of it.

    names: its parameters that name the run; form: how they hold it. rows: columns of the run, each
    of whose values names a row. rates: the columns by which pass@1, secure@1 and secure-pass@1
    stand; security: whether secure@1 is among them.
    refuses: a run, and a word of the sentence that refuses it.
    """

    names: tuple[str, ...] = ("source",)
    rows: tuple[str, ...] = ("model",)
    rates: tuple[str, ...] = ()
    security: bool = True
    form: Callable[[str], object] = str
    more: dict[str, object] = field(default_factory=dict)
    refuses: dict[str, str] = field(default_factory=dict)


UNLABELLED = ("models", "arms", "languages", "clean", "undecided")
BY_MODEL = ("model", "language", "prompt", "label")
BY_METHOD = ("model", "decoding", "label")
BY_PROMPT = ("model", "prompt", "label")
READINGS = {
    "dualgauge/table_2": Reading(rows=BY_MODEL, rates=BY_MODEL),
    "dualgauge/table_3": Reading(rows=(), refuses=dict.fromkeys(UNLABELLED, "label")),
    "dualgauge/table_4_agents": Reading(rows=BY_MODEL, rates=BY_MODEL),
    "dualgauge/table_6": Reading(rows=()),
    "dualgauge/table_9_access": Reading(more={"closed": ["openai:fake-a"]}),
    "dualgauge/table_10_to_14_factors": Reading(more={"factor": "tuning", "column": "model"}),
    "dualgauge/tables_15_16": Reading(rows=("cwe", "model")),
    "dualgauge/statistics": Reading(rows=BY_MODEL),
    "dualgauge/cost": Reading(rows=()),
    "dualgauge/calibration": Reading(
        rows=(),
        refuses=dict.fromkeys(
            ("models", "arms", "languages", "clean", "undecided", "validation"), "label"
        ),
    ),
    "dualgauge/failure_audit": Reading(rows=()),
    "dualgauge/compiled": Reading(
        ("judged",),
        rows=(),
        refuses={**dict.fromkeys(UNLABELLED, "labelled"), "validation": "judge"},
    ),
    "dualgauge/sweep": Reading(("arms",), form=in_two_arms, rates=BY_MODEL),
    "codeguard/breakdown": Reading(rows=("task",), more={"by": "model"}),
    "codeguard/figure_7_reversals": Reading(rows=()),
    "codeguard/figures_1_2_headline": Reading(),
    "codeguard/live_decoding": Reading(("run",)),
    "codeguard/oracles": Reading(rows=(), refuses=dict.fromkeys(("chat", "methods"), "validat")),
    "codeguard/table_2_3_4_decoding": Reading(rates=BY_METHOD, security=False),
    "codeguard/table_6_per_prompt": Reading(
        rows=("model", "task"), rates=(*BY_METHOD, "task"), security=False
    ),
    "realsec/table_2_categories": Reading(rows=BY_PROMPT),
    "realsec/table_5_hops": Reading(rows=BY_PROMPT),
    "realsec/table_6_retrieval": Reading(rows=BY_PROMPT, rates=BY_PROMPT),
    "realsec/table_7_prompting": Reading(rows=BY_PROMPT, rates=BY_PROMPT),
    "realsec/live_run": Reading(("run",), rows=BY_PROMPT, rates=BY_PROMPT),
    "realsec/real_repositories": Reading(("own", "real"), rows=BY_PROMPT),
    "realsec/adjudication": Reading(
        ("recorded",), rows=(), refuses=dict.fromkeys(("bodies", "models"), "--security both")
    ),
    "ossbench/contamination": Reading(
        ("asked", "edited"),
        refuses=dict.fromkeys(("identity", "saboteur"), "--prompt contamination"),
    ),
    "ossbench/table_1_scores": Reading(form=in_list),
    "ossbench/two_releases": Reading(
        ("older", "newer"),
        refuses=dict.fromkeys(("identity", "saboteur"), "none of the answers of"),
    ),
    "ossbench/figures_6_to_11_panels": Reading(form=in_list),
    "ossbench/fuzzing": Reading(refuses=dict.fromkeys(("identity", "saboteur"), "was not fuzzed")),
    "ossbench/live_run": Reading(),
    "explore/failures": Reading(("run",)),
    "explore/disagreements": Reading(("run",), rows=()),
    "explore/compare_runs": Reading(("first", "second"), rows=()),
    "explore/items": Reading(form=in_list),
    "explore/many_models": Reading(("runs",), rates=("model", "decoding"), form=in_list),
}
# They read a table or ratings, or make a run.
OTHERS = {
    "00_tour",
    "audit",
    "dualgauge/figure_3_factors",
    "dualgauge/live_run",
    "dualgauge/review",
    "ossbench/case_studies",
    "ossbench/task_scale",
    "realsec/characteristics",
    "realsec/table_1_adjudication",
}


def test_every_notebook_is_given_a_run_or_takes_none():
    names = {
        p.relative_to(NOTEBOOKS).with_suffix("").as_posix() for p in NOTEBOOKS.rglob("*.ipynb")
    }
    assert {name for name in names if not name.startswith("course/")} == READINGS.keys() | OTHERS


def read_program(task, name):
    return (REFERENCES / task / name).read_text()


def answer(task, program):
    return Reply(f"The program:\n\n```python\n{read_program(task, program)}\n```\n")


def answer_well(task, _):
    return answer(task, "secure.py")


def answer_mixed(task, number):
    """Wrong, insecure, cut off, refused, empty and without a program, in turn."""
    answers = [
        answer(task, "wrong.py"),
        answer(task, "insecure.py"),
        answer(task, "secure.py"),
        Reply("```python\ndef cut(", reason="length"),
        Reply("", reason="content_filter"),
        Reply(""),
        Reply("I would rather explain it in words."),
    ]
    return answers[number % len(answers)]


ANSWERS = {"fake-a": answer_mixed, "fake-a.1": answer_well}


class Answering:
    """Answers each question by the model that is asked and by how often it was asked this task."""

    def __init__(self, prompts):
        self.prompts = prompts
        self.asked = Counter()

    def __call__(self, request):
        question = json.dumps(request.body["messages"], ensure_ascii=False)
        task = next(
            t
            for t, prompt in self.prompts.items()
            if json.dumps(prompt, ensure_ascii=False)[1:-1] in question
        )
        model = request.body["model"]
        self.asked[model, task] += 1
        return ANSWERS[model](task, self.asked[model, task] + TASKS.index(task))


def without_probes(folder):
    """A suite of one task whose security tests are English alone, so that nothing decides them."""
    item = json.loads((SUITES / "dualgauge" / TASKS[0] / "tests.json").read_text())
    for test in item["sec_tests"]:
        test.pop("probes", None)
        test.pop("variants", None)
        test["expected_behavior/output"] = "It behaves as a careful reader would expect."
    place = folder / "own" / TASKS[0]
    place.mkdir(parents=True)
    (place / "tests.json").write_text(json.dumps(item))
    return place.parent


def make_dualgauge(folder):
    items = [json.loads((SUITES / "dualgauge" / t / "tests.json").read_text()) for t in TASKS]
    prompts = {item["benchmark_id"]: item["prompt"] for item in items}
    runs = {
        name: folder / name
        for name in ("models", "arms", "clean", "undecided", "languages", "validation")
    }
    with Server(Answering(prompts)) as server:

        def ask(model, run, *words):
            only = () if "--data" in words else ("--only", ",".join(TASKS))
            asked = ("--model", f"openai:{model}", "--base-url", server.openai, "--connections", 1)
            kit("run", "dualgauge", *asked, "--run", runs[run], *only, *words)

        ask("fake-a", "models", "--n", 4)
        ask("fake-a.1", "models", "--n", 4)
        ask("fake-a", "arms", "--arms", "plain,secure", "--n", 2)
        ask("fake-a.1", "clean")
        ask("fake-a.1", "undecided", "--unvalidated", "--data", without_probes(folder))
    replayed = ("run", "dualgauge", "--model", "replay:claude-plain", "--run", runs["languages"])
    kit(*replayed, "--only", ",".join(TASKS), "--n", 2)
    kit(
        "validate",
        "dualgauge",
        "--only",
        ",".join(TASKS),
        "--language",
        "python",
        "--run",
        runs["validation"],
    )
    return runs


def replay(suite, recorded, run, tasks):
    kit("run", suite, "--model", f"replay:{recorded}", "--run", run, "--only", tasks)


def make_codeguard(folder):
    chat, methods, validation = (folder / name for name in ("chat", "methods", "validation"))
    some = "cwe-020-1-py,cwe-022-1-py,cwe-078-1-py"
    replay("codeguard", "claude-completions", chat, some)
    for recorded in ("claude-completions", "codeguard-smollm2"):
        replay("codeguard", recorded, methods, some)
    kit("validate", "codeguard", "--only", some, "--run", validation)
    return {"chat": chat, "methods": methods, "validation": validation}


def make_realsec(folder):
    bodies, models = folder / "bodies", folder / "models"
    replay("realsec", "realsec-bodies", bodies, "access-01,access-02,jobs-01")
    for recorded in ("realsec-bodies", "realsec-smollm2"):
        replay("realsec", recorded, models, "filestore-03,mailer-01")
    validation = folder / "validation"
    kit("validate", "realsec", "--only", "access-01", "--security", "both", "--run", validation)
    return {"bodies": bodies, "models": models, "validation": validation}


def make_ossbench(folder):
    small = ("--limit", 6, "--iterations", 4, "--share", 0.5)
    for model in ("identity", "saboteur"):
        kit("run", "ossbench", "--model", model, *small, "--run", folder / model)
    return {model: folder / model for model in ("identity", "saboteur")}


def read_rows(run, folder):
    """The rows of `kit export`, each with what the policy makes of it."""
    target = folder / f"{run.name}-{run.parent.name}.csv"
    kit("export", run, target)
    rows = pd.read_csv(target, keep_default_na=False)
    failed = rows["status"].isin(NO_PROGRAM)
    rows["ours"] = rows["status"].isin(NOT_THE_MODELS)
    rows["open"] = ~failed & ~rows["ours"] & (rows["outcome"] == "unknown")
    rows["good"] = ~failed & ~rows["ours"] & (rows["outcome"] == "pass")
    return rows


def rate(rows, kinds):
    """pass@1 in per cent over tests of these kinds; None where too much is undecided."""
    some = rows[rows["kind"].isin(kinds)]
    samples = some.groupby(["task", "slot"]).agg(good=("good", "all"), ours=("ours", "any"))
    failed = (
        (~some["good"] & ~some["open"] & ~some["ours"]).groupby([some["task"], some["slot"]]).any()
    )
    undecided = ~samples["good"] & ~failed
    if undecided.mean() > MOST_UNDECIDED:
        return None
    counted = samples.loc[~samples["ours"], "good"]
    return 100 * counted.groupby("task").mean().mean()


def differs(rows, column):
    """Whether a run has several values of a column, so that each must be named."""
    return column in rows and rows[column].nunique() > 1


def expect_numbers(rows, reading):
    """Per group of a run the words of its row and the rates that stand in it."""
    axes = [["functional"], ["security"], ["functional", "security"]]
    shown = axes if reading.security else axes[::2]
    by = [column for column in reading.rates if differs(rows, column)]
    for key, part in rows.groupby(by) if by else [((), rows)]:
        rates = [rate(part, kinds) for kinds in shown]
        yield [str(word) for word in key if word], [value for value in rates if value is not None]


LABELS = {
    "python": "Python",
    "javascript": "JavaScript",
    "cpp": "C++",
    "c": "C",
    "saboteur": "seeded faults",
}


def holds(cells, words):
    """Whether each word, or its label, is one of the cells or stands in one."""
    there = {part for cell in cells for part in split(cell)}
    return all({word, LABELS.get(word, word)} & there for word in words)


def split(text):
    """A text of a figure, and the words in it."""
    return [text, *re.split(r"[ ,;\n·|()]+", text)]


def faults_of(reading, shown, rows):
    """What is wrong with what a notebook showed of a run, a sentence each."""
    heads = [cell for table in shown["tables"] for row in table for cell in row]
    called = [cell for cell in heads if PACKED.search(cell)]
    if called:
        yield f"rows are called {sorted(set(called))[:3]}"
    firsts = {row[0] for table in shown["tables"] for row in table[1:] if len(row) > 1}
    if wrong := firsts & set(OPEN):
        yield f"rows are called {sorted(wrong)}"
    cells = set(heads)
    drawn_words = {word for texts in shown["figures"] for text in texts for word in split(text)}
    for column in reading.rows:
        if not differs(rows, column):
            continue
        chosen = rows[rows["kind"] == "security"] if column == "cwe" else rows
        names = {str(name) for name in chosen[column].unique()} - {""}
        absent = sorted(name for name in names if not holds(cells | drawn_words, [name]))
        if absent:
            yield f"no row for {column} {absent[:5]}"
        if column in ("prompt", "label"):  # words of titles too
            continue
        for texts in shown["figures"]:
            words = {word for text in texts for word in split(text)}
            drawn = {name for name in names if {name, LABELS.get(name, name)} & words}
            if drawn and drawn != names:
                yield f"a figure has {column} {sorted(drawn)} without {sorted(names - drawn)}"
    for words, values in expect_numbers(rows, reading) if reading.rates else ():
        lines = [
            row for table in shown["tables"] for row in table if holds({*row} | {*table[0]}, words)
        ]
        for value in values:
            written = {f"{value:.1f}", f"{value:.2f}"}
            if not any(
                written & {part for cell in line for part in cell.split()} for line in lines
            ):
                yield f"{value:.2f} is nowhere in a row of {words}"


def execute(jobs):
    done = subprocess.run(
        [sys.executable, PROCESS],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


MAKERS = {
    "dualgauge": make_dualgauge,
    "codeguard": make_codeguard,
    "realsec": make_realsec,
    "ossbench": make_ossbench,
}


@pytest.mark.slow
@pytest.mark.parametrize("suite", MAKERS)
def test_notebooks_show_a_run_of_ones_own(suite, tmp_path):
    runs = MAKERS[suite](tmp_path)
    rows = {name: read_rows(run, tmp_path) for name, run in runs.items()}
    chosen = [book for book in READINGS if book.startswith((suite, "explore"))]
    pairs = [(book, run) for book in chosen for run in runs]
    jobs = []
    for book, run in pairs:
        reading, source = READINGS[book], str(runs[run])
        given = dict.fromkeys(reading.names, reading.form(source)) | reading.more
        if "n_boot" in read_parameters(NOTEBOOKS / f"{book}.ipynb"):
            given["n_boot"] = 200
        jobs.append(
            {
                "path": str(NOTEBOOKS / f"{book}.ipynb"),
                "parameters": given,
                "figures": str(tmp_path),
            }
        )
    faults = []
    for (book, run), shown in zip(pairs, execute(jobs), strict=True):
        reading = READINGS[book]
        wanted = reading.refuses.get(run, "")
        if shown["error"]:
            refused = wanted and shown["error"].startswith("KitError") and wanted in shown["error"]
            faults += [] if refused else [f"{book} on {run}: {shown['error'][:200]}"]
        elif wanted:
            faults.append(f"{book} on {run}: is not refused")
        else:
            faults += [
                f"{book} on {run}: {fault}" for fault in faults_of(reading, shown, rows[run])
            ]
    assert faults == [], "\n".join(["", *faults])
