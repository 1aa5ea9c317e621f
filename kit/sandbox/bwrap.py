"""The default tier: bubblewrap namespaces, an own uid, seccomp, a cgroup, strace from outside."""

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from kit.errors import KitError
from kit.records import Evidence
from kit.sandbox import collect, process, syscalls
from kit.sandbox.base import Limits

BWRAP, STRACE, PRLIMIT = "/usr/bin/bwrap", "/usr/bin/strace", "/usr/bin/prlimit"
FIRST_UID = 61000
INSIDE_UID = "1000"
TRACE_MB = 32
SETUP_S = 20.0
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/box",
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
}
ETC = {
    "passwd": "root:x:0:0:root:/root:/bin/sh\nbox:x:1000:1000::/box:/bin/sh\n",
    "group": "root:x:0:\nbox:x:1000:\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


def missing() -> str:
    """ "" where this tier can run, else the sentence that says what to install."""
    absent = [Path(p).name for p in (BWRAP, STRACE, PRLIMIT) if not os.access(p, os.X_OK)]
    packages = {"bwrap": "bubblewrap", "strace": "strace", "prlimit": "util-linux"}
    if absent:
        names = " ".join(packages[a] for a in absent)
        return f"{', '.join(absent)} not found; type: apt-get install {names}"
    return ""


class Slot:
    """What one run at a time uses: a uid, a file for the trace."""

    def __init__(self, index: int, folder: Path) -> None:
        self.uid = FIRST_UID + index if os.geteuid() == 0 else None
        self.trace = folder / f"trace-{index}"
        self.trace.touch(0o600)
        if self.uid is not None:
            os.chown(self.trace, self.uid, self.uid)


def _etc(folder: Path) -> Path:
    """A small /etc: no fact of the host but the loader's cache and the time zone."""
    etc = folder / "etc"
    etc.mkdir(mode=0o755)
    for name, text in ETC.items():
        (etc / name).write_text(text)
    for name in ("ld.so.cache", "localtime"):
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(f"/etc/{name}", etc / name)
    with contextlib.suppress(FileNotFoundError):
        shutil.copytree("/etc/alternatives", etc / "alternatives", symlinks=True)
    return etc


class Bwrap:
    """A fresh set of namespaces for every run. See kit.sandbox.base.Sandbox for the contract."""

    name = "bwrap"

    def __init__(self, limits: Limits) -> None:
        if why := missing():
            raise KitError(f"The bwrap sandbox cannot run: {why}.")
        self.limits = limits
        self._folder = Path(tempfile.mkdtemp(prefix="kit-bwrap-"))
        self._folder.chmod(0o711)
        self._etc = _etc(self._folder)
        self._free: list[Slot] = []
        self._slots = 0
        self._lock = threading.Lock()
        self.identity = f"bwrap {_version(BWRAP)}, {_version('/usr/bin/python3')}"

    def run(
        self,
        argv: Sequence[str],
        *,
        files: Mapping[str, bytes] | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        observe: bool = True,
    ) -> Evidence:
        """One program in its own box; see the protocol."""
        with self._slot() as slot:
            run = _Run(self._etc, slot, limits or self.limits, observe)
            return run.go(list(argv), files or {}, stdin, env or {})

    @contextlib.contextmanager
    def _slot(self):
        with self._lock:
            if not self._free:
                self._free.append(Slot(self._slots, self._folder))
                self._slots += 1
            slot = self._free.pop()
        try:
            yield slot
        finally:
            with self._lock:
                self._free.append(slot)

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> "Bwrap":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _version(program: str) -> str:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split("\n")[0]


class _Run:
    """One life of a box: start, check, feed, kill, collect."""

    def __init__(self, etc: Path, slot: Slot, limits: Limits, observe: bool) -> None:
        self.etc, self.slot, self.limits, self.observe = etc, slot, limits, observe

    def command(
        self, argv: list[str], env: Mapping[str, str], status: int, block: int
    ) -> list[str]:
        limits, mb = self.limits, 1 << 20
        trace = [STRACE, "-f", "--seccomp-bpf", "-q", "-y", "--decode-pids=pidns", "-s", "256"]
        trace += ["-o", str(self.slot.trace), "-e", f"trace={syscalls.TRACED}", "--"]
        box = [BWRAP, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc"]
        box += ["--unshare-uts", "--unshare-cgroup", "--disable-userns", "--cap-drop", "ALL"]
        box += ["--uid", INSIDE_UID, "--gid", INSIDE_UID, "--new-session", "--die-with-parent"]
        box += ["--hostname", "sandbox", "--clearenv"]
        for name, value in {**ENVIRONMENT, **env}.items():
            box += ["--setenv", name, value]
        box += ["--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin"]
        box += ["--symlink", "usr/sbin", "/sbin", "--symlink", "usr/lib", "/lib"]
        box += ["--symlink", "usr/lib64", "/lib64", "--ro-bind", str(self.etc), "/etc"]
        box += ["--proc", "/proc", "--dev", "/dev"]
        box += ["--size", str(16 * mb), "--perms", "1777", "--tmpfs", "/dev/shm"]
        box += ["--remount-ro", "/dev", "--size", str(32 * mb), "--perms", "1777"]
        box += ["--tmpfs", "/tmp", "--size", str(limits.disk_mb * mb), "--perms", "0755"]
        box += ["--tmpfs", "/box", "--remount-ro", "/", "--chdir", "/box"]
        box += ["--json-status-fd", str(status), "--block-fd", str(block), "--"]
        cpu = max(1, round(limits.cpu_s))
        inner = [PRLIMIT, f"--nproc={limits.processes}", "--nofile=512:512"]
        inner += [f"--fsize={limits.file_mb * mb}", "--core=0:0", f"--cpu={cpu}:{cpu + 1}"]
        inner += ["--memlock=65536", "--msgqueue=0", f"--stack={16 * mb}", "--"]
        return (trace if self.observe else []) + box + inner + argv

    def go(
        self, argv: list[str], files: Mapping[str, bytes], stdin: bytes, env: Mapping[str, str]
    ) -> Evidence:
        limits = self.limits
        for path in files:
            collect.parts_of(path)
        with contextlib.ExitStack() as stack:
            pipe = process.Pipes(stack)
            given = pipe.pair(ours="w")
            out, err, chan = (pipe.pair(ours="r") for _ in range(3))
            status, block = pipe.pair(ours="r"), pipe.pair(ours="w")
            env = {**env, "KIT_CHANNEL": str(chan[1])}
            user = {}
            if self.slot.uid is not None:
                user = {"user": self.slot.uid, "group": self.slot.uid, "extra_groups": []}
            child = subprocess.Popen(
                self.command(argv, env, status[1], block[1]),
                stdin=given[1],
                stdout=out[1],
                stderr=err[1],
                env={},
                cwd="/",
                pass_fds=(chan[1], status[1], block[1]),
                **user,
            )
            pipe.close_theirs()
            init = root = None
            try:
                streams = [
                    process.Stream(out[0], limits.output_kb << 10),
                    process.Stream(err[0], limits.output_kb << 10),
                    process.Stream(chan[0], limits.channel_kb << 10),
                ]
                pidfd = os.pidfd_open(child.pid)
                stack.callback(os.close, pidfd)
                pid = _child_pid(status[0])
                if pid is None:
                    child.kill()
                    child.wait()
                    streams[1].drain()
                    raise RuntimeError(f"bwrap did not start: {bytes(streams[1].data)!r}")
                init = os.pidfd_open(pid)
                stack.callback(os.close, init)
                root = _box_folder(pid, pidfd)
                stack.callback(os.close, root)
                collect.place(root, files, owner=self.slot.uid)
                os.write(block[0], b"x")
                pipe.forget(given[0])
                ending = process.listen(
                    streams,
                    pidfd=pidfd,
                    stdin_fd=given[0],
                    stdin=stdin,
                    wall_s=limits.wall_s,
                    guard=lambda: self.slot.trace.stat().st_size > TRACE_MB << 20,
                )
            finally:
                if init is not None:
                    with contextlib.suppress(ProcessLookupError):
                        signal.pidfd_send_signal(init, signal.SIGKILL)
                    select.select([init], [], [], 10)
                else:
                    child.kill()
            _, wait_status, used = os.wait4(child.pid, 0)
            child.returncode = wait_status
            for stream in streams:
                stream.drain()
            harvest = collect.Collector(files, limits).take(root)
            tail = _read_all(status[0])
        code = _exit_code(tail) if ending.why == "exit" else None
        events, killer = (), ""
        if self.observe:
            with self.slot.trace.open("r", errors="backslashreplace") as file:
                events, killer = syscalls.read_trace(file.read(TRACE_MB << 20), program=argv[0])
        number = getattr(signal, killer, None) if killer and ending.why == "exit" else None
        if number is None and code is not None and 128 < code <= 128 + 64 and not self.observe:
            number = code - 128
        cpu = used.ru_utime + used.ru_stime
        state, note = process.status_of(ending, code=code, signal=number, limits=limits, cpu_s=cpu)
        return Evidence(
            status=state,
            exit_code=code if number is None else None,
            signal=int(number) if number else None,
            stdout=bytes(streams[0].data),
            stderr=bytes(streams[1].data),
            truncated=any(s.full for s in streams),
            wall_s=ending.wall_s,
            cpu_s=cpu,
            peak_mb=used.ru_maxrss / 1024,
            files=harvest.files,
            skipped=harvest.skipped,
            modes=harvest.modes,
            events=events,
            isolation="bwrap(no cgroup)",
            channel=bytes(streams[2].data),
            note=note,
        )


def _child_pid(fd: int) -> int | None:
    """bwrap's first line of status: the pid of the namespace's init, as the host counts."""
    data = b""
    while b"}" not in data:
        if not select.select([fd], [], [], SETUP_S)[0]:
            return None
        chunk = os.read(fd, 4096)
        if not chunk:
            return None
        data += chunk
    return json.loads(data)["child-pid"]


def _box_folder(pid: int, bwrap: int) -> int:
    """The box's /box, opened once its root is in place and pinned from then on."""
    until = time.monotonic() + SETUP_S
    while True:
        try:
            return os.open(f"/proc/{pid}/root/box", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            if time.monotonic() > until or select.select([bwrap], [], [], 0)[0]:
                raise RuntimeError("the box's root never appeared") from None
        time.sleep(0.0005)


def _read_all(fd: int) -> bytes:
    os.set_blocking(fd, False)
    data = b""
    with contextlib.suppress(BlockingIOError):
        while chunk := os.read(fd, 4096):
            data += chunk
    return data


def _exit_code(tail: bytes) -> int | None:
    for line in tail.splitlines():
        with contextlib.suppress(json.JSONDecodeError):
            if "exit-code" in (said := json.loads(line)):
                return said["exit-code"]
    return None
