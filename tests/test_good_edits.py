"""The hand-written improvements of cJSON: each builds, and the project's own tests still pass."""

import pytest
from small_project import go

from kit.paths import SUITES
from kit.systems.ossbench import projects, scores

HANDS = SUITES / "ossbench" / "good_edits"
FILES = sorted(HANDS.glob("*.c"))


@pytest.mark.slow
def test_good_edits_build_pass_all_tests_and_raise_no_alert(tmp_path):
    names = {file.stem for file in FILES}
    assert len(names) >= 10
    project = projects.open_project("cjson")
    table = projects.functions(project)
    table = table[table["name"].isin(names)]
    assert set(table["name"]) == names
    go(project, table, tmp_path, f"hands:{HANDS}", iterations=2, share=1.0)
    tables = scores.load(tmp_path)
    got = scores.scores(tables)
    assert (got["compilability"], got["functional"], got["memory"]) == (100, 100, 100)
    assert (tables.edits["changed"] > 0).all()
    ran = scores.executed(tables.iterations["executed"])
    assert set(tables.edits.loc[tables.edits["function_index"].isin(ran), "name"]) == names
