"""One bubblewrap sandbox: the worker that runs it, and its life: start, files, limits, end, files.

A worker serves one run at a time; it has a uid, a CPU, a cgroup and launchers of its own.

What remains open: bwrap's init inside has the program's own uid, so that a program can write into
it. It has no rights that the program lacks; the most this buys is an exit code of choice.
"""

import ctypes
import json
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import threading
import time
import weakref
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import psutil

from kit.core.errors import KitError
from kit.core.records import Evidence
from kit.sandbox import cgroups, process, sampled, watcher
from kit.sandbox.base import BOX, TMP, Broken, Command, Limits
from kit.sandbox.syscalls import SHAPES, filter_program

BWRAP, PYTHON = "/usr/bin/bwrap", "/usr/bin/python3"
UID = "1000"  # inside
FIRST_UID = 61000  # outside, where the kit is root
CHANNEL, STATUS, FILTER = 3, 4, 5  # descriptors, after stdin, stdout, stderr
SHIM, LINK = 6, 7  # of a box that is watched
DEVICES = ("null", "zero", "urandom")
TMP_MB = 32
TRACE_MB = 16
TRACE_KEPT = 4 << 20  # what was read of a trace is given back to the disk above this size
SETUP_S = 20.0
STEP_S = 0.0004  # the set-up of a box takes 2 to 3 ms
END_S = 10.0  # for an answer of the launcher, and for the end of a box
LIBC = ctypes.CDLL(None, use_errno=True)
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
OOM_FIRST = "1000"  # in a full group the program dies, not the launcher


class Launcher:
    """The small process that starts a worker's boxes; see kit/sandbox/launcher.py. With `programs`
    its parent is native/watch.c, which writes to the worker's trace what the boxes' programs do."""

    _at_work: "weakref.WeakSet[Launcher]" = weakref.WeakSet()
    _changing = threading.Lock()  # of `_at_work`, which the threads of a run share

    def __init__(self, worker: "Worker", programs: watcher.Programs | None) -> None:
        self.programs, self.offset, uid = programs, 0, worker.uid
        # a second launcher would truncate the trace
        file = worker.trace if programs else os.devnull
        self.file = os.open(file, os.O_RDWR | os.O_TRUNC | os.O_CLOEXEC)
        self.link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.filter = os.memfd_create("seccomp", os.MFD_CLOEXEC)
        os.write(self.filter, filter_program(ptrace=worker.ptrace, notify=programs is not None))
        source = Path(__file__).with_name("launcher.py").read_text()
        argv = [PYTHON, "-I", "-S", "-c", source, str(theirs.fileno())]
        pass_fds = [theirs.fileno()]
        self.control, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if programs:
            watch = f"/proc/self/fd/{programs.watch}"
            argv = [watch, str(far.fileno()), str(self.file), SHAPES, *argv]
            pass_fds += [programs.watch, far.fileno(), self.file]
        with theirs, far:
            self.process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
                umask=0o022,
                pass_fds=pass_fds,
                user=uid,
                group=uid,
                extra_groups=None if uid is None else [],
            )
        (self.pid,) = struct.unpack("=i", self._receive_answer(self.link))
        self.cpu = -1
        uids = {*psutil.Process(self.pid).uids()}  # real, effective, saved
        if uid is not None and uids != {uid}:
            raise KitError(f"The launcher kept the user ids {uids} instead of {uid}.")

    def _receive_answer(self, link: socket.socket) -> bytes:
        ready = select.select([link], [], [], END_S)[0]
        data = link.recv(64) if ready else b""
        if not data:
            raise Broken(f"the {'launcher' if link is self.link else 'watcher'} did not answer")
        return data

    def _send_request(self, link: socket.socket, data: bytes, fds: list[int]) -> None:
        try:
            socket.send_fds(link, [data], fds)
        except OSError as error:
            name = "launcher" if link is self.link else "watcher"
            raise Broken(f"the {name} took no request: {error.strerror}") from None

    def send(self, argv: list[str], fds: list[int]) -> None:
        """Start a box; `fds` become its descriptors 0, 1, 2, ..., and the gate is the last."""
        status = os.fstat(self.file)
        self.offset = status.st_size
        if status.st_blocks * 512 > TRACE_KEPT:
            os.ftruncate(self.file, 0)
        os.lseek(self.filter, 0, os.SEEK_SET)
        self._pin_to_cpu()
        self._send_request(self.link, os.fsencode("\0".join(argv)), fds)

    def watch(self, init: int, link: socket.socket) -> None:
        """From now on the box is watched, and its first program may begin."""
        self._send_request(self.control, struct.pack("=i", init), [link.fileno()])

    def _pin_to_cpu(self) -> None:
        """Put watcher and watched on one CPU: each watched call is a hand-over and back, which
        takes five times as long between two CPUs. The CPU is that of this thread now, which the
        kernel chose, unless another run of this kit has it and a freer one is left.
        """
        with self._changing:
            taken = Counter(launcher.cpu for launcher in self._at_work)
            here = LIBC.sched_getcpu()
            cpu = min(os.sched_getaffinity(0), key=lambda c: (taken[c], c != here))
            self._at_work.add(self)
        if cpu != self.cpu:
            self.cpu = cpu
            for pid in {self.pid, self.process.pid}:
                os.sched_setaffinity(pid, {cpu})

    def release(
        self, init: int, addresses: Iterable[str], limits: dict[int, tuple[int, int]]
    ) -> None:
        """Let the waiting box run, under these limits of setrlimit; its loopback answers to these
        IPv4 addresses, and every port there is free to every user."""
        words = [init, " ".join(dict.fromkeys(addresses))]
        words += [n for kind, pair in limits.items() for n in (kind, *pair)]
        self._send_request(self.link, "\0".join(map(str, words)).encode(), [])

    def receive_usage(self) -> tuple[float, float]:
        """The answer to `send`, once the box is gone: CPU seconds and peak in MB of bwrap and its
        children, as far as wait4 counts them."""
        cpu_s, peak_mb = struct.unpack("=dd", self._receive_answer(self.link))
        if self.programs and any(self._receive_answer(self.control)):
            raise Broken("the watcher of the box failed")
        self._mark_idle()
        return cpu_s, peak_mb

    def is_trace_full(self) -> bool:
        """Whether the trace since the box was started is longer than its cap."""
        return os.fstat(self.file).st_size - self.offset > TRACE_MB << 20

    def trace(self) -> watcher.ParsedTrace | None:
        """What the last box did, as far as the cap allows; None where nobody watched."""
        if not self.programs:
            return None
        data = os.pread(self.file, TRACE_MB << 20, self.offset)
        return watcher.ParsedTrace(data.decode(errors="backslashreplace"))

    def _mark_idle(self) -> None:
        with self._changing:
            self._at_work.discard(self)

    def close(self) -> None:
        self._mark_idle()
        self.link.close()
        self.control.close()
        os.close(self.filter)
        os.close(self.file)
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Worker:
    """Own uid, cgroup, trace and launchers, for one run at a time."""

    def __init__(
        self,
        index: int,
        folder: Path,
        groups: dict[str, Path],
        *,
        ptrace: bool,
        programs: watcher.Programs | None,
    ) -> None:
        self.ptrace, self.programs = ptrace, programs
        self.uid = FIRST_UID + index if os.geteuid() == 0 else None
        self.trace = folder / f"trace-{index}"
        self.trace.touch(0o600)
        if self.uid is not None:
            os.chown(self.trace, self.uid, self.uid)
        name = f"{os.getpid()}_{folder.name[-4:]}_{index}"
        self.group = cgroups.Cgroup(groups, name) if groups else None
        self.launchers: dict[bool, Launcher] = {}

    def isolation(self, *, network: bool = False) -> str:
        """The tier, with what it lacks here, and for a run with the host's network."""
        lacks = ["own uid"] * (self.uid is None) + ["memory sampled"] * (self.group is None)
        lacks += ["no events"] * (self.programs is None)
        lacks += ["network of the host"] * network
        return f"bwrap({', '.join(lacks)})" if lacks else "bwrap"

    def launcher(self, observe: bool) -> Launcher:
        """The launcher below a watcher, or the one that nobody watches."""
        if observe not in self.launchers:
            launcher = Launcher(self, self.programs if observe else None)
            self.launchers[observe] = launcher
            if self.group:
                self.group.add_process(launcher.pid)
                if launcher.programs:
                    self.group.add_watcher(launcher.process.pid)
        return self.launchers[observe]

    def mount_etc(self, texts: dict[str, str]) -> dict[str, Path]:
        """Mounts for these files of /etc, and for /etc/clock, by which waits inside the box count
        its own time; it shows nothing of other runs."""
        folder = self.trace.with_name(f"{self.trace.name}-etc")
        folder.mkdir(exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text)
        mounts = {f"/etc/{name}": folder / name for name in texts}
        if self.group and "cpu.pressure" in self.group.files:
            mounts["/etc/clock"] = folder / "clock"
            mounts["/etc/clock"].write_bytes(struct.pack("=d", time.monotonic()))
        process.let_read(folder)
        return mounts

    def close_launchers(self) -> None:
        """After a failure of our own: the next run gets new launchers."""
        while self.launchers:
            self.launchers.popitem()[1].close()

    def close(self) -> None:
        self.close_launchers()
        if self.group:
            self.group.remove()
        self.trace.unlink(missing_ok=True)


def build_bwrap_command(root: Path, command: Command, *, watched: bool) -> list[str]:
    """bwrap's arguments: every namespace by name, nothing of the host writable, every tmpfs sized.

    watched: the filter is installed by the first program, which hands its listener to the watcher.
    """
    line = [BWRAP, "--unshare-user", "--unshare-pid", "--unshare-ipc"]
    line += [] if command.network else ["--unshare-net"]
    line += ["--unshare-uts", "--unshare-cgroup", "--disable-userns", "--cap-drop", "ALL"]
    line += ["--uid", UID, "--gid", UID, "--hostname", "sandbox"]
    line += ["--new-session", "--die-with-parent"]
    for name, value in command.environment(str(CHANNEL)).items():
        line += ["--setenv", name, value]
    disk = command.limits.disk_mb << 20
    line += _list_root_mounts(root, disk) if command.root else ["--ro-bind", str(root), "/"]
    line += ["--ro-bind", "/usr", "/usr"]
    line += ["--proc", "/proc", "--remount-ro", "/proc"]  # autogroup, and memory by a file, stay
    line += _list_device_mounts(command.terminal)
    tmp = disk if command.root else TMP_MB << 20
    line += ["--size", str(tmp), "--perms", "1777", "--tmpfs", "/tmp"]
    line += ["--size", str(disk), "--perms", "0755", "--tmpfs", "/box"]
    for place, source in command.mounts.items():
        line += ["--ro-bind", str(source), place]
    line += ["--chdir", "/box", "--json-status-fd", str(STATUS)]
    if not watched:
        return [*line, "--seccomp", str(FILTER), "--block-fd", str(FILTER + 1), "--", *command.argv]
    line += ["--as-pid-1", "--block-fd", str(LINK + 1), "--"]
    return [*line, f"/proc/self/fd/{SHIM}", str(FILTER), str(LINK), *command.argv]


def _list_root_mounts(root: Path, size: int) -> list[str]:
    """bwrap's arguments for a root that the box may write to, with what is in that of every box."""
    line = ["--size", str(size), "--tmpfs", "/"]
    for path in sorted(root.iterdir()):
        if path.is_symlink():
            line += ["--symlink", str(path.readlink()), f"/{path.name}"]
        else:
            line += ["--ro-bind", str(path), f"/{path.name}"]
    return line


def _list_device_mounts(terminal: bool) -> list[str]:
    """bwrap's arguments for /dev, which nobody can write to; a terminal needs a whole one."""
    if terminal:
        shared = ["--size", str(TMP_MB << 20), "--perms", "1777", "--tmpfs", "/dev/shm"]
        return ["--dev", "/dev", *shared, "--remount-ro", "/dev"]
    line = []
    for name in DEVICES:
        line += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    return line


class Box:
    """The namespaces of one run, held by a pidfd of their init and a descriptor of their /box."""

    def __init__(self, worker: Worker, command: Command) -> None:
        self.worker, self.command, self.limits = worker, command, command.limits
        self.launcher = worker.launcher(command.observe)
        self.stack = ExitStack()
        self.init = self.root = self.tmp = self.clock = -1

    def run_program(self, root: Path) -> Evidence:
        """The evidence of the whole run; Broken where the sandbox itself failed."""
        command, limits, launcher = self.command, self.limits, self.launcher
        with self.stack:
            theirs, feeding = (self.stack.enter_context(ExitStack()) for _ in range(2))
            stdin = process.open_pipe(theirs, feeding)
            out, err, chan, status = (process.open_pipe(self.stack, theirs) for _ in range(4))
            if self.worker.uid is not None:  # so that /dev/stdin and its like open; the channel not
                for end in (stdin[0], out[1], err[1]):
                    os.fchown(end, self.worker.uid, self.worker.uid)
            os.fchmod(chan[1], 0)
            streams = process.make_streams(out[0], err[0], chan[0], limits)
            fds = [stdin[0], out[1], err[1], chan[1], status[1], launcher.filter]
            ours, far = socket.socketpair()
            with ours, far:
                ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)  # who greets the watcher
                shim = [launcher.programs.shim, far.fileno()] if launcher.programs else []
                launcher.send(build_bwrap_command(root, command, watched=bool(shim)), fds + shim)
                theirs.close()  # of a bwrap that fails the ends are then seen at once
                pid = self._pin_namespaces(status[0], streams[1])
                if launcher.programs:
                    launcher.watch(pid, ours)
            process.place_files(self.root, command.files, owner=self.worker.uid)
            account = self.worker.group or sampled.Watch(pid, self.root)
            account.begin(limits)
            self._open_clock()
            launcher.release(pid, command.hosts.values(), _process_limits(limits))
            ending = process.pump_streams(
                streams,
                until=launcher.link.fileno(),
                stdin_fd=stdin[1],
                close_stdin=feeding.close,
                stdin=command.stdin,
                wall_s=limits.wall_s,
                guard=partial(self._find_stop_reason, account),
                waited=partial(_measure_cpu_wait, account),
            )
            self._kill_box()
            used = account.end(*launcher.receive_usage())
            for stream in streams:
                stream.drain()
            collected = process.Collector(command).take(box=self.root, tmp=self.tmp)
            code = _exit_code(status[0], watched=launcher.programs is not None)
        trace = launcher.trace()
        watched = process.Watched(trace, launcher.is_trace_full()) if trace is not None else None
        peak_mb = (used.peak or 0) / 2**20
        waited_s = process.time_lost_to_others(
            ending.wall_s, cpu_s=used.cpu_s, waited_s=used.waited_s
        )
        return process.build_evidence(
            ending,
            watched=watched,
            command=command,
            code=code,
            usage=process.RunUsage(used.cpu_s, peak_mb, waited_s, bool(used.oom_kills)),
            streams=streams,
            collected=collected,
            isolation=self.worker.isolation(network=command.network),
        )

    def _open_clock(self) -> None:
        """The box's clock goes on as often as we look at it."""
        if clock := self.command.mounts.get("/etc/clock"):
            self.clock = os.open(clock, os.O_WRONLY | os.O_CLOEXEC)
            self.stack.callback(os.close, self.clock)

    def _find_stop_reason(self, account: cgroups.Cgroup | sampled.Watch) -> str:
        """Why to stop now: the trace is too long, or memory was short."""
        if self.clock >= 0 and self.worker.group:
            os.pwrite(self.clock, struct.pack("=d", self.worker.group.own_time()), 0)
        if self.launcher.is_trace_full():
            return "trace"
        return "oom" if account.oom() else ""

    def _pin_namespaces(self, status: int, stderr: process.Stream) -> int:
        """Wait for the namespaces, pin their init and their /box; the pid of the init."""
        try:
            pid = _child_pid(status)
            self.init = os.pidfd_open(pid)
            self.stack.callback(os.close, self.init)
            self.root = _box_folder(pid, self.init)
            self.stack.callback(os.close, self.root)
            self.tmp = os.open(f"/proc/{pid}/root{TMP}", FOLDER)
            self.stack.callback(os.close, self.tmp)
        except (EOFError, ProcessLookupError):
            stderr.drain()
            message = bytes(stderr.data).decode(errors="replace").strip()
            raise Broken(f"bwrap did not start: {message or 'no answer'}") from None
        self.stack.callback(self._kill_box)
        if self.worker.group:
            Path(f"/proc/{pid}/oom_score_adj").write_text(OOM_FIRST)
        return pid

    def _kill_box(self) -> None:
        """SIGKILL to the namespace's init; when its pidfd is readable, every process is dead."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.init, signal.SIGKILL)
        if not select.select([self.init], [], [], END_S)[0]:
            raise Broken("the box did not die")


def _measure_cpu_wait(account: cgroups.Cgroup | sampled.Watch, took: float) -> float:
    """Of so many seconds since the start, those in which others had the CPU."""
    now = account.usage()
    return process.time_lost_to_others(took, cpu_s=now.cpu_s, waited_s=now.waited_s)


def _process_limits(limits: Limits) -> dict[int, tuple[int, int]]:
    """Limits of each process, set from outside on the init of the box and inherited from it."""
    cpu = max(1, round(limits.cpu_s))
    return {
        resource.RLIMIT_NPROC: (limits.processes + 1,) * 2,
        resource.RLIMIT_NOFILE: (512, 512),
        resource.RLIMIT_FSIZE: (limits.file_mb << 20,) * 2,
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_CPU: (cpu, cpu + 1),
        resource.RLIMIT_MEMLOCK: (65536, 65536),
        resource.RLIMIT_MSGQUEUE: (0, 0),
        resource.RLIMIT_STACK: (8 << 20, 64 << 20),
    }


def _child_pid(fd: int) -> int:
    """The host's pid of the namespace's init, from bwrap's first line of status; else EOFError."""
    data = b""
    while b"}" not in data:
        ready = select.select([fd], [], [], SETUP_S)[0]
        chunk = os.read(fd, 4096) if ready else b""
        if not chunk:
            raise EOFError
        data += chunk
    return int(json.loads(data)["child-pid"])


def _box_folder(pid: int, init: int) -> int:
    """A descriptor of /box in the box, opened as soon as its root is in place.

    ProcessLookupError where the box ends before.
    """
    until = time.monotonic() + SETUP_S
    time.sleep(4 * STEP_S)
    while True:
        try:
            return os.open(f"/proc/{pid}/root{BOX}", FOLDER)
        except (FileNotFoundError, PermissionError) as error:
            if select.select([init], [], [], 0)[0]:
                raise ProcessLookupError from None
            if time.monotonic() > until:
                raise Broken(f"the root of the box never appeared: {error.strerror}") from None
        time.sleep(STEP_S)


def _exit_code(fd: int, *, watched: bool) -> int | None:
    """From bwrap's last line of status, which counts a program that signal n killed as 128 + n; -n
    for these where no watcher tells them from programs that ended with such a code."""
    os.set_blocking(fd, False)
    try:
        tail = os.read(fd, 4096)
    except BlockingIOError:
        return None
    for line in tail.splitlines():
        with suppress(json.JSONDecodeError):
            if "exit-code" in (answer := json.loads(line)):
                code = int(answer["exit-code"])
                return 128 - code if 128 < code <= 192 and not watched else code
    return None
