"""A version changes with what a module really uses, and with nothing else."""

import shutil

import pytest

from kit import harness, oracle
from kit.core.paths import ROOT
from kit.core.versions import read_source, trace_imports, version_of
from kit.harness.box_files import list_inboxes
from tests.support.tables import read_table

ROOMS = ("kit.oracle", "kit.harness", "kit.core.languages")
MODULES = {
    "match": "kit.oracle.match",
    "probes": "kit.oracle.probes",
    "defaults": "kit.oracle.defaults",
    "judge": "kit.oracle.judge",
    "python": "kit.harness.languages.python",
    "javascript": "kit.harness.languages.javascript",
    "c": "kit.harness.languages.cpp",
}


def versions(root):
    version_of.cache_clear()
    asked = {"within": ROOMS, "placed": list_inboxes(), "root": root}
    return {name: version_of(module, **asked) for name, module in MODULES.items()}


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """Which versions an addition to the end of files changes, in a copy of the kit."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "kit", root / "kit", ignore=shutil.ignore_patterns("*.pyc"))
    before = versions(root)

    def change(added, *paths):
        texts = {root / "kit" / path: (root / "kit" / path).read_text() for path in paths}
        for place, text in texts.items():
            place.write_text(text + added)
        after = versions(root)
        for place, text in texts.items():
            place.write_text(text)
        return {name for name in MODULES if before[name] != after[name]}

    return change


def test_a_comment_changes_no_version(changed):
    paths = [f"oracle/{name}.py" for name in ("sanitizers", "calibrate", "defaults")]
    assert changed("\n\n# a remark\n", "core/languages.py", *paths) == set()


@pytest.mark.parametrize(("path", "whose"), read_table("versions", "users"))
def test_a_line_changes_the_versions_of_those_who_use_it(changed, path, whose):
    assert changed("\nADDED = 1\n", path) == {*whose}


def test_every_file_that_goes_into_a_box_counts_for_somebody():
    files = (p for folder in list_inboxes() for p in (ROOT / folder).iterdir() if p.is_file())
    inbox = {p.name for p in files if p.name.startswith("kit_")}
    named = set()
    others = ["kit.harness.planner", "kit.systems.codeguard.execute"]
    for module in [*MODULES.values(), *others]:
        for path in trace_imports(module, within=(*ROOMS, "kit.systems")).values():
            named |= inbox & read_source(path.read_text()).strings
    assert inbox == named


def test_comments_docstrings_and_blank_lines_are_left_out_and_strings_are_kept():
    code = '"""Doc."""\n\nX = """a\n\n# kept\n"""  # gone\n\n\ndef f():\n    """Ä."""  # gone\n\n'
    assert read_source(code).bare == 'X = """a\n\n# kept\n"""\ndef f():\n'


def test_each_language_and_each_part_of_the_oracle_has_its_own_version():
    names = [harness.hash_language_sources(name) for name in ("python", "javascript", "cpp")]
    names += [oracle.version(part) for part in ("match", "probes", "defaults", "judge")]
    assert len(set(names)) == 7
    assert harness.hash_language_sources("c") == harness.hash_language_sources("cpp")
    assert harness.hash_language_sources("cobol") == ""
