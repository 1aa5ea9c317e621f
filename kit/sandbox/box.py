"""The life cycle of one bubblewrap sandbox: start, check, place files, feed, kill, collect.

What remains open: bwrap's init inside has the program's own uid, so that a program can write into
it. It has no rights that the program lacks; the most this buys is an exit code of choice.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from kit.records import Evidence
from kit.sandbox import cgroups, collect, process
from kit.sandbox.base import Broken, Command, Limits
from kit.sandbox.worker import Worker

BWRAP = "/usr/bin/bwrap"
UID = "1000"  # inside
CHANNEL, STATUS, FILTER = 3, 4, 5  # descriptors, after stdin, stdout, stderr
SHIM, LINK = 6, 7  # of a box that is watched
DEVICES = ("null", "zero", "urandom")
TMP_MB = 32
TRACE_MB = 16
SETUP_S = 20.0
STEP_S = 0.0004  # the set-up of a box takes 2 to 3 ms
END_S = 10.0
LIBC = ctypes.CDLL(None, use_errno=True)
NEWNET = 0x40000000  # of setns
SET_ADDRESS, SET_MASK = 0x8916, 0x891C  # of ioctl
FREE_PORTS = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
OOM_FIRST = "1000"  # in a full group the program dies, not the launcher


def line(root: Path, command: Command, *, watched: bool) -> list[str]:
    """The bwrap line: every namespace by name, nothing of the host writable, every tmpfs sized.

    watched: the filter is installed by the first program, which hands its listener to the watcher.
    """
    line = [BWRAP, "--unshare-user", "--unshare-pid", "--unshare-ipc"]
    line += [] if command.network else ["--unshare-net"]
    line += ["--unshare-uts", "--unshare-cgroup", "--disable-userns", "--cap-drop", "ALL"]
    line += ["--uid", UID, "--gid", UID, "--hostname", "sandbox"]
    line += ["--new-session", "--die-with-parent"]
    for name, value in command.environment(str(CHANNEL)).items():
        line += ["--setenv", name, value]
    line += ["--ro-bind", str(root), "/", "--ro-bind", "/usr", "/usr", "--proc", "/proc"]
    for name in DEVICES:
        line += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    line += ["--size", str(TMP_MB << 20), "--perms", "1777", "--tmpfs", "/tmp"]
    line += ["--size", str(command.limits.disk_mb << 20), "--perms", "0755", "--tmpfs", "/box"]
    for place, source in command.mounts.items():
        line += ["--ro-bind", str(source), place]
    line += ["--chdir", "/box", "--json-status-fd", str(STATUS)]
    if not watched:
        return [*line, "--seccomp", str(FILTER), "--block-fd", str(FILTER + 1), "--", *command.argv]
    line += ["--as-pid-1", "--block-fd", str(LINK + 1), "--"]
    return [*line, f"/proc/self/fd/{SHIM}", str(FILTER), str(LINK), *command.argv]


class Box:
    """The namespaces of one run, held by a pidfd of their init and a descriptor of their /box."""

    def __init__(self, worker: Worker, command: Command) -> None:
        self.worker, self.command, self.limits = worker, command, command.limits
        self.launcher = worker.launcher(command.observe)
        self.stack = contextlib.ExitStack()
        self.init = self.root = -1

    def live(self, root: Path) -> Evidence:
        """The whole life; Broken where the sandbox itself failed."""
        command, limits, launcher = self.command, self.limits, self.launcher
        with self.stack:
            pipes = process.Pipes(self.stack)
            stdin = pipes.pair(ours="w")
            out, err, chan, status = (pipes.pair(ours="r") for _ in range(4))
            streams = process.streams(out[0], err[0], chan[0], limits)
            theirs = [p[1] for p in (stdin, out, err, chan, status)] + [launcher.filter]
            ours, far = socket.socketpair()
            with ours, far:
                shim = [launcher.programs.shim, far.fileno()] if launcher.programs else []
                launcher.send(line(root, command, watched=bool(shim)), theirs + shim)
                pipes.close_theirs()  # of a bwrap that fails the ends are then seen at once
                pid = self._hold(status[0], streams[1])
                if launcher.programs:
                    launcher.watch(pid, ours)
            if command.hosts:
                _answer_to(pid, command.hosts.values())
            collect.place(self.root, command.files, owner=self.worker.uid)
            if self.worker.group:
                self.worker.group.begin(limits)
            launcher.release(pid, _rlimits(limits, memory=self.worker.group is None))
            pipes.forget(stdin[0])
            ending = process.listen(
                streams,
                until=launcher.link.fileno(),
                stdin_fd=stdin[0],
                stdin=command.stdin,
                wall_s=limits.wall_s,
                guard=self._guard,
                waited=self._waited,
            )
            self._kill()
            cpu_s, peak_mb = launcher.ended(END_S)
            for stream in streams:
                stream.drain()
            usage = self.worker.group.end() if self.worker.group else None
            collected = collect.Collector(command.files, limits).take(self.root)
            code = _exit_code(status[0]) if ending.cause == "exit" else None
        killer = None if launcher.programs or not code or not 128 < code <= 192 else code - 128
        waited_s = 0.0
        if usage:
            cpu_s, waited_s = usage.cpu_s, usage.waited_s
            peak_mb = peak_mb if usage.peak is None else usage.peak / 2**20
        return process.evidence(
            ending,
            trace=launcher.records(TRACE_MB << 20),
            capped=launcher.written() > TRACE_MB << 20,
            command=command,
            code=None if killer else code,
            signal=killer,  # as far as bwrap tells
            cpu_s=cpu_s,
            peak_mb=peak_mb,
            waited_s=process.waiting(ending.wall_s, cpu_s=cpu_s, waited_s=waited_s),
            oom=bool(usage and usage.oom_kills),
            streams=streams,
            collected=collected,
            isolation=self.worker.isolation,
        )

    def _guard(self) -> str:
        """Why to stop now: the trace is too long, or a process was killed for memory."""
        if self.launcher.written() > TRACE_MB << 20:
            return "trace"
        return "oom" if self.worker.group and self.worker.group.oom() else ""

    def _waited(self, took: float) -> float:
        """Of so many seconds since the start, those in which others had the CPU."""
        used = self.worker.group.used() if self.worker.group else cgroups.Usage(None, took, 0)
        return process.waiting(took, cpu_s=used.cpu_s, waited_s=used.waited_s)

    def _hold(self, status: int, stderr: process.Stream) -> int:
        """Wait for the namespaces, pin their init and their /box; the pid of the init."""
        pid = _child_pid(status)
        if pid is None:
            stderr.drain()
            message = bytes(stderr.data).decode(errors="replace").strip()
            raise Broken(f"bwrap did not start: {message or 'no answer'}")
        self.init = os.pidfd_open(pid)
        self.stack.callback(os.close, self.init)
        self.root = _box_folder(pid, self.init)
        self.stack.callback(os.close, self.root)
        self.stack.callback(self._kill)
        if self.worker.group:
            Path(f"/proc/{pid}/oom_score_adj").write_text(OOM_FIRST)
        return pid

    def _kill(self) -> None:
        """SIGKILL to the namespace's init; when its pidfd is readable, every process is dead."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.init, signal.SIGKILL)
        if not select.select([self.init], [], [], END_S)[0]:
            raise Broken("the box did not die")


def _rlimits(limits: Limits, *, memory: bool) -> dict[int, tuple[int, int]]:
    """Limits of each process, set from outside on the init of the box and inherited from it.

    Memory only where no cgroup holds the sum: a limit per process is a weak second.
    """
    cpu, unlimited = max(1, round(limits.cpu_s)), resource.RLIM_INFINITY
    size = limits.memory_mb << 20 if memory else unlimited
    return {
        resource.RLIMIT_NPROC: (limits.processes + 1,) * 2,
        resource.RLIMIT_NOFILE: (512, 512),
        resource.RLIMIT_FSIZE: (limits.file_mb << 20,) * 2,
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_CPU: (cpu, cpu + 1),
        resource.RLIMIT_MEMLOCK: (65536, 65536),
        resource.RLIMIT_MSGQUEUE: (0, 0),
        resource.RLIMIT_STACK: (8 << 20, 64 << 20),
        resource.RLIMIT_DATA: (size, size),
    }


def _child_pid(fd: int) -> int | None:
    """bwrap's first line of status: the pid of the namespace's init, as the host counts."""
    data = b""
    while b"}" not in data:
        ready = select.select([fd], [], [], SETUP_S)[0]
        chunk = os.read(fd, 4096) if ready else b""
        if not chunk:
            return None
        data += chunk
    return int(json.loads(data)["child-pid"])


def _box_folder(pid: int, init: int) -> int:
    """The box's /box, opened once its root is in place and pinned from then on."""
    until = time.monotonic() + SETUP_S
    time.sleep(4 * STEP_S)
    while True:
        try:
            return os.open(f"/proc/{pid}/root/box", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except (FileNotFoundError, PermissionError) as error:
            if time.monotonic() > until or select.select([init], [], [], 0)[0]:
                raise Broken(f"the root of the box never appeared: {error.strerror}") from None
        time.sleep(STEP_S)


def _exit_code(fd: int) -> int | None:
    """What bwrap's last line of status says; a program killed by signal n counts as 128 + n."""
    os.set_blocking(fd, False)
    try:
        tail = os.read(fd, 4096)
    except BlockingIOError:
        return None
    for line in tail.splitlines():
        with contextlib.suppress(json.JSONDecodeError):
            if "exit-code" in (answer := json.loads(line)):
                return int(answer["exit-code"])
    return None


def _answer_to(pid: int, addresses: Iterable[str]) -> None:
    """Give these IPv4 addresses to the loopback that `pid` sees, and every port to every user.

    Needs root. Raises OSError where the kernel refuses.
    """
    failed: list[OSError] = []

    def change() -> None:  # in a thread of its own, which ends inside that network
        try:
            _enter(pid)
            FREE_PORTS.write_text("0")
            further = [a for a in dict.fromkeys(addresses) if not a.startswith("127.")]
            for number, address in enumerate(further):
                _add(f"lo:{number}", address)
        except OSError as error:
            failed.append(error)

    worker = threading.Thread(target=change)
    worker.start()
    worker.join()
    if failed:
        raise failed[0]


def _enter(pid: int) -> None:
    fd = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        if LIBC.setns(fd, NEWNET):
            raise OSError(ctypes.get_errno(), "the network of the box cannot be entered")
    finally:
        os.close(fd)


def _add(label: str, address: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        for request, text in ((SET_ADDRESS, address), (SET_MASK, "255.255.255.255")):
            packed = struct.pack("=16sHH4s8x", label.encode(), socket.AF_INET, 0,
                                 socket.inet_aton(text))  # fmt: skip
            fcntl.ioctl(link, request, packed)
