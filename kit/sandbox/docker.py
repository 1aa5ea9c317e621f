"""The docker tier: one container per run through docker-py, without recorded events."""

import base64
import contextlib
import hashlib
import inspect
import io
import json
import os
import platform
import re
import shutil
import socket
import stat
import subprocess
import tarfile
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker
from docker.errors import APIError, BuildError, DockerException, ImageNotFound, NotFound
from docker.models.containers import Container
from docker.types import LogConfig, Ulimit
from docker.utils import parse_host
from docker.utils.socket import frames_iter

from kit.core.errors import KitError
from kit.core.records import Evidence, Status
from kit.sandbox import base, process
from kit.sandbox.base import BOX, TMP, Broken, Command, Feature, Limits, Sandbox
from kit.sandbox.syscalls import container_profile, filter_program

TIMEOUT_S = 60
FOLDER = Path(__file__).with_name("images")
SUITE = "bookworm"
NAME = "kit-sandbox"
LABEL = "kit.owner"
USER = 65534  # runs the program; all else runs as the container's root, which it cannot touch
CHANNEL, ENDING = "/channel", "/ending"
OVER = f"{ENDING}/over"  # made by the container's root when the run is over
CHANNEL_FILE, STDIN_FILE, ENDING_FILE = f"{CHANNEL}/out", f"{CHANNEL}/in", f"{ENDING}/how"
TMP_MB = 32
OWN_TASKS = 8  # sleep, shells and the parent of the program
GRACE_S = 120
END_S = 20.0
ULIMITS = {"nofile": 512, "core": 0, "memlock": 65536, "msgqueue": 0}
DROP = f"setpriv --reuid={USER} --regid={USER} --clear-groups --inh-caps=-all"
# The container's root drops to USER with these; the program has none of them
CAPABILITIES = ["SETUID", "SETGID"]
START = f'{DROP} tar -C / -xf - && exec "$@" < {STDIN_FILE}'
ACCOUNTS = (
    "/sys/fs/cgroup/memory/memory.oom_control /sys/fs/cgroup/memory.events "
    "/sys/fs/cgroup/memory/memory.max_usage_in_bytes /sys/fs/cgroup/memory.peak "
    "/sys/fs/cgroup/cpuacct/cpuacct.usage /sys/fs/cgroup/cpu.stat"
)
MARK = "end of the list"
LISTED = f"{MARK}\0".encode()
LIST_MB = 8
# Runs as USER. A fork bomb leaves no room for a new process, so the kill is the shell's own, and
# the rest waits until the zombies are gone. The ending, the channel and the inputs ("$@") come
# first: a flood of files cannot cut them off.
END = rf"""
reaped() {{{{ i=0; while set -- /proc/[0-9]*; [ $# -gt {OWN_TASKS} ] && [ $((i += 1)) -lt 5000 ]
           do :; done; }}}}
pack() {{{{ tar --null --no-recursion -T - -C / -P -cf - 2>/dev/null; }}}}
wanted="-type f -links 1 -size -{{size}}c -print0"
read go
kill -KILL -1
reaped
echo "waited $1"
shift
for file in {ACCOUNTS}; do [ -r $file ] && sed "s|^|$file |" $file; done
printf '\0'
find {BOX} {TMP} {CHANNEL_FILE} -mindepth 0 ! -type d -printf '%y %n %s %p\0' | head -c {LIST_MB}M
printf '\0{MARK}\0'
[ -e {ENDING_FILE} ] && printf '%s\0' {ENDING_FILE} | pack
find {CHANNEL_FILE} "$@" -maxdepth 0 $wanted 2>/dev/null | pack
find {BOX} {TMP} $wanted | pack
"""
# Runs as the container's root, which the program cannot signal: how long each thread waited
WAITS = """longest=0
for waits in /proc/[0-9]*/task/[0-9]*/schedstat; do
    { read ran waited rest < $waits; } 2>/dev/null || continue
    [ $waited -gt $longest ] && longest=$waited
done"""
_KINDS = {"l": stat.S_IFLNK, "p": stat.S_IFIFO, "s": stat.S_IFSOCK, "f": stat.S_IFREG}


class Docker(Sandbox):
    """A fresh container for every run. See kit.sandbox.base.Sandbox for the contract."""

    name = "docker"
    capabilities: frozenset[Feature] = frozenset({"memory"})

    def __init__(self, limits: Limits) -> None:
        if platform.machine() not in ("x86_64", "AMD64"):
            raise KitError(f"The docker tier needs x86_64, not {platform.machine()}.")
        if cause := missing():
            raise KitError(f"The docker sandbox cannot run: {cause}.")
        self.require(ptrace=limits.ptrace)
        self.limits = limits
        self._local = threading.local()
        self._clients: list[docker.DockerClient] = []
        remove_dead_containers(self._thread_client())
        self._image = ensure_image(self._thread_client())
        version = self._thread_client().version()["Version"]
        self.identity = f"docker {version}, {image_tag()}, {self._image[:19]}"

    def _thread_client(self) -> docker.DockerClient:
        """The client of this thread: one that threads share mixes up replies."""
        client: docker.DockerClient | None = getattr(self._local, "client", None)
        if client is None:
            client = self._local.client = connect_to_engine()
            self._clients.append(client)
        return client

    def perform(self, command: Command) -> Evidence:
        for _ in range(2):
            try:
                return run_container(self._thread_client(), self._image, command)
            except (Broken, DockerException, OSError) as error:
                note = f"{type(error).__name__}: {error}"
        return Evidence(Status.INFRA_ERROR, isolation=self.name, note=note)

    def close(self) -> None:
        while self._clients:
            self._clients.pop().close()


def connect_to_engine() -> docker.DockerClient:
    """A client for the engine of the environment (DOCKER_HOST, else the local socket)."""
    return docker.from_env(timeout=TIMEOUT_S)


def missing() -> str:
    """ "" where an engine answers, else the sentence that says what to type."""
    host = str(parse_host(os.environ.get("DOCKER_HOST")))
    with contextlib.suppress(DockerException, OSError):
        if host.startswith("http+unix://"):  # docker-py leaves its own open where nobody listens
            with socket.socket(socket.AF_UNIX) as link:
                link.connect(host.removeprefix("http+unix://"))
        with contextlib.closing(connect_to_engine()) as client:
            if client.ping():
                return ""
    return (
        "no Docker engine answers; type: apt-get install docker.io, then dockerd (or systemctl "
        "start docker)"
    )


def container_owner() -> str:
    """The maker of a container: machine and process."""
    return f"{socket.gethostname()}/{os.getpid()}"


def remove_dead_containers(client: docker.DockerClient) -> None:
    """Remove the containers of this machine's kits that are dead."""
    for box in client.containers.list(all=True, filters={"label": LABEL}, ignore_removed=True):
        host, _, pid = box.labels[LABEL].rpartition("/")
        if host == socket.gethostname() and not Path("/proc", pid).exists():
            with contextlib.suppress(NotFound, APIError):
                box.remove(force=True, v=True)


def list_packages() -> list[str]:
    """The packages of images/core.txt, or of the list that the variable KIT_IMAGE names."""
    lines = (FOLDER / f"{_choose_package_list()}.txt").read_text().splitlines()
    return list(dict.fromkeys(line.split()[0] for line in lines if not line.startswith("#")))


def _choose_package_list() -> str:
    name, known = os.environ.get("KIT_IMAGE", "core"), sorted(p.stem for p in FOLDER.glob("*.txt"))
    if name not in known:
        raise KitError(f"Unknown image KIT_IMAGE={name!r}. Use one of: {', '.join(known)}.")
    return name


def image_tag() -> str:
    """NAME:<hash of the recipe>: another list, another image."""
    recipe = "\n".join([SUITE, *list_packages(), (FOLDER / "Dockerfile").read_text()])
    return f"{NAME}:{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"


def ensure_image(client: docker.DockerClient) -> str:
    """The id of the image; a missing one is built, from a registry or without one."""
    with contextlib.suppress(ImageNotFound):
        return str(client.images.get(image_tag()).id)
    parts = {"SUITE": SUITE, "LIST": _choose_package_list()}
    try:
        client.images.pull("debian", tag=f"{SUITE}-slim")
        client.images.build(path=str(FOLDER), tag=image_tag(), buildargs=parts, rm=True)
    except (APIError, BuildError):
        _build_without_registry(client)
    return str(client.images.get(image_tag()).id)


def _build_without_registry(client: docker.DockerClient) -> None:
    """The same image without a registry: a root file system made by mmdebstrap, then imported."""
    if not shutil.which("mmdebstrap"):
        raise KitError(
            "No registry answers and mmdebstrap is not installed; type: apt-get install mmdebstrap"
        )
    line = ["mmdebstrap", "--variant=minbase", f"--include={','.join(list_packages())}", SUITE, "-"]
    with tempfile.TemporaryFile() as root:
        built = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=root, stderr=subprocess.PIPE)
        if built.returncode:
            message = built.stderr.decode(errors="replace").strip()
            raise KitError(f"mmdebstrap could not build the image: {message[-300:]}")
        root.seek(0)
        repository, _, version = image_tag().partition(":")
        client.api.import_image_from_data(root, repository=repository, tag=version)


def run_container(client: docker.DockerClient, image: str, command: Command) -> Evidence:
    """The evidence of a command in a container of its own; Broken where that failed."""
    limits = command.limits
    box = create_container(client, image, command)
    try:
        box.start()
        streams = process.make_streams(-1, -1, -1, limits)
        wanted = {1: streams[0], 2: streams[1]}
        ending = exec_and_listen(
            box, build_command(command), pack_inputs(command), wanted, limits.wall_s
        )
        remains = collect_remains(box, command)
    finally:
        with contextlib.suppress(NotFound):
            box.remove(force=True, v=True)
    if (ending_file := remains.files.pop(os.fsencode(ENDING_FILE), None)) is None:
        raise Broken(f"the program was not started within {ending.wall_s:g} s")
    how, _, reason = ending_file[0].decode().partition(" ")
    if reason:
        raise Broken(f"the program did not start: {reason}")
    streams[2].add(remains.files.pop(os.fsencode(CHANNEL_FILE), (b"", 0))[0])
    return process.build_evidence(
        process.excuse_deadline(ending, cpu_s=remains.cpu_s, waited_s=remains.waited_s),
        command=command,
        code=int(how) if how else None,
        usage=process.RunUsage(remains.cpu_s, remains.peak_mb, oom=remains.oom),
        streams=streams,
        collected=collect_artefacts(remains, command),
        isolation="docker(no events)",
    )


def create_container(client: docker.DockerClient, image: str, command: Command) -> Container:
    """A container that sleeps: nothing of the host, no network, no capability but to drop them."""
    limits, mb = command.limits, 1 << 20
    own, spare_kb = f"uid={USER},gid={USER}", 64 + (len(command.stdin) >> 10)
    return client.containers.create(
        image,
        ["/usr/bin/sleep", str(int(limits.wall_s) + GRACE_S)],
        user="0:0",  # an engine gives execs the capabilities only if the main process has them
        init=True,
        network_mode="none",
        dns=["127.0.0.1"],  # not the host's, which would log requests that fail anyway
        read_only=True,
        ipc_mode="private",
        shm_size="16m",
        hostname="sandbox",
        working_dir=BOX,
        cap_drop=["ALL"],
        cap_add=CAPABILITIES,
        security_opt=["no-new-privileges:true", f"seccomp={container_profile()}"],
        mem_limit=limits.memory_mb * mb,
        memswap_limit=limits.memory_mb * mb,
        nano_cpus=10**9,
        pids_limit=limits.processes + OWN_TASKS,
        ulimits=[Ulimit(name=name, soft=most, hard=most) for name, most in ULIMITS.items()],
        tmpfs={
            TMP: f"rw,nosuid,nodev,size={TMP_MB}m,nr_inodes=8k,mode=1777",
            BOX: f"rw,exec,nosuid,nodev,size={limits.disk_mb}m,nr_inodes=16k,mode=0755,{own}",
            CHANNEL: f"rw,noexec,nosuid,nodev,size={limits.channel_kb + spare_kb}k,mode=0755,{own}",
            ENDING: "rw,noexec,nosuid,nodev,size=64k,mode=0755",
        },
        log_config=LogConfig(type="none"),
        labels={LABEL: container_owner()},
    )


def pack_inputs(command: Command) -> bytes:
    """The tar that fills a container, entries owned by USER."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8") as tar:
        files = {f"box/{'/'.join(base.parts_of(p))}": d for p, d in command.files.items()}
        for path, data in {**files, STDIN_FILE.lstrip("/"): command.stdin}.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(data), 0o644
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def build_command(command: Command) -> list[str]:
    """The exec of the container's root: fill /box, drop the rights, set the limits, run."""
    limits = command.limits
    plan = {
        "user": USER,
        "how": ENDING_FILE,
        "over": OVER,
        "filter": base64.b64encode(filter_program()).decode(),
        "cpu_s": max(1, round(limits.cpu_s)),
        "file": limits.file_mb << 20,
        "environment": command.environment(CHANNEL_FILE),
    }
    start = ["/usr/bin/python3", "-I", "-S", "-c", EXEC_FILTERED, json.dumps(plan)]
    return ["/bin/sh", "-c", START, "sh", *start, *command.argv]


def exec_filtered(plan: dict[str, Any], *argv: str) -> None:
    """Starts the program as `user`, under limits and a filter of system calls; run from this source
    in a container, as root. Makes the file `how` at the program's start; writes to it the exit
    code, -n for signal n, or a space and why it did not start. Kills what it left, unless `over`
    exists: END does so then."""
    import base64
    import ctypes
    import os
    import resource
    import signal

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]

    def drop_rights(user: int) -> None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)

    failed, fails = os.pipe()
    if child := os.fork():
        os.close(fails)
        reason, file = os.read(failed, 4096), os.open(plan["how"], os.O_WRONLY | os.O_CREAT, 0o644)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.write(file, b"0 " + reason if reason else b"%d" % status)
        if not os.access(plan["over"], os.F_OK):
            drop_rights(plan["user"])
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    try:
        for stream in (1, 2):  # the user may open them again as /dev/stdout and /dev/stderr
            os.fchmod(stream, 0o622)
    except OSError:  # they are another's, and stay so
        pass
    drop_rights(plan["user"])
    steps = base64.b64decode(plan["filter"])
    program = ctypes.byref(Program(len(steps) // 8, steps))
    resource.setrlimit(resource.RLIMIT_CPU, (plan["cpu_s"], plan["cpu_s"] + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (plan["file"], plan["file"]))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    prctl = ctypes.CDLL(None).prctl
    no_new_privileges, set_seccomp, use_filter = 38, 22, 2
    try:
        if prctl(no_new_privileges, 1, 0, 0, 0) or prctl(set_seccomp, use_filter, program, 0, 0):
            raise OSError(0, "the filter of system calls was refused")
        os.execvpe(argv[0], argv, plan["environment"])
    except OSError as error:
        os.write(fails, f"{argv[0]}: {error.strerror}".encode())
        os._exit(1)


EXEC_FILTERED = (
    "from __future__ import annotations\nimport json, sys\n"
    f"{inspect.getsource(exec_filtered)}\nexec_filtered(json.loads(sys.argv[1]), *sys.argv[2:])"
)


def exec_and_listen(
    box: Container, line: list[str], data: bytes, streams: dict[int, process.Stream], wall_s: float
) -> process.Ending:
    """Exec the command in a container, as its root; send `data`; listen until end, deadline or a
    full stream."""
    attached: Any = box.exec_run(line, stdin=True, socket=True, user="0:0", workdir=BOX)
    link: socket.socket = attached.output._sock
    link.settimeout(None)

    def hang_up() -> None:
        with contextlib.suppress(OSError):
            link.shutdown(socket.SHUT_RDWR)

    start, cause = time.monotonic(), "exit"
    deadline = threading.Timer(wall_s, hang_up)
    deadline.start()
    try:
        with contextlib.suppress(OSError):  # a program that has ended does not read
            link.sendall(data)
        for kind, chunk in frames_iter(link, tty=False):  # type: ignore[no-untyped-call]
            if kind in streams:
                streams[kind].add(chunk)
            if any(s.full for s in streams.values()):
                cause = "flood"
                break
    except OSError:  # the engine cut it off
        pass
    finally:
        took = time.monotonic() - start
        deadline.cancel()
        hang_up()  # else every later call on the container would wait for this one
        attached.output.close()
        link.close()
    late = cause == "exit" and took >= wall_s
    return process.Ending("deadline" if late else cause, took)


@dataclass(frozen=True)
class Remains:
    """The output of the END script, taken apart."""

    accounts: str
    listed: list[tuple[str, int, int, bytes]]  # kind, links, size, path
    files: dict[bytes, tuple[bytes, int]]  # path -> data, mode
    cut: bool = False  # there was more than came out

    def _read_account(self, pattern: str) -> int:
        match = re.search(pattern + r" (\d+)$", self.accounts, re.M)
        return int(match[1]) if match else 0

    @property
    def oom(self) -> bool:
        return self._read_account(r"oom_kill") > 0

    @property
    def peak_mb(self) -> float:
        return self._read_account(r"memory\.(?:max_usage_in_bytes|peak)") / 2**20

    @property
    def cpu_s(self) -> float:
        return self._read_account(r"cpuacct\.usage") / 1e9 + self._read_account(r"usage_usec") / 1e6

    @property
    def waited_s(self) -> float:
        """How long the thread that waited longest for a CPU did so, of those alive at the end."""
        return self._read_account("waited") / 1e9


def collect_remains(box: Container, command: Command) -> Remains:
    """End what still runs, and bring out accounts, ending, channel and artefacts."""
    limits = command.limits
    room = (limits.disk_mb + TMP_MB + LIST_MB + 16) << 20
    stream = process.Stream(-1, room + (limits.channel_kb << 10))
    script = END.format(size=limits.artefact_mb << 20)
    first = [f"{BOX}/{'/'.join(base.parts_of(path))}" for path in command.files]
    start = f': > {OVER}; {WAITS}; exec {DROP} /bin/sh -c "$0" sh $longest "$@"'
    ending = exec_and_listen(
        box, ["/bin/sh", "-c", start, script, *first], b"go\n", {1: stream}, END_S
    )
    if LISTED not in stream.data:
        raise Broken(f"the container gave nothing back ({ending.cause})")
    return unpack_remains(bytes(stream.data), cut=ending.cause != "exit")


def unpack_remains(data: bytes, *, cut: bool = False) -> Remains:
    """Read the stream of END; an archive cut short gives what came through."""
    accounts, _, rest = data.partition(b"\0")
    listing, _, archive = rest.partition(LISTED)
    listed = []
    for line in listing.split(b"\0"):
        fields = line.split(b" ", 3)
        if len(fields) == 4:
            listed.append((fields[0].decode(), int(fields[1]), int(fields[2]), fields[3]))
    files = {}
    how: dict[str, Any] = {"ignore_zeros": True, "encoding": "utf-8"}
    with (
        contextlib.suppress(tarfile.TarError),
        tarfile.open(fileobj=io.BytesIO(archive), **how) as tar,
    ):
        for entry in tar:  # regular files only; nothing is ever extracted to the disk
            if entry.isreg() and (content := tar.extractfile(entry)):
                files[base.bytes_of(entry.name)] = (content.read(), entry.mode)
    return Remains(accounts.decode(), listed, files, cut or len(listing) >= LIST_MB << 20)


def collect_artefacts(remains: Remains, command: Command) -> process.Collector:
    """The artefacts below /box and /tmp, under the rules of the collector."""
    collector = process.Collector(command)
    listed = {base.make_relative(base.text_of(entry[3])): entry for entry in remains.listed}
    listed.pop(CHANNEL_FILE, None)
    for name in sorted(listed, key=lambda name: name not in collector.inputs):
        kind, links, size, path = listed[name]
        if collector.full():
            collector.unlisted += 1
            continue
        if path.count(b"/") > process.DEPTH + 2:
            collector.skip(name, f"deeper than {process.DEPTH} folders")
            collector.note_loss(process.CAPPED)
        elif collector.offer(name, _KINDS.get(kind, stat.S_IFCHR), links, size):
            if path in remains.files:
                collector.keep(name, *remains.files[path])
            else:
                collector.skip(name, "not opened")
    if remains.cut:
        collector.note_loss(process.CAPPED)
    return collector.finish()
