"""How a forked interpreter becomes a program's, runs it and ends; the second part of the text.

See warm_template.py. Py_FinalizeEx would write into every page of the template's memory, which
takes longer than all the rest; what a program can notice of it is done here in its order.
"""

import atexit
import builtins
import ctypes
import gc
import os
import signal
import sys
from _weakref import ref
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in a template both texts are one
    from kit.sandbox.warm_shelf import FRESH, shelf

LIBC, PYTHON = ctypes.CDLL(None, use_errno=True), ctypes.pythonapi
DEPTH = 4  # levels of recursion below the program's
SOURCE = "kit_warm"  # the name that this text is compiled under
INTERRUPTED = 130
DELETED = ("path", "argv", "ps1", "ps2", "last_type", "last_value", "last_traceback", "path_hooks",
           "path_importer_cache", "meta_path", "__interactivehook__")  # fmt: skip
runners: dict[str, Any] = {}  # compiled texts of the harness that a run may begin with


def interpreter(asked: dict[str, Any]) -> list[Any]:
    """Make this interpreter the one that the command line asks for: [text or code, module]."""
    os.chdir("/box")
    wanted = asked["environment"]
    if wanted != os.environ:
        os.environ.clear()
        os.environ.update(wanted)
    sys.orig_argv, sys.argv = asked["command"], asked["argv"]
    sys.path[:1] = asked["path"]
    for name in asked["strange"]:  # what lies there under this name is another
        shelf.modules.pop(name, None)
    sys.meta_path.insert(0, shelf)
    sys.setrecursionlimit(sys.getrecursionlimit() + DEPTH)
    module, place = ModuleType("__main__"), asked["place"]
    module.__loader__ = sys.modules["__main__"].__loader__
    module.__dict__.update(__annotations__={}, __builtins__=builtins)
    if place:
        module.__dict__.update(__file__=place, __cached__=None)
        module.__loader__ = SourceFileLoader("__main__", place)
    sys.modules["__main__"] = module
    return [runners.get(asked["runner"], asked["text"]), module]


def program(held: list[Any]) -> None:
    """The program, as the last thing that this process does."""
    del sys.kit_begin  # type: ignore[attr-defined]
    caught: list[BaseException] = []
    try:
        run(held)
    except BaseException as error:
        caught.append(error)
    leave(complain(caught.pop()) if caught else 0)


def run(held: list[Any]) -> None:
    """The text, compiled here where it is none of ours, in its module; nothing else holds that."""
    module, text = held.pop(), held.pop()
    if text is None:
        file = Path(str(module.__file__))
        text = compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
    elif isinstance(text, str):
        text = compile(text, "<string>", "exec", dont_inherit=True)
    exec(text, module.__dict__)


def exit_code(told: Any) -> int:
    """What SystemExit makes of its argument."""
    if told is None:
        return 0
    if isinstance(told, int):
        return told if -(1 << 63) <= told < 1 << 63 else -1
    print(told, file=sys.stderr)
    return 1


def complain(error: BaseException) -> int:
    """The exit code of an exception that nobody caught; it is printed as PyErr_Print does."""
    if isinstance(error, SystemExit):
        return exit_code(error.code)
    kind, trace = type(error), theirs(error)
    sys.last_type, sys.last_value, sys.last_traceback = kind, error.with_traceback(trace), trace
    second: list[BaseException] = []
    try:
        sys.excepthook(kind, error, trace)
    except BaseException as failed:
        second.append(failed)
    for other in second:
        if isinstance(other, SystemExit):
            return exit_code(other.code)
        print("Error in sys.excepthook:", file=sys.stderr)
        sys.__excepthook__(type(other), other.with_traceback(theirs(other)), None)
        print("\nOriginal exception was:", file=sys.stderr)
        sys.__excepthook__(kind, error, trace)
    return INTERRUPTED if kind is KeyboardInterrupt else 1


def theirs(error: BaseException) -> TracebackType | None:
    """Its traceback without the frames of this text."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename == SOURCE:
        trace = trace.tb_next
    return trace


def leave(code: int) -> None:
    """End as an interpreter does: threads, exit functions, streams, then what is left."""
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()
    atexit._run_exitfuncs()
    if not flushed():
        code = 120
    destroy()
    flushed()
    LIBC.fflush(None)
    if code == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(code & 255)


def flushed() -> bool:
    """Write out what the standard streams still hold; whether that went well."""
    done = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except BaseException:  # also a stream that is the program's own
            done = False
    return done


def destroy() -> None:
    """The program's modules are taken apart as by finalize_modules of CPython 3.11; what it left in
    one of the library's is not."""
    for name in DELETED:
        if name in sys.__dict__:
            sys.__dict__[name] = None
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
    ours = {n: m for n, m in sys.modules.items() if n in shelf.specs or n in FRESH}
    ours.pop("__main__", None)
    left = [ref(m) for n, m in sys.modules.items() if n not in ours and ModuleType in type(m).mro()]
    sys.modules.clear()
    gc.collect()
    for weak in reversed(left):
        if (module := weak()) is not None:
            PYTHON._PyModule_Clear(ctypes.py_object(module))
        del module
    gc.collect()
