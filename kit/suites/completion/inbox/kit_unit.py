"""In the box: the test functions of one file, each in a child and a working folder of its own.

A test has passed if its function returned, the child then sent the nonce that was drawn for it,
and no sanitizer left a report. So a program that ends early, prints results, closes descriptors or
kills what started it gets no pass; one that searches the memory of its own process for the nonce
would, as with any test that runs inside the process of the program.
"""

import ctypes
import json
import os
import resource
import select
import shutil
import signal
import sys
from types import FrameType, TracebackType
from typing import Any

from kit_channel import FOLDER, Caught, Channel, Pulse, describe, take_job

WALL_S, CPU_S = 15.0, 4
PLACE, REPORTS = os.path.join(os.getcwd(), "unit"), os.path.join(os.getcwd(), "reports")
NATIVE = os.path.join(os.getcwd(), "unit-tests")
SIGNS = (b"ERROR: ", b": runtime error: ")  # a warning is no report
DUMPABLE = 4  # prctl: may processes of the same uid look into this one? (bwrap's never may)
_send, _end = os.write, os._exit  # as they were before any program ran


def main() -> None:
    channel, job = Channel(os.environ.pop("KIT_CHANNEL")), take_job()
    work, tests = taken("work"), taken(FOLDER).get("tests.py", b"")
    code = compile(tests, "tests.py", "exec", dont_inherit=True)
    for name in job["libraries"]:
        __import__(name)
    if os.path.exists(NATIVE):
        os.chmod(NATIVE, 0o755)
    prctl = ctypes.CDLL(None).prctl
    prctl(DUMPABLE, 0)
    channel.write({"kind": "begun"})
    for name in job["tests"]:
        told = one(name, work, code, prctl, channel)
        if told.get("line"):
            told["why"] = tests.decode().splitlines()[told["line"] - 1].strip()
        channel.write({"kind": "unit", "test": name, **told})


def taken(folder: str) -> dict[str, bytes]:
    """The files below a folder, which is removed."""
    found = {}
    for place, _, names in os.walk(folder):
        for path in (os.path.join(place, name) for name in names):
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    shutil.rmtree(folder, ignore_errors=True)
    return found


def one(
    name: str, work: dict[str, bytes], code: Any, prctl: Any, channel: Channel
) -> dict[str, Any]:
    """The result of one test."""
    for path, data in work.items():
        os.makedirs(os.path.dirname(os.path.join(PLACE, path)), exist_ok=True)
        with open(os.path.join(PLACE, path), "wb") as file:
            file.write(data)
    for folder in (PLACE, REPORTS):
        os.makedirs(folder, exist_ok=True)
    nonce = os.urandom(16).hex().encode()
    ours, theirs = os.pipe()
    sys.stdout.flush()
    if (pid := os.fork()) == 0:
        os.close(ours)
        os.close(channel.fd)
        prctl(DUMPABLE, 1)
        child(name, code, nonce, theirs)
    os.close(theirs)
    said = listen(ours, pid)
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    status = os.waitpid(pid, 0)[1]
    report = b"".join(d for d in taken(REPORTS).values() if any(s in d for s in SIGNS))
    shutil.rmtree(PLACE, ignore_errors=True)
    return {
        "passed": said == nonce and not report,
        **why(said, nonce, status, report.decode("utf-8", "replace")),
    }


def listen(fd: int, pid: int) -> bytes:
    """What the child sent until it closed the pipe, ended or overran its time."""
    said, pulse, ended = b"", Pulse(pid), os.pidfd_open(pid)
    while not pulse.over(WALL_S):
        ready = select.select([fd, ended], [], [], 0.1)[0]
        chunk = os.read(fd, 65536) if fd in ready else b""
        said += chunk
        if not chunk and ready:
            break
    else:
        said = b"?"
    os.close(fd)
    os.close(ended)
    return said[:100_000]


def why(said: bytes, nonce: bytes, status: int, report: str) -> dict[str, Any]:
    """What is told beside the result: an exception, a report or how the process ended."""
    if report:
        lines = [n for n in report.splitlines() if "SUMMARY" in n or "runtime error" in n]
        return {"report": report[:8000], "message": (lines or [report])[0][:500]}
    if said == nonce:
        return {}
    if said.startswith(b"{"):
        try:
            return dict(json.loads(said))
        except ValueError:
            return {"message": "The test told something that cannot be read."}
    if said == b"?":
        return {"message": f"The test did not end within {WALL_S:.0f} s."}
    if os.WIFSIGNALED(status):
        return {"message": f"The process ended by signal {os.WTERMSIG(status)}."}
    return {"message": f"The process ended with {os.WEXITSTATUS(status)} before the test did."}


def child(name: str, code: Any, nonce: bytes, pipe: int) -> None:
    """Runs one test; never returns."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(PLACE)
    if os.path.exists(NATIVE):
        native(name, nonce, pipe)
    sys.path[0] = PLACE
    sys.argv = ["program.py"]
    space: dict[str, Any] = {"__name__": "tests"}
    caught = Caught()
    with caught:
        exec(code, space)
        space[name]()
    told = nonce if caught.error is None else json.dumps(failed(caught.error)).encode()
    _send(pipe, told)
    try:
        sys.stdout.flush()
    finally:
        _end(0)


def native(name: str, nonce: bytes, pipe: int) -> None:
    """Becomes the compiled tests, which read the nonce before the test and send it after."""
    given, giving = os.pipe()
    os.write(giving, nonce)
    os.close(giving)
    for fd in (given, pipe):
        os.set_inheritable(fd, True)
    place = os.path.join(REPORTS, "report")
    asan = "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=256"
    asan += ":max_malloc_fill_size=65536:exitcode=86"
    env = {
        **os.environ,
        "ASAN_OPTIONS": f"{asan}:log_path={place}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={place}",
    }
    os.execve(NATIVE, ["unit-tests", name, str(given), str(pipe)], env)


def failed(error: BaseException) -> dict[str, Any]:
    """An exception, and the last line of the test file that it passed."""
    lines = [
        line for frame, line in walk(error.__traceback__) if frame.f_code.co_filename == "tests.py"
    ]
    return {**describe(error), "line": lines[-1] if lines else 0}


def walk(trace: TracebackType | None) -> list[tuple[FrameType, int]]:
    """The frames of a traceback with their lines, outermost first."""
    found = []
    while trace is not None:
        found.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    return found


main()
