"""Laws of the loader: what is well-formed loads, what is not is one sentence."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kit.cli.options import load_tasks
from kit.core.errors import KitError
from kit.core.form import Malformed
from kit.core.paths import SUITES
from kit.core.records import content_key
from kit.harness import services
from kit.oracle import probes
from kit.systems.dualgauge import spec
from kit.systems.dualgauge.item import ITEM as ITEM_FORM
from kit.systems.dualgauge.item import check_quotations, normalize_cwe
from kit.systems.dualgauge.suite import SpecSuite
from tests.support.tables import read_table

ITEM: dict[str, Any] = {
    "benchmark_id": 7,
    "prompt": "Write a function named twice that doubles a number. Keep {braces} and $5.",
    "implementation_details": "Language: Python. Use an addition.",
    "fc_tests": [{"test_id": 0, "input": {"n": 2}, "expected_output": 4}],
    "sec_tests": [
        {"test_id": 0, "input": {"n": "x"}, "expected_behavior/output": "Refuse.", "CWE": "CWE-020"}
    ],
    "source_repo": "kit",
}


def put(root: Path, name: str, item: Any) -> Path:
    (root / name).mkdir(parents=True)
    text = item if isinstance(item, str) else json.dumps(item)
    (root / name / "tests.json").write_text(text, encoding="utf-8")
    return root / name


def changed(**changes: Any) -> dict[str, Any]:
    return {**ITEM, **changes}


def with_sec(**changes: Any) -> dict[str, Any]:
    return changed(sec_tests=[{**ITEM["sec_tests"][0], **changes}])


def test_an_official_item_becomes_a_task(tmp_path):
    put(tmp_path, "7", ITEM)
    suite = spec.load_items(tmp_path)
    (task,) = suite.tasks
    assert (suite.problems, task.id, task.suite) == ((), "7", tmp_path.name)
    first, second = task.tests
    assert (first.id, first.kind, first.cwe, first.expected) == ("fc-0", "functional", "", 4)
    assert (second.id, second.kind, second.cwe) == ("sec-0", "security", "CWE-20")
    assert second.behavior == "Refuse."


def test_what_a_test_cites_changes_no_task_and_own_tasks_without_are_told(tmp_path):
    tests = {name: ITEM[name] for name in ("fc_tests", "sec_tests")}
    cites = {"because": "doubles\na number. ... $5"}
    cited = {name: [{**listed[0], **cites}] for name, listed in tests.items()}
    put(tmp_path / "a" / "s", "7", changed(source_repo=""))
    put(tmp_path / "b" / "s", "7", changed(source_repo="", **cited))
    bare, told = (spec.load_items(tmp_path / name / "s") for name in "ab")
    assert content_key(bare.tasks) == content_key(told.tasks)
    assert told.problems == ()
    assert "`because` quotes the sentence of the prompt" in bare.problems[0]
    with pytest.raises(Malformed, match="missing in all tests"):
        check_quotations(ITEM_FORM.validate_python(ITEM), own=True)


def test_the_order_of_keys_and_a_byte_order_mark_are_irrelevant(tmp_path):
    put(tmp_path / "a" / "s", "7", ITEM)
    put(tmp_path / "b" / "s", "7", "\ufeff" + json.dumps(dict(reversed(ITEM.items()))))
    assert spec.load_items(tmp_path / "a" / "s") == spec.load_items(tmp_path / "b" / "s")


def test_numeric_ids_come_in_numeric_order_before_texts(tmp_path):
    for name in ("10", "9", "k2"):
        put(tmp_path, name, changed(benchmark_id=int(name) if name.isdigit() else name))
    assert [t.id for t in spec.load_items(tmp_path).tasks] == ["9", "10", "k2"]


def test_fixtures_of_both_folders_lie_under_test_dir_and_may_be_binary(tmp_path):
    folder = put(tmp_path, "7", ITEM)
    given = {"test_dir/sub/a.bin": b"\xff\0", "local_fixture/test_dir/b c@.txt": b""}
    for name, data in given.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    files = {name.removeprefix("local_fixture/"): data for name, data in given.items()}
    assert spec.load_items(tmp_path).task("7").files == files


def test_a_link_among_the_fixtures_is_named_and_not_followed(tmp_path):
    folder = put(tmp_path, "7", ITEM)
    (folder / "test_dir").mkdir()
    (folder / "test_dir" / "link").symlink_to("/etc/hostname")
    suite = spec.load_items(tmp_path)
    assert suite.tasks[0].files == {}
    assert "test_dir/link is a symbolic link" in suite.problems[0]


def test_a_missing_input_file_is_told_and_the_task_still_loads(tmp_path):
    item = with_sec(input_file_path="./test_dir/big.txt")
    del item["sec_tests"][0]["input"]
    put(tmp_path, "7", item)
    suite = spec.load_items(tmp_path)
    assert suite.tasks[0].tests[1].input_file == "test_dir/big.txt"
    assert "sec-0.input_file_path names 'test_dir/big.txt'" in suite.problems[0]
    pack = {"prompt_sha256": spec.hash_prompt(item["prompt"]), "files": {"test_dir/big.txt": "x"}}
    (tmp_path / "compiled.json").write_text(json.dumps({"7": pack}))
    assert spec.load_items(tmp_path).problems == ()


def test_what_is_wrong_is_told_of_the_chosen_items(tmp_path, capsys):
    put(tmp_path, "7", ITEM)
    put(tmp_path, "8", "{")
    for only, count in (("7", 0), ("", 1)):
        load_tasks(SpecSuite("any"), tmp_path, only)
        assert capsys.readouterr().err.count("kit: 8/tests.json: is not JSON") == count


def served(**changes: Any) -> dict[str, Any]:
    service = {"type": "sqlite", "path": "test_dir/x.db", "sql": "CREATE TABLE t(a);"}
    return changed(service_setup={"services": [service | changes]})


MALFORMED = [
    ("{", "is not JSON"),
    ('{"prompt": "a", "prompt": "b"}', "the key 'prompt' is given twice"),
    ("[1]", "must hold one JSON object"),
    ("[" * 100_000, "is not JSON"),
    ({k: v for k, v in ITEM.items() if k != "prompt"}, "field 'prompt' is missing"),
    (changed(fc_tests=ITEM["fc_tests"] * 2), "fc_tests[1]: test_id 0 is used twice"),
    *((changed(**changes), words) for changes, words in read_table("spec", "bad_changed")),
    *((with_sec(**changes), words) for changes, words in read_table("spec", "bad_with_sec")),
    *((served(**changes), words) for changes, words in read_table("spec", "bad_served")),
]


@pytest.mark.parametrize(("item", "words"), MALFORMED, ids=[w[:40] for _, w in MALFORMED])
def test_a_malformed_item_is_one_sentence_and_the_others_load(tmp_path, item, words):
    put(tmp_path, "7", item)
    put(tmp_path, "8", changed(benchmark_id="8"))
    suite = spec.load_items(tmp_path)
    assert [t.id for t in suite.tasks] == ["8"]
    (problem,) = suite.problems
    assert problem.startswith("7/tests.json: ")
    assert words in problem


@pytest.mark.parametrize(("probe", "words"), read_table("spec", "bad_probes"))
def test_a_wrong_probe_says_where_and_what(probe, words):
    sentence = probes.mistake(probe, "p")
    assert sentence.startswith("p")
    assert words in sentence


@pytest.mark.parametrize("probe", read_table("spec", "right_probes"))
def test_a_right_probe_has_no_mistake(probe):
    assert probes.mistake(probe, "p") == ""


@pytest.mark.parametrize("text", ["CWE-22", "CWE-022", "cwe 22", "CWE-22: Path traversal"])
def test_every_spelling_of_a_weakness_is_one(text):
    assert normalize_cwe(text) == "CWE-22"


def test_a_folder_without_items_is_refused_with_the_mend(tmp_path):
    with pytest.raises(KitError, match="<ID>/tests.json"):
        spec.load_items(tmp_path)
    with pytest.raises(KitError, match="nowhere"):
        spec.load_items(tmp_path / "nowhere")


def test_an_unknown_task_arm_or_language_is_refused_by_name(tmp_path):
    put(tmp_path, "7", ITEM)
    suite = spec.load_items(tmp_path)
    with pytest.raises(KitError, match="Use some of: 7"):
        suite.task("8")
    with pytest.raises(KitError, match="'fancy'.*plain"):
        spec.build_prompt(suite.tasks[0], language="python", arm="fancy")
    with pytest.raises(KitError, match="'cobol'.*python"):
        spec.build_prompt(suite.tasks[0], language="cobol")


@pytest.mark.parametrize("arm", spec.list_arms())
def test_every_arm_asks_for_the_whole_specification_in_the_language(tmp_path, arm):
    put(tmp_path, "7", ITEM)
    task = spec.load_items(tmp_path).tasks[0]
    (message,) = spec.build_prompt(task, language="cpp", arm=arm)
    assert message["role"] == "user"
    assert task.prompt in message["content"]
    assert "C++" in message["content"]
    assert (task.details in message["content"]) is (arm == "details")


def test_the_arms_differ():
    texts = {p.read_text() for p in (Path(spec.__file__).parent / "prompts").glob("*.txt")}
    assert len(texts) == len(spec.list_arms()) == 4


def test_a_database_is_built_from_its_text_and_equal_text_gives_equal_bytes():
    sql = "CREATE TABLE t(a TEXT); INSERT INTO t VALUES ('x;y');"
    services.build_database.cache_clear()
    first = services.build_database(sql)
    services.build_database.cache_clear()
    assert first == services.build_database(sql)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(first)
        assert connection.execute("SELECT a FROM t").fetchall() == [("x;y",)]
    assert services.build_database("") == b""


@pytest.mark.parametrize("folder", sorted({p.parents[1] for p in SUITES.glob("*/*/tests.json")}))
def test_every_item_of_every_suite_of_ours_is_well_formed(folder):
    suite = spec.load_items(folder)
    assert {p.parent.name for p in folder.glob("*/tests.json")} == {t.id for t in suite.tasks}
    assert suite.problems == ()
