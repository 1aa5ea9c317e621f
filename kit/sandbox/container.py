"""One life of a container: made, filled, run below strace, emptied, removed."""

import base64
import contextlib
import io
import os
import re
import select
import socket
import stat
import struct
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, cast

import docker
from docker.errors import NotFound
from docker.models.containers import Container
from docker.types import LogConfig, Ulimit

from kit.records import Evidence
from kit.sandbox import collect, process, seccomp
from kit.sandbox.base import Broken, Command, parts_of
from kit.sandbox.calls import TRACED
from kit.sandbox.slot import SHOWN

LABEL = "kit.owner"
USER = 65534  # the program's; all else in the container is its root, which it cannot touch
HOME, CHANNEL, TRACE = "/box", "/channel", "/trace"
CHANNEL_FILE, STDIN_FILE, TRACE_FILE = f"{CHANNEL}/out", f"{CHANNEL}/in", f"{TRACE}/log"
TMP_MB, TRACE_MB = 32, 16
PAGE = 4096
OWN_TASKS = 8  # sleep, shells and the tracer
GRACE_S = 120
END_S = 20.0
FRAME = 8  # header of a frame: stream, three zeros, size
DROP = f"setpriv --reuid={USER} --regid={USER} --clear-groups --inh-caps=-all"
# strace needs these as root of the container; the program runs as USER and has none of them
CAPABILITIES = ["SYS_PTRACE", "SETUID", "SETGID", "DAC_READ_SEARCH"]
# The shell that waits for the program also ends what it left running, for strace waits for all,
# and keeps to itself what it has to say about a signal.
WAIT = 'exec 3>&2 2>/dev/null; "$@" 2>&3 3>&-; code=$?; kill -KILL -1; exit $code'
# The engine's filter holds for the tracer too; the program gets the whole one, and its limits.
BECOME = Path(__file__).with_name("become.py").read_text()
WRAPPERS = 2  # execs before the program's own: that shell and that Python
START = f'{DROP} tar -C / -xf - && exec "$@" < {STDIN_FILE}'
ACCOUNTS = (
    "/sys/fs/cgroup/memory/memory.oom_control /sys/fs/cgroup/memory.events "
    "/sys/fs/cgroup/memory/memory.max_usage_in_bytes /sys/fs/cgroup/memory.peak "
    "/sys/fs/cgroup/cpuacct/cpuacct.usage /sys/fs/cgroup/cpu.stat"
)
MARK = "end of the list"
LISTED = f"{MARK}\0".encode()
LIST_MB = 8
# As USER: its kill needs no new process, for which a fork bomb leaves no room; nor do the zombies.
# Trace, channel and what was given ("$@") come before a flood of files that cuts the rest.
END = rf"""
reaped() {{{{ i=0; while set -- /proc/[0-9]*; [ $# -gt {OWN_TASKS} ] && [ $((i += 1)) -lt 5000 ]
           do :; done; }}}}
pack() {{{{ tar --null --no-recursion -T - -C / -P -cf - 2>/dev/null; }}}}
wanted="-type f -links 1 -size -{{size}}c -print0"
read go
kill -KILL -1
reaped
for file in {ACCOUNTS}; do [ -r $file ] && sed "s|^|$file |" $file; done
printf '\0'
find {HOME} {CHANNEL_FILE} -mindepth 0 ! -type d -printf '%y %n %s %p\0' | head -c {LIST_MB}M
printf '\0{MARK}\0'
[ -e {TRACE_FILE} ] && printf '%s\0' {TRACE_FILE} | pack
find {CHANNEL_FILE} "$@" -maxdepth 0 $wanted 2>/dev/null | pack
find {HOME} $wanted | pack
"""
_KINDS = {"l": stat.S_IFLNK, "p": stat.S_IFIFO, "s": stat.S_IFSOCK, "f": stat.S_IFREG}


def live(client: docker.DockerClient, image: str, command: Command, label: str) -> Evidence:
    """The evidence of a command in a container of its own; Broken where that failed."""
    limits = command.limits
    box = create(client, image, command, label)
    try:
        box.start()
        streams, before = process.streams(-1, -1, -1, limits), process.pressure()
        with Shell(box, line(command), uid=0) as shell:
            wanted = {1: streams[0], 2: streams[1]}
            ending = shell.talk(packed(command), wanted, limits.wall_s)
            code = shell.code() if ending.why == "exit" else None
        pressed_s = process.pressure() - before
        remains = finish(box, command)
    finally:
        with contextlib.suppress(NotFound):
            box.remove(force=True, v=True)
    trace = remains.files.pop(os.fsencode(TRACE_FILE), (b"", 0))[0]
    streams[2].add(remains.files.pop(os.fsencode(CHANNEL_FILE), (b"", 0))[0])
    return process.traced(
        process.excused(ending, cpu_s=remains.cpu_s, pressed_s=pressed_s),
        trace=trace.decode(errors="backslashreplace"),
        wrappers=WRAPPERS,
        capped=len(trace) >= (TRACE_MB << 20) - PAGE,
        command=command,
        code=code,
        cpu_s=remains.cpu_s,
        peak_mb=remains.peak_mb,
        oom=remains.oom,
        streams=streams,
        harvest=harvest(remains, command),
        isolation="docker",
    )


def create(
    client: docker.DockerClient, image: str, command: Command, label: str = "nobody"
) -> Container:
    """A container that sleeps: nothing of the host, no network, no capability but the tracer's."""
    limits, mb = command.limits, 1 << 20
    own, spare_kb = f"uid={USER},gid={USER}", 64 + (len(command.stdin) >> 10)
    return client.containers.create(
        image,
        ["/usr/bin/sleep", str(int(limits.wall_s) + GRACE_S)],
        user="0:0",  # an engine gives the capabilities to execs only if the main process has them
        init=True,
        network_mode="none",
        dns=["127.0.0.1"],  # the host's would be asked in vain, and seen to be asked
        read_only=True,
        ipc_mode="private",
        shm_size="16m",
        hostname="sandbox",
        working_dir=HOME,
        cap_drop=["ALL"],
        cap_add=CAPABILITIES,
        security_opt=["no-new-privileges:true", f"seccomp={seccomp.profile()}"],
        mem_limit=limits.memory_mb * mb,
        memswap_limit=limits.memory_mb * mb,
        nano_cpus=10**9,
        pids_limit=limits.processes + OWN_TASKS,
        ulimits=[
            Ulimit(name="nofile", soft=512, hard=512),
            Ulimit(name="core", soft=0, hard=0),
            Ulimit(name="memlock", soft=65536, hard=65536),
            Ulimit(name="msgqueue", soft=0, hard=0),
        ],
        tmpfs={
            "/tmp": f"rw,nosuid,nodev,size={TMP_MB}m,nr_inodes=8k,mode=1777",
            HOME: f"rw,exec,nosuid,nodev,size={limits.disk_mb}m,nr_inodes=16k,mode=0755,{own}",
            CHANNEL: f"rw,noexec,nosuid,nodev,size={limits.channel_kb + spare_kb}k,mode=0755,{own}",
            TRACE: f"rw,noexec,nosuid,nodev,size={TRACE_MB}m,mode=0755",
        },
        log_config=LogConfig(type="none"),
        labels={LABEL: label},
    )


def packed(command: Command) -> bytes:
    """The tar that fills a container, entries owned by USER."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        files = {f"box/{'/'.join(parts_of(p))}": d for p, d in command.files.items()}
        for path, data in {**files, STDIN_FILE.lstrip("/"): command.stdin}.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(data), 0o644
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def line(command: Command) -> list[str]:
    """What is exec'ed as the container's root: fill, trace, drop, limit, run."""
    tracer = ["strace", "-f", "--seccomp-bpf", "-q", "-y", "-s", SHOWN, "-u", "nobody"]
    tracer += ["-e", f"trace={TRACED}", "-o", TRACE_FILE, "--"]
    cpu = max(1, round(command.limits.cpu_s))
    settings = [f"{k}={v}" for k, v in command.environment(CHANNEL_FILE).items()]
    code = base64.b64encode(seccomp.program()).decode()
    inner = ["/bin/bash", "-c", WAIT, "bash", "/usr/bin/python3", "-I", "-S", "-c", BECOME, code]
    inner += [str(cpu), str(command.limits.file_mb << 20), str(len(settings)), *settings]
    start = tracer if command.observe else DROP.split()
    return ["/bin/sh", "-c", START, "sh", *start, *inner, *command.argv]


class Shell:
    """One exec in a container, its streams cut to their caps; no TTY, no time-out of its own."""

    def __init__(self, box: Container, line: list[str], *, uid: int) -> None:
        self.api = cast(Any, box.client).api  # types of docker-py that are none
        user = f"{uid}:{uid}"
        self.id = self.api.exec_create(box.id, line, stdin=True, user=user, workdir=HOME)["Id"]
        self.file = self.api.exec_start(self.id, socket=True)
        self.link: socket.socket = self.file._sock
        self.link.setblocking(False)
        self.buffer = bytearray()

    def talk(
        self, data: bytes, streams: dict[int, process.Stream], wall_s: float
    ) -> process.Ending:
        """Send `data`, then listen until the end, the deadline or a full stream."""
        start, left, why = time.monotonic(), memoryview(data), ""
        while not why:
            rest = start + wall_s - time.monotonic()
            reads, writes, _ = select.select(
                [self.link], [self.link] if left else [], [], max(0.0, rest)
            )
            if writes:
                left = left[self.link.send(left) :]
            if reads:
                why = self._read(streams)
            if not why and rest <= 0:
                why = "deadline"
        return process.Ending(why, time.monotonic() - start)

    def _read(self, streams: dict[int, process.Stream]) -> str:
        """Take what has arrived; why to stop, or ""."""
        try:
            chunk = self.link.recv(process.CHUNK)
        except (BlockingIOError, ConnectionResetError):
            return ""
        self.buffer += chunk
        while len(self.buffer) >= FRAME:
            kind, size = struct.unpack(">BxxxI", self.buffer[:FRAME])
            if len(self.buffer) < FRAME + size:
                break
            if kind in streams:
                streams[kind].add(bytes(self.buffer[FRAME : FRAME + size]))
            del self.buffer[: FRAME + size]
        if any(s.full for s in streams.values()):
            return "flood"
        return "" if chunk else "exit"

    def code(self) -> int | None:
        """The exit code; 128 + n for a program killed by signal n."""
        code: int | None = self.api.exec_inspect(self.id)["ExitCode"]
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        """Without the shutdown every later call on the container would wait for this one."""
        with contextlib.suppress(OSError):
            self.link.shutdown(socket.SHUT_RDWR)
        self.file.close()
        self.link.close()


@dataclass(frozen=True)
class Remains:
    """What the END script brought out of a container."""

    accounts: str
    listed: list[tuple[str, int, int, bytes]]  # kind, links, size, path
    files: dict[bytes, tuple[bytes, int]]  # path -> data, mode
    cut: bool = False  # more was there than was brought out

    def _account(self, pattern: str) -> int:
        found = re.search(pattern + r" (\d+)$", self.accounts, re.M)
        return int(found[1]) if found else 0

    @property
    def oom(self) -> bool:
        return self._account(r"oom_kill") > 0

    @property
    def peak_mb(self) -> float:
        return self._account(r"memory\.(?:max_usage_in_bytes|peak)") / 2**20

    @property
    def cpu_s(self) -> float:
        return self._account(r"cpuacct\.usage") / 1e9 + self._account(r"usage_usec") / 1e6


def finish(box: Container, command: Command) -> Remains:
    """End what still runs, and bring out accounts, trace, channel and artefacts."""
    limits = command.limits
    room = (limits.disk_mb + TRACE_MB + LIST_MB + 16) << 20
    seen = process.Stream(-1, room + (limits.channel_kb << 10))
    script = END.format(size=limits.artefact_mb << 20)
    first = [f"{HOME}/{'/'.join(parts_of(path))}" for path in command.files]
    with Shell(box, ["/bin/sh", "-c", script, "sh", *first], uid=USER) as shell:
        ending = shell.talk(b"go\n", {1: seen}, END_S)
    if ending.why != "exit" and LISTED not in seen.data:
        raise Broken(f"the container gave nothing back ({ending.why})")
    return unpack(bytes(seen.data), cut=ending.why != "exit")


def unpack(data: bytes, *, cut: bool = False) -> Remains:
    """Read the stream of END; an archive cut short gives what came through."""
    accounts, _, rest = data.partition(b"\0")
    listing, _, archive = rest.partition(LISTED)
    listed = []
    for line in listing.split(b"\0"):
        fields = line.split(b" ", 3)
        if len(fields) == 4:
            listed.append((fields[0].decode(), int(fields[1]), int(fields[2]), fields[3]))
    files = {}
    with contextlib.suppress(tarfile.TarError):
        for entry, content in _members(archive):
            files[os.fsencode(entry.name)] = (content, entry.mode)
    return Remains(accounts.decode(), listed, files, cut or len(listing) >= LIST_MB << 20)


def _members(archive: bytes) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    """Regular files only; nothing is ever extracted to the disk."""
    file = io.BytesIO(archive)
    with tarfile.open(fileobj=file, ignore_zeros=True, errors="surrogateescape") as tar:
        for entry in tar:
            if entry.isreg() and (content := tar.extractfile(entry)):
                yield entry, content.read()


def harvest(remains: Remains, command: Command) -> collect.Harvest:
    """The artefacts below /box, under the rules of the collector."""
    collector = collect.Collector(command.files, command.limits)
    root = os.fsencode(HOME) + b"/"
    first = {root + os.fsencode(path) for path in collector.given}
    for kind, links, size, path in sorted(remains.listed, key=lambda e: e[3] not in first):
        if not path.startswith(root):
            continue
        if collector.full():
            collector.harvest.unlisted += 1
            continue
        shown = collect.shown(path[len(root) :])
        if shown.count("/") > collect.DEPTH:
            collector.harvest.skip(shown, f"deeper than {collect.DEPTH} folders")
        elif name := collector.offer(shown, _KINDS.get(kind, stat.S_IFCHR), links, size):
            if path in remains.files:
                collector.keep(name, *remains.files[path])
            else:
                collector.harvest.skip(name, "not opened")
    if remains.cut:
        collector.harvest.lose(collect.CAPPED)
    return collector.done()
