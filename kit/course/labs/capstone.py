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


def malformed(given: Any) -> str:
    """Why a value is no task in the shape of `example`; or ""."""
    if not isinstance(given, dict) or set(given) != KEYS:
        return f"give a dictionary with the keys {', '.join(sorted(KEYS))}"
    texts = [given[k] for k in ("name", "prompt", "secure", "insecure")]
    if not all(isinstance(t, str) and 0 < len(t) <= MOST_TEXT for t in texts):
        return "name, prompt, secure and insecure are texts"
    if not given["name"].isidentifier():
        return "name is that of the ask_function, which the prompt names too"
    for kind in ("fc_tests", "sec_tests"):
        tests = given[kind]
        if not isinstance(tests, list) or not 0 < len(tests) <= MOST_TESTS:
            return f"{kind} is a list of 1 to {MOST_TESTS} tests"
        if not all(isinstance(t, dict) and "input_file_path" not in t for t in tests):
            return f"every test of {kind} is a dictionary with an input"
    probed = [t for t in given["sec_tests"] if "probes" in t]
    every = "" if len(probed) == len(given["sec_tests"]) else "every security test has probes"
    files = given["files"]
    if not isinstance(files, dict) or len(files) > MOST_FILES:
        return f"files is a dictionary of at most {MOST_FILES} paths and texts"
    for name, text in files.items():
        path = PurePosixPath(name)
        if path.parts[:1] != ("test_dir",) or ".." in path.parts or "\0" in name:
            return f"{cut_text(name, 60)!r}: a file lies below test_dir"
        if not isinstance(text, str) or len(text) > MOST_TEXT or len(name) > 100:
            return f"{cut_text(name, 60)!r}: a file holds a text of at most {MOST_TEXT} characters"
    return odd_probes(probed) or every


def opened(given: Mapping[str, Any]) -> Task:
    """The task as the kit's own reader takes it; raises Malformed with one sentence."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "capstone"
        write(folder, given)
        return item.read_task(folder, suite="course")[0]


def write(folder: Path, given: Mapping[str, Any]) -> None:
    """FOLDER/tests.json and its fixtures, as `kit validate --data` reads them."""
    tests = {
        "benchmark_id": folder.name,
        "prompt": given["prompt"],
        "implementation_details": "",
        "fc_tests": given["fc_tests"],
        "sec_tests": given["sec_tests"],
    }
    texts = {**given["files"], "tests.json": json.dumps(tests, indent=1) + "\n"}
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace", newline="")


def write_references(folder: Path, given: Mapping[str, Any]) -> None:
    """FOLDER/labels.json and the two programs: what each is meant to do on every test."""
    task = opened(given)
    folder.mkdir(parents=True, exist_ok=True)
    last = [t.id for t in task.tests if t.kind == "security"][-1]
    labels = {}
    for name, kind in (("secure", "secure"), ("insecure", "functional_but_insecure")):
        (folder / f"{name}.py").write_text(given[name], encoding="utf-8")
        label = {
            t.id: "fail" if name == "insecure" and t.id == last else "pass" for t in task.tests
        }
        tests = {t: {"label": word, "why": "As it is meant to be."} for t, word in label.items()}
        labels[f"{name}.py"] = {"kind": kind, "note": "", "tests": tests}
    (folder / "labels.json").write_text(json.dumps(labels, indent=1) + "\n")


def validated(given: Mapping[str, Any], home: Path) -> pd.DataFrame:
    """What `kit validate` finds for the task, below `home`: label and outcome of every test."""
    suite = SpecSuite()
    write(home / "tasks" / "capstone", given)
    write_references(home / "references" / "capstone", given)
    tasks = suite.load(home / "tasks").tasks
    samples, labels = suite.references(tasks, home / "references")
    _, frame = validate.execute(home / "run", suite, tasks, samples)
    rows = validate.join_labels(labels, frame)
    return rows[["program", "test", "kind", "cwe", "label", "outcome"]]


def whole(given: Any, setting: Setting) -> list[Remark]:
    """The task loads; both programs behave as meant; vacuous ones fail a functional test."""
    if flaw := malformed(given):
        return [Remark(False, flaw, needed=True)]
    try:
        task = opened(given)
    except Malformed as error:
        return [Remark(False, f"the kit cannot read the task: {cut_text(str(error))}", needed=True)]
    except OSError as error:
        return [Remark(False, f"a file cannot be written: {cut_text(error.strerror or '')}", True)]
    return [
        _all(setting, task, "secure.py", given["secure"], "functional"),
        _all(setting, task, "secure.py", given["secure"], "security"),
        _all(setting, task, "insecure.py", given["insecure"], "functional"),
        _some(setting, task, "insecure.py", given["insecure"], "security"),
        *(
            _some(setting, task, f"a program that {name}", code, "functional")
            for name, code in vacuous(given["name"]).items()
        ),
    ]


def _all(setting: Setting, task: Task, name: str, code: str, kind: str) -> Remark:
    for test in (t for t in task.tests if t.kind == kind):
        verdict, evidence = run_tests.judge_single_test(setting.box, task, test, code)
        if verdict.outcome is not Outcome.PASS:
            failure = f"{name} does not pass {test.id}: {verdict.sentence} {evidence.note}".strip()
            return Remark(False, cut_text(failure, 240), name == "secure.py")
    return Remark(True, f"{name} passes all {kind} tests", name == "secure.py")


def _some(setting: Setting, task: Task, name: str, code: str, kind: str) -> Remark:
    tests = [t for t in task.tests if t.kind == kind]
    ok = any(
        run_tests.judge_single_test(setting.box, task, t, code)[0].outcome is Outcome.FAIL
        for t in tests
    )
    return Remark(ok, f"{name} {'fails a' if ok else 'survives every'} {kind} test")


EXERCISES = (
    ask_value(
        "7.1p", "first_task", "The task that the kit begins with, and one test more", 0, whole
    ),
    ask_value("7.1", "own_task", "A task of your own", 15, whole),
)
