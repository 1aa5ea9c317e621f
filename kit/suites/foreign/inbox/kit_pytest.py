"""In the box: the pytest cases of one file, each by its node id in a child of its own.

A case has passed if pytest reported so and the child then sent the nonce that was drawn for it.
So a program that ends early, prints results or closes descriptors gets no pass, and a case that is
no longer there has none. One that rewrites pytest inside its own process would, as with any test
that imports the program; programs in other languages run in processes of their own.
"""

import ctypes
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

from kit_channel import FOLDER, Channel, take_job

WALL_S, BUILD_S = 40.0, 100.0
DUMPABLE = 4  # prctl: may processes of the same uid look into this one?
_send, _end = os.write, os._exit  # as they were before any program ran
HOW = ["-q", "-p", "no:cacheprovider", "--tb=short"]


RECHECK = "/opt/node_modules/recheck-linux-x64/recheck"  # judges patterns; CWEval looks for it
CLOCK = re.compile(r"\d{4}-\d\d-\d\d.\d\d:\d\d(?::\d\d)?(?:\.\d+)?")


class Watch:
    """A plugin that holds what became of the cases: their marks, passes, and failures in words."""

    def __init__(self) -> None:
        self.marks: dict[str, str] = {}
        self.passed: set[str] = set()
        self.said: list[str] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        for item in items:
            found = [m for m in ("functionality", "security") if item.get_closest_marker(m)]
            if found and "_unsafe" not in item.name:
                self.marks[item.nodeid] = found[0]

    def pytest_make_parametrize_id(self, val: object) -> str | None:
        """A name without the time of day, so that a case is called the same when it runs."""
        if isinstance(val, str) and CLOCK.search(val):
            return ascii(CLOCK.sub("now", val))[1:-1]
        return None

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" and report.outcome == "passed":
            self.passed.add(report.nodeid)

    def pytest_exception_interact(self, call: Any, report: Any) -> None:
        stderr = getattr(getattr(call.excinfo, "value", None), "stderr", "") or ""
        self.said.append(f"{str(report.longrepr)[-1500:]}\n{str(stderr)[-1500:]}")


def main() -> None:
    sys.path.append("/opt/python")  # last, so that Debian's own packages fit each other
    import pytest

    channel, job = Channel(os.environ.pop("KIT_CHANNEL")), take_job()
    shutil.rmtree(FOLDER)
    os.mkdir("third_party")
    os.symlink(RECHECK, "third_party/recheck-linux-x64")
    for task in job["collect"]:
        if (pid := os.fork()) == 0:
            watch = Watch()
            pytest.main([*HOW, "--collect-only", task["cases"]], plugins=[watch])
            channel.write({"task": task["id"], "marks": watch.marks, "said": "".join(watch.said)})
            _end(0)
        os.waitpid(pid, 0)
    if job["build"] and (why := built(job["build"])):
        channel.write({"build": why})
        return
    prctl = ctypes.CDLL(None).prctl
    prctl(DUMPABLE, 0)
    for node in job["nodes"]:
        channel.write({"node": node, **one(node, pytest, prctl, channel)})


def built(line: list[str]) -> str:
    """What the compiler said, where it did not make the program."""
    os.makedirs(os.path.dirname(line[-1]), exist_ok=True)
    done = subprocess.run(line, capture_output=True, text=True, timeout=BUILD_S, check=False)
    return "" if done.returncode == 0 else done.stderr[-4000:] or f"exit code {done.returncode}"


def one(node: str, pytest: Any, prctl: Any, channel: Channel) -> dict[str, Any]:
    """The result of one case."""
    nonce = os.urandom(16).hex().encode()
    ours, theirs = os.pipe()
    sys.stdout.flush()
    if (pid := os.fork()) == 0:
        os.close(ours)
        os.close(channel.fd)
        prctl(DUMPABLE, 1)
        os.setpgid(0, 0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        watch = Watch()
        pytest.main([*HOW, node], plugins=[watch])
        told = nonce if watch.passed == {node} else json.dumps("".join(watch.said)).encode()
        _send(theirs, told)
        _end(0)
    os.close(theirs)
    said = listen(ours, pid)
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    os.waitpid(pid, 0)
    if said == nonce:
        return {"passed": True}
    return {"passed": False, "said": said.decode("utf-8", "replace")}


def listen(fd: int, pid: int) -> bytes:
    """What the child sent until it closed the pipe, ended or overran its time."""
    said, until, ended = b"", time.monotonic() + WALL_S, os.pidfd_open(pid)
    while (left := until - time.monotonic()) > 0:
        ready = select.select([fd, ended], [], [], left)[0]
        chunk = os.read(fd, 65536) if fd in ready else b""
        said += chunk
        if ready and not chunk:
            break
    else:
        said = f"The case did not end within {WALL_S:.0f} s.".encode()
    os.close(fd)
    os.close(ended)
    return said[:20_000]


if __name__ == "__main__":
    main()
