"""What every tier promises: Limits, and the Sandbox protocol."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from kit.records import Evidence


@dataclass(frozen=True)
class Limits:
    """Caps on one run; a run that meets one ends with the status that names it."""

    wall_s: float = 10.0
    cpu_s: float = 8.0
    memory_mb: int = 256
    processes: int = 64
    file_mb: int = 32  # the largest single file
    disk_mb: int = 64  # everything under the working folder
    output_kb: int = 1024  # stdout and stderr, each
    channel_kb: int = 4096
    artefacts: int = 2000  # files collected
    artefact_mb: int = 32  # bytes collected in all
    ptrace: bool = False  # of the box as a whole: may programs trace each other, as LSan must?


class Sandbox(Protocol):
    """A tier. `run` may be called from several threads at once; every run starts from nothing.

    The working folder is /box: `files` are placed there (relative paths; bytes) before the program
    starts, and what it wrote or changed there is collected after all of its processes are dead.
    The environment is empty but for a minimal PATH, HOME, TMPDIR, LANG and `env`.
    The return channel: the variable KIT_CHANNEL holds a number (an inherited file descriptor to
    write to) or a path (a file to append to).
    `events` counts from the first time that the program touches the path /kit-begin (an
    `os.access` will do), or from the exec of argv[0] if it never does.
    """

    name: str  # "bwrap", "docker", "bare"
    limits: Limits  # of a run that brings none of its own
    identity: str  # tier, tool versions and interpreter: part of every content key

    def run(
        self,
        argv: Sequence[str],
        *,
        files: Mapping[str, bytes] | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        observe: bool = True,
    ) -> Evidence: ...

    def close(self) -> None: ...

    def __enter__(self) -> "Sandbox": ...

    def __exit__(self, *exc: object) -> None: ...
