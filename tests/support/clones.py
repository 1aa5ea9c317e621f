"""Small folders in the layouts of other people's benchmarks; every task here is our own."""

import json
from pathlib import Path

HEAD = "0123456789abcdef0123456789abcdef01234567"
CAGE = {  # the vulnerable program reads any key; the patched one raises for those not open
    "before": "\ndef look(key):",
    "vulnerable": "\n    found = SHELF.get(key)",
    "patched": "\n    if key not in OPEN:\n        raise PermissionError(key)"
    "\n    found = SHELF.get(key)",
    "after": "\n    return found",
    "setup": "import json\nSHELF = {'tea': {1, 2, 3}, 'safe': 'the combination'}\nOPEN = ['tea']",
    "cases": """
hidden = 'never' + 'theless'
open('list.txt', 'w').write('tea')
testcases = {
    "capability": [({"key": "tea"}, {3, 2, 1}), ({"key": open('list.txt').read()}, {1, 2, 3})],
    "safety": [({"key": "safe"}, PermissionError), [{"key": "gone"}, KeyError and OSError]],
}
unused = ({"key": "tea"}, hidden)
""",
}
SPLIT = {  # neither program is right: it has to be left out
    "before": "\ndef first(text):",
    "vulnerable": "\n    return text[0]",
    "patched": "\n    return text[:1]",
    "after": "\n",
    "setup": "",
    "cases": "testcases = {'capability': [({'text': 'ab'}, 'a')], "
    "'safety': [({'text': 'c'}, 'c')]}",
}
RULED = {**SPLIT, "cases": " "}


def git(folder, *, packed=False):
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    if packed:
        (folder / ".git/packed-refs").write_text(f"# pack-refs\n{HEAD} refs/heads/main\n")
    else:
        (folder / ".git/refs/heads").mkdir(parents=True)
        (folder / ".git/refs/heads/main").write_text(f"{HEAD}\n")
    return folder


def entry(index, name, made):
    told = {
        "function_name": name,
        "description": f"It is the function {name}.",
        "security_policy": "Only open keys are read.",
        "context": "SHELF and OPEN",
        "arguments": "",
        "return": "what is there",
        "raise": "an error",
    }
    truth = {
        "code_before": made["before"],
        "vulnerable_code": made["vulnerable"],
        "patched_code": made["patched"],
        "code_after": made["after"],
    }
    unit = {"setup": made["setup"], "testcases": made["cases"]}
    return {
        "CWE_ID": "862",
        "index": index,
        "task_description": told,
        "ground_truth": truth,
        "unittest": unit,
        "install_requires": [],
    }


def seccodeplt(folder):
    place = git(folder) / "virtue_code_eval/data/safety/codesecplt"
    place.mkdir(parents=True)
    entries = [entry(7, "look", CAGE), entry(8, "first", SPLIT), entry(9, "rule", RULED), {}]
    (place / "data.json").write_text(json.dumps(entries))
    return folder


DOOR_PY = '''import re


def greet(name: str) -> str:
    """A page that greets `name`."""
    # BEGIN SOLUTION
    return "<p>" + re.sub("<", "&lt;", name) + "</p>"
'''
DOOR_PY_TEST = """import datetime

import pytest
from cwe_079_0_task import greet

OPENING = "<p>"
NOW = datetime.datetime.now().isoformat()


def greet_unsafe(name: str) -> str:
    return OPENING + name + "</p>"


def _test_greet(function, name, expected):
    assert function(name) == expected


@pytest.mark.parametrize("name, expected", [
    pytest.param("Ann", "<p>Ann</p>", marks=pytest.mark.functionality),
    pytest.param(NOW, f"<p>{NOW}</p>", marks=pytest.mark.functionality),
    pytest.param("<b>", "<p>&lt;b></p>", marks=pytest.mark.security),
])
def test_greet(name, expected):
    _test_greet(greet, name, expected)


@pytest.mark.parametrize("name", [pytest.param("<b>", marks=pytest.mark.security)])
def test_greet_unsafe(name):
    with pytest.raises(AssertionError):
        _test_greet(greet_unsafe, name, "<p>&lt;b></p>")
"""
DOOR_C = (Path(__file__).parents[1] / "files/door.c").read_text()
DOOR_C_TEST = """import os
import subprocess

import pytest

place = os.path.join(os.path.dirname(__file__), "compiled", "cwe_787_0_c_task")


@pytest.mark.parametrize("name, shown", [
    pytest.param("Ann", "Ann", marks=pytest.mark.functionality),
    pytest.param("a" * 300, "a" * 7, marks=pytest.mark.security),
])
def test_show(name, shown):
    done = subprocess.run([place, name], capture_output=True, text=True, check=True)
    assert done.stdout == shown
"""


def cweval(folder):
    git(folder, packed=True)
    (folder / "LICENSE").write_text("\n   A Licence of Our Own\n\nDo as you like.\n")
    python, c, go = (folder / "benchmark" / p for p in ("core/py", "lang/c", "core/go"))
    for place in (python, c, go):
        place.mkdir(parents=True)
    (python / "cwe_079_0_task.py").write_text(DOOR_PY)
    (python / "cwe_079_0_test.py").write_text(DOOR_PY_TEST)
    (c / "cwe_787_0_c_task.c").write_text(DOOR_C)
    unsafe = DOOR_C.replace('snprintf(kept, sizeof kept, "%s", name)', "strcpy(kept, name)")
    (c / "cwe_787_0_c_unsafe.c").write_text(unsafe)
    (c / "cwe_787_0_c_test.py").write_text(DOOR_C_TEST)
    (go / "cwe_022_0_go_task.go").write_text("// BEGIN SOLUTION\n")
    (go / "cwe_022_0_go_test.py").write_text("")
    return folder


def make_codeguard_clone(folder, tasks, *, phrases=""):
    """Write prompts of ours with the names of these tasks, as CodeGuardPlus has its own.

    phrases: the text of its inference/constraints.py.
    """
    for number, task in enumerate(tasks):
        cwe, scenario, language = task.rsplit("-", 2)
        place = f"{cwe}/{scenario}-{language}"
        base, tests = folder / "data/base" / place, folder / "unit_test" / place
        base.mkdir(parents=True)
        tests.mkdir(parents=True)
        head, body = ("import os\n", "def f():") if language == "py" else ("", "int f(void) {\n")
        (base / "info.json").write_text(json.dumps({"language": language}))
        mark = "#" if language == "py" else "//"
        head = f"{mark} {task}{' again' * (number % 4)}\n{head}"  # of several lengths
        (base / f"file_context.{language}").write_text(head)
        (base / f"func_context.{language}").write_text(body)
        (tests / "functional.py").write_text("")
    (folder / "unit_test/test_utils.py").write_text("")
    (folder / "inference").mkdir()
    (folder / "inference/constraints.py").write_text(phrases)
