"""What a program imports is installed as before a day; nothing of a package runs outside a box."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kit import harness
from kit.core.errors import KitError
from kit.core.records import Cell, Sample, Task, Test
from kit.core.store import Store
from kit.harness import box_files, installs, wheels
from kit.harness.installs import BEFORE, equip_box, install_packages
from kit.sandbox import node, open_sandbox
from tests.support import clones
from tests.support.commands import kit

SLUG = "from slugify import slugify\nprint(slugify('A b'))"
MILLISECONDS = "console.log(require('ms')('1s'))"
TIER = f"bwrap@{BEFORE}"
PATCHED = clones.CAGE["before"] + clones.CAGE["patched"] + clones.CAGE["after"]
ADDON = """
#include <node_api.h>
static napi_value answer(napi_env env, napi_callback_info info) {
  napi_value number;
  napi_create_int32(env, 42, &number);
  return number;
}
NAPI_MODULE_INIT() {
  napi_value function;
  napi_create_function(env, "answer", NAPI_AUTO_LENGTH, answer, 0, &function);
  return function;
}
"""


def equipped(box, code, language="python", **files):
    """The box in which a program of a task with these files is started."""
    task = Task("t", "demo", "Do.", (Test("a", "functional"),), files=files)
    sample = Sample("t", "m", code=code, language=language)
    return equip_box(box, [Cell(task, task.tests[0], sample)])


def printed(box, code, language):
    command = ["/usr/bin/python3", "-c"] if language == "python" else ["/usr/bin/node", "-e"]
    return equipped(box, code, language).run([*command, code]).out.strip()


def test_a_day_is_one_that_is_over():
    assert installs.check_day("2026-06-01") == "2026-06-01"
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
    for wrong in ("June", tomorrow):
        with pytest.raises(KitError):
            installs.check_day(wrong)


@pytest.mark.parametrize(
    ("language", "name"),
    [("python", "tkinter"), ("javascript", "node:sqlite"), ("javascript", "fs")],
)
def test_no_registry_is_asked_for_what_is_the_runtimes_own(language, name, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))  # there is no npm there, and pip is never reached
    done = install_packages(language, frozenset({name}), "2001-01-01")
    assert done.folder is None
    assert "itself" in done.refused[name]


def test_a_box_that_installs_says_the_day_and_opens_alike(box):
    with open_sandbox(TIER) as installing, open_sandbox(installing.tier) as again:
        assert installing.identity == f"{box.identity}, installs before {BEFORE}"
        assert again.identity == installing.identity
        # A program that lacks nothing runs in the box that it always had.
        assert equipped(installing, "import os").identity == box.identity
        assert equipped(installing, SLUG, **{"slugify/a.py": b""}).identity == box.identity
        assert equipped(box, SLUG) is box
    with pytest.raises(KitError, match="Use --sandbox bwrap"):
        open_sandbox(f"bare@{BEFORE}")


def test_a_box_names_the_node_that_it_runs(monkeypatch, tmp_path, box):
    monkeypatch.setenv("KIT_CACHE", str(tmp_path))
    assert node.find_newer_node() is None
    monkeypatch.undo()
    assert f"node {box.run([node.PLACE, '--version']).out.strip()}" in box.identity


@pytest.mark.slow
def test_a_newer_node_brings_its_own_modules():
    wheels.install_node()
    with open_sandbox() as box:
        assert f"node v{node.VERSION}" in box.identity
        key = box_files.Key(box)
        names = frozenset({"node:sqlite", "node:nothing"})
        assert harness.not_found(key, "javascript", names) == {"node:nothing"}


@pytest.mark.slow
def test_what_programs_import_comes_from_the_registries_as_before_the_day():
    with open_sandbox("bwrap@2023-01-01") as old, open_sandbox(TIER) as box:
        assert printed(box, SLUG, "python") == "a-b"
        assert printed(box, MILLISECONDS, "javascript") == "1000"
        version = "import slugify, importlib.metadata as m; print(m.version('python-slugify'))"
        # 7.0.0 is of December 2022, and 8.0.0 of February 2023.
        assert printed(old, version, "python") == "7.0.0"
        assert printed(box, version, "python").startswith("8.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "name", "other"),
    [("python", "slugify", "kit_no_such_module"), ("javascript", "ms", "kit-no-such-package")],
)
def test_what_no_registry_has_is_named_and_the_others_are_installed(language, name, other):
    done = install_packages(language, frozenset({name, other}), BEFORE)
    assert done.refused.keys() == {other}
    assert done.versions
    assert install_packages(language, frozenset({name}), BEFORE).folder == done.folder
    assert install_packages(language, frozenset({name}), "2005-01-01").folder is None


@pytest.mark.slow
def test_a_package_without_the_module_of_its_name_is_not_taken():
    """PyPI's beautifulsoup4 has bs4, and no module of the package's own name."""
    done = install_packages("python", frozenset({"beautifulsoup4"}), BEFORE)
    assert "has no module" in done.refused["beautifulsoup4"]


@pytest.mark.slow
def test_a_registry_that_is_not_reached_is_no_programs_fault(monkeypatch, tmp_path):
    pip = wheels.bring_dated_pip()
    monkeypatch.setenv("KIT_CACHE", str(tmp_path))
    shutil.copytree(pip, tmp_path / pip.name)
    for name, value in (("PIP_INDEX_URL", "http://127.0.0.1:9"), ("PIP_RETRIES", "1")):
        monkeypatch.setenv(name, value)
    with pytest.raises(KitError) as raised:
        install_packages("python", frozenset({"kit_no_such_module"}), "2025-01-01")
    assert not isinstance(raised.value, wheels.Unavailable)
    assert not list(tmp_path.glob("installed/*"))


@pytest.mark.slow
def test_native_modules_are_compiled_in_a_box_that_reaches_nothing(tmp_path):
    package = tmp_path / "node_modules/forty-two"
    package.mkdir(parents=True)
    escaped = tmp_path / "escaped"
    command = f"<!(node -p \"try {{ fs.writeFileSync('{escaped}', '') }} catch {{}} 0\")"
    target = {"target_name": "answer", "sources": ["answer.c"], "defines": [f"A={command}"]}
    (package / "binding.gyp").write_text(json.dumps({"targets": [target]}))
    (package / "answer.c").write_text(ADDON)
    (package / "package.json").write_text('{"name": "forty-two", "main": "index.js"}')
    (package / "index.js").write_text("module.exports = require('./build/Release/answer.node')")
    wheels.build_native_modules(tmp_path)
    assert not escaped.exists()
    assert [path.name for path in (package / "build").rglob("*") if path.is_file()] == [
        "answer.node"
    ]
    files = {
        path.relative_to(tmp_path).as_posix(): path.read_bytes()
        for path in package.rglob("*")
        if path.is_file()
    }
    with open_sandbox() as box:
        command = [node.PLACE, "-e", "console.log(require('forty-two')())"]
        assert box.run(command, files=files).out == "42\n"
    shutil.rmtree(package / "build")
    (package / "answer.c").write_text("no C")
    with pytest.raises(wheels.Unavailable, match="forty-two was not compiled"):
        wheels.build_native_modules(tmp_path)


@pytest.mark.slow
def test_a_run_installs_when_asked_and_says_what(tmp_path):
    clone = clones.seccodeplt(tmp_path / "clone")
    folder = tmp_path / "theirs/plt-0007"
    folder.mkdir(parents=True)
    (folder / "mine.py").write_text(f"{PATCHED}\nimport kit_no_such_module, slugify\n")
    (folder / "yours.py").write_text(f"{PATCHED}\nimport slugify\nassert slugify.slugify('A')\n")
    words = ["evaluate", "seccodeplt", "--programs", folder.parent, "--data", clone]
    words += ["--run", tmp_path / "run"]
    outcomes = []
    for more in ([], ["--install"]):
        done = kit(*words, *more)
        assert ("python-slugify 8" in done.stdout) == bool(more)
        with Store(tmp_path / "run", write=False) as store:
            frame = store.frame()
            outcomes.append({m: {*rows["outcome"]} for m, rows in frame.groupby("model")})
            meta = store.meta()
    assert outcomes == [
        {"mine": {"unknown"}, "yours": {"unknown"}},
        {"mine": {"unknown"}, "yours": {"pass"}},
    ]
    assert meta["installed"]["before"] == BEFORE
    assert BEFORE in meta["sandbox"]
    assert meta["installed"]["refused"].keys() == {"kit_no_such_module"}
    assert Path(install_packages("python", frozenset({"slugify"}), BEFORE).folder).is_dir()
