"""Runs one test file on a completed program in the sandbox; one result per test function."""

import random
import re
import secrets
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from kit.core.languages import LANGUAGES
from kit.core.records import LACKING, Evidence, Outcome, Reason, Status, Verdict
from kit.harness import box_files, cases, decoys, mark_missing_feature
from kit.harness.cases import Result
from kit.harness.decoys import Entry
from kit.harness.languages import tree
from kit.harness.languages.cpp import build, sanitized
from kit.oracle import sanitizers
from kit.sandbox.base import Limits, Sandbox
from kit.systems.codeguard.item import CompletionItem

LIMITS = Limits(wall_s=130, cpu_s=48, memory_mb=512)
FLAGS = ("-O0", "-g1", "-pipe", "-w", "-pthread", "-I.")
# exploit tests only: unit tests check what users see, and users run without sanitizers
SANITIZED = (*sanitized.FLAGS, *sanitized.ALIKE, "-fno-sanitize-recover=all")
WRAPPED = tuple(f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc", "strdup"))
_INBOX = Path(__file__).parent / "inbox"
# what each compiled file of tests is linked with
RUNTIME = {name: (_INBOX / name).read_bytes() for name in ("kit_unit.h", "kit_unit.c")}


def run_tests(box: Sandbox, item: CompletionItem, program: str, kind: str) -> Evidence:
    """Run the tests of one kind ("functional" or "exploit") on a program (prompt + completion)."""
    unseen = ""
    if item.language == "python":
        broken = cases.check_syntax(box, program)
        if broken:
            return broken
        reason = item.lacking(program)
        if reason:
            return mark_missing_feature(Evidence(Status.COMPLETED, isolation=box.name), reason)
        files = {"work/program.py": program.encode()}
        entries = decoys.draw_entries(item.names(kind), decoys.list_equations(item.tests[kind]))
        papers: list[Any] = [decoys.keep_one(item.tests[kind], entry) for entry in entries]
    else:
        key = box_files.Key(box)
        if kind == "exploit":
            build.require_sanitizers(key)
        flags = (*FLAGS, *SANITIZED) if kind == "exploit" else FLAGS
        built, table = _build_test_unit(key, program, item.tests[kind], item.names(kind), flags)
        if built.status is not Status.COMPLETED:
            return Evidence(built.status, isolation=box.name, note=built.why)
        unseen = built.why
        files = {"unit-tests": built.program}
        entries = decoys.draw_entries(item.names(kind))
        papers = [table.index(entry) for entry in entries]
    libraries = item.libraries if item.language == "python" else ()
    files = {f"work/{path}": data for path, data in item.fixtures.items()} | files
    for number, paper in enumerate(papers):
        files[f"{box_files.FOLDER}/{number}"] = box_files.pack_job(paper)
    job = {"tests": len(entries), "libraries": libraries}
    runner = _INBOX / "kit_unit.py"
    evidence = cases.execute_runner(box, runner, job, files, limits=LIMITS, beside=["kit_child.py"])
    if unseen:
        evidence = replace(evidence, lost=(*evidence.lost, unseen))
    return decoys.name_results(evidence, entries)


def read_results(
    evidence: Evidence, names: Sequence[str]
) -> tuple[tuple[Result, ...], dict[str, str]]:
    """(one result per test, read from the channel alone; test -> module that was not found).

    A test that failed because the sandbox lacks a module says nothing about the program.
    """
    answers = {}
    for answer in box_files.read_answers(evidence.channel).objects:
        if answer.get("kind") == "unit":
            answers[str(answer.get("test"))] = answer
    results = []
    missing = {}
    for name in names:
        answer = answers.get(name, {})
        passed = None
        if answer:
            is_clean = not sanitizers.is_report(str(answer.get("report") or ""))
            passed = answer.get("passed") is True and is_clean
        module = str(answer.get("missing") or "")
        is_present = module.partition(".")[0] in {*sys.stdlib_module_names, "program"}
        if module and not is_present and answer.get("passed") is not True:
            missing[name] = module
        parts = [str(answer.get(key) or "") for key in ("exception", "message", "why")]
        results.append(Result(name, passed, ": ".join(filter(None, parts))[:600]))
    return tuple(results), missing


def judge_evidence(kind: str, names: Sequence[str], evidence: Evidence) -> Verdict:
    """fail if a test failed for any reason other than a module that the sandbox lacks.

    What the sanitizers may not have seen is not known to have held.
    """
    results, missing = read_results(evidence, names)
    objects = box_files.read_answers(evidence.channel).objects
    is_run = evidence.status is not Status.COMPILE_ERROR and evidence.observed.kind != LACKING
    if is_run and not any(o.get("kind") == "begun" for o in objects):
        note = evidence.note or f"The tests did not begin: {evidence.err.strip()[-200:]}"
        evidence = replace(evidence, status=Status.HARNESS_ERROR, note=note)
    able = [result for result in results if result.name not in missing]
    package = ""
    if missing and all(result.passed for result in able):
        package = next(iter(missing.values()))
    verdict = cases.judge_results(kind, "unit", evidence, able, missing=package)
    if verdict.outcome is not Outcome.PASS or sanitized.UNSEEN not in str(evidence.lost):
        return verdict
    sentence = f"Nothing can be said to have held, for {evidence.lost[-1]}."
    return replace(verdict, outcome=Outcome.UNKNOWN, reason=Reason.NO_EVIDENCE, sentence=sentence)


def _build_test_unit(
    key: box_files.Key, program: str, tests: str, names: tuple[str, ...], flags: tuple[str, ...]
) -> tuple[build.Built, list[Entry]]:
    """The program and its tests, compiled as one unit in a sandbox or taken from the cache; and
    which test each number of the unit is. They stand in an order that the program cannot know."""
    contents = [*map(repr, (flags, WRAPPED, RUNTIME, names)), program, tests]
    place = build.place_of(key, "completion", *contents)
    table = []
    for name in names:
        table += [Entry(name), Entry(name, decoy=True)]
    random.Random(place.name).shuffle(table)
    built = build.load_result(place)
    if built is None:
        built = _compile_unit(key, program, _unit_source(tests, table), flags)
        if built.status is not Status.HARNESS_ERROR:
            build.store_result(place, built)
    return built, table


def _compile_unit(
    key: box_files.Key, program: str, unit: str, flags: tuple[str, ...]
) -> build.Built:
    files = {
        "program.c": program.encode(errors="replace"),
        "unit.c": unit.encode(),
        "kit_unit.h": RUNTIME["kit_unit.h"],
        "kit_unit.o": _compile_runtime(key),
    }
    line = [*LANGUAGES["c"].command, *flags, *WRAPPED, "unit.c", "kit_unit.o"]
    for header, libraries in build.LIBRARIES.items():
        if header in program:
            line += libraries.split()
    evidence = build.run_compiler(key.box, [*line, "-lm", "-o", "main"], files)
    if evidence.exit_code != 0 or "main" not in evidence.files:
        # the tests compile with a correct program, so any error is the program's
        status, reason = cases.explain_compiler_failure(evidence.err, str(evidence.status))
        return build.Built(status=status, why=reason)
    unseen = ""
    if flags != FLAGS:
        unseen = build.find_unseen(key, line, files, "program.c", evidence.err)
    return build.Built(evidence.files["main"], why=unseen)


def _unit_source(tests: str, table: Sequence[Entry]) -> str:
    """The tests under random names, a copy of each that never returns 0, and their table."""
    words = {entry: f"kit_{secrets.token_hex(8)}" for entry in table}
    parts = ["#define main program_main", tests]
    for node in tree.parse(tests, "c").children:
        head = re.match(r"int (test_\w+)\(void\)", tree.node_text(node))
        if head is None:
            continue
        name = head[1]
        copy = tree.node_text(node).encode()
        returns = [n for n in tree.walk(node) if n.type == "return_statement"]
        for statement in reversed(returns):
            value = statement.children[1]
            first, last = value.start_byte - node.start_byte, value.end_byte - node.start_byte
            copy = copy[:first] + b"1 | (" + copy[first:last] + b")" + copy[last:]
        parts.append(copy.decode().replace(name, words[Entry(name, decoy=True)], 1))
        parts[1] = re.sub(rf"\b{name}\b", words[Entry(name)], parts[1])
    functions = ", ".join(words[entry] for entry in table)
    parts += ["#undef main", f"int (*const kit_tests[])(void) = {{{functions}}};\n"]
    return "\n".join(parts)


@lru_cache(maxsize=4)
def _compile_runtime(key: box_files.Key) -> bytes:
    """The object file that every compiled test file is linked with; built without sanitizers."""
    line = [*LANGUAGES["c"].command, "-O1", "-c", "kit_unit.c"]
    evidence = build.run_compiler(key.box, line, RUNTIME)
    if "kit_unit.o" not in evidence.files:
        raise box_files.BoxFailed(f"The suite's own C did not compile: {evidence.err[:200]}")
    return evidence.files["kit_unit.o"]
