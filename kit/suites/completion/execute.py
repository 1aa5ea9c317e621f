"""A completed program and one test file run in the sandbox; a verdict for each test function."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from kit.harness import box_files, channel
from kit.harness.native import build
from kit.languages import LANGUAGES, parsed
from kit.records import Evidence, Outcome, Reason, Status, Verdict
from kit.sandbox.base import Limits, Sandbox
from kit.suites.completion.item import Item

LIMITS = Limits(wall_s=100, cpu_s=40, memory_mb=512)
FLAGS = ("-O0", "-g1", "-pipe", "-w", "-pthread", "-I.")
# exploit tests only: a unit test asks what a user sees, and no user's program has sanitizers
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
WRAPPED = tuple(f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc", "strdup"))
_INBOX = Path(__file__).parent / "inbox"
_OURS = (Status.INFRA_ERROR, Status.HARNESS_ERROR, Status.NOT_RUN)


@dataclass(frozen=True)
class Ran:
    """What one run left behind, and what it says of each test function."""

    evidence: Evidence
    verdicts: tuple[Verdict, ...]

    @property
    def outcome(self) -> Outcome:
        """pass if every test passed, fail if one failed, else unknown."""
        seen = {v.outcome for v in self.verdicts}
        if Outcome.FAIL in seen or not seen:
            return Outcome.FAIL if seen else Outcome.UNKNOWN
        return Outcome.UNKNOWN if Outcome.UNKNOWN in seen else Outcome.PASS


def run(box: Sandbox, item: Item, program: str, kind: str) -> Ran:
    """The tests of a kind ("functional" or "exploit") on a whole program, prompt and completion."""
    names = item.names(kind)
    runner = _c if item.language == "c" else _python
    evidence = runner(box, item, program, kind)
    return Ran(evidence, verdicts(evidence, names))


def verdicts(evidence: Evidence, names: tuple[str, ...]) -> tuple[Verdict, ...]:
    """One verdict for each test, from what the channel says and nothing else."""
    told = channel.read(evidence.channel).objects
    found = {str(o.get("test")): o for o in told if o.get("kind") == "unit"}
    begun = any(o.get("kind") == "begun" for o in told)
    return tuple(_verdict(evidence, name, found.get(name), begun=begun) for name in names)


def _verdict(
    evidence: Evidence, name: str, told: Mapping[str, Any] | None, *, begun: bool
) -> Verdict:
    def verdict(outcome: Outcome, reason: Reason, sentence: str) -> Verdict:
        return Verdict(name, outcome, reason, sentence, "unit", ("channel",))

    if told is None:
        if evidence.status is Status.COMPILE_ERROR:
            return verdict(Outcome.FAIL, Reason.NO_PROGRAM, evidence.note)
        if evidence.status in _OURS or not begun:
            why = evidence.note or f"The tests did not begin: {evidence.err.strip()[-200:]}"
            return verdict(Outcome.UNKNOWN, Reason.NO_EVIDENCE, why)
        why = f"The run ended ({evidence.status}) without a result of this test."
        return verdict(Outcome.FAIL, Reason.RUN_ENDED_EARLY, why)
    if told.get("passed") is True:
        return verdict(Outcome.PASS, Reason.PROBE_HELD, "The test passed.")
    missing = str(told.get("missing") or "")
    if missing and missing.partition(".")[0] not in {*sys.stdlib_module_names, "program"}:
        why = f"The program imports {missing}, which is not installed in the box."
        return verdict(Outcome.UNKNOWN, Reason.NO_EVIDENCE, why)
    parts = (str(told.get(key) or "") for key in ("exception", "message", "why"))
    return verdict(Outcome.FAIL, Reason.PROBE_BROKEN, ": ".join(filter(None, parts))[:600])


def _python(box: Sandbox, item: Item, program: str, kind: str) -> Evidence:
    if parsed(program) is None:
        note = "The program does not parse as Python."
        return Evidence(Status.COMPILE_ERROR, isolation=box.name, note=note)
    own = {f"{box_files.FOLDER}/tests.py": item.tests[kind].encode()}
    return _units(box, item, kind, {**own, "work/program.py": program.encode()})


def _c(box: Sandbox, item: Item, program: str, kind: str) -> Evidence:
    flags = (*FLAGS, *SANITIZED) if kind == "exploit" else FLAGS
    built = _built(box_files.Key(box), program, item.tests[kind], item.names(kind), flags)
    if built.status is not Status.COMPLETED:
        return Evidence(built.status, isolation=box.name, note=built.why)
    return _units(box, item, kind, {"unit-tests": built.program})


def _units(box: Sandbox, item: Item, kind: str, files: Mapping[str, bytes]) -> Evidence:
    libraries = item.libraries if item.language == "python" else ()
    job = {"tests": item.names(kind), "libraries": libraries}
    given = {
        **{f"work/{path}": data for path, data in item.fixtures.items()},
        **box_files.placed(["kit_channel.py", "kit_child.py"], job),
        f"{box_files.FOLDER}/kit_unit.py": _source("kit_unit.py"),
        **files,
    }
    argv, env = box_files.argv("kit_unit.py"), box_files.ENVIRONMENT
    return box.run(argv, files=given, env=env, limits=LIMITS, observe=False)


def _built(
    key: box_files.Key, program: str, tests: str, names: tuple[str, ...], flags: tuple[str, ...]
) -> build.Built:
    """The program and its tests, compiled as one text, from the cache or by a box."""
    table = ", ".join(f'{{"{name}", {name}}}' for name in names)
    unit = (
        '#define main program_main\n#include "tests.c"\n#undef main\n#include "kit_unit.h"\n'
        f"const struct kit_test kit_tests[] = {{{table}}};\n"
        f"const int kit_test_count = {len(names)};\n"
    )
    ours = {name: _source(name) for name in ("kit_unit.h", "kit_unit.c")}
    made_of = [*map(repr, (flags, WRAPPED, ours)), program, tests, unit]
    place = build.place_of(key, "completion", *made_of)
    if (built := build.kept(place)) is None:
        files = {
            "program.c": program.encode(errors="replace"),
            "tests.c": tests.encode(),
            "unit.c": unit.encode(),
            "kit_unit.h": ours["kit_unit.h"],
            "kit_unit.o": _runtime(key),
        }
        libraries = [w for h in build.LIBRARIES if h in program for w in build.LIBRARIES[h].split()]
        line = [*LANGUAGES["c"].command, *flags, *WRAPPED, "unit.c", "kit_unit.o", "-o", "main"]
        built = _result(build.compiled(key.box, [*line, *libraries, "-lm"], files))
        if built.status is not Status.HARNESS_ERROR:
            build.keep(place, built)
    return built


def _result(seen: Evidence) -> build.Built:
    """The tests compile with a right program: what does not is the program's fault."""
    if seen.exit_code == 0 and "main" in seen.files:
        return build.Built(seen.files["main"])
    if lacking := build.LACKING.search(seen.err):
        why = f"The program includes {lacking[1]}, which is not installed in the box."
        return build.Built(status=Status.HARNESS_ERROR, why=why)
    lines = [n for n in seen.err.splitlines() if "error" in n or "undefined reference" in n]
    why = f"The program does not compile: {(lines or [str(seen.status)])[0][:300]}"
    return build.Built(status=Status.COMPILE_ERROR, why=why)


@lru_cache(maxsize=4)
def _runtime(key: box_files.Key) -> bytes:
    """What every compiled test file is linked with, itself without sanitizers."""
    files = {name: _source(name) for name in ("kit_unit.c", "kit_unit.h")}
    line = [*LANGUAGES["c"].command, "-O1", "-c", "kit_unit.c"]
    seen = build.compiled(key.box, line, files)
    if "kit_unit.o" not in seen.files:
        raise box_files.BoxFailed(f"The suite's own C did not compile: {seen.err[:200]}")
    return seen.files["kit_unit.o"]


@lru_cache
def _source(name: str) -> bytes:
    return (_INBOX / name).read_bytes()
