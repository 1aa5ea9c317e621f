"""Starts a C or C++ program once, the way its plan says."""

from dataclasses import replace
from functools import partial

from kit import harness
from kit.harness import box_files, calls
from kit.harness.calls import Call
from kit.harness.languages.cpp import build, glue, read
from kit.harness.plan import Plan, Unmappable, plan
from kit.languages import Language
from kit.records import Evidence, Status, Task, Test
from kit.sandbox.base import Sandbox

LOADER = "/lib64/ld-linux-x86-64.so.2"  # starts a file that is not marked as a program
STARTER = "kit_start"
_DRIVE = ("kit_drive.py", "kit_channel.py", "kit_child.py")


def run(box: Sandbox, task: Task, test: Test, code: str, language: Language) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    reader = partial(read, language=language.name)
    if plan(code, reader, task).kind == "none":  # nothing could be called: does it compile at all?
        idle = glue.nothing(language.name)
        alone = build.build(box_files.Key(box), language.name, code, idle, frozenset())
        if alone.status is Status.COMPILE_ERROR:
            return Evidence(alone.status, isolation=box.name, note=alone.why)
    return harness.started(box, task, test, code, language, read=reader, start=_start)


def _start(box: Sandbox, chosen: Plan, call: Call, code: str, language: Language) -> Evidence:
    facts, key = chosen.facts, box_files.Key(box)
    name, is_call = language.name, call.entry_kind == "call"
    half = glue.call(chosen, name) if is_call else glue.program(name)
    records = call.job.get("sinks", "")
    built = build.build(key, name, code, half, facts.imports, records)
    if built.status is not Status.COMPLETED:
        return Evidence(built.status, isolation=box.name, note=built.why)
    job = {**call.job, **(calls.positional(chosen, call.job, gap=None) if is_call else {})}
    starter = f"{box_files.FOLDER}/{STARTER}"
    mark = "--later" if records == "memory" else "--"  # when events begin to count: see kit_start.c
    main = [LOADER, f"/box/{starter}", *call.folders, mark, LOADER, "/box/main"]
    command, names = [*main, *call.job.get("argv", ())], tuple[str, ...]()
    if call.entry_kind == "serve":
        job["command"] = ["/usr/bin/env", "KIT_CHANNEL={sink}", *main]
        command, names = box_files.argv(_DRIVE[0]), _DRIVE
    files = {
        **call.files,
        "main": built.program,
        starter: build.runtime(key, STARTER),
        **box_files.placed(names, job, folders=call.folders),
    }
    command = [*call.environment.before, *command]
    result = box.run(command, files=files, stdin=call.stdin, **call.environment.options)
    return _read(key, built, result)


def _read(key: box_files.Key, built: build.Built, result: Evidence) -> Evidence:
    """The channel with lines in the place of gcov's counters; an input that fits no call."""
    answers = box_files.answers(result.channel)
    unfit = answers.last("why")
    if unfit.get("kind") == "unfit":
        raise Unmappable(str(unfit["why"]))
    counters = answers.last("gcda").get("gcda", "")
    try:
        data = bytes.fromhex(counters)
    except (ValueError, TypeError):
        return result
    lines = build.covered(key, built.notes, data) if data and built.notes else ()
    channel = result.channel + b"".join(b"\n%d" % n for n in lines) + b"\n"
    return replace(result, channel=channel)
