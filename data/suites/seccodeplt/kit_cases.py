"""In a separate sandbox: evaluates SecCodePLT's cases; splits inputs from expected results.

Each task's text runs in a child process. The inputs leave as a pickle, which only the candidate's
sandbox loads; the expected results leave as plain values, which are compared outside.
"""

import base64
import copyreg
import marshal
import os
import pickle
import sys
import zlib
from types import CodeType, ModuleType
from typing import Any

from kit_calls import canonical
from kit_channel import Caught, Channel, describe, take_job


def main() -> None:
    copyreg.pickle(CodeType, lambda code: (marshal.loads, (marshal.dumps(code),)))
    channel, job = Channel(os.environ.pop("KIT_CHANNEL")), take_job()
    for task in job["tasks"]:
        if (pid := os.fork()) == 0:
            message: dict[str, Any] = {}
            caught = Caught()
            os.mkdir(task["id"])  # the candidate also gets the files that cases write here
            os.chdir(task["id"])
            with caught:
                message = {"groups": groups(task["setup"], task["cases"])}
            if caught.error is not None:
                message = describe(caught.error)
            channel.write({"task": task["id"], **message})
            os._exit(0)
        os.waitpid(pid, 0)


def groups(setup: str, cases: str) -> dict[str, Any]:
    """Group -> its inputs, as base64 of a compressed pickle, and the expected results."""
    module = ModuleType("program")
    sys.modules["program"] = module
    sys.stdout = open(os.devnull, "w", encoding="utf-8")
    for text in (setup, cases):
        exec(compile(text, "cases", "exec", dont_inherit=True), module.__dict__)
    by_name = {}
    for name, group in module.__dict__["testcases"].items():
        inputs = [dict(case[0]) for case in group]
        packed = base64.b64encode(zlib.compress(pickle.dumps(inputs))).decode()
        by_name[name] = {"inputs": packed, "expected": [expected(case[1]) for case in group]}
    return by_name


def expected(value: Any) -> dict[str, Any]:
    """The exception class that must be raised, or the text of the value that must be returned."""
    if isinstance(value, type) and issubclass(value, Exception):
        return {"exception": value.__name__}
    return {"text": canonical(value)}


if __name__ == "__main__":
    main()
