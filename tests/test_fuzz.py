"""Fuzzers in the sandbox: libFuzzer over cJSON, and what it finds that was seeded there."""

from dataclasses import replace

import pytest

from kit.errors import KitError
from kit.generation import editors
from kit.ossbench import check, schemata
from kit.ossbench.fuzz import Fuzzer, by_class
from kit.ossbench.projects import opened
from kit.ossbench.workshop import Workshop
from kit.suites.cproject.edit import Edit


@pytest.fixture(scope="module")
def cjson():
    """(workshop, table, readers) of the real project."""
    with opened("cjson") as (box, project, table), Workshop(box, project) as shop:
        yield shop, table, check.readers(zip(table["path"], table["units"], strict=True))


def seeded(table, name, kind):
    row = table[table["name"] == name].iloc[0]
    old = row["original_function"]
    where = (row["path"], int(row["start"]), int(row["end"]), old)
    return Edit(int(row["function_index"]), name, *where, editors.sabotage(old, kind))


def built(cjson, edits):
    shop, table, readers = cjson
    rows = {r["function_index"]: r for r in table.to_dict("records")}
    texts = schemata.plan(shop, edits, rows).texts if edits else {}
    return Fuzzer.build(shop, dict(texts), readers, last=max(rows))


@pytest.mark.slow
def test_the_original_raises_no_alert(cjson):
    seen = built(cjson, []).run([], inputs=2000)
    assert (seen.alerts, seen.ended, seen.executed) == ((), {}, frozenset())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["spatial", "temporal"])
def test_a_seeded_fault_is_found_and_named(cjson, kind):
    edit = seeded(cjson[1], "cJSON_Minify", kind)
    fuzzer = built(cjson, [edit])
    seen = fuzzer.run([edit.index], inputs=1000)
    assert by_class(a for a, _ in seen.alerts)[kind] == 1
    assert {owner for _, owners in seen.alerts for owner in owners} == {edit.index}
    assert seen.alerts[0][0].frames[0] == "cJSON_Minify cJSON.c"
    assert seen.executed == {edit.index}
    assert fuzzer.run([], inputs=1000).alerts == ()


@pytest.mark.slow
def test_edits_that_do_not_build_leave_a_note_and_the_original_an_error(cjson):
    shop, _, readers = cjson
    broken = {"cJSON.c": "int broken("}
    seen = Fuzzer.build(shop, broken, readers, last=1).run([], inputs=10)
    assert "not built" in seen.ended["fuzz"]
    worse = Workshop(shop.box, replace(shop.project, fuzz=replace(shop.project.fuzz, harness="x")))
    with pytest.raises(KitError, match="does not build"):
        Fuzzer.build(worse, {}, readers, last=1)


def test_a_project_without_a_target_is_refused(cjson):
    shop, _, readers = cjson
    none = Workshop(shop.box, replace(shop.project, fuzz=None))
    with pytest.raises(KitError, match="nothing to fuzz"):
        Fuzzer.build(none, {}, readers, last=1)
