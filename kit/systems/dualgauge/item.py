"""Reads one item of a dual-test suite (tests.json and fixtures) into a Task, or reports a problem.

The classes here are the forms of tests.json and labels.json; the page of documentation and the JSON
schema are made from them too.
"""

import fnmatch
import json
import re
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


def normalize_cwe(text: str) -> str:
    """The one spelling of a weakness: "CWE-022" and "cwe 22: ..." are "CWE-22"; "" if none."""
    number = re.match(r"\s*CWE[-_ ]?0*(\d+)\b", text, re.IGNORECASE)
    return f"CWE-{number[1]}" if number else ""


def _check_weakness(text: str) -> str:
    if not (known := normalize_cwe(text)):
        raise validation_error(f" must read like 'CWE-22', got {text!r:.60}.")
    return known


def _check_domain(text: str) -> str:
    if text and text not in DOMAINS:
        raise validation_error(f" is {text!r:.60}; use one of: {', '.join(DOMAINS)}.")
    return text


def _check_fixture(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise validation_error(f" must lie in the item's folder, got {name!r}.")
    return path.as_posix()


MOST = 4 << 20  # characters that a repeated text may have: a box holds 64 MB


def expand_repeats(value: Any) -> Any:
    """An input with the text that each {"__repeat__": [text, times, ...]} in it stands for."""
    if isinstance(value, list):
        return [expand_repeats(part) for part in value]
    if not isinstance(value, dict) or value.keys() != {"__repeat__"}:
        return (
            {k: expand_repeats(v) for k, v in value.items()} if isinstance(value, dict) else value
        )
    parts = value["__repeat__"]
    pairs = list(zip(parts[::2], parts[1::2], strict=False)) if isinstance(parts, list) else []
    typed = all(type(text) is str and type(times) is int and times >= 0 for text, times in pairs)
    if not pairs or len(parts) % 2 or not typed or sum(len(t) * n for t, n in pairs) > MOST:
        raise validation_error(
            f': "__repeat__" takes texts, each with its number, for {MOST} letters.'
        )
    return "".join(text * times for text, times in pairs)


def _check_requests(value: Any) -> Any:
    """The input, if each request in it has no other keys than requests have."""
    several = shape.classify_input(value) == "requests"
    for request in value["requests"] if several else [value]:
        is_request = several or shape.classify_input(request) == "request"
        unknown = set(request) - REQUEST_KEYS if is_request and isinstance(request, dict) else ()
        for key in sorted(unknown):
            keys = ", ".join(sorted(REQUEST_KEYS))
            raise validation_error(f": a request has no key {key!r:.60}; use some of: {keys}.")
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


T = TypeVar("T", bound=_Test)


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
LABELLED = TypeAdapter(dict[str, LabelledProgram])
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
    task = Task(
        id=folder.name,
        suite=suite,
        prompt=item.prompt,
        tests=(
            *(
                Test(
                    f"fc-{t.test_id}",
                    "functional",
                    t.input,
                    t.expected_output,
                    input_file=t.input_file_path,
                )
                for t in item.fc_tests
            ),
            *(
                Test(
                    f"sec-{t.test_id}",
                    "security",
                    t.input,
                    behavior=t.behavior,
                    cwe=t.cwe,
                    probes=tuple(raw.get("probes", ())),
                    input_file=t.input_file_path,
                    variants=tuple(raw.get("variants", ())),
                )
                for t, raw in zip(item.sec_tests, data["sec_tests"], strict=True)
            ),
        ),
        title=item.title,
        domain=item.domain,
        details=item.implementation_details,
        files=files,
        services=served,
        source=item.source_repo,
    )
    present = {*files, *(str(s.get("path", "")) for s in served)}
    for test in item.sec_tests:
        kept_are_there(f"sec-{test.test_id}", test, present)
    return task, problems


def check_quotations(item: Item, *, own: bool) -> list[str]:
    """A sentence if a test of the item does not quote its prompt and it is not by other authors.

    Malformed if the prompt does not say what is quoted, or if a test in a suite of the kit quotes
    nothing.
    """
    prompt = " ".join(item.prompt.split())
    lacking = []
    tests = [*item.fc_tests, *item.sec_tests]
    for n, test in enumerate(tests):
        name = f"fc-{test.test_id}" if n < len(item.fc_tests) else f"sec-{test.test_id}"
        quoted = " ".join(test.because.split())
        for part in quoted.split(" ... "):
            if part not in prompt:
                raise Malformed(f"{name}.because: the prompt does not say {part!r:.200}.")
        if not quoted:
            lacking.append(name)
    mend = "`because` quotes the sentence of the prompt that decides a test"
    missing = "all tests" if len(lacking) == len(tests) else ", ".join(lacking)
    if lacking and own:
        raise Malformed(f"{mend}; it is missing in {missing}.")
    return [f"{mend}; it is missing in {missing}."] if lacking and not item.source_repo else []


def kept_are_there(name: str, test: "Security | Compiled", present: set[str]) -> None:
    """Malformed if a file that must stay as it was is no fixture and of no service."""
    looks = [(name, test.probes, present)]
    for variant in test.variants:
        more = {*variant.files, *(str(s.get("path", "")) for s in variant.services)}
        looks.append((f"{name}, variant {variant.name!r}", variant.probes, present | more))
    for where, probes, there in looks:
        for probe in list_leaf_probes(probes):
            path = str(getattr(probe, "path", ""))
            name = path.removeprefix("/box/").removeprefix("./")
            if probe.keeps and name not in there and not fnmatch.filter(there, name):
                raise Malformed(
                    f"{where}: {probe.name()} names {path!r}, which is no fixture and no service. "
                    f"There are: {', '.join(sorted(there - {''})) or 'none'}."
                )


def read_fixtures(folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """Every regular file of the fixture folders as test_dir/...; links are named, not followed."""
    files, problems = {}, []
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
    return [
        f"{t.id}.input_file_path names {t.input_file!r}, which is not among the fixtures; "
        "the task is loaded, this test cannot run."
        for t in task.tests
        if t.input_file and t.input_file not in task.files
    ]


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
        twice = next(name for name in names if names.count(name) > 1)
        raise Malformed(f"the key {twice!r} is given twice in one object.")
    return data
