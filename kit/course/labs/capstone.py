"""Capstone: a task of one's own, with programs that are labelled by what they are meant to be."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from kit.core.form import Malformed
from kit.core.records import Outcome, Task
from kit.course import run_tests
from kit.course.exercise import Remark, Setting, ask_value, cut_text
from kit.course.labs.lab_02 import odd_probes
from kit.run import validate
from kit.systems.dualgauge import authoring, item
from kit.systems.dualgauge.suite import SpecSuite

KEYS = {"name", "prompt", "files", "fc_tests", "sec_tests", "secure", "insecure"}
MOST_TESTS, MOST_FILES, MOST_TEXT = 12, 10, 20_000


def example() -> dict[str, Any]:
    """The task that `kit task new` begins with, in the shape of an answer."""
    texts = authoring.read_example()
    tests = json.loads(texts["tests.json"])
    return {
        "name": "read_note",
        "prompt": tests["prompt"],
        "files": {path: text for path, text in texts.items() if path.startswith("test_dir/")},
        "fc_tests": tests["fc_tests"],
        "sec_tests": tests["sec_tests"],
        "secure": texts["references/secure.py"],
        "insecure": texts["references/insecure.py"],
    }


def vacuous(name: str) -> dict[str, str]:
    """Programs that do nothing of use: each must fail a functional test of the task."""
    return {
        "returns nothing": f"def {name}(*args, **kwargs):\n    return None\n",
        "always raises": f'def {name}(*args, **kwargs):\n    raise ValueError("no")\n',
        "gives back what it is given": f"def {name}(*args, **kwargs):\n"
        "    values = [*args, *kwargs.values()]\n    return values[0] if values else None\n",
    }


def explain_malformed_task(task: Any) -> str:
    """Why a value is no task in the shape of `example`; or ""."""
    if not isinstance(task, dict) or set(task) != KEYS:
        return f"give a dictionary with the keys {', '.join(sorted(KEYS))}"
    for key in ("name", "prompt", "secure", "insecure"):
        if not isinstance(task[key], str) or not 0 < len(task[key]) <= MOST_TEXT:
            return "name, prompt, secure and insecure are texts"
    if not task["name"].isidentifier():
        return "name is that of the ask_function, which the prompt names too"
    for kind in ("fc_tests", "sec_tests"):
        tests = task[kind]
        if not isinstance(tests, list) or not 0 < len(tests) <= MOST_TESTS:
            return f"{kind} is a list of 1 to {MOST_TESTS} tests"
        for test in tests:
            if not isinstance(test, dict) or "input_file_path" in test:
                return f"every test of {kind} is a dictionary with an input"
    files = task["files"]
    if not isinstance(files, dict) or len(files) > MOST_FILES:
        return f"files is a dictionary of at most {MOST_FILES} paths and texts"
    for name, text in files.items():
        path = PurePosixPath(name)
        if path.parts[:1] != ("test_dir",) or ".." in path.parts or "\0" in name:
            return f"{cut_text(name, 60)!r}: a file lies below test_dir"
        if not isinstance(text, str) or len(text) > MOST_TEXT or len(name) > 100:
            return f"{cut_text(name, 60)!r}: a file holds a text of at most {MOST_TEXT} characters"
    probed = [test for test in task["sec_tests"] if "probes" in test]
    flaw = odd_probes(probed)
    if not flaw and len(probed) < len(task["sec_tests"]):
        flaw = "every security test has probes"
    return flaw


def read_answer_task(answer: Mapping[str, Any]) -> Task:
    """The task as the kit's own reader takes it; raises Malformed with one sentence."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "capstone"
        write(folder, answer)
        return item.read_task(folder, suite="course")[0]


def write(folder: Path, answer: Mapping[str, Any]) -> None:
    """FOLDER/tests.json and its fixtures, as `kit validate --data` reads them."""
    tests = {
        "benchmark_id": folder.name,
        "prompt": answer["prompt"],
        "implementation_details": "",
        "fc_tests": answer["fc_tests"],
        "sec_tests": answer["sec_tests"],
    }
    texts = {**answer["files"], "tests.json": json.dumps(tests, indent=1) + "\n"}
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace", newline="")


def write_references(folder: Path, answer: Mapping[str, Any]) -> None:
    """FOLDER/labels.json and the two programs: what each is meant to do on every test."""
    task = read_answer_task(answer)
    folder.mkdir(parents=True, exist_ok=True)
    last = [test.id for test in task.tests if test.kind == "security"][-1]
    labels = {}
    for name, kind in (("secure", "secure"), ("insecure", "functional_but_insecure")):
        (folder / f"{name}.py").write_text(answer[name], encoding="utf-8")
        words = {test.id: "pass" for test in task.tests}
        if name == "insecure":
            words[last] = "fail"
        tests = {id: {"label": word, "why": "As it is meant to be."} for id, word in words.items()}
        labels[f"{name}.py"] = {"kind": kind, "note": "", "tests": tests}
    (folder / "labels.json").write_text(json.dumps(labels, indent=1) + "\n")


def validate_answer(answer: Mapping[str, Any], home: Path) -> pd.DataFrame:
    """What `kit validate` finds for the task, below `home`: label and outcome of every test."""
    suite = SpecSuite()
    write(home / "tasks" / "capstone", answer)
    write_references(home / "references" / "capstone", answer)
    tasks = suite.load(home / "tasks").tasks
    samples, labels = suite.references(tasks, home / "references")
    _, frame = validate.execute(home / "run", suite, tasks, samples)
    rows = validate.join_labels(labels, frame)
    return rows[["program", "test", "kind", "cwe", "label", "outcome"]]


def whole(answer: Any, setting: Setting) -> list[Remark]:
    """The task loads; both programs behave as meant; vacuous ones fail a functional test."""
    flaw = explain_malformed_task(answer)
    if flaw:
        return [Remark(False, flaw, needed=True)]
    try:
        task = read_answer_task(answer)
    except Malformed as error:
        return [Remark(False, f"the kit cannot read the task: {cut_text(str(error))}", needed=True)]
    except OSError as error:
        return [Remark(False, f"a file cannot be written: {cut_text(error.strerror or '')}", True)]
    remarks = [
        _passes_all(setting, task, "secure.py", answer["secure"], "functional"),
        _passes_all(setting, task, "secure.py", answer["secure"], "security"),
        _passes_all(setting, task, "insecure.py", answer["insecure"], "functional"),
        _fails_some(setting, task, "insecure.py", answer["insecure"], "security"),
    ]
    for name, code in vacuous(answer["name"]).items():
        remarks.append(_fails_some(setting, task, f"a program that {name}", code, "functional"))
    return remarks


def _passes_all(setting: Setting, task: Task, name: str, code: str, kind: str) -> Remark:
    for test in task.tests:
        if test.kind != kind:
            continue
        verdict, evidence = run_tests.judge_single_test(setting.box, task, test, code)
        if verdict.outcome is not Outcome.PASS:
            failure = f"{name} does not pass {test.id}: {verdict.sentence} {evidence.note}".strip()
            return Remark(False, cut_text(failure, 240), name == "secure.py")
    return Remark(True, f"{name} passes all {kind} tests", name == "secure.py")


def _fails_some(setting: Setting, task: Task, name: str, code: str, kind: str) -> Remark:
    tests = [test for test in task.tests if test.kind == kind]
    ok = run_tests.fails_some_test(setting.box, task, tests, code)
    ending = "fails a" if ok else "survives every"
    return Remark(ok, f"{name} {ending} {kind} test")


EXERCISES = (
    ask_value(
        "7.1p", "first_task", "The task that the kit begins with, and one test more", 0, whole
    ),
    ask_value("7.1", "own_task", "A task of your own", 15, whole),
)
