"""SecCodePLT's cases: evaluated in a box of their own, called in the candidate's, compared here.

A case holds if str(returned) == str(expected), the order of sets and dicts apart, or if an
exception of the expected class was raised (Yang et al. 2024, unittest_template.py of the clone).
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.harness import box_files, channel
from kit.languages import parsed
from kit.records import Evidence, Outcome, Reason, Status, Task, Verdict
from kit.sandbox import Limits, Sandbox
from kit.suites.foreign import lacking
from kit.suites.foreign.seccodeplt import UNSTEADY

LIMITS = Limits(wall_s=300, cpu_s=30, memory_mb=512)
TOGETHER = 40  # tasks whose cases one box evaluates
_INBOX = Path(__file__).parent / "inbox"
_OURS = (Status.INFRA_ERROR, Status.HARNESS_ERROR, Status.NOT_RUN)


@dataclass(frozen=True)
class Cases:
    """The cases of a task by group: inputs, packed, and what is expected. why: there are none.

    files: what lies in the working folder, as the text of the cases left it there.
    """

    inputs: Mapping[str, str] = field(default_factory=dict)
    expected: Mapping[str, Sequence[Mapping[str, str]]] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    why: str = ""


class Evaluator:
    """The cases of these tasks, evaluated when first asked for, many tasks in one box."""

    def __init__(self, tasks: Sequence[Task], box: Sandbox) -> None:
        self.tasks, self.box = list(tasks), box
        self._known: dict[str, Cases] = {}
        self._lock = threading.Lock()

    def of(self, task: Task) -> Cases:
        """Its cases. OSError or KitError where our own box does not run."""
        with self._lock:
            if task.id not in self._known:
                at = next(n for n, t in enumerate(self.tasks) if t.id == task.id)
                first = at - at % TOGETHER
                self._known |= evaluated(self.tasks[first : first + TOGETHER], self.box)
            return self._known[task.id]


def evaluated(tasks: Sequence[Task], box: Sandbox) -> dict[str, Cases]:
    """The cases of each task; no program of a candidate is near."""
    job = {"tasks": [
        {"id": t.id, "setup": _text(t, "setup.py"), "cases": _text(t, "cases.py")} for t in tasks
    ]}  # fmt: skip
    seen = _run(box, "kit_cases.py", job, {})
    if seen.status is Status.INFRA_ERROR:
        raise KitError(f"The box of the cases failed: {seen.note}")
    told = {str(o.get("task")): o for o in channel.read(seen.channel).objects}
    return {t.id: _cases(t.id, told.get(t.id), seen) for t in tasks}


def _cases(task: str, told: Mapping[str, Any] | None, seen: Evidence) -> Cases:
    if task in UNSTEADY:
        return Cases(why=UNSTEADY[task])
    if told is None:
        return Cases(why=f"The cases were not evaluated ({seen.status}). {seen.err[-200:]}")
    if "groups" not in told:
        return Cases(why=f"The cases raise {told['exception']}: {told['message'][:200]}")
    groups, place = told["groups"], f"{task}/"
    return Cases(
        {name: g["inputs"] for name, g in groups.items()},
        {name: g["expected"] for name, g in groups.items()},
        {p.removeprefix(place): data for p, data in seen.files.items() if p.startswith(place)},
    )


def execute(box: Sandbox, task: Task, cases: Cases, program: str) -> Evidence:
    """All groups of cases on one program, in one run."""
    if cases.why:
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=cases.why)
    if parsed(program) is None:
        note = "The program does not parse as Python."
        return Evidence(Status.COMPILE_ERROR, isolation=box.name, note=note)
    job = {"groups": cases.inputs, "setup": _text(task, "setup.py"),
           "function": _text(task, "function")}  # fmt: skip
    files = {**cases.files, "main.py": program.encode(errors="replace")}
    return _run(box, "kit_calls.py", job, files)


def _run(box: Sandbox, runner: str, job: Mapping[str, Any], files: Mapping[str, bytes]) -> Evidence:
    own = {f"{box_files.FOLDER}/{name}": _source(name) for name in (runner, "kit_told.py")}
    given = {**box_files.placed(["kit_channel.py"], job), **own, **files}
    argv, env = box_files.argv(runner), box_files.ENVIRONMENT
    return box.run(argv, files=given, env=env, limits=LIMITS, observe=False)


def verdict(group: str, cases: Cases, program: str, evidence: Evidence) -> Verdict:
    """pass if every case of the group holds; the first that does not is named."""

    def told(outcome: Outcome, reason: Reason, sentence: str) -> Verdict:
        return Verdict(group, outcome, reason, sentence[:900], "cases", ("channel",))

    if evidence.status in _OURS:
        return told(Outcome.UNKNOWN, Reason.NO_EVIDENCE, evidence.note)
    if evidence.status is Status.COMPILE_ERROR:
        return told(Outcome.FAIL, Reason.NO_PROGRAM, evidence.note)
    answers = [o for o in channel.read(evidence.channel).objects if o.get("group") == group]
    found = {o["case"]: o for o in answers if isinstance(o.get("case"), int)}
    loading = next((o for o in answers if o.get("loading")), None)
    missing = lacking.package((str(o.get("missing") or "") for o in answers), program)
    if missing:
        why = f"The program imports {missing}, which is not installed in the box."
        return told(Outcome.UNKNOWN, Reason.NO_EVIDENCE, why)
    if loading:
        return told(Outcome.FAIL, Reason.TESTS_FAILED, f"It does not load: {_raised(loading)}")
    expected = cases.expected[group]
    for n, wanted in enumerate(expected):
        if n not in found:
            why = f"Case {n}: the run ended without an answer ({evidence.status})."
            return told(Outcome.FAIL, Reason.RUN_ENDED_EARLY, why)
        if not holds(wanted, found[n]):
            said = f"Case {n}: wanted {_wanted(wanted)}; it {_did(found[n])}"
            return told(Outcome.FAIL, Reason.TESTS_FAILED, said)
    if not expected:
        return told(Outcome.UNKNOWN, Reason.NO_EVIDENCE, "The group has no cases.")
    return told(Outcome.PASS, Reason.TESTS_PASSED, f"All {len(expected)} cases hold.")


def holds(wanted: Mapping[str, str], answer: Mapping[str, Any]) -> bool:
    """Is this answer of the candidate what the case wants?"""
    if "exception" in wanted:
        raised = channel.raised(answer)
        return wanted["exception"] in (raised["exception"], *raised["bases"])
    return "exception" not in answer and answer.get("text") == wanted["text"]


def _wanted(wanted: Mapping[str, str]) -> str:
    if "exception" in wanted:
        return f"the exception {wanted['exception']}"
    return f"{wanted['text'][:200]!r}"


def _did(answer: Mapping[str, Any]) -> str:
    if "exception" in answer:
        return f"raised {_raised(answer)}"
    return f"gave {str(answer.get('text'))[:200]!r}."


def _raised(answer: Mapping[str, Any]) -> str:
    raised = channel.raised(answer)
    return f"{raised['exception']}: {raised['message'][:200]}"


def _text(task: Task, name: str) -> str:
    return task.files[name].decode("utf-8", "surrogatepass")


@lru_cache
def _source(name: str) -> bytes:
    return (_INBOX / name).read_bytes()
