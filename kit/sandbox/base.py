"""Opens a sandbox; defines what every tier does: run a Command within Limits, return Evidence."""

import os
import posixpath
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Self

from kit.core.errors import KitError
from kit.core.records import Evidence

Feature = Literal[
    "events", "memory", "mounts", "network", "hosts", "users", "ptrace", "terminal", "root"
]
TIERS = ("bwrap", "docker", "bare")
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/box",
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
}
CHANNEL = "KIT_CHANNEL"
BOX, TMP = "/box", "/tmp"  # the folders in which a program may write
HOST_TMP = "/tmp of the host"  # in the stamp of a tier that collects nothing there
PACKAGE_PLACES = ("/opt", "/mnt")  # the first at which a run mounts nothing else
PACKAGE_PATHS = {"PYTHONPATH": "python", "NODE_PATH": "node_modules"}
INSTALLED = "installed.txt"  # in a folder of packages: their list, on which results depend


class Broken(Exception):
    """The sandbox itself failed, not the program in it."""


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


@dataclass(frozen=True)
class Given:
    """A file that is there when the program starts."""

    data: bytes
    mode: int = 0o644


@dataclass(frozen=True)
class Command:
    """A program to run, and all that its box gets; `Sandbox.run` explains each part."""

    argv: tuple[str, ...]
    files: Mapping[str, bytes]
    stdin: bytes
    env: Mapping[str, str]
    limits: Limits
    observe: bool
    mounts: Mapping[str, Path]
    network: bool
    hosts: Mapping[str, str]
    users: Mapping[str, int]
    made: Mapping[str, Given] = field(default_factory=dict)
    terminal: bool = False
    root: bool = False

    def environment(self, channel: str) -> dict[str, str]:
        """All variables of the program; `channel` is where its return channel is."""
        return {**ENVIRONMENT, **self.env, CHANNEL: channel}


class Sandbox(ABC):
    """A tier. `run` may be called from several threads at once; every run starts from nothing.

    The working folder is /box: `files` are placed there (relative paths; bytes) before the program
    starts. What it wrote or changed there or below /tmp is collected after all of its processes are
    dead, under the `make_relative` name; but bare has the /tmp of the host, where nothing is
    collected. The environment is ENVIRONMENT with `env`, and nothing else. The return channel: the
    variable KIT_CHANNEL holds a number (an inherited file descriptor to write to) or a path (a file
    to append to). `events` counts from the first time that the path /kit-begin is touched by
    access(F_OK); or from the exec that follows the first touch of /kit-start, or from that of
    argv[0] if neither is. `lost` names what may be missing from the evidence. A tier that lacks
    what a run asks for refuses it with a KitError.
    """

    name: str  # "bwrap", "docker", "bare"
    capabilities: frozenset[Feature]  # what this tier has here; see `run`
    limits: Limits  # of a run that brings none of its own
    identity: str  # tier, tool versions and interpreter: part of every content key

    @property
    def tier(self) -> str:
        """What `open_sandbox` makes an equal one of."""
        return self.name

    def run(
        self,
        argv: Sequence[str],
        *,
        files: Mapping[str, bytes] | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        observe: bool = True,
        mounts: Mapping[str, Path] | None = None,
        network: bool = False,
        hosts: Mapping[str, str] | None = None,
        users: Mapping[str, int] | None = None,
        made: Mapping[str, Given] | None = None,
        terminal: bool = False,
        root: bool = False,
    ) -> Evidence:
        """Run one program; a failure of the sandbox itself is infra_error, after a second try.

        observe: whether events are wanted; a tier without "events" has none all the same.
        mounts: /mnt or /opt, or what is there in the folder mounted at these -> folders and files
        of the host, read-only.
        network: the host's network, loopback included; the isolation stamp says so.
        hosts: names -> IPv4 addresses that the box's own loopback answers to.
        users: further names of /etc/passwd -> their numbers.
        made: files that argv makes before the program starts, by their `make_relative` names. As
        they are here they are not collected.
        root: whether programs may write beside /usr and /etc, as in a container: into a root folder
        of the box's own, with Limits.disk_mb for it and for /tmp each. It is not collected.
        terminal: whether programs can open terminals, of the box's own, as shells of agents do. Of
        the other features, "memory" is a cap on the whole tree of processes with the peak of all of
        them, "ptrace" is Limits.ptrace, which a sandbox is opened with.
        """
        limits = limits or self.limits
        command = Command(
            tuple(argv),
            files or {},
            stdin,
            env or {},
            limits,
            observe,
            mounts or {},
            network,
            hosts or {},
            users or {},
            made or {},
            terminal,
            root,
        )
        for path in command.files:
            parts_of(path)
        self.require(mounts=mounts, network=network, hosts=hosts, users=users, ptrace=limits.ptrace)
        self.require(terminal=terminal, root=root)
        return self.perform(command)

    def require(self, **features: Any) -> None:
        """KitError for a feature with a true value that the tier lacks."""
        for feature, wanted in features.items():
            if wanted and feature not in self.capabilities:
                raise KitError(
                    f"The {self.name} sandbox has no {feature} here; open_sandbox('bwrap') has it."
                )

    @abstractmethod
    def perform(self, command: Command) -> Evidence:
        """What `run` promises, for a command that asks for nothing that this tier lacks."""

    @abstractmethod
    def close(self) -> None:
        """Release what the sandbox holds of the machine."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()


class Wrapped(Sandbox):
    """Another tier's box, whose commands a subclass changes on their way to it."""

    def __init__(self, box: Sandbox) -> None:
        self.box, self.name, self.capabilities = box, box.name, box.capabilities
        self.limits, self.identity = box.limits, box.identity

    @property
    def tier(self) -> str:
        return self.box.tier

    def perform(self, command: Command) -> Evidence:
        return self.box.perform(command)

    def close(self) -> None:
        self.box.close()


class WithPackages(Wrapped):
    """Another tier's box, whose programs import from a folder of the host before the box's own.

    A run that mounts both places itself, as for a C project or a Java repository, gets none.
    """

    def __init__(self, box: Sandbox, folder: Path) -> None:
        require_mounts(box)
        if not (folder / INSTALLED).exists():
            raise KitError(f"{folder} holds no libraries. Give --requirements FILE.")
        super().__init__(box)
        self.folder = folder
        self.identity = f"{box.identity}, libraries {(folder / INSTALLED).read_text().strip()}"

    @property
    def tier(self) -> str:
        return f"{self.box.tier}:{self.folder}"

    def perform(self, command: Command) -> Evidence:
        mounts, env = dict(command.mounts), dict(command.env)
        place = next((p for p in PACKAGE_PLACES if p not in mounts), None)
        if place:
            mounts[place] = self.folder
            for name, inner in PACKAGE_PATHS.items():
                env[name] = ":".join(filter(None, (f"{place}/{inner}", env.get(name))))
        return self.box.perform(replace(command, env=env, mounts=mounts))


class Installing(Wrapped):
    """Another tier's box, for which what a program imports is installed, as it was before a day.

    Its programs are started in boxes of `kit.harness.installs.equip_box`: by the text of a program
    and the day alone, so that no program's libraries depend on the others of its run.
    """

    def __init__(self, box: Sandbox, before: str) -> None:
        require_mounts(box)
        super().__init__(box)
        self.before = before
        self.identity = f"{box.identity}, installs before {before}"

    @property
    def tier(self) -> str:
        name, colon, folder = self.box.tier.partition(":")
        return f"{name}@{self.before}{colon}{folder}"


def require_mounts(box: Sandbox) -> None:
    """KitError where libraries of the host cannot be brought into the box."""
    if "mounts" not in box.capabilities:
        raise KitError(f"The {box.name} sandbox takes no libraries. Use --sandbox bwrap.")


def parts_of(path: str) -> list[str]:
    """The parts of a relative path inside /box; KitError for one that leads outside."""
    parts = [p for p in path.split("/") if p not in ("", ".")]
    if path.startswith("/") or ".." in parts or not parts or not _is_name(path):
        raise KitError(
            f"Path {path!r} is not inside the working folder; write it relative to /box."
        )
    return parts


def _is_name(path: str) -> bool:
    """Whether a path can be that of a file."""
    try:
        return b"\0" not in bytes_of(path)
    except UnicodeEncodeError:
        return False


def text_of(name: bytes) -> str:
    """The name of a file as events, collected files and probes have it, whatever its bytes are."""
    return name.decode("utf-8", "surrogateescape")


def bytes_of(name: str) -> bytes:
    """The inverse of `text_of`."""
    return name.encode("utf-8", "surrogateescape")


def make_absolute(path: str) -> str:
    """A path or glob as events have it: a relative one lies below /box."""
    return posixpath.normpath(posixpath.join(BOX, path))


def make_relative(path: str) -> str:
    """A path as `Evidence.files` and `Task.files` have it: only outside /box is it absolute."""
    return make_absolute(path).removeprefix(BOX + "/")


def open_sandbox(tier: str = "bwrap", limits: Limits | None = None) -> Sandbox:
    """The tier, ready to run programs; a KitError says what is missing and how to get it.

    "bwrap": namespaces, seccomp and cgroups. "docker": a container of its own for every run.
    "bare": no isolation at all; for programs that you would start by hand.
    "bwrap:FOLDER": with the libraries there (see kit.harness.libraries). "bwrap@2026-06-01", also
    before a colon: with what programs import, as PyPI and npm had it before that day.
    """
    while (fd := os.open(os.devnull, os.O_RDWR)) < 3:  # a box gets no number of a closed stream
        os.set_inheritable(fd, True)
    os.close(fd)
    tier, _, folder = tier.partition(":")
    tier, _, before = tier.partition("@")
    if tier not in TIERS:
        raise KitError(f"Unknown sandbox {tier!r}. Use one of: {', '.join(TIERS)}.")
    opened: Sandbox = getattr(_load_tier(tier), tier.capitalize())(limits or Limits())
    box = opened
    try:
        if folder:
            box = WithPackages(box, Path(folder))
        if before:
            box = Installing(box, before)
    except KitError:
        opened.close()
        raise
    return box


def available() -> dict[str, str]:
    """Tier -> "" where it can be used, else one sentence with what is missing and what to type."""
    return {tier: _load_tier(tier).missing() for tier in TIERS}


def _load_tier(tier: str) -> Any:
    """The module of a tier, which holds its class and tells what it is missing."""
    return import_module(f"kit.sandbox.{tier}")
