"""Reads one item of a dual-test suite (tests.json and fixtures) into a Task, or reports a problem.

The classes here are the forms of tests.json and labels.json; the page of documentation and the JSON
schema are made from them too.
"""

import fnmatch
import json
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, TypeAdapter, model_validator

from kit.core import form
from kit.core.form import Anything, Filled, Form, Malformed, Text, Words, validation_error
from kit.core.paths import SUITES
from kit.core.records import Task, Test
from kit.harness import services, shape
from kit.harness.requests import REQUEST_KEYS
from kit.oracle.probes.probe import AnyProbe, list_leaf_probes

FIXTURE_FOLDERS = ("local_fixture/test_dir", "test_dir")  # the later one wins
DOMAINS = ("files", "web", "database", "crypto", "system", "data", "input")
KINDS = {
    "secure": "passes every test",
    "functional_but_insecure": "passes the functional tests and fails at least one security test",
    "secure_but_wrong": "fails at least one functional test and passes the security tests",
    "insecure": "fails at least one security test, and perhaps functional ones",
    "trivially_safe": "defines what the task names and does nothing: some security tests pass so",
}
T = TypeVar("T", bound="_Test")
MOST = 4 << 20  # characters that a repeated text may have: a box holds 64 MB


def normalize_cwe(text: str) -> str:
    """The one spelling of a weakness: "CWE-022" and "cwe 22: ..." are "CWE-22"; "" if none."""
    number = re.match(r"\s*CWE[-_ ]?0*(\d+)\b", text, re.IGNORECASE)
    return f"CWE-{number[1]}" if number else ""


def _check_weakness(text: str) -> str:
    cwe = normalize_cwe(text)
    if not cwe:
        raise validation_error(f" must read like 'CWE-22', got {text!r:.60}.")
    return cwe


def _check_domain(text: str) -> str:
    if text and text not in DOMAINS:
        raise validation_error(f" is {text!r:.60}; use one of: {', '.join(DOMAINS)}.")
    return text


def _check_fixture(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise validation_error(f" must lie in the item's folder, got {name!r}.")
    return path.as_posix()


def expand_repeats(value: Any) -> Any:
    """An input with the text that each {"__repeat__": [text, times, ...]} in it stands for."""
    if isinstance(value, list):
        return [expand_repeats(part) for part in value]
    if not isinstance(value, dict):
        return value
    if value.keys() != {"__repeat__"}:
        return {key: expand_repeats(part) for key, part in value.items()}
    parts = value["__repeat__"]
    if not _are_repeats(parts):
        raise validation_error(
            f': "__repeat__" takes texts, each with its number, for {MOST} letters.'
        )
    return "".join(map(operator.mul, parts[::2], parts[1::2]))


def _are_repeats(parts: Any) -> bool:
    """Whether they are [text, times, ...] and stand for at most MOST letters."""
    if not isinstance(parts, list) or not parts or len(parts) % 2:
        return False
    letters = 0
    for text, times in zip(parts[::2], parts[1::2], strict=True):
        if type(text) is not str or type(times) is not int or times < 0:
            return False
        letters += len(text) * times
    return letters <= MOST


def _check_requests(value: Any) -> Any:
    """The input, if each request in it has no other keys than requests have."""
    is_list = shape.classify_input(value) == "requests"
    for request in value["requests"] if is_list else [value]:
        if not isinstance(request, dict):
            continue
        unknown = request.keys() - REQUEST_KEYS
        if unknown and (is_list or shape.classify_input(request) == "request"):
            keys = ", ".join(sorted(REQUEST_KEYS))
            raise validation_error(
                f": a request has no key {min(unknown)!r:.60}; use some of: {keys}."
            )
    return value


Input = Annotated[
    Any,
    AfterValidator(expand_repeats),
    AfterValidator(_check_requests),
    Field(title="any JSON value"),
]
InputFile = Annotated[Words, AfterValidator(_check_fixture)]
Probes = Annotated[list[AnyProbe], Field(title="a list of probes")]
Services = Annotated[list[Any], Field(title="a list of services")]
Files = Annotated[dict[str, Text], Field(title="an object of texts by path")]


class _Test(Form):
    one_of: ClassVar = ("input", "input_file_path")
    test_id: Annotated[int | Filled, Field(title="a number or a text")]
    because: Text = ""
    input: Input = None
    input_file_path: InputFile = ""


def _each_once(tests: list[T]) -> list[T]:
    ids = [str(test.test_id) for test in tests]
    for n, test in enumerate(tests):
        if ids[n] in ids[:n]:
            raise validation_error(f"[{n}]: test_id {test.test_id!r} is used twice.")
    return tests


class Functional(_Test):
    expected_output: Anything


class Variant(Form):
    """The attack once more: with another input, in another world, or with other probes."""

    name: Filled
    input: Input = None
    input_file_path: InputFile = ""
    files: Files = {}
    services: Services = []
    probes: Probes = []

    @model_validator(mode="after")
    def _check_difference(self) -> Self:
        if self.model_fields_set <= {"name"}:
            raise validation_error(
                ": a variant needs an input, files, services or probes of its own."
            )
        try:
            services.read_setup({"services": self.services}, {})
        except Malformed as error:
            raise validation_error(f": {error}") from None
        return self


class Security(_Test):
    behavior: Text = Field(alias="expected_behavior/output")
    cwe: Annotated[Text, AfterValidator(_check_weakness)] = Field(
        alias="CWE", json_schema_extra={"pattern": "(?i)^\\s*CWE[-_ ]?0*[0-9]+"}
    )
    probes: Probes = []
    variants: Annotated[list[Variant], Field(title="a list of variants")] = []


class Item(Form):
    """tests.json of a specification with paired tests."""

    benchmark_id: Annotated[int | Filled, Field(title="a number or a text")] = Field(
        description="the name of the folder"
    )
    prompt: Words = Field(
        description="the specification: all that a model is shown in the arm `plain`"
    )
    implementation_details: Text = Field(description="shown in the arm `details` only")
    title: Text = Field("", description="for people")
    source_repo: Text = Field("", description="for people")
    domain: Annotated[Text, AfterValidator(_check_domain)] = Field(
        "", description=f"one of {', '.join(DOMAINS)}", json_schema_extra={"enum": ["", *DOMAINS]}
    )
    fc_tests: Annotated[list[Functional], AfterValidator(_each_once)] = Field(
        title="a list",
        description="functional tests: `test_id`, `because`, `input` or `input_file_path`, "
        "`expected_output`",
    )
    sec_tests: Annotated[list[Security], AfterValidator(_each_once)] = Field(
        title="a list",
        description="security tests: `test_id`, `because`, `input` or `input_file_path`, "
        "`expected_behavior/output` in English, `CWE`, `probes`, `variants`",
    )
    service_setup: Anything = Field(
        None, description='`{"services": [...]}`: what has to be there before the program starts'
    )


class Compiled(Form):
    """How a security test without probes is checked. id: the name that people know the test by."""

    id: Filled
    by: Filled
    date: Filled
    probes: Annotated[list[AnyProbe], Field(min_length=1, title="a non-empty list of probes")]
    variants: Annotated[list[Variant], Field(title="a list of variants")] = []
    checks: Annotated[dict[str, Text], Field(title="what each check program came to")] = {}
    reason: Text = ""  # why no check program breaks it
    reviewed_by: Text = ""


class Overlay(Form):
    """What an item lacks, and how its tests are checked; for the prompt of this hash only."""

    prompt_sha256: Filled
    item: Text = ""  # for people
    note: Text = ""
    services: Services = []
    files: Files = {}
    quarantine: Annotated[dict[str, Text], Field(title="reasons by test")] = {}
    tests: Annotated[dict[str, Compiled], Field(title="compiled tests by their hash")] = {}
    doubts: Annotated[dict[str, Text], Field(title="why a test is wrong, by test")] = {}
    check_programs: Annotated[dict[str, Text], Field(title="the check programs by their kind")] = {}


class Label(Form):
    label: Literal["pass", "fail"] = Field(title='"pass" or "fail"')
    why: Text = ""


class LabelledProgram(Form):
    """What a program of a task is labelled as, in labels.json under the name of its file."""

    kind: Text
    note: Text = ""
    tests: Annotated[dict[str, Label], Field(title="an object with a label for every test")]


ITEM = TypeAdapter(Item)
OVERLAY = TypeAdapter(Overlay)
COMPILED = TypeAdapter(Compiled)


def read_task(folder: Path, *, suite: str) -> tuple[Task, list[str]]:
    """The task in `folder` and what is wrong with fixtures; raises Malformed with one sentence."""
    data = _read_json(folder / "tests.json")
    item = form.validate_data(ITEM, data)
    if str(item.benchmark_id) != folder.name:
        raise Malformed(
            f"benchmark_id is {item.benchmark_id!r}, but the folder is named {folder.name!r}."
        )
    files, problems = read_fixtures(folder)
    problems += check_quotations(item, own=folder.resolve().parents[1] == SUITES.resolve())
    served = tuple(services.read_setup(item.service_setup, files))
    tests = []
    for functional in item.fc_tests:
        tests.append(
            Test(
                f"fc-{functional.test_id}",
                "functional",
                functional.input,
                functional.expected_output,
                input_file=functional.input_file_path,
            )
        )
    present = {*files, *list_service_paths(served)}
    for security, raw in zip(item.sec_tests, data["sec_tests"], strict=True):
        test = Test(
            f"sec-{security.test_id}",
            "security",
            security.input,
            behavior=security.behavior,
            cwe=security.cwe,
            probes=tuple(raw.get("probes", ())),
            input_file=security.input_file_path,
            variants=tuple(raw.get("variants", ())),
        )
        kept_are_there(test.id, security, present)
        tests.append(test)
    task = Task(
        id=folder.name,
        suite=suite,
        prompt=item.prompt,
        tests=tuple(tests),
        title=item.title,
        domain=item.domain,
        details=item.implementation_details,
        files=files,
        services=served,
        source=item.source_repo,
    )
    return task, problems


def check_quotations(item: Item, *, own: bool) -> list[str]:
    """A sentence if a test of the item does not quote its prompt and it is not by other authors.

    Malformed if the prompt does not say what is quoted, or if a test in a suite of the kit quotes
    nothing.
    """
    prompt = " ".join(item.prompt.split())
    quotations = {f"fc-{test.test_id}": test.because for test in item.fc_tests}
    quotations |= {f"sec-{test.test_id}": test.because for test in item.sec_tests}
    lacking = []
    for name, because in quotations.items():
        quoted = " ".join(because.split())
        for part in quoted.split(" ... "):
            if part not in prompt:
                raise Malformed(f"{name}.because: the prompt does not say {part!r:.200}.")
        if not quoted:
            lacking.append(name)
    if not lacking:
        return []
    missing = "all tests" if len(lacking) == len(quotations) else ", ".join(lacking)
    sentence = (
        "`because` quotes the sentence of the prompt that decides a test; "
        f"it is missing in {missing}."
    )
    if own:
        raise Malformed(sentence)
    return [] if item.source_repo else [sentence]


def list_service_paths(setup: Iterable[Mapping[str, Any]]) -> list[str]:
    """The path of each service; "" where it has none."""
    return [str(service.get("path", "")) for service in setup]


def kept_are_there(name: str, test: "Security | Compiled", present: set[str]) -> None:
    """Malformed if a file that must stay as it was is no fixture and of no service."""
    _check_kept(name, test.probes, present)
    for variant in test.variants:
        added = {*variant.files, *list_service_paths(variant.services)}
        _check_kept(f"{name}, variant {variant.name!r}", variant.probes, present | added)


def _check_kept(where: str, probes: Sequence[Any], present: set[str]) -> None:
    for probe in list_leaf_probes(probes):
        path = str(getattr(probe, "path", ""))
        name = path.removeprefix("/box/").removeprefix("./")
        if probe.keeps and name not in present and not fnmatch.filter(present, name):
            raise Malformed(
                f"{where}: {probe.name()} names {path!r}, which is no fixture and no service. "
                f"There are: {', '.join(sorted(present - {''})) or 'none'}."
            )


def read_fixtures(folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """Every regular file of the fixture folders as test_dir/...; links are named, not followed."""
    files = {}
    problems = []
    for root in FIXTURE_FOLDERS:
        for path in sorted((folder / root).rglob("*")):
            name = f"test_dir/{path.relative_to(folder / root).as_posix()}"
            if path.is_symlink():
                problems.append(f"fixture {name} is a symbolic link and is left out.")
            elif path.is_file():
                files[name] = path.read_bytes()
    return files, problems


def missing_fixtures(task: Task) -> list[str]:
    """A sentence for each test whose input file is not among the fixtures."""
    sentences = []
    for test in task.tests:
        if test.input_file and test.input_file not in task.files:
            sentences.append(
                f"{test.id}.input_file_path names {test.input_file!r}, which is not among the "
                "fixtures; the task is loaded, this test cannot run."
            )
    return sentences


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(
            path.read_text(encoding="utf-8-sig"), object_pairs_hook=_reject_duplicates
        )
    except (ValueError, RecursionError) as error:
        raise Malformed(f"is not JSON in UTF-8: {str(error) or 'nested too deeply'}.") from error
    if not isinstance(data, dict):
        raise Malformed("must hold one JSON object.")
    return data


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a key given twice would silently lose one of its values."""
    data = dict(pairs)
    if len(data) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = [name for name in names if names.count(name) > 1]
        raise Malformed(f"the key {repeated[0]!r} is given twice in one object.")
    return data
