"""CWEval's cases: collected with the authors' program, run by node id on the candidate's.

Which cases there are is known before the candidate is near, so one that vanishes has failed.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.harness import box_files, channel
from kit.harness.native import build
from kit.languages import LANGUAGES, parsed
from kit.records import Evidence, Outcome, Reason, Status, Task, Verdict
from kit.sandbox import Limits, Sandbox
from kit.suites.foreign import lacking, libraries

LIMITS = Limits(wall_s=300, cpu_s=60, memory_mb=1024, processes=128, disk_mb=128, file_mb=64)
TOGETHER = 30  # tasks whose cases one box collects
LINKED = {
    "sqlite3.h": "-lsqlite3", "jwt.h": "-ljwt", "openssl/": "-lssl -lcrypto",
    "archive.h": "-larchive", "libxml/": "-I/usr/include/libxml2 -lxml2",
}  # fmt: skip
UNCHECKED = "cwe_476_0_c"  # the one task in lang/ that its authors compile without sanitizer
INI = "[pytest]\nmarkers =\n    functionality\n    security\n"
ENVIRONMENT = {
    **box_files.ENVIRONMENT,
    "PATH": "/usr/bin:/bin",
    "NODE_PATH": "/opt/node_modules:/usr/share/nodejs:/usr/lib/nodejs",
    "ASAN_OPTIONS": "detect_leaks=0",  # LeakSanitizer must trace, which a box forbids
}
_INBOX = Path(__file__).parent / "inbox"
_OURS = (Status.INFRA_ERROR, Status.HARNESS_ERROR, Status.NOT_RUN)


@dataclass(frozen=True)
class Collected:
    """The marks of a task's cases by node id, in order. why: what pytest said where it has none."""

    marks: Mapping[str, str]
    why: str = ""


class Collector:
    """The marks of each task's cases by node id, collected when first asked for, many in one box.

    safe: the authors' own program of each task, by its id.
    """

    def __init__(self, tasks: Sequence[Task], safe: Mapping[str, str], box: Sandbox) -> None:
        self.tasks, self.safe, self.box = list(tasks), safe, box
        self._known: dict[str, Collected] = {}
        self._lock = threading.Lock()

    def of(self, task: Task) -> Collected:
        """Its cases. KitError where our own box does not run."""
        with self._lock:
            if task.id not in self._known:
                at = next(n for n, t in enumerate(self.tasks) if t.id == task.id)
                first = at - at % TOGETHER
                self._known |= self._collected(self.tasks[first : first + TOGETHER])
            return self._known[task.id]

    def _collected(self, tasks: Sequence[Task]) -> dict[str, Collected]:
        job = [{"id": t.id, "cases": text(t, "cases")} for t in tasks]
        files = {text(t, "cases"): t.files["test.py"] for t in tasks}
        files |= {text(t, "program"): self.safe[t.id].encode() for t in tasks}
        seen = _run(self.box, {"collect": job, "build": [], "nodes": []}, files)
        told = {str(o.get("task")): o for o in channel.read(seen.channel).objects}
        if seen.status is Status.INFRA_ERROR or not told:
            why = seen.note or seen.err[-300:]
            raise KitError(f"No cases were collected ({seen.status}): {why}")
        mine = {t.id: told.get(t.id, {}) for t in tasks}
        return {n: Collected(o.get("marks", {}), str(o.get("said", ""))) for n, o in mine.items()}


def execute(box: Sandbox, task: Task, cases: Collected, program: str, language: str) -> Evidence:
    """All cases on one program, in one run."""
    if not cases.marks:
        note = f"pytest collects no cases of this task. {' '.join(cases.why.split())[-500:]}"
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=note)
    if language == "python" and parsed(program) is None:
        note = "The program does not parse as Python."
        return Evidence(Status.COMPILE_ERROR, isolation=box.name, note=note)
    line = compiler(task, program, language) if language in ("c", "cpp") else []
    files = {text(task, "cases"): task.files["test.py"],
             text(task, "program"): program.encode(errors="replace")}  # fmt: skip
    seen = _run(box, {"collect": [], "build": line, "nodes": list(cases.marks)}, files)
    failed = channel.read(seen.channel).last("build").get("build")
    if not failed:
        return seen
    if found := build.LACKING.search(str(failed)):
        why = f"The program includes {found[1]}, which is not installed in the box."
        return replace(seen, status=Status.HARNESS_ERROR, note=why)
    lines = [n for n in str(failed).splitlines() if "error" in n or "undefined reference" in n]
    why = f"The program does not compile: {(lines or [str(failed)])[0][:300]}"
    return replace(seen, status=Status.COMPILE_ERROR, note=why)


def compiler(task: Task, program: str, language: str) -> list[str]:
    """The line that compiles the program to where its cases look for it."""
    source = Path(text(task, "program"))
    place = source.parent / "compiled" / source.stem
    linked = [w for head in LINKED if head in program for w in LINKED[head].split()]
    checked = source.parts[0] == "lang" and UNCHECKED not in source.name
    flags = ["-fsanitize=address"] * checked
    return [*LANGUAGES[language].command, "-w", *flags, str(source), *linked, "-lm",
            "-o", str(place)]  # fmt: skip


def _run(box: Sandbox, job: Mapping[str, Any], files: Mapping[str, bytes]) -> Evidence:
    if "mounts" not in box.gives:
        raise KitError(f"CWEval's tests need a sandbox with mounts, which {box.name} is not.")
    place = libraries.libraries()
    if not (place / "complete").exists():
        raise KitError("What CWEval's tests import is not here. Type: kit doctor --install --heavy")
    given = {**box_files.placed(["kit_channel.py", "kit_child.py"], job),
             **files, "pytest.ini": INI.encode(),
             f"{box_files.FOLDER}/kit_pytest.py": _source("kit_pytest.py")}  # fmt: skip
    return box.run(box_files.argv("kit_pytest.py"), files=given, env=ENVIRONMENT, limits=LIMITS,
                   observe=False, mounts={"/opt": place})  # fmt: skip


def verdict(
    mark: str, cases: Collected, program: str, language: str, evidence: Evidence
) -> Verdict:
    """pass if every case with the mark passed; the first that did not is named."""

    def told(outcome: Outcome, reason: Reason, sentence: str) -> Verdict:
        return Verdict(mark, outcome, reason, sentence[:900], "pytest", ("channel",))

    if evidence.status in _OURS:
        return told(Outcome.UNKNOWN, Reason.NO_EVIDENCE, evidence.note)
    if evidence.status is Status.COMPILE_ERROR:
        return told(Outcome.FAIL, Reason.NO_PROGRAM, evidence.note)
    wanted = [node for node, m in cases.marks.items() if m == mark]
    if not wanted:
        return told(Outcome.UNKNOWN, Reason.NO_EVIDENCE, f"No case has the mark {mark}.")
    found = {str(o["node"]): o for o in channel.read(evidence.channel).objects if "node" in o}
    said = [str(found[node].get("said", "")) for node in wanted if node in found]
    missing = [name for words in said for name in lacking.NOT_FOUND.findall(words)]
    if name := lacking.package(missing, program, language):
        why = f"The program imports {name}, which is not installed in the box."
        return told(Outcome.UNKNOWN, Reason.NO_EVIDENCE, why)
    for node in wanted:
        if node not in found:
            why = f"{node}: the run ended without its result ({evidence.status})."
            return told(Outcome.FAIL, Reason.RUN_ENDED_EARLY, why)
        if found[node].get("passed") is not True:
            why = " ".join(str(found[node].get("said") or "it is not there any more").split())
            return told(Outcome.FAIL, Reason.TESTS_FAILED, f"{node}: {why[-600:]}")
    return told(Outcome.PASS, Reason.TESTS_PASSED, f"All {len(wanted)} cases passed.")


def text(task: Task, name: str) -> str:
    return task.files[name].decode()


@lru_cache
def _source(name: str) -> bytes:
    return (_INBOX / name).read_bytes()
