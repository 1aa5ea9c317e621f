"""One item of a dual-test suite: tests.json and its fixtures become a Task, or a sentence."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from kit.harness import services
from kit.records import Task, Test
from kit.suites.spec import probe_schema

DOMAINS = ("files", "web", "database", "crypto", "system", "data", "input")
FIXTURE_FOLDERS = ("local_fixture/test_dir", "test_dir")  # the later one wins

_ITEM = {"benchmark_id", "prompt", "implementation_details", "fc_tests", "sec_tests", "source_repo"}
_ITEM_EXTRA = {"title", "domain", "service_setup"}
KEPT = ("file_unchanged", "database_unchanged")  # probes on what a task brings

_INPUT = ("input", "input_file_path")
_BEHAVIOR = "expected_behavior/output"
_FUNCTIONAL = {"test_id", *_INPUT, "expected_output"}
_SECURITY = {"test_id", *_INPUT, _BEHAVIOR, "CWE", "probes"}


class Malformed(Exception):
    """An item that cannot be used; its text is one sentence with the field."""


def parse(folder: Path, *, suite: str) -> tuple[Task, list[str]]:
    """The task in `folder` and what its fixtures lack; raises Malformed with one sentence."""
    data = _read(folder / "tests.json")
    _keys(data, "the item", required=_ITEM - {"source_repo"}, allowed=_ITEM | _ITEM_EXTRA)
    tests = [
        *_tests(data, "fc_tests", _functional),
        *_tests(data, "sec_tests", _security),
    ]
    files, left_out = fixtures(folder)
    task = Task(
        id=_id(data["benchmark_id"], folder),
        suite=suite,
        prompt=_text(data, "prompt", filled=True),
        tests=tuple(tests),
        title=_text(data, "title"),
        domain=_domain(data),
        details=_text(data, "implementation_details"),
        files=files,
        services=_services(data.get("service_setup"), files),
        source=_text(data, "source_repo"),
    )
    _places(task)
    return task, left_out + _missing_fixtures(task)


def _places(task: Task) -> None:
    """What must stay as it was has to be there: a fixture, or a file or database of a service."""
    there = {*task.files, *(str(s.get("path", "")) for s in task.services)}
    for test in task.tests:
        for probe in probe_schema.leaves(test.probes):
            name, path = probe["probe"], str(probe.get("path", ""))
            if name in KEPT and path.removeprefix("/box/").removeprefix("./") not in there:
                raise Malformed(
                    f"{test.id}: {name} names {path!r}, which is no fixture and no service. "
                    f"There are: {', '.join(sorted(there - {''})) or 'none'}."
                )


def fixtures(folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """Every regular file of the fixture folders as test_dir/...; links are named, not followed."""
    files, left_out = {}, []
    for root in FIXTURE_FOLDERS:
        for path in sorted((folder / root).rglob("*")):
            name = f"test_dir/{path.relative_to(folder / root).as_posix()}"
            if path.is_symlink():
                left_out.append(f"fixture {name} is a symbolic link and is left out.")
            elif path.is_file():
                files[name] = path.read_bytes()
    return files, left_out


def _missing_fixtures(task: Task) -> list[str]:
    return [
        f"{t.id}.input_file_path names {t.input_file!r}, which is not among the fixtures; "
        "the task is loaded, this test cannot run."
        for t in task.tests
        if t.input_file and t.input_file not in task.files
    ]


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"is not JSON in UTF-8: {str(error) or 'nested too deeply'}.") from error
    if not isinstance(data, dict):
        raise Malformed(f"must hold one JSON object, got {_kind(data)}.")
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a key given twice would silently lose one of its values."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Malformed(f"the key {twice!r} is given twice in one object.")
    return found


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a boolean"}
    return "null" if value is None else names.get(type(value), "a number")


def _keys(data: Mapping[str, Any], where: str, *, required: set[str], allowed: set[str]) -> None:
    missing, unknown = sorted(required - set(data)), sorted(set(data) - allowed)
    if missing:
        raise Malformed(f"{where}: field {missing[0]!r} is missing.")
    if unknown:
        known = ", ".join(sorted(allowed))
        raise Malformed(f"{where}: unknown field {unknown[0]!r}; the fields are {known}.")


def _id(value: Any, folder: Path) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise Malformed(f"benchmark_id must be a number or a text, got {_kind(value)}.")
    if str(value) != folder.name:
        raise Malformed(f"benchmark_id is {value!r}, but the folder is named {folder.name!r}.")
    return str(value)


def _text(data: Mapping[str, Any], key: str, *, where: str = "", filled: bool = False) -> str:
    value = data.get(key, "")
    if not isinstance(value, str):
        raise Malformed(f"{where}{key} must be a text, got {_kind(value)}.")
    if filled and not value.strip():
        raise Malformed(f"{where}{key} is empty.")
    return value


def _domain(data: Mapping[str, Any]) -> str:
    domain = _text(data, "domain")
    if domain and domain not in DOMAINS:
        raise Malformed(f"domain is {domain!r}; use one of: {', '.join(DOMAINS)}.")
    return domain


def _tests(data: Mapping[str, Any], key: str, parse_one: Any) -> list[Test]:
    if not isinstance(data[key], list):
        raise Malformed(f"{key} must be a list, got {_kind(data[key])}.")
    tests: list[Test] = []
    for i, entry in enumerate(data[key]):
        where = f"{key}[{i}]"
        if not isinstance(entry, dict):
            raise Malformed(f"{where} must be an object, got {_kind(entry)}.")
        test = parse_one(entry, where)
        if any(test.id == t.id for t in tests):
            raise Malformed(f"{where}: test_id {entry['test_id']!r} is used twice in {key}.")
        tests.append(test)
    return tests


def _functional(entry: Mapping[str, Any], where: str) -> Test:
    _keys(entry, where, required={"test_id", "expected_output"}, allowed=_FUNCTIONAL)
    return Test(
        id=f"fc-{_test_id(entry, where)}",
        kind="functional",
        expected=entry["expected_output"],
        **_input(entry, where),
    )


def _security(entry: Mapping[str, Any], where: str) -> Test:
    _keys(entry, where, required={"test_id", _BEHAVIOR, "CWE"}, allowed=_SECURITY)
    weakness = cwe(_text(entry, "CWE", where=f"{where}."))
    if not weakness:
        raise Malformed(f"{where}.CWE must read like 'CWE-22', got {entry['CWE']!r:.60}.")
    return Test(
        id=f"sec-{_test_id(entry, where)}",
        kind="security",
        behavior=_text(entry, _BEHAVIOR, where=f"{where}."),
        cwe=weakness,
        probes=tuple(_probes(entry.get("probes", []), where)),
        **_input(entry, where),
    )


def cwe(text: str) -> str:
    """The one spelling of a weakness: "CWE-022" and "cwe 22: ..." are "CWE-22"; "" if none."""
    found = re.match(r"\s*CWE[-_ ]?0*(\d+)\b", text, re.IGNORECASE)
    return f"CWE-{found[1]}" if found else ""


def _test_id(entry: Mapping[str, Any], where: str) -> str:
    value = entry["test_id"]
    if isinstance(value, bool) or not isinstance(value, (int, str)) or value == "":
        raise Malformed(f"{where}.test_id must be a number or a text, got {_kind(value)}.")
    return str(value)


def _input(entry: Mapping[str, Any], where: str) -> dict[str, Any]:
    given = [key for key in _INPUT if key in entry]
    if len(given) != 1:
        raise Malformed(f"{where}: give exactly one of the fields {' and '.join(_INPUT)}.")
    if given == ["input"]:
        return {"input": entry["input"]}
    name = _text(entry, "input_file_path", where=f"{where}.", filled=True)
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise Malformed(f"{where}.input_file_path must lie in the item's folder, got {name!r}.")
    return {"input_file": path.as_posix()}


def _probes(value: Any, where: str) -> Sequence[Mapping[str, Any]]:
    if not isinstance(value, list):
        raise Malformed(f"{where}.probes must be a list, got {_kind(value)}.")
    wrong = (probe_schema.mistake(p, f"{where}.probes[{i}]") for i, p in enumerate(value))
    first = next(filter(None, wrong), "")
    if first:
        raise Malformed(first)
    return value


def _services(setup: Any, fixtures: Mapping[str, bytes]) -> tuple[Mapping[str, Any], ...]:
    try:
        return tuple(services.read(setup, fixtures))
    except services.Refused as error:
        raise Malformed(str(error)) from error
