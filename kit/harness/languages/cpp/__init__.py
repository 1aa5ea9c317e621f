"""C and C++: reads a program, compiles it with a call of ours, and starts it as its plan says."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kit import harness
from kit.core.languages import Language
from kit.core.records import Event, Evidence, Status, Task, Test
from kit.harness import box_files, calls
from kit.harness.calls import Call
from kit.harness.facts import Facts
from kit.harness.languages.cpp import build, fits, glue
from kit.harness.languages.cpp.reader import BEYOND, preprocess, read
from kit.harness.plan import Plan, plan_call
from kit.sandbox.base import Sandbox

__all__ = ["BEYOND", "read", "run"]
STARTER = "kit_start"
_DRIVE = ("kit_drive.py", "kit_channel.py", "kit_child.py")


def run(box: Sandbox, task: Task, test: Test, code: str, language: Language) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    key = box_files.Key(box)

    def read_preprocessed_program(text: str) -> Facts:
        return read(preprocess(key, text, language.name), language=language.name)

    plan = plan_call(code, read_preprocessed_program, task)
    if plan.reason:  # nothing could be called: does it compile at all?
        idle = glue.write_idle_main(language.name)
        alone = build.compile_with_glue(key, language.name, code, idle, frozenset())
        if alone.status is Status.COMPILE_ERROR:
            return Evidence(alone.status, isolation=box.name, note=alone.why)
    return harness.plan_and_run_test(
        box, task, test, code, language, read=read_preprocessed_program, start=_start_program
    )


def _start_program(
    box: Sandbox, chosen: Plan, call: Call, code: str, language: Language
) -> Evidence:
    key = box_files.Key(box)
    is_call = call.entry_kind == "call"
    job = dict(call.job)
    half = glue.include_program(language.name)
    if is_call:
        job |= calls.order_arguments(chosen, call.job)
        half = glue.write_caller(chosen, language.name, job, code)
    records = call.job.get("sinks", "")
    built = build.compile_with_glue(key, language.name, code, half, chosen.facts.imports, records)
    if built.status is not Status.COMPLETED:
        return Evidence(built.status, isolation=box.name, note=built.why)
    starter = f"{box_files.FOLDER}/{STARTER}"
    main = [build.LOADER, f"/box/{starter}", *job["folders"], "--", build.LOADER, "/box/main"]
    command = [*main, *call.job.get("argv", ())]
    drivers: tuple[str, ...] = ()
    if call.entry_kind == "serve":
        job["command"] = ["/usr/bin/env", "KIT_CHANNEL={sink}", *main]
        command = box_files.runner_command(_DRIVE[0])
        drivers = _DRIVE
    files = {
        **call.files,
        "main": built.program,
        starter: build.compile_runtime(key, STARTER),
        **box_files.prepare_files_and_job(drivers, job),
    }
    command = [*call.environment.before, *command]
    result = box.run(command, files=files, stdin=call.stdin, **call.environment.options)
    if records == "memory":
        events = tuple(_without_runtime(result.events, list(build.require_sanitizers(key))))
        doubts = (built.why,) if built.why else ()
        result = replace(result, events=events, lost=result.lost + doubts)
    if is_call and result.status is Status.COMPLETED and not fits.are_sure(chosen, job):
        answer = box_files.read_answers(result.channel).last("kind")
        if answer.get("kind") == "unfit":
            return replace(result, status=Status.HARNESS_ERROR, note=str(answer.get("why")))
    return _decode_coverage(key, built, result)


def _without_runtime(
    events: Iterable[Event], actions: list[tuple[str, str, str]]
) -> Iterator[Event]:
    """The events without as many as the sanitizers' runtime makes; what a program adds stays."""
    for event in events:
        action = (event.kind, event.target, event.mode)
        if action in actions:
            actions.remove(action)
        else:
            yield event


def _decode_coverage(key: box_files.Key, built: build.Built, result: Evidence) -> Evidence:
    """The channel with lines in the place of gcov's counters."""
    answers = box_files.read_answers(result.channel)
    counters = answers.last("gcda").get("gcda", "")
    try:
        data = bytes.fromhex(counters)
    except (ValueError, TypeError):
        return result
    lines = build.find_covered_lines(key, built.notes, data) if data and built.notes else ()
    channel = result.channel + b"".join(b"\n%d" % n for n in lines) + b"\n"
    return replace(result, channel=channel)
