"""In the sandbox: runs each pytest case of one file, by node id, in its own child process.

A case passes if pytest reports a pass and the child then ends as it must (see kit_child). Each
child writes the file of cases that it was given: the authors', or in decoys one that cannot pass.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from typing import Any

from kit_channel import FOLDER, Channel, take_job
from kit_child import child, deal, hide

WALL_S, BUILD_S = 40.0, 100.0
HOW = ["-q", "-p", "no:cacheprovider", "--tb=short"]
RECHECK = "/opt/node_modules/recheck-linux-x64/recheck"  # checks regexes; CWEval expects it
CLOCK = re.compile(r"\d{4}-\d\d-\d\d.\d\d:\d\d(?::\d\d)?(?:\.\d+)?")


class Recorder:
    """A plugin that records the marks of the cases, which cases passed, and failure messages."""

    def __init__(self) -> None:
        self.marks: dict[str, str] = {}
        self.passed: set[str] = set()
        self.said: list[str] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        for item in items:
            markers = [m for m in ("functionality", "security") if item.get_closest_marker(m)]
            if markers and "_unsafe" not in item.name:
                self.marks[item.nodeid] = markers[0]

    def pytest_make_parametrize_id(self, val: object) -> str | None:
        """A case name without date and time, so that it is the same when the case runs."""
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
    sys.path.append("/opt/python")  # last, because Debian's packages match each other
    import pytest

    channel, job = Channel(os.environ.pop("KIT_CHANNEL")), take_job()
    papers = deal(FOLDER, job["cases"])
    shutil.rmtree(FOLDER)
    sys.dont_write_bytecode = True
    os.mkdir("third_party")
    os.symlink(RECHECK, "third_party/recheck-linux-x64")
    for task in job["collect"]:
        if (pid := os.fork()) == 0:
            watch = Recorder()
            pytest.main([*HOW, "--collect-only", task["cases"]], plugins=[watch])
            channel.write({"task": task["id"], "marks": watch.marks, "said": "".join(watch.said)})
            os._exit(0)
        os.waitpid(pid, 0)
    if job["build"] and (failure := built(job["build"])):
        channel.write({"build": failure})
        return
    hide()
    for number in range(job["cases"]):
        ending = child(partial(case, pytest), papers, number, channel, WALL_S)
        output = ending.said[:20_000].decode("utf-8", "replace")
        if ending.late:
            output = f"The case did not end within {WALL_S:.0f} s."
        output = "" if ending.passed else output
        channel.write({"test": number, "passed": ending.passed, "said": output})


def built(line: list[str]) -> str:
    """The compiler's error output; "" if it built the program."""
    os.makedirs(os.path.dirname(line[-1]), exist_ok=True)
    done = subprocess.run(line, capture_output=True, text=True, timeout=BUILD_S, check=False)
    return "" if done.returncode == 0 else done.stderr[-4000:] or f"exit code {done.returncode}"


def case(pytest: Any, paper: list[str]) -> bytes:
    """Runs one case in the child; returns how it failed."""
    node, place, text = paper
    with open(place, "w", encoding="utf-8") as file:
        file.write(text)
    watch = Recorder()
    pytest.main([*HOW, node], plugins=[watch])
    return b"" if watch.passed == {node} else json.dumps("".join(watch.said)).encode()


if __name__ == "__main__":
    main()
