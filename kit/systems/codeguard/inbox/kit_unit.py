"""In the sandbox: runs each test function of one file in its own child process and folder.

A test passes if its function returns, the child then ends as it must (see kit_child), and the kit
finds no error in what a sanitizer wrote.
"""

import json
import os
import resource
import shutil
import sys
from typing import Any

from kit_channel import FOLDER, Caught, Channel, describe, take_job
from kit_child import Told, child, deal, hide

WALL_S, CPU_S = 15.0, 4
PLACE = os.path.join(os.getcwd(), "unit")
REPORTS = os.path.join(os.getcwd(), "reports")
NATIVE = os.path.join(os.getcwd(), "unit-tests")
SIGNS = (b"ERROR: ", b": runtime error: ")  # warnings do not count


def main() -> None:
    channel = Channel(os.environ.pop("KIT_CHANNEL"))
    job = take_job()
    papers = deal(FOLDER, job["tests"])
    work = take_files("work")
    shutil.rmtree(FOLDER)
    for name in job["libraries"]:
        __import__(name)
    if os.path.exists(NATIVE):
        os.chmod(NATIVE, 0o755)
    hide()
    channel.write({"kind": "begun"})
    for number in range(job["tests"]):
        answer = run_in_child(number, papers, work, channel)
        channel.write({"kind": "unit", "test": number, **answer})


def take_files(folder: str) -> dict[str, bytes]:
    """The files below a folder; the folder is then removed."""
    contents = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                contents[os.path.relpath(path, folder)] = file.read()
    shutil.rmtree(folder, ignore_errors=True)
    return contents


def run_in_child(
    number: int, papers: list[int], work: dict[str, bytes], channel: Channel
) -> dict[str, Any]:
    """The result of one test."""
    for path, data in work.items():
        os.makedirs(os.path.dirname(os.path.join(PLACE, path)), exist_ok=True)
        with open(os.path.join(PLACE, path), "wb") as file:
            file.write(data)
    for folder in (PLACE, REPORTS):
        os.makedirs(folder, exist_ok=True)
    end = child(run_test, papers, number, channel, WALL_S)
    report = b""
    for text in take_files(REPORTS).values():
        if any(sign in text for sign in SIGNS):
            report += text
    shutil.rmtree(PLACE, ignore_errors=True)
    return {"passed": end.passed, **explain_failure(end, report.decode("utf-8", "replace"))}


def explain_failure(told: Told, report: str) -> dict[str, Any]:
    """Details of a failure: an exception, a sanitizer report or how the process ended."""
    if report:
        lines = [n for n in report.splitlines() if "SUMMARY" in n or "runtime error" in n]
        return {"report": report[:8000], "message": (lines or [report])[0][:500]}
    if told.passed:
        return {}
    if told.late:
        return {"message": f"The test did not end within {WALL_S:.0f} s."}
    if told.said.startswith(b"{"):
        try:
            return dict(json.loads(told.said))
        except ValueError:
            return {"message": "The test told something that cannot be read."}
    if os.WIFSIGNALED(told.status):
        return {"message": f"The process ended by signal {os.WTERMSIG(told.status)}."}
    code = os.WEXITSTATUS(told.status)
    return {"message": f"The process ended with {code} before the test did."}


def run_test(paper: Any) -> bytes:
    """Runs one test in the child; returns how it failed. Compiled tests never return."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))
    os.chdir(PLACE)
    if os.path.exists(NATIVE):
        become_native_test(paper)
    name, text = paper
    sys.path[0] = PLACE
    sys.argv = ["program.py"]
    space: dict[str, Any] = {"__name__": "tests"}
    caught = Caught()
    with caught:
        exec(compile(text, "tests.py", "exec", dont_inherit=True), space)
        space[name]()
    return b"" if caught.error is None else json.dumps(describe_error(caught.error, text)).encode()


def become_native_test(number: int) -> None:
    """Replaces this process with a compiled test."""
    place = os.path.join(REPORTS, "report")
    asan = "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=256"
    asan += ":max_malloc_fill_size=65536:exitcode=86"
    env = {
        **os.environ,
        "ASAN_OPTIONS": f"{asan}:log_path={place}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={place}",
    }
    os.execve(NATIVE, ["unit-tests", str(number)], env)


def describe_error(error: BaseException, text: str) -> dict[str, Any]:
    """A description of the exception, and the innermost line of the tests in its traceback."""
    trace = error.__traceback__
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "tests.py":
            line = trace.tb_lineno
        trace = trace.tb_next
    description: dict[str, Any] = {**describe(error)}
    if line:
        description["why"] = text.splitlines()[line - 1].strip()
    return description


main()
