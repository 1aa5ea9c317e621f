"""The records of the flow, frozen; dicts appear only in files (`to_json`, `*_from`)."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """What happened to a run, as seen from outside the program."""

    COMPLETED = "completed"
    TIMEOUT = "timeout"
    OOM = "oom"
    CRASHED = "crashed"
    OUTPUT_LIMIT = "output_limit"
    COMPILE_ERROR = "compile_error"
    EXTRACTION_ERROR = "extraction_error"
    REFUSED = "refused"
    HARNESS_ERROR = "harness_error"
    INFRA_ERROR = "infra_error"
    NOT_RUN = "not_run"

    @property
    def has_program(self) -> bool:
        """Whether the answer held a program, and it could be built."""
        return self not in (Status.EXTRACTION_ERROR, Status.REFUSED, Status.COMPILE_ERROR)

    @property
    def has_evidence(self) -> bool:
        """Whether a run of the program was observed, wherever it ended."""
        return self not in (Status.HARNESS_ERROR, Status.INFRA_ERROR, Status.NOT_RUN)

    @property
    def is_infrastructure_failure(self) -> bool:
        """Whether this is not the model's doing, so that the sample is in no denominator."""
        return self in (Status.INFRA_ERROR, Status.NOT_RUN)

    @property
    def is_early_end(self) -> bool:
        """Whether the run ended before the program was done."""
        return self in (Status.TIMEOUT, Status.OOM, Status.CRASHED, Status.OUTPUT_LIMIT)


class Outcome(StrEnum):
    """An oracle's conclusion for one test. `unknown` is a conclusion, not a gap."""

    PASS = "pass"  # noqa: S105 - a verdict, no password
    FAIL = "fail"
    UNKNOWN = "unknown"


class Reason(StrEnum):
    """Why a test has its outcome; the verdict's sentence says it in full."""

    EXACT = "exact"
    NUMERIC = "numeric"
    STRUCTURAL = "structural"
    EXCEPTION_CLASS = "exception_class"
    MISMATCH = "mismatch"
    PROBE_HELD = "probe_held"
    PROBE_BROKEN = "probe_broken"
    RULE_HELD = "rule_held"
    RULE_BROKEN = "rule_broken"
    JUDGE = "judge"
    JUDGE_UNPARSED = "judge_unparsed"  # it answered in no proper form: asked again the next time
    JUDGE_FAILED = "judge_failed"  # its service did not answer: asked again the next time
    NO_RULE = "no_rule"
    NO_EVIDENCE = "no_evidence"
    NO_PROGRAM = "no_program"
    LACKING = "lacking"  # the program has nothing that could be what the task asks for
    RUN_ENDED_EARLY = "run_ended_early"
    NOT_COMPARABLE = "not_comparable"
    ORACLE_FAILED = "oracle_failed"  # our own error: shown loudly, judged again the next time
    TESTS_PASSED = "tests_passed"
    TESTS_FAILED = "tests_failed"
    FORGED = "forged"  # a test that must fail has passed
    NO_FINDING = "no_finding"
    FINDING = "finding"
    NOT_SCANNED = "not_scanned"


@dataclass(frozen=True)
class Test:
    """One functional or security test. Identity within its task: `id` ("fc-0", "sec-3").

    input:    any JSON value, in the shapes of the suite's schema, or `input_file` names a fixture.
    expected: functional tests only; the fields from `behavior` (English) on: security tests only.
    variants: the attack again, as objects of tests.json; compiled_by: who wrote probes and
    variants, where that was not the test's author.
    """

    __test__ = False  # not a pytest class

    id: str
    kind: str  # "functional" | "security"
    input: Any = None
    expected: Any = None
    behavior: str = ""
    cwe: str = ""  # normalised: "CWE-22"
    probes: tuple[Mapping[str, Any], ...] = ()
    input_file: str = ""
    variants: tuple[Mapping[str, Any], ...] = ()
    compiled_by: str = ""


@dataclass(frozen=True)
class Task:
    """A specification with its paired tests. `files`: fixtures, by path in the working folder.

    facts: what tables group tasks by; `hops` is the column task_hops of the tidy table.
    """

    id: str
    suite: str
    prompt: str
    tests: tuple[Test, ...]
    title: str = ""
    domain: str = ""
    details: str = ""  # implementation_details: in the prompt only on request
    files: Mapping[str, bytes] = field(default_factory=dict)
    services: tuple[Mapping[str, Any], ...] = ()
    source: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


FACT = "task_"  # begins the name of a column with a fact of the task


@dataclass(frozen=True)
class Sample:
    """One answer of one model to one task under one arm, and the program extracted from it."""

    task: str
    model: str
    index: int = 0
    language: str = "python"
    arm: Mapping[str, Any] = field(default_factory=dict)  # prompt, temperature, ...
    status: Status = Status.COMPLETED  # or extraction_error, refused, infra_error
    code: str = ""
    response: str = ""
    note: str = ""
    finish_reason: str = ""
    served_model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    seed: int | None = None
    truncated: bool = False
    reasoning: str = ""  # what the model thought before its answer, if the service sent it
    created: str = ""  # ISO date and time of the answer
    asked: str = ""  # key of question and model: another question needs another answer
    label: str = ""  # references only: secure, functional_but_insecure, ...
    stream: str = ""  # coding agents only: the events as their command line printed them


LACKING = "lacking"  # kind of what is observed of a program without what the task asks for
UNKNOWN = "UNKNOWN"  # in the place of an errno
SERVED = "served"  # mode of a bind: to the port that received the requests


CHANGES = ("write", "delete", "rename")  # kinds of events that change a file
DEVICES = ("/dev/null", "/dev/tty", "/dev/stdout", "/dev/stderr", "/proc/self/fd/", "/dev/fd/")
# Of services that a box lacks, which the C library and libuuid ask for first.
MISSING_SERVICES = (
    "unix:/var/run/nscd/socket",
    "unix:/run/uuidd/request",
    "unix:/var/run/uuidd/request",
)
TRACEBACK = re.compile(r"^Traceback \(most recent call last\):", re.M)
_RAISED = re.compile(r"^([A-Za-z_][\w.]*)(?:: (.*))?$")


@dataclass(frozen=True)
class Event:
    """One action of the program, recorded from outside. `result`: 0 or more, or -errno.

    error UNKNOWN: an attempt with an unknown result, as of a killed process."""

    kind: str  # open, write, delete, rename, connect, bind, start, exec, refused, signal
    target: str  # normalised absolute path, "address:port", or the program's path
    mode: str = ""  # open: "r", "w", "rw"; start, exec: the joined arguments
    result: int = 0
    error: str = ""  # "ENOENT", ...

    @property
    def has_unknown_result(self) -> bool:
        """Whether its result is unknown; it may also have had another target."""
        return self.error == UNKNOWN

    @property
    def opens_to_write(self) -> bool:
        return self.kind == "open" and "w" in self.mode

    @property
    def is_of_the_c_library(self) -> bool:
        """Whether it is a connect or bind that the C library makes by itself.

        Port 0 is how it asks which of its own addresses a host would be reached from.
        """
        if self.target.startswith("unix:"):
            return self.kind == "connect" and self.target in MISSING_SERVICES and self.result < 0
        asks_for_address = self.kind == "connect" and self.target.endswith(":0")
        return self.target == "family:NETLINK" or asks_for_address


@dataclass(frozen=True)
class Observed:
    """The effect of one call, as the harness captured it.

    kind: "value" | "exception" | "response" | "output" (stdout of a command line) | "nothing"
    | LACKING.
    value: JSON, and for other values {"__bytes__": hex}, {"__set__": [...]}, {"__float__": "nan"},
    {"__float32__": a number of single precision}, {"__changed__": arguments by name, of a function
    that returns nothing},
    or {"__type__": name, "__repr__": text}.
    """

    kind: str = "nothing"
    value: Any = None
    exception: str = ""
    bases: tuple[str, ...] = ()  # class names of the exception's ancestors, nearest first
    message: str = ""
    own: bool = False  # a statement of the program raised it, as far as the harness can tell
    response: Mapping[str, Any] | None = None  # status, headers (lower-case names), body (text)
    lines: tuple[int, ...] = ()  # covered lines of the candidate, 1-based
    databases: Mapping[str, str] = field(default_factory=dict)  # path -> SQL dump after the run
    sinks: Mapping[str, Any] | None = None  # where a probe needs them: see kit.harness.box_files


@dataclass(frozen=True)
class Raised:
    """The exception that ended a run: its class, the classes above it, and its message."""

    name: str
    bases: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True)
class Evidence:
    """The facts of one run, without judgement."""

    status: Status
    exit_code: int | None = None
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    truncated: bool = False
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0
    files: Mapping[str, bytes] = field(default_factory=dict)  # written or changed, by relative path
    skipped: Mapping[str, str] = field(default_factory=dict)  # not collected: path -> why
    modes: Mapping[str, int] = field(default_factory=dict)  # permission bits of `files`
    events: tuple[Event, ...] = ()
    isolation: str = ""  # the tier, with what it lacks: "bwrap", "bwrap(memory sampled)", "docker"
    channel: bytes = b""  # raw return channel; untrusted: it may answer, never judge
    observed: Observed = Observed()
    note: str = ""  # one sentence where the status needs one
    waited_s: float = 0.0  # of wall_s, when it was ready to run and others had the CPU
    lost: tuple[str, ...] = ()  # why events or files may be missing: "the trace was capped", ...

    @property
    def own_s(self) -> float:
        """Wall seconds without those in which others had the CPU."""
        return self.wall_s - self.waited_s

    def round_usage(self) -> "Evidence":
        """The same run, with its own time and its memory rounded down to seconds and 100 MB.

        A question about it is then the same after another execution, so that it can be replayed.
        """
        return replace(
            self, wall_s=float(int(self.own_s)), peak_mb=float(int(self.peak_mb) // 100 * 100)
        )

    @property
    def out(self) -> str:
        return self.stdout.decode(errors="replace")

    @property
    def err(self) -> str:
        return self.stderr.decode(errors="replace")

    @property
    def why_unfinished(self) -> str:
        """Why it decides nothing what this run did not do, in words; "" if it was complete."""
        if self.status.is_early_end:
            return f"the run ended early ({self.status})"
        if self.observed.kind == "nothing":
            return "the program gave no answer"
        return ""

    @property
    def has_memory_of_all_processes(self) -> bool:
        """Whether the memory of all processes together was measured, not that of each."""
        return "no cgroup" not in self.isolation

    @property
    def raised(self) -> Raised | None:
        """The exception that ended the run; None where it did not end by one."""
        observed = self.observed
        has_failed = observed.kind == "output" and self.exit_code
        is_uncaught = has_failed and "Error" in observed.bases  # Node's
        if observed.exception and (observed.kind == "exception" or is_uncaught):
            return Raised(observed.exception, observed.bases, observed.message)
        if has_failed and TRACEBACK.search(self.err):
            last_line = self.err.rstrip().splitlines()[-1]
            if match := _RAISED.match(last_line):
                return Raised(match[1], message=match[2] or "")
        return None

    @property
    def execs(self) -> list[Event]:
        """Programs that the candidate started; its own start, kind "start", is not one of them."""
        return [event for event in self.events if event.kind == "exec"]

    @property
    def opens(self) -> list[Event]:
        """Every open, and for what has no file name of its own to open, every other change."""
        return [event for event in self.events if event.kind in ("open", *CHANGES)]

    @property
    def writes(self) -> list[Event]:
        """Everything that would have changed a file, whether or not it was allowed to.

        Making a folder that is already there (EEXIST, as `mkdir -p` tries) would have changed
        nothing.
        """
        writes = []
        for event in self.events:
            changes_nothing = event.mode == "mkdir" and event.error == "EEXIST"
            is_change = event.kind in CHANGES or event.opens_to_write
            if is_change and not changes_nothing and not event.target.startswith(DEVICES):
                writes.append(event)
        return writes

    def list_network_events(self, kind: str) -> list[Event]:
        """Connects or binds, without the C library's own: name service sockets, routes, addresses.

        In a box it looks up names in files alone; who asks a name server does so himself.
        """
        return [e for e in self.events if e.kind == kind and not e.is_of_the_c_library]

    def find_unsettled_attempt(self, *kinds: str) -> str:
        """An attempt of these kinds, or of any, of unknown result, in words; "" if none is."""
        for event in self.events:
            if event.has_unknown_result and (event.kind in kinds or not kinds):
                return f"nobody saw what came of {event.kind} {event.target[:100]}"
        return ""


@dataclass(frozen=True)
class Verdict:
    """An oracle's conclusion for one test, with the evidence that it rests on."""

    test: str
    outcome: Outcome
    reason: Reason
    sentence: str
    oracle: str = ""  # "match", "probes", "defaults", "judge:<model>"
    rests_on: tuple[str, ...] = ()  # "value", "stdout", "events", "response", "status", ...


@dataclass(frozen=True)
class Finding:
    """One alert of an engine: a static result, or a sanitizer's report."""

    engine: str
    rule: str
    cwe: str = ""
    file: str = ""
    line: int = 0
    end_line: int = 0
    function: str = ""
    message: str = ""
    flow: tuple[str, ...] = ()  # "file:line function": source to sink, or innermost frame first
    key: str = ""  # what makes two alerts one
    kind: str = ""  # the engine's own word: "heap-buffer-overflow", "error", "warning"


@dataclass(frozen=True)
class Cell:
    """One test of one sample, which has one verdict."""

    task: Task
    test: Test
    sample: Sample


@dataclass(frozen=True)
class Trial:
    """One execution, and the cells that it answers; `data` is for its suite alone.

    A trial without cells is evidence for later trials, such as a build or an iteration.
    key: everything that can change the evidence, and nothing else.
    """

    key: str
    cells: tuple[Cell, ...] = ()
    kind: str = "test"
    position: int = 0  # among the trials of its kind
    data: Any = None
    after: str = ""  # the key of the trial whose verdict asked for this one


@dataclass(frozen=True)
class Judgement:
    """The judgement of a trial's evidence: a verdict for each of its cells, in order, and findings.

    owners: per finding the slots of the cells' samples that have it. data: of a trial that is more
    than one test of one sample, what its suite will read again, as JSON values.
    """

    verdicts: tuple[Verdict, ...] = ()
    findings: tuple[Finding, ...] = ()
    owners: tuple[tuple[str, ...], ...] = ()
    data: Mapping[str, Any] | None = None


def to_json(record: Any) -> Any:
    """A record as plain JSON values; bytes become {"b64": text}."""
    if record is None or isinstance(record, (str, int, float)):  # the most frequent case by far
        return record
    if is_dataclass(record):
        return {f.name: to_json(getattr(record, f.name)) for f in fields(record)}
    if isinstance(record, bytes):
        return {"b64": base64.b64encode(record).decode()}
    if isinstance(record, Mapping):
        return {str(k): to_json(v) for k, v in record.items()}
    return list(map(to_json, record)) if isinstance(record, (list, tuple)) else record


def _restore_bytes(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"b64"}:
            return base64.b64decode(value["b64"])
        return {name: _restore_bytes(inner) for name, inner in value.items()}
    return list(map(_restore_bytes, value)) if isinstance(value, list) else value


def sample_from(data: dict[str, Any]) -> Sample:
    """The inverse of to_json for a Sample; unknown keys are refused by the constructor."""
    return Sample(**{**data, "status": Status(data.get("status", "completed"))})


def verdict_from(data: dict[str, Any]) -> Verdict:
    """The inverse of to_json for a Verdict."""
    kinds = {"outcome": Outcome(data["outcome"]), "reason": Reason(data["reason"])}
    return Verdict(**{**data, **kinds, "rests_on": tuple(data["rests_on"])})


def finding_from(data: dict[str, Any]) -> Finding:
    """The inverse of to_json for a Finding."""
    return Finding(**{**data, "flow": tuple(data["flow"])})


def evidence_from(data: dict[str, Any]) -> Evidence:
    """The inverse of to_json for an Evidence."""
    values = _restore_bytes(data)
    observed = values["observed"]
    tuples = {name: tuple(observed[name]) for name in ("bases", "lines")}
    values["observed"] = Observed(**{**observed, **tuples})
    values["status"] = Status(values["status"])
    values["lost"] = tuple(values.get("lost", ()))
    values["events"] = tuple(Event(**event) for event in values["events"])
    return Evidence(**values)


def content_key(*parts: Any) -> str:
    """SHA-256 over the canonical JSON of `parts`: equal content gives an equal key."""
    return key_of(*map(canonical_json, parts))


_encoded = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def canonical_json(part: Any) -> str:
    """The JSON of a part of a content key."""
    return _encoded(to_json(part))


def key_of(*texts: str) -> str:
    """The `content_key` of parts, from their `canonical_json` texts."""
    return hashlib.sha256(f"[{','.join(texts)}]".encode()).hexdigest()


def cache_text(record: Any, name: str, make: Callable[[], str]) -> str:
    """A text that depends on a frozen record alone: made at the first call and kept in it."""
    attributes = vars(record)
    if name not in attributes:
        attributes[name] = make()
    text: str = attributes[name]
    return text
