"""In the sandbox: calls one function of a program with the inputs of each group of cases.

Expected results are not present here. Each group runs in its own child process, which first loads
the program; within a group the cases share its state, as in the benchmark. Results are returned as
the text that SecCodePLT compares, with sets and dicts sorted.
"""

import base64
import hashlib
import os
import pickle
import select
import signal
import sys
import time
import zlib
from types import ModuleType
from typing import Any

from kit_channel import FOLDER, PROGRAM, Caught, Channel, describe, take_job

CPU_S, WALL_S = 5.0, 30.0  # limits of one call
SHOWN = 2000
DEPTH = 50
CONTAINERS = (list, tuple, dict, set, frozenset)


class Expired(BaseException):
    """Raised in a call that exceeds its CPU time."""


def main() -> None:
    channel, job = Channel(os.environ.pop("KIT_CHANNEL")), take_job()
    with open(PROGRAM, "rb") as file:
        program = file.read()
    for place in (*(os.path.join(FOLDER, name) for name in os.listdir(FOLDER)), PROGRAM):
        os.unlink(place)
    os.rmdir(FOLDER)
    sys.path[0] = os.getcwd()
    for name, packed in job["groups"].items():
        ours, theirs = os.pipe()
        if (pid := os.fork()) == 0:
            os.close(ours)
            os.setpgid(0, 0)
            group(name, packed, job, program, channel, theirs)
        os.close(theirs)
        wait(ours, pid)


def wait(pipe: int, pid: int) -> None:
    """Waits until the child ends or sleeps too long in one call, then kills its process group.

    A child that only lacks CPU is waited for: its own CPU limit ends it.
    """
    until, ended = time.monotonic() + WALL_S, os.pidfd_open(pid)
    while (left := until - time.monotonic()) > 0 or runnable(pid):
        ready = select.select([pipe, ended], [], [], max(left, 1))[0]
        if ended in ready:
            break
        if pipe in ready:
            if not os.read(pipe, 64):  # closed by the program; it may still end by itself
                select.select([ended], [], [], max(left, 1))
                break
            until = time.monotonic() + WALL_S
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    os.waitpid(pid, 0)
    os.close(pipe)
    os.close(ended)


def runnable(pid: int) -> bool:
    with open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()[0] == b"R"


def group(
    name: str, packed: str, job: dict[str, Any], program: bytes, channel: Channel, pipe: int
) -> None:
    """Loads the program and calls it with each input; never returns."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGPROF, expire)
    module = ModuleType("program")
    module.__file__ = PROGRAM
    sys.modules["program"] = module
    caught = timed(lambda: load(module, job["setup"], program))[0]
    if caught is not None:
        channel.write({"group": name, "loading": True, **caught})
        os._exit(0)
    for n, arguments in enumerate(pickle.loads(zlib.decompress(base64.b64decode(packed)))):
        os.write(pipe, b".")
        raised, value = timed(
            lambda arguments=arguments: canonical(module.__dict__[job["function"]](**arguments))
        )
        channel.write({"group": name, "case": n, **(raised or {"text": value})})
        if raised and raised["exception"] == "Expired":
            break
    os._exit(0)


def load(module: ModuleType, setup: str, program: bytes) -> None:
    for text, name in ((setup, "setup.py"), (program, PROGRAM)):
        exec(compile(text, name, "exec", dont_inherit=True), module.__dict__)


def timed(call: Any) -> tuple[dict[str, Any] | None, Any]:
    """(description of the exception that the call raised, or None; the value it returned). A call
    that takes CPU_S of CPU time counts as expired, even if the program caught the exception."""
    caught, value, began = Caught(), None, time.process_time()
    with caught:
        signal.setitimer(signal.ITIMER_PROF, CPU_S)
        value = call()
    signal.setitimer(signal.ITIMER_PROF, 0)
    if time.process_time() - began >= CPU_S or isinstance(caught.error, Expired):
        return {"exception": "Expired", "bases": [], "message": f"{CPU_S:.0f} s of processor"}, None
    return (describe(caught.error), None) if caught.error else (None, value)


def expire(*_: Any) -> None:
    raise Expired


def canonical(value: Any) -> str:
    """str(value); if long, its beginning and a hash of all. Equal values give equal texts."""
    text = value if type(value) is str else plain(value, DEPTH)
    if len(text) <= SHOWN:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:SHOWN]}... {len(text)} characters, {digest}"


def plain(value: Any, depth: int) -> str:
    """repr of containers, with members of sets and dicts sorted; str of other top-level values."""
    if depth and type(value) in (list, tuple):
        inner = ", ".join(_inner(v, depth) for v in value)
        if type(value) is list:
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if depth and type(value) is dict:
        pairs = sorted(f"{_inner(k, depth)}: {_inner(v, depth)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if depth and type(value) in (set, frozenset):
        return f"{type(value).__name__}({', '.join(sorted(_inner(v, depth) for v in value))})"
    return str(value)


def _inner(value: Any, depth: int) -> str:
    return plain(value, depth - 1) if type(value) in CONTAINERS else repr(value)


if __name__ == "__main__":
    main()
