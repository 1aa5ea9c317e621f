"""One test of one program: how it is called is decided by parsing, and the sandbox runs it."""

from collections.abc import Callable, Mapping
from functools import partial

from kit.harness import box_files, javascript, native, python
from kit.languages import runnable
from kit.records import Evidence, Task, Test
from kit.sandbox.base import Sandbox

Runner = Callable[[Sandbox, Task, Test, str], Evidence]
RUNNERS: Mapping[str, Runner] = {
    "python": python.run,
    "javascript": javascript.run,
    "cpp": partial(native.run, language="cpp"),
    "c": partial(native.run, language="c"),
}


def run(box: Sandbox, task: Task, test: Test, code: str, *, language: str = "python") -> Evidence:
    """What one test of a program left behind; `observed` holds what the call gave.

    Never raises for what the candidate does. A program that cannot be called is a HARNESS_ERROR
    with the reason in `note`, one that does not compile a COMPILE_ERROR.
    """
    return RUNNERS[runnable(language).name](box, task, test, code)


def version(language: str) -> str:
    """The name of a language's harness in content keys; "" where there is none.

    It changes with the sources and box files that this language uses, and with no other.
    """
    if language not in RUNNERS:
        return ""
    run = RUNNERS[language]
    return box_files.version((run.func if isinstance(run, partial) else run).__module__)
