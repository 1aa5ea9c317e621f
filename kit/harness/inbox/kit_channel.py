"""In the box: the return channel, the mark from which events count, and line coverage.

Every test pays for every module that is loaded here. So these come with the interpreter, and those
that only annotations need are named to the type checker alone.
"""

import gc
import marshal
import os
import sys
from _json import encode_basestring_ascii, make_encoder
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, FrameType, ModuleType
    from typing import Any

FOLDER = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(os.getcwd(), "main.py")
# As json.dumps, for what kit_encode makes: None, numbers, texts, lists, dicts named by texts.
_parts = make_encoder(None, list, encode_basestring_ascii, None, ": ", ", ", False, False, True)


class Channel:
    """One JSON value a line: a number is a covered line, an object an answer; the last counts."""

    def __init__(self, where: str) -> None:
        self.lock = allocate_lock()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self.fd = int(where) if where.isdigit() else os.open(where, flags, 0o600)
        os.set_inheritable(self.fd, False)
        self.identity = self._identity()

    def _identity(self) -> tuple[int, int]:
        state = os.fstat(self.fd)
        return state.st_dev, state.st_ino

    def write(self, message: "Any") -> None:
        """Sends one message; nothing if the program has closed the channel or taken its number."""
        data = "".join(_parts(message, 0)).encode() + b"\n"
        try:
            with self.lock:
                while data and self._identity() == self.identity:
                    data = data[os.write(self.fd, data) :]
        except OSError:
            return


class Tracer:
    """Reports each line of the program when it first runs, in every thread.

    Where PAUSE events brought no new line the frame is followed no further than to its last line,
    and after STOP of them nothing is: a hot loop costs a fraction of a second, and may hide the
    lines behind it.
    """

    PAUSE, STOP = 200_000, 1_000_000

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.pending: dict[int, tuple[CodeType, set[int]]] = {}  # lines that have not run yet
        self.quiet = 0

    def everywhere(self, trace: "Any") -> None:
        """In this thread, and in those to come if there is the module that starts them."""
        if "threading" in sys.modules:
            sys.modules["threading"].settrace(trace)
        sys.settrace(trace)

    def on_call(self, frame: "FrameType", _event: str, _arg: "Any") -> "Any":
        code = frame.f_code
        if code.co_filename != PROGRAM:
            is_text = code.co_name == "<module>"
            if is_text and frame.f_globals.get("__name__") == "threading":
                return self.on_threading
            return None
        if id(code) not in self.pending:
            lines = {line for *_, line in code.co_lines() if line}
            heading = set() if code.co_name == "<module>" else {code.co_firstlineno}
            self.pending[id(code)] = (code, lines - heading or lines)
        self.count()
        return self.on_event if self.pending[id(code)][1] else None

    def on_threading(self, frame: "FrameType", event: str, _arg: "Any") -> "Any":
        """The module's own text, which a program loads: at its end there are threads to follow."""
        frame.f_trace_lines = False
        if event == "return" and "settrace" in frame.f_globals:
            frame.f_globals["settrace"](self.on_call)
        return self.on_threading

    def on_event(self, frame: "FrameType", _event: str, _arg: "Any") -> "Any":
        lines = self.pending[id(frame.f_code)][1]
        if frame.f_lineno in lines:
            lines.discard(frame.f_lineno)
            self.quiet = 0
            self.channel.write(frame.f_lineno)
        else:
            self.count()
        frame.f_trace_lines = bool(lines) and self.quiet < self.PAUSE
        return self.on_event

    def count(self) -> None:
        self.quiet += 1
        if self.quiet > self.STOP:
            self.everywhere(None)


class AbsenceTeller:
    """The last finder: it tells each library that none before it has found, and finds none."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel

    def find_spec(self, name: str, path: "Any" = None, _target: "Any" = None) -> None:
        if path is None:
            self.channel.write({"absent": name})


class Caught:
    """Holds what the candidate raised, SystemExit and KeyboardInterrupt included."""

    error: BaseException | None = None

    def __enter__(self) -> "Caught":
        return self

    def __exit__(self, _kind: "Any", error: BaseException | None, _trace: "Any") -> bool:
        self.error = error
        return True


def take_job() -> "dict[str, Any]":
    """The job that lies beside this file; folders that it names are made.

    An interpreter that was started with -S gets what programs expect of the module site.
    """
    with open(os.path.join(FOLDER, "job"), "rb") as file:
        job: dict[str, Any] = marshal.loads(file.read())
    for folder in job.get("folders", ()):
        os.makedirs(folder, exist_ok=True)
    if sys.flags.no_site:
        import site

        sys.path += job.get("packages", ())
        site.setquit()
        site.setcopyright()
        site.sethelper()
    return job


def prepare(name: str, skip: "Iterable[tuple[int, int]]" = ()) -> "tuple[ModuleType, CodeType]":
    """The candidate compiled as module `name`, with its own folder in front of the search path.

    skip: first and last lines of statements of the module that are examples of use, left out.
    The folder of these files is removed, so that the program finds only its own.
    """
    with open(PROGRAM, "rb") as file:
        text = file.read()
    first_lines = {first for first, _ in skip}
    if first_lines:
        import ast  # most programs are spared the milliseconds

        tree = ast.parse(text, PROGRAM)
        tree.body = [node for node in tree.body if node.lineno not in first_lines]
        code = compile(tree, PROGRAM, "exec", dont_inherit=True)
    else:
        code = compile(text, PROGRAM, "exec", dont_inherit=True)
    entries = os.listdir(FOLDER)
    if "kit_sinks.pyc" in entries:
        import kit_sinks  # noqa: F401 - before its file is taken away
    for entry in entries:
        os.unlink(os.path.join(FOLDER, entry))
    os.rmdir(FOLDER)
    sys.path[0] = os.path.dirname(PROGRAM)
    module = type(sys)(name)
    module.__file__ = PROGRAM
    del sys.modules["__main__"].__file__  # for children that load it anew: they load the program
    sys.modules[name] = module
    return module, code


def execute(module: "ModuleType", code: "CodeType", channel: Channel) -> Caught:
    """Runs the module's text under the tracer; events count from here."""
    tracer = Tracer(channel)
    caught = Caught()
    if recorder := sys.modules.pop("kit_sinks", None):
        recorder.start(channel)
    sys.meta_path.append(AbsenceTeller(channel))
    gc.freeze()  # what is here already is no garbage, now and at the end
    os.access("/kit-begin", 0)
    with caught:
        tracer.everywhere(tracer.on_call)
        exec(code, module.__dict__)
    return caught


def complain(error: BaseException) -> None:
    """Prints the traceback as the interpreter would for the program alone."""
    trace = error.__traceback__
    error.__traceback__ = trace.tb_next if trace else None
    sys.excepthook(type(error), error, error.__traceback__)


def is_own(error: BaseException) -> bool:
    """Whether a `raise` or `assert` of the program made the exception."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    if trace is None or trace.tb_frame.f_code.co_filename != PROGRAM:
        return False
    return trace.tb_frame.f_code.co_code[trace.tb_lasti] == compile("raise", "", "exec").co_code[-2]


def describe(error: BaseException) -> "dict[str, Any]":
    """An exception as plain values."""
    kind = type(error)
    message = ""
    with Caught():
        message = str(error)[:10_000]
    return {
        "exception": kind.__name__,
        "bases": [base.__name__ for base in kind.__mro__[1:]],
        "message": message,
        "own": is_own(error),
        "missing": str(error.name or "") if isinstance(error, ModuleNotFoundError) else "",
    }
