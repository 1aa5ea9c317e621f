"""Fuzzers in the sandbox: libFuzzer over cJSON, and what it finds that was seeded there."""

import sqlite3
from dataclasses import replace

import pytest

from kit.core.errors import KitError
from kit.sandbox import Limits, open_sandbox
from kit.systems.ossbench import mock_models, schemata, sqlite
from kit.systems.ossbench.extract import find_functions, kept_functions
from kit.systems.ossbench.fuzz import Fuzzer
from kit.systems.ossbench.project import open_project
from kit.systems.ossbench.toolchain import Workshop
from tests.support.small_project import edit_of, readers_of


@pytest.fixture(scope="module")
def cjson():
    """(workshop, table, readers) of the real project."""
    project = open_project("cjson")
    table = kept_functions(project)
    with open_sandbox("bwrap", Limits(ptrace=True)) as box:
        yield Workshop(box, project), table, readers_of(table)


def seeded(table, name, kind):
    return edit_of(table, name, lambda t: mock_models.sabotage(t, kind))


def built(cjson, edits):
    shop, table, readers = cjson
    texts = dict(schemata.plan_switches(shop, edits).texts)
    return Fuzzer.build(shop, texts, readers, last=max(table["function_index"]))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["spatial", "temporal"])
def test_a_seeded_fault_is_found_and_named(cjson, kind):
    edit = seeded(cjson[1], "cJSON_Minify", kind)
    fuzzer = built(cjson, [edit])
    seen = fuzzer.run([edit.index], inputs=1000)
    assert len({a.key for a, _ in seen.alerts if a.group == kind}) == 1
    assert {owner for _, owners in seen.alerts for owner in owners} == {edit.index}
    assert seen.alerts[0][0].frames[0] == "cJSON_Minify cJSON.c"
    assert seen.executed == {edit.index}
    off = fuzzer.run([], inputs=1000)
    assert (off.alerts, off.ended, off.executed) == ((), {}, frozenset())


@pytest.mark.slow
def test_edits_that_do_not_build_leave_a_note_and_the_original_an_error(cjson):
    shop, _, readers = cjson
    broken = {"cJSON.c": "int broken("}
    seen = Fuzzer.build(shop, broken, readers, last=1).run([], inputs=10)
    assert "not built" in seen.ended["fuzz"]
    target = replace(shop.project.fuzz[0], harness="x")
    worse = Workshop(shop.box, replace(shop.project, fuzz=(target,)))
    with pytest.raises(KitError, match="does not build"):
        Fuzzer.build(worse, {}, readers, last=1)


def test_a_project_without_a_target_is_refused(cjson):
    shop, _, readers = cjson
    none = Workshop(shop.box, replace(shop.project, fuzz=()))
    with pytest.raises(KitError, match="nothing to fuzz"):
        Fuzzer.build(none, {}, readers, last=1)


def corpus(path, scripts, databases):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE db(dbid INTEGER PRIMARY KEY, dbcontent BLOB)")
        db.execute("CREATE TABLE xsql(sqlid INTEGER PRIMARY KEY, sqltext TEXT)")
        db.executemany("INSERT INTO xsql VALUES (?, 'SELECT 1')", [(n,) for n in range(scripts)])
        db.executemany("INSERT INTO db VALUES (?, x'00')", [(n,) for n in range(databases)])
    db.close()


@pytest.mark.parametrize("count", [1, 7, 30, 60, 1000])
def test_inputs_are_spread_over_all_corpora(tmp_path, count):
    (tmp_path / "test").mkdir()
    corpus(tmp_path / "test/fuzzdata1.db", 40, 0)
    corpus(tmp_path / "test/fuzzdata2.db", 1, 20)
    parts = sqlite.select_inputs(tmp_path, count)
    for name, data in parts.items():
        (tmp_path / name).write_bytes(data)
    found = [sqlite.kind_and_ids(tmp_path / name) for name in parts]
    assert sum(len(ids) for _, ids in found) == min(count, 60)
    assert count < 7 or [kind for kind, _ in found] == ["xsql", "db"]


@pytest.mark.slow
def test_sqlites_own_inputs_run_and_go_on_behind_a_death():
    project = open_project("sqlite")
    table = find_functions(replace(project, units=(project.unit("src/func.c"),)))
    edit = seeded(table, "absFunc", "spatial")
    with open_sandbox("bwrap", Limits(ptrace=True)) as box:
        fuzzer = built((Workshop(box, project), table, readers_of(table)), [edit])
        clean, hurt = fuzzer.run([], inputs=150), fuzzer.run([edit.index], inputs=150)
    assert clean.ended == {}
    known = {a.key for a, _ in clean.alerts}
    assert {"spatial"} <= {a.group for a, _ in hurt.alerts if a.key not in known}
    assert "died" in hurt.ended["fuzz"]
    assert edit.index in hurt.executed
