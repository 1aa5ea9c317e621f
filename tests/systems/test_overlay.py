"""What the kit knows of published items beyond their own text."""

import pytest

from kit.core import form
from kit.core.records import Task, Test
from kit.harness import services
from kit.systems.dualgauge import spec

TESTS = (Test("fc-0", "functional"), Test("fc-1", "functional"))
TASK = Task("9", "s", "Fetch it.", TESTS, files={"test_dir/a": b"own"})
OURS = {"prompt_sha256": spec.hash_prompt(TASK.prompt)}


def test_an_item_without_overlay_stays_as_it_is():
    assert spec.with_overlay(TASK) == (TASK, [])
    assert spec.with_overlay(TASK, [{"prompt_sha256": spec.hash_prompt("Fetch it")}]) == (TASK, [])


def test_a_quarantined_test_is_left_out_with_its_reason():
    known = [{**OURS, "quarantine": {"fc-1": "it is wrong.", "sec-7": "?"}}]
    task, told = spec.with_overlay(TASK, known)
    assert [t.id for t in task.tests] == ["fc-0"]
    assert told == ["fc-1 is in quarantine and left out: it is wrong."]


def test_an_overlay_is_checked_where_it_meets_its_item():
    wrong = {**OURS, "item": "9", "file": {}}
    with pytest.raises(form.Malformed, match="the overlay 9: unknown field 'file'"):
        spec.with_overlay(TASK, [wrong])
    assert spec.with_overlay(TASK, [wrong | {"prompt_sha256": "-"}]) == (TASK, [])


def test_services_and_files_are_added_and_the_items_own_win():
    server = {"type": "http", "host": "example.com"}
    files = {"www/x": "text", "test_dir/a": "other"}
    known = [{**OURS, "services": [server], "files": files}]
    task, told = spec.with_overlay(TASK, known)
    assert not told
    assert task.files == {"www/x": b"text", "test_dir/a": b"own"}
    assert task.services[0]["port"] == 80


def test_every_shipped_overlay_can_be_used():
    assert spec.load_shipped_overlays()
    for item in spec.load_shipped_overlays():
        form.validate_data(spec.item.OVERLAY, item)
        services.read_setup({"services": item.get("services", [])}, {})
        assert all(why.endswith(".") for why in item.get("quarantine", {}).values())
