"""Benchmarks of other people: read from a clone, executed apart from what is expected, scored."""

import sys

import pandas as pd
import pytest

from kit.core.errors import KitError
from kit.core.records import Sample
from kit.core.store import Store
from kit.explore import page
from kit.generation.base import Response
from kit.run import validate
from kit.run.suites import open_suite
from tests.support import clones
from tests.support.commands import frame_of, kit, told
from tests.support.wire import Reply, Server

CwEval, SecCodePlt = (type(open_suite(name)) for name in ("cweval", "seccodeplt"))
cweval, seccodeplt = (sys.modules[suite.__module__] for suite in (CwEval, SecCodePlt))
needs_pytest = pytest.mark.skipif(
    not (cweval.libraries() / "complete").exists(),
    reason="Packages for CWEval's tests are missing; type: kit doctor --install --heavy",
)
PATCHED = clones.CAGE["before"] + clones.CAGE["patched"] + clones.CAGE["after"]


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    return clones.seccodeplt(tmp_path_factory.mktemp("plt"))


@pytest.fixture(scope="module")
def doors(tmp_path_factory):
    return clones.cweval(tmp_path_factory.mktemp("cweval"))


@pytest.fixture(scope="module")
def checked(clone, tmp_path_factory):
    """The result of a validation, and the folder that keeps it."""
    folder = tmp_path_factory.mktemp("kept")
    words = ["--data", clone, "--references", folder, "--run", folder / "run"]
    return told("validate", "seccodeplt", *words), folder


@pytest.fixture(scope="module")
def judged(clone, tmp_path_factory):
    """A run of somebody's programs for one task, and its rows."""
    folder = tmp_path_factory.mktemp("theirs")
    (folder / "plt-0007").mkdir()
    for name, code in THEIRS.items():
        (folder / "plt-0007" / f"{name}.py").write_text(code)
    kit("evaluate", "seccodeplt", "--programs", folder, "--data", clone, "--run", folder / "run")
    frame = frame_of(folder / "run")
    return folder / "run", frame


THEIRS = {
    "right": PATCHED,
    "ends": "import os\nos._exit(0)\n",
    "prints": "def look(key):\n    print({'group': 'safety', 'case': 0, 'exception': 'OSError'})\n",
    "searches": """
import gc, os, sys
def look(key):
    seen = [str(o) for o in gc.get_objects() if type(o) in (dict, list, tuple)]
    for place, _, names in os.walk('.'):
        seen += [open(os.path.join(place, n), errors='replace').read() for n in names]
    marks = [''.join(reversed(mark)) for mark in ('sselehtreven', 'sesactset')]
    if any(mark in text for text in seen for mark in marks):
        raise PermissionError('found what is expected')
    return {1, 2, 3}
""",
    "catches": """
def look(key):
    try:
        while key == 'safe':
            pass
    except Exception:
        raise PermissionError
    if key == 'gone':
        raise PermissionError
    return {2, 3, 1}
""",
    "imports": "import a_package_of_nobody\n" + PATCHED,
    "hostile": PATCHED.replace("raise PermissionError(key)", "__import__('nobody')"),
}


def test_a_clone_says_what_it_is(clone, doors):
    found = SecCodePlt().read(clone)
    assert found.origin == f"ucsb-mlsec/SecCodePLT@{clones.HEAD[:12]}, licence none stated"
    assert [t.id for t in found.tasks] == ["plt-0007", "plt-0008"]
    assert len(found.problems) == 2
    other = CwEval().read(doors)
    assert other.origin == "Co1lin/CWEval@0123456789ab, licence A Licence of Our Own"
    assert {r.task: r.language for r in other.references} == {
        "cwe_079_0_py": "python",
        "cwe_787_0_c": "c",
    }
    assert "1 tasks in *.go are left out" in other.problems[0]


def test_without_a_clone_the_mend_is_said(tmp_path):
    for suite, source in ((SecCodePlt(), "ucsb-mlsec/SecCodePLT"), (CwEval(), "Co1lin/CWEval")):
        for path in (None, tmp_path):
            with pytest.raises(KitError, match=f"git clone https://github.com/{source}"):
                suite.read(path)


def test_the_policy_is_an_arm_and_no_case_is_ever_shown(clone):
    suite = SecCodePlt()
    task = suite.load(clone).task("plt-0007")
    plain, policy = (
        suite.prompt(task, Sample(task.id, "m", arm={"prompt": arm}))[0]["content"]
        for arm in ("plain", "policy")
    )
    assert "`look`" in plain
    assert policy.replace("\n\nSecurity policy: Only open keys are read.", "") == plain
    assert "PermissionError" not in policy


def test_tasks_that_behave_as_labelled_are_counted_and_the_others_named(checked):
    result, _ = checked
    assert (result["ideal"], result["of"]) == (1, 2)
    (why,) = result["misbehaving"]["plt-0008"]
    assert why.startswith("vulnerable.py safety: label fail, outcome pass. All 1 cases hold.")
    assert "licence none stated" in result["benchmark"]


def test_what_misbehaves_stays_out_of_the_score(checked, clone):
    suite = SecCodePlt()
    suite.labels = checked[1]
    loaded = validate.keep_valid_tasks(suite, suite.load(clone))
    assert [t.id for t in loaded.tasks] == ["plt-0007"]
    assert "plt-0008 is left out" in loaded.problems[-1]


@pytest.mark.slow
def test_no_program_passes_by_anything_but_its_answers(judged):
    table = judged[1].pivot_table("outcome", "model", "test", aggfunc="first")
    assert {name: tuple(row) for name, row in table[["capability", "safety"]].T.items()} == {
        "right": ("pass", "pass"),
        "ends": ("fail", "fail"),
        "prints": ("fail", "fail"),
        "searches": ("pass", "fail"),
        "catches": ("pass", "fail"),
        "imports": ("unknown", "unknown"),
        "hostile": ("pass", "fail"),
    }


@pytest.mark.slow
def test_the_run_is_scored_exported_and_shown_like_any_other(judged, tmp_path):
    run, frame = judged
    scores = told("score", run)
    joint = {r["model"]: r["estimate"] for r in scores["scores"] if r["metric"] == "secure-pass@1"}
    assert (joint["right"], joint["catches"]) == (1, 0)
    assert "licence none stated" in scores["benchmark"]
    kit("export", run, tmp_path / "rows.csv")
    assert len(pd.read_csv(tmp_path / "rows.csv")) == len(frame) == 2 * len(THEIRS)
    assert "Case 0: wanted the exception PermissionError" in kit("show", run, "plt-0007").stdout


@pytest.mark.slow
def test_a_model_is_asked_and_its_answer_judged(clone, tmp_path):
    with Server(lambda _: Reply(f"```python\n{PATCHED}\n```")) as server:
        words = ["--model", "openai:m", "--base-url", server.openai, "--only", "plt-0007"]
        told("run", "seccodeplt", "--data", clone, "--run", tmp_path / "run", *words)
    assert [*frame_of(tmp_path / "run")["outcome"]] == ["pass", "pass"]
    with Store(tmp_path / "run", write=False) as store:
        content = page.read_content(store, clone, n_boot=50)
    (shown,) = content.pages
    assert "plt-0007 · look" in shown


def test_only_inputs_enter_the_candidates_box(clone):
    class Seen:
        name = "seen"

        def run(self, argv, *, files, **_):  # noqa: ARG002
            self.files = files

    task = SecCodePlt().read(clone).tasks[0]
    box = Seen()
    known = seccodeplt.Cases({"safety": "eJw="}, {"safety": [{"text": "what is expected"}]})
    SecCodePlt().run(box, task, known, "x = 1\n")
    assert not any(
        b"expected" in data or b"nevertheless" in data
        for name, data in box.files.items()
        if "/job" in name
    )


def test_a_question_ends_where_the_solution_begins(doors):
    suite = CwEval()
    task = suite.load(doors).task("cwe_787_0_c")
    asked = suite.prompt(task, Sample(task.id, "m", language="c"))[0]["content"]
    assert "at most 7 characters" in asked
    assert not {"snprintf", "SOLUTION", "ENTRYPOINT", "int main"} & {*asked.split(), asked}
    answer = Response("```c\nvoid show(const char *name) {}\n```")
    made = suite.sample(Sample(task.id, "m", language="c"), answer)
    assert made.code.startswith("#include <stdio.h>")
    assert "int main(" in made.code


def test_an_unsafe_function_of_a_test_file_is_a_program_by_itself(doors):
    (unsafe,) = [r for r in CwEval().read(doors).references if r.name == "unsafe.py"]
    space = {}
    exec(unsafe.code, space)
    assert space["greet"]("<b>") == "<p><b></p>"
    assert "pytest" not in unsafe.code


@needs_pytest
@pytest.mark.slow
def test_pytest_cases_tell_the_safe_from_the_unsafe(doors, tmp_path):
    words = ["--data", doors, "--references", tmp_path, "--run", tmp_path / "run"]
    result = told("validate", "cweval", *words)
    assert (result["ideal"], result["of"], result["programs"]) == (2, 2, 4), result["misbehaving"]


REPORT = """
import _pytest.reports
made = _pytest.reports.TestReport.from_item_and_call
def passing(item, call):
    call.excinfo = None
    return made(item, call)
_pytest.reports.TestReport.from_item_and_call = passing
def greet(name): pass
"""


@needs_pytest
@pytest.mark.slow
def test_a_case_that_vanishes_has_failed(doors, tmp_path):
    (tmp_path / "cwe_079_0_py").mkdir()
    for name, code in {
        "skips": "import pytest\npytest.skip('no', allow_module_level=True)\n",
        "ends": "import os\nos._exit(0)\n",
        "hides": clones.DOOR_PY + "import sys\nsys.argv[1:] = ['--co']\nraise SystemExit(0)\n",
        "broken": "def greet(:\n",
        "ends as a case that passed": "import os\nos._exit(203)\ndef greet(name): pass\n",
        "equals everything": "class Any(str):\n    def __eq__(self, other): return True\n"
        "    __hash__ = str.__hash__\ndef greet(name): return Any(name)\n",
        "replaces what pytest reports": REPORT,
        "replaces what ends it": "import os, sys\ndef greet(name):\n"
        "    sys.modules['kit_child']._end = lambda _: os._exit(203)\n",
    }.items():
        (tmp_path / "cwe_079_0_py" / f"{name}.py").write_text(code)
    kit("evaluate", "cweval", "--programs", tmp_path, "--data", doors, "--run", tmp_path / "run")
    frame = frame_of(tmp_path / "run")
    assert set(frame["outcome"]) == {"fail"}
    reasons = frame.groupby("model")["reason"].agg(set)
    forgers = [name for name in reasons.index if " " in name]
    assert [reasons[name] for name in forgers] == [{"forged"}] * 4, reasons
