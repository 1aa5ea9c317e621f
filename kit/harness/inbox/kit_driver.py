"""In the box: runs a driver that a model wrote, and gives it the few words it reports with.

The driver never sees an expected output. What the program raises is told from what the driver
raises by the frames of the traceback.
"""

import os
import re
import shutil
import sys
import traceback
from types import ModuleType
from typing import Any

from kit_channel import FOLDER, PROGRAM, Caught, Channel, describe, execute, prepare, take_job
from kit_encode import encode, settle

_CALL = re.compile(r"\(\) (missing|takes|got (an unexpected|multiple|some))")


class DriverSession:
    """The channel and the input; the functions of a driver are its methods."""

    def __init__(self) -> None:
        self.channel = Channel(os.environ.pop("KIT_CHANNEL"))
        self.job = take_job()

    def load(self, main: bool = False) -> ModuleType:
        """The candidate as a module; as a script where main is set. It runs under the tracer."""
        module: ModuleType
        module, code = prepare("__main__" if main else "main")
        error = execute(module, code, self.channel).error
        if error is not None:
            raise error
        return module

    def begin(self) -> None:
        """What the box sees counts from here; for programs that are started, not loaded."""
        shutil.rmtree(FOLDER, ignore_errors=True)
        os.access("/kit-begin", 0)

    def value(self, value: Any = None) -> None:
        self.channel.write({"kind": "value", "value": encode(settle(value))})

    def exception(self, name: str, message: str = "") -> None:
        raised = {"exception": str(name), "bases": [], "message": str(message)[:10_000]}
        self.channel.write({"kind": "exception", **raised})

    def output(self, stdout: Any = None, stderr: Any = None, exit_code: int | None = None) -> None:
        """What a program printed that the driver started; without arguments, what was printed."""
        printed = {"stdout": _text(stdout), "stderr": _text(stderr), "exit_code": exit_code}
        self.channel.write({"kind": "output", **printed})

    def response(self, status: int, headers: Any = (), body: Any = "") -> None:
        texts = {str(name).lower(): str(value) for name, value in dict(headers).items()}
        response = {"status": int(status), "headers": texts, "body": _text(body) or ""}
        self.channel.write({"kind": "response", "response": response})


def _text(value: Any) -> str | None:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def blame_exception(error: BaseException) -> str:
    """Whose exception it is: the program's where its text was on the stack or refused the call."""
    files = {frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)}
    is_refusal = isinstance(error, TypeError) and _CALL.search(str(error))
    return "program" if PROGRAM in files or is_refusal else "driver"


def main() -> None:
    session = DriverSession()
    module = ModuleType("kit_driver")
    names = ("load", "begin", "value", "exception", "output", "response")
    module.__dict__.update({name: getattr(session, name) for name in names})
    module.__dict__["INPUT"] = session.job["input"]
    sys.modules["kit_driver"] = module
    sys.argv = ["main.py"]
    caught = Caught()
    with caught:
        code = compile(session.job["driver"], "driver.py", "exec", dont_inherit=True)
        exec(code, {"__name__": "__main__"})
    sys.settrace(None)
    error = caught.error
    if isinstance(error, SystemExit) and blame_exception(error) == "program":
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
        session.output(exit_code=status)
    elif error is not None and (not isinstance(error, SystemExit) or error.code):
        session.channel.write(
            {"kind": "exception", "by": blame_exception(error), **describe(error)}
        )
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


main()
