"""The default tier: bubblewrap namespaces, an own uid, seccomp, a cgroup, a watcher outside."""

import contextlib
import errno
import json
import os
import platform
import posixpath
import re
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from kit.core.errors import KitError
from kit.core.records import Evidence, Status
from kit.sandbox import cgroups, node, process, watcher
from kit.sandbox.base import CHANNEL, ENVIRONMENT, Broken, Command, Feature, Limits, Sandbox
from kit.sandbox.box import BWRAP, DEVICES, PYTHON, Box, Worker

PREFIX = "kit-bwrap-"
MOUNTS = ("/mnt", "/opt")
PACKAGES = {BWRAP: "bubblewrap", PYTHON: "python3"}
COMPILERS = (node.PLACE, "/usr/bin/g++")  # no tier needs them, but results depend on them
LINKS = {
    **{"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib64": "usr/lib64"},
    **{"dev/fd": "/proc/self/fd", "dev/stdin": "/proc/self/fd/0"},
    **{"dev/stdout": "/proc/self/fd/1", "dev/stderr": "/proc/self/fd/2"},
    "node_modules": "usr/share/nodejs",  # where ES modules look for packages
    **{"dev/shm": "/tmp", "dev/random": "urandom"},
}
ETC = {
    "passwd": "root:x:0:0:root:/root:/bin/sh\nbox:x:1000:1000::/box:/bin/sh\n",
    "group": "root:x:0:\nbox:x:1000:\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
VARIABLES = {*ENVIRONMENT, CHANNEL, "PWD"}  # all that a program's environment has
NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
MEND = (
    "Allow unprivileged user namespaces (sysctl -w kernel.unprivileged_userns_clone=1, on Ubuntu "
    "24.04 also kernel.apparmor_restrict_unprivileged_userns=0; in a container --security-opt "
    "seccomp=unconfined), or type open_sandbox('docker')"
)
# Run in a fresh box to describe it, before any program is there that could falsify the answer.
QUESTIONS = r"""
import ctypes, json, os, sys
canary, names = sys.argv[1], sys.argv[2].split(",")
libc = ctypes.CDLL(None, use_errno=True)
def opens(path, flags):
    try:
        os.close(os.open(path, flags, 0o600))
    except OSError:
        return False
    return True
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
answer = {k: status[k].strip() for k in ("CapEff", "CapPrm", "NoNewPrivs", "Seccomp")}
answer["namespaces"] = {n: os.readlink("/proc/self/ns/" + n) for n in names}
answer["interfaces"] = sorted(l.split(":")[0].strip() for l in open("/proc/net/dev") if ":" in l)
answer["canary"] = opens(canary, os.O_RDONLY)
answer["written"] = [
    p for p in ("/x", "/usr/x", "/etc/x", "/dev/x", "/proc/sys/kernel/core_pattern")
    if opens(p, os.O_WRONLY | (0 if p.startswith("/proc") else os.O_CREAT))
]
answer["new_namespace"] = libc.unshare(0x10000000) == 0
answer["vsock"] = libc.socket(40, 1, 0) >= 0
answer["environment"] = sorted(os.environ)
print(json.dumps(answer))
"""


def missing(system: str = platform.system(), machine: str = platform.machine()) -> str:
    """ "" where this tier can run, else the sentence that says what to install."""
    if (system, machine) != ("Linux", "x86_64"):
        return (
            f"it needs Linux on x86_64, not {system} on {machine}. Nothing was run or scored; use "
            "such a machine, a virtual one too, or score a finished run here with kit score RUN"
        )
    absent = [p for p in PACKAGES if not os.access(p, os.X_OK)]
    if absent:
        names = " ".join(PACKAGES[p] for p in absent)
        return f"{', '.join(absent)} not found; type: apt-get install {names}"
    return ""


def _build_root(folder: Path) -> Path:
    """The root of every box, bound read-only: of the host's /etc only what programs need to run."""
    root = folder / "root"
    for name in ("usr", "proc", "tmp", "box", "dev", "etc", "mnt", "opt"):
        (root / name).mkdir(parents=True)
    for name in DEVICES:
        (root / "dev" / name).touch()
    for name, target in LINKS.items():
        (root / name).symlink_to(target)
    for name, text in ETC.items():
        (root / "etc" / name).write_text(text)
    (root / "etc" / "clock").touch()
    (root / "etc/ssl/certs").mkdir(parents=True)  # some libraries read certificates on import
    for name in ("ld.so.cache", "localtime", "ssl/certs/ca-certificates.crt"):
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(f"/etc/{name}", root / "etc" / name)
    with contextlib.suppress(FileNotFoundError):
        shutil.copytree("/etc/alternatives", root / "etc" / "alternatives", symlinks=True)
    for java in Path("/etc").glob("java-*-openjdk/security"):  # the JDK's links point here
        shutil.copytree(java, root / java.relative_to("/"))
    process.let_read(root)
    return root


def _build_networked_root(root: Path) -> Path:
    """The root of a box with the host's network, where names and certificates can be looked up."""
    open_root = root.with_name("root-networked")
    if not open_root.exists():
        shutil.copytree(root, open_root, symlinks=True)
        certificates = open_root / "etc/ssl/certs"
        shutil.copytree("/etc/ssl/certs", certificates, symlinks=True, dirs_exist_ok=True)
        (open_root / "etc/nsswitch.conf").write_text(
            ETC["nsswitch.conf"].replace("hosts: files", "hosts: files dns")
        )
        for name in ("resolv.conf", "hosts"):
            (open_root / "etc" / name).write_bytes(Path("/etc", name).read_bytes())
        process.let_read(open_root)
    return open_root


def _build_etc_files(hosts: Mapping[str, str], users: Mapping[str, int]) -> dict[str, str]:
    """The files of /etc that differ from those of every box."""
    texts = {
        "hosts": "".join(f"{address} {name}\n" for name, address in hosts.items()),
        "passwd": "".join(f"{n}:x:{uid}:{uid}::/box:/bin/sh\n" for n, uid in users.items()),
        "group": "".join(f"{n}:x:{uid}:\n" for n, uid in users.items()),
    }
    return {name: ETC[name] + text for name, text in texts.items() if text}


def _make_own_folder() -> Path:
    """A folder that the dropped uid can pass through; those of dead kits are removed."""
    base = Path("/tmp" if os.geteuid() == 0 else tempfile.gettempdir())
    for old in base.glob(PREFIX + "*"):
        pid = re.match(PREFIX + r"(\d+)-", old.name)
        if pid and not Path("/proc", pid[1]).exists():
            shutil.rmtree(old, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=base))
    folder.chmod(0o711)
    return folder


def _check_mounts(mounts: Mapping[str, Path]) -> None:
    """KitError where a mount is impossible: the root of a box has no other places for one."""
    for place, source in mounts.items():
        outer = next((p for p in MOUNTS if place == p or place.startswith(p + "/")), None)
        if outer is None or posixpath.normpath(place) != place:
            raise KitError(f"Nothing can be mounted at {place!r}; use {' or '.join(MOUNTS)}.")
        if not source.exists():
            raise KitError(
                f"{source} cannot be mounted at {place!r}: there is no such file or folder."
            )
        if place == outer:
            continue
        inside = mounts[outer] / place.removeprefix(outer + "/") if outer in mounts else None
        if inside is None or not inside.exists():
            raise KitError(
                f"Nothing can be mounted at {place!r}: {inside or outer + ' has no mount, so it'} "
                f"does not exist; mount a folder that has it at {outer!r} first."
            )


@lru_cache
def _read_tool_versions(newer_node: Path | None) -> list[str]:
    """The versions of the tools on which results depend."""
    lines = []
    for program in (BWRAP, PYTHON, *COMPILERS):
        if Path(program).exists():
            started = newer_node / "bin/node" if newer_node and program == node.PLACE else program
            line = [started, "--version"]
            done = subprocess.run(line, capture_output=True, text=True, check=True)
            lines.append(f"{Path(program).name} {done.stdout.split(chr(10))[0]}")
    return lines


def _tear_down(owner: int, workers: list[Worker], folder: Path) -> None:
    """Ends the workers; run by close(), or at the interpreter's exit where nobody called it."""
    if os.getpid() != owner:
        return
    while workers:
        workers.pop().close()
    shutil.rmtree(folder, ignore_errors=True)


def find_weaknesses(answer: dict[str, Any]) -> list[str]:
    """A sentence for each weakness that the answer of a box shows; empty where it has none."""
    weaknesses = [
        f"{name} is {answer[name]}, not {want}"
        for name, want in (("NoNewPrivs", "1"), ("Seccomp", "2"))
        if answer[name] != want
    ]
    weaknesses += [f"{name} is not empty" for name in ("CapEff", "CapPrm") if int(answer[name], 16)]
    for name, link in answer["namespaces"].items():
        if link == str(Path(f"/proc/self/ns/{name}").readlink()):
            weaknesses.append(f"the {name} namespace is the host's")
    extra = sorted(set(answer["environment"]) - VARIABLES)
    others = {
        f"it sees the network interfaces {', '.join(answer['interfaces'])}": answer["interfaces"]
        != ["lo"],
        **{f"{path} can be written": True for path in answer["written"]},
        "a file of the host can be read": answer["canary"],
        "it can make namespaces": answer["new_namespace"],
        "it can reach the hypervisor by vsock": answer["vsock"],
        f"it inherits {', '.join(extra)}": extra,
    }
    return weaknesses + [sentence for sentence, holds in others.items() if holds]


def self_test(run: Callable[[list[str]], Evidence], canary: Path) -> None:
    """Test a fresh box; KitError, with the mend, unless it is isolated as promised."""
    evidence = run([PYTHON, "-I", "-c", QUESTIONS, str(canary), ",".join(NAMESPACES)])
    if evidence.status != Status.COMPLETED or evidence.exit_code != 0:
        reason = evidence.note or evidence.err.strip().rpartition("\n")[2] or evidence.status
        raise KitError(f"The bwrap sandbox cannot start a box ({reason}). {MEND}.")
    if weaknesses := find_weaknesses(json.loads(evidence.out)):
        raise KitError(f"The bwrap sandbox does not hold: {'; '.join(weaknesses)}. {MEND}.")


class Bwrap(Sandbox):
    """A fresh set of namespaces for every run. See kit.sandbox.base.Sandbox for the contract.

    Where no watcher can be had there are no events, which `capabilities` and the stamp say.
    """

    name = "bwrap"

    def __init__(self, limits: Limits) -> None:
        if reason := missing():
            raise KitError(f"The bwrap sandbox cannot run: {reason}.")
        self.limits = limits
        self._groups = cgroups.find_parents()
        cgroups.remove_dead_groups(self._groups)
        self.capabilities: frozenset[Feature] = frozenset(
            {"mounts", "network", "ptrace", "memory", "hosts", "users", "terminal", "root"}
        )
        self._folder = _make_own_folder()
        self._root = _build_root(self._folder)
        self._canary = self._folder / "canary"
        self._canary.write_text("a file of the host that everyone may read")
        self._canary.chmod(0o644)
        self._workers: list[Worker] = []
        self._free: list[Worker] = []
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._newer_node = node.find_newer_node()
        self._end = weakref.finalize(self, _tear_down, self._owner, self._workers, self._folder)
        try:
            self._choose_watcher()
        except KitError:
            self.close()
            raise
        except OSError as error:
            self.close()
            if error.errno not in (errno.EPERM, errno.EINVAL):
                raise
            raise KitError(
                f"The bwrap sandbox cannot run: root may not give files to another user ({error}), "
                "as in a container with a single user. Start the kit as a user who is not root."
            ) from error
        self.capabilities |= {"events"} if self._programs else set()
        observer = self._programs.identity if self._programs else "no events"
        self.identity = ", ".join([observer, *_read_tool_versions(self._newer_node)])

    def _choose_watcher(self) -> None:
        """Use the watcher if a box passes the self-test with it, else no watcher; or KitError."""
        run = partial(self.run, limits=Limits())  # a run's own limits may be too short
        self._programs = None if watcher.check_programs() else watcher.load_programs()
        try:
            self_test(run, self._canary)
        except KitError:
            if not self._programs:
                raise
            while self._workers:
                self._workers.pop().close()
            self._free.clear()
            self._programs = None
            self_test(run, self._canary)

    def perform(self, command: Command) -> Evidence:
        """One program in its own box."""
        if os.getpid() != self._owner:
            raise KitError("This sandbox was opened before a fork; open one in this process.")
        if command.limits.ptrace and not self.limits.ptrace:
            raise KitError(
                "This sandbox was opened without ptrace; open it with Limits(ptrace=True)."
            )
        _check_mounts(command.mounts)
        root = _build_networked_root(self._root) if command.network else self._root
        with self._borrow_worker() as worker:
            own = worker.mount_etc(_build_etc_files(command.hosts, command.users))
            if self._newer_node:
                own[node.PLACE] = self._newer_node / "bin/node"
            command = replace(command, mounts={**command.mounts, **own})
            for _ in range(2):
                try:
                    return Box(worker, command).run_program(root)
                except Broken as error:
                    note = str(error)
                    worker.close_launchers()
                    if worker.group and worker.group.oom():
                        return Evidence(Status.OOM, isolation=worker.isolation(), note=note)
                except BaseException:  # an interrupt too: this launcher still has an answer to give
                    worker.close_launchers()
                    raise
        return Evidence(Status.INFRA_ERROR, isolation=worker.isolation(), note=note)

    @contextlib.contextmanager
    def _borrow_worker(self) -> Iterator[Worker]:
        """A worker that nobody else uses; there are as many as runs at the same time."""
        with self._lock:
            if self._free:
                worker = self._free.pop()
            else:
                worker = Worker(
                    len(self._workers),
                    self._folder,
                    self._groups,
                    ptrace=self.limits.ptrace,
                    programs=self._programs,
                )
                self._workers.append(worker)
        try:
            yield worker
        finally:
            with self._lock:
                self._free.append(worker)

    def close(self) -> None:
        self._end()
