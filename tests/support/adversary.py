"""The adversaries: programs of C and of Python that a box is to hold, each compiled once."""

from functools import cache
from pathlib import Path

from kit.core.records import Evidence, Status
from kit.sandbox import Limits, Sandbox, open_sandbox

ADVERSARIES = Path(__file__).parents[1] / "adversaries"
PYTHON, LOADER = "/usr/bin/python3", "/lib64/ld-linux-x86-64.so.2"


@cache
def compiled(name: str) -> bytes:
    source = (ADVERSARIES / f"{name}.c").read_bytes()
    line = ["/usr/bin/gcc", "-w", "main.c", "-o", "main", "-pthread"]
    with open_sandbox("bwrap") as box:
        seen = box.run(line, files={"main.c": source}, limits=Limits(memory_mb=512), observe=False)
    assert seen.exit_code == 0, seen.err
    return seen.files["main"]


def run(box: Sandbox, argv: list[str], **options: object) -> Evidence:
    """The run; once more where it failed on our side, as the kit does on a busy machine."""
    seen = box.run(argv, **options)
    return box.run(argv, **options) if seen.status is Status.INFRA_ERROR else seen


def play(box: Sandbox, name: str, *args: str, **options: object) -> Evidence:
    """Run one of the adversaries, of C or of Python."""
    if (ADVERSARIES / f"{name}.py").exists():
        argv, files = [PYTHON, "main.py"], {"main.py": (ADVERSARIES / f"{name}.py").read_bytes()}
    else:
        argv, files = [LOADER, "/box/main"], {"main": compiled(name)}
    return run(box, [*argv, *args], files=files | options.pop("files", {}), **options)
