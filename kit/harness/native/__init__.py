"""Starts a C or C++ program once, the way its plan says."""

from dataclasses import replace
from functools import partial

from kit.harness import box_files, calls, flow
from kit.harness.arguments import Unmappable
from kit.harness.calls import Call
from kit.harness.native import build, glue
from kit.harness.plan import Plan, plan
from kit.harness.read.cpp import READERS
from kit.records import Evidence, Status, Task, Test
from kit.sandbox.base import Sandbox

LOADER = "/lib64/ld-linux-x86-64.so.2"  # starts a file that is not marked as a program
STARTER = "kit_start"
_DRIVE = ("kit_drive.py", "kit_channel.py", "kit_child.py")


def run(box: Sandbox, task: Task, test: Test, code: str, *, language: str) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    start = partial(_start, language=language)
    try:
        chosen = plan(code, READERS[language], task)
        if chosen.kind == "none":  # nothing in it could be called: does it compile at all?
            key, idle = box_files.Key(box), glue.nothing(language)
            alone = build.build(key, language, code, idle, frozenset())
            if alone.status is Status.COMPILE_ERROR:
                return Evidence(alone.status, isolation=box.name, note=alone.why)
        return flow.run(box, task, test, code, read=READERS[language], start=start)
    except box_files.BoxFailed as failure:
        return Evidence(Status.INFRA_ERROR, isolation=box.name, note=str(failure))


def _start(
    box: Sandbox, chosen: Plan, call: Call, code: str, folders: flow.Folders, *, language: str
) -> Evidence:
    facts, key = chosen.facts, box_files.Key(box)
    assert facts is not None
    half = glue.call(chosen, language) if call.entry_kind == "call" else glue.program(language)
    built = build.build(key, language, code, half, facts.imports)
    if built.status is not Status.COMPLETED:
        return Evidence(built.status, isolation=box.name, note=built.why)
    job = {
        **call.job,
        **(calls.positional(chosen, call.job, gap=None) if call.entry_kind == "call" else {}),
    }
    starter = f"{box_files.FOLDER}/{STARTER}"
    main = [LOADER, f"/box/{starter}", *folders, "--", LOADER, "/box/main"]
    command, names = [*main, *call.job.get("argv", ())], tuple[str, ...]()
    if call.entry_kind == "serve":
        job["command"] = ["/usr/bin/env", "KIT_CHANNEL={sink}", *main]
        command, names = box_files.argv(_DRIVE[0]), _DRIVE
    files = {
        **call.files,
        "main": built.program,
        starter: build.runtime(key, STARTER),
        **box_files.placed(names, job, folders=folders),
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
