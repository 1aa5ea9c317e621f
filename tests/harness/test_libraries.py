"""What programs import is found by parsing; what the box lacks is named with the line to type."""

import itertools

import pytest

from kit.core.paths import REFERENCES, SUITES
from kit.core.records import Evidence, Outcome, Reason, Sample, Status, Task, Test, Verdict
from kit.core.store import slot_of
from kit.harness import libraries
from kit.harness.libraries import find_needed_libraries
from kit.run import report
from kit.sandbox import docker
from tests.support.evidences import ran
from tests.support.judged import answered


def test_what_a_program_needs_is_read_off_its_text():
    assert find_needed_libraries("import os, jose.jwt\nfrom yaml import load\n", "python") == {
        "jose",
        "yaml",
    }
    assert find_needed_libraries("def f():\n    import numpy as np\n", "python") == {"numpy"}
    node = "const a = require('express'); require('fs'); require('./b')"
    assert find_needed_libraries(node, "javascript") == {"express"}
    assert find_needed_libraries("import (", "python") == frozenset()


def test_an_import_that_the_program_guards_is_no_need():
    guarded = "try:\n    import simplejson as json\nexcept ImportError:\n    import json\n"
    assert find_needed_libraries(guarded, "python") == frozenset()
    assert find_needed_libraries(guarded.replace("ImportError", "ValueError"), "python") == {
        "simplejson"
    }
    fallback = "try:\n    import a_one\nexcept ImportError:\n    import b_two\n"
    assert find_needed_libraries(fallback, "python") == {"b_two"}
    quiet = "with contextlib.suppress(ImportError):\n    import a"
    assert find_needed_libraries(quiet, "python") == frozenset()
    node = {
        "try { require('a') } catch {}": "",
        "try { require('a') } finally {}": "a",
        "import('a').catch(() => 0)": "",
        "try { 0 } catch { require('a') }": "a",
        "try { f(() => { require('a') }) } catch {}": "a",
        "try { require('a') } catch (e) { throw e }": "a",
    }
    assert {code: "".join(find_needed_libraries(code, "javascript")) for code in node} == node


CAUGHT_FAR_ABOVE = {  # language -> (the library is needed, it is optional)
    "javascript": (
        """const f = () => require('no-such-module');
        exports.g = (x) => { try { return f()(x); } catch { return 'error'; } };""",
        "try { require('no-such-module') } catch {}\nexports.g = (x) => 'error';",
    ),
    "python": (
        """def f():
    import no_such_module
    return no_such_module.parse
def g(x):
    try:
        return f()(x)
    except Exception:
        return "error"
""",
        """try:
    import no_such_module
except ImportError:
    no_such_module = None
def g(x):
    return "error"
""",
    ),
}


@pytest.mark.parametrize("language", CAUGHT_FAR_ABOVE)
def test_a_library_that_is_caught_far_above_is_lacking_and_an_optional_one_is_not(box, language):
    needed, optional = CAUGHT_FAR_ABOVE[language]
    for code, status in ((needed, Status.HARNESS_ERROR), (optional, Status.COMPLETED)):
        assert ran(box, code, 1, "Write g(x).", language=language).status is status


def test_the_box_is_asked_which_of_them_it_lacks(box):
    programs = [
        ("import flask, no_such_library", "python"),
        ("import no_such_library", "python"),
        ("require('no-such-module')", "javascript"),
    ]
    gone = libraries.count_absent(box, programs)
    assert gone == {("python", "no_such_library"): 2, ("javascript", "no-such-module"): 1}
    said = libraries.describe_absent(gone)[0]
    assert said.startswith("2 programs import no_such_library")
    assert "no_such_library" in said.partition("Type:")[2]


def test_known_libraries_have_debians_line():
    assert libraries.line_for("python", "jose") == "apt-get install python3-jose"
    assert libraries.line_for("javascript", "express") == "apt-get install node-express"
    told = libraries.line_for("python", "Crypto")
    line = "echo pycryptodome >> requirements.txt, and add --requirements requirements.txt"
    assert told == f"{line}; or add --install"
    assert "package.json" in libraries.line_for("javascript", "no-such-module")


def test_what_the_suites_own_programs_import_is_preloaded_in_both_tiers(monkeypatch):
    languages = {".py": "python", ".js": "javascript"}  # of C and C++ the compiler tells
    needed = {
        (language, name)
        for folder in (SUITES / "codeguard", REFERENCES)
        for suffix, language in languages.items()
        for path in folder.rglob(f"*{suffix}")
        for name in find_needed_libraries(path.read_text(errors="replace"), language) - {"program"}
    }
    assert len(needed) > 10
    monkeypatch.setenv("KIT_IMAGE", "languages")
    inside = docker.list_packages()
    for language, name in needed:
        assert libraries.debian_packages(language)[name] in inside, name


def test_a_run_says_why_programs_never_ran(tmp_path):
    task = Task("t", "demo", "Do.", (Test("a", "functional"), Test("b", "functional")))
    note = "The program imports jose, which is not installed in the box."
    samples = [Sample("t", "m", n, code=str(n)) for n in range(2)]
    with answered(tmp_path / "run", [task], samples) as store:
        store.put_evidence("e", Evidence(Status.HARNESS_ERROR, note=note))
        for sample, test in itertools.product(samples, task.tests):
            unknown = Verdict(test.id, Outcome.UNKNOWN, Reason.NO_EVIDENCE, note)
            store.put_verdict(test.id, unknown)
            store.put_cells([(slot_of(sample), test.id, "e", test.id, False)])
        told = report.never_ran(store)
    line = "apt-get install python3-jose"
    assert told == [{"programs": 2, "why": "missing library jose", "type": line}]
    assert line in report.never_ran_text(told)
