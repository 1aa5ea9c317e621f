"""A slot of the warm tier: templates that wait, one that is traced and one that is not."""

import marshal
import os
import re
import resource
import select
import socket
import struct
import subprocess
from pathlib import Path
from typing import Any

from kit.sandbox import seccomp, warm_fit
from kit.sandbox.base import Limits
from kit.sandbox.box import BWRAP, DEVICES, ENVIRONMENT, TMP_MB, UID
from kit.sandbox.slot import PYTHON, SHOWN, START_S, TRACE_KEPT, TRACER, Broken, Slot, Spawner

MODULES = tuple(
    "abc argparse array ast asyncio base64 binascii bisect calendar cmath collections colorsys "
    "concurrent.futures configparser contextlib contextvars copy csv dataclasses datetime decimal "
    "difflib encodings.idna email.message email.mime.text email.utils enum errno fcntl fnmatch "
    "fractions functools getpass glob gzip hashlib heapq hmac html html.parser http.client "
    "http.cookies http.server importlib io inspect ipaddress itertools json keyword locale logging "
    "math mimetypes numbers operator os os.path pathlib pickle platform posixpath pprint pwd queue "
    "random re reprlib secrets select shlex shutil signal smtplib socket socketserver sqlite3 ssl "
    "stat statistics string struct subprocess sys tarfile tempfile textwrap threading time token "
    "tokenize traceback types typing unicodedata unittest unittest.mock urllib.error urllib.parse "
    "urllib.request uuid warnings weakref xml.dom.minidom xml.etree.ElementTree xml.sax "
    "xml.sax.saxutils zipfile zlib zoneinfo".split()
)
TEXTS = ("warm_shelf.py", "warm_program.py", "warm_template.py")
STUB = "exec(compile(open({}, 'rb').read(), 'kit_warm', 'exec'), "
STUB += "{{'__name__': 'kit_warm', 'SETUP': {}, 'LINK': {}}})\n"
STUB += "__import__('sys').kit_begin()\n"
RUNS = 1000  # of one template
GROWN = 4 << 20  # bytes by which a template may grow
FORMAT = 2  # of marshal: that of every Python 3
STREAMS = 5  # stdin, stdout, stderr, the return channel, the status
CREDENTIALS = struct.Struct("=iii")
_BEGUN = re.compile(r'^(\d+) +access\("/kit-warm", F_OK(?:\) += -1.*| <unfinished \.\.\.>)\n', re.M)
_PLAIN = {ord("\n"): "\\n", ord("\t"): "\\t", ord('"'): '\\"', ord("\\"): "\\\\"}
_ESCAPES = {b: f"\\{b:03o}" for b in range(256) if not 32 <= b < 127} | _PLAIN


def shown(word: str) -> str:
    """A text as strace shows it."""
    data = word.encode(errors="surrogateescape")
    kept = "".join(_ESCAPES.get(b, chr(b)) for b in data[: int(SHOWN)])
    return f'"{kept}"' + "..." * (len(data) > int(SHOWN))


def _sealed(data: bytes) -> int:
    """A file in memory that holds `data`, to be read from its start."""
    fd = os.memfd_create("kit", os.MFD_CLOEXEC)
    os.write(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _line(root: Path) -> list[str]:
    """The bwrap line of a template: as that of a box, but that it may make further namespaces."""
    line = [BWRAP, "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-net"]
    line += ["--unshare-uts", "--unshare-cgroup", "--cap-drop", "ALL"]
    line += ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_NET_ADMIN"]
    line += ["--uid", UID, "--gid", UID, "--hostname", "sandbox", "--new-session"]
    for name, value in ENVIRONMENT.items():
        line += ["--setenv", name, value]
    line += ["--ro-bind", str(root), "/", "--ro-bind", "/usr", "/usr", "--proc", "/proc"]
    for name in DEVICES:
        line += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for place in ("/tmp", "/box"):
        line += ["--size", str(TMP_MB << 20), "--tmpfs", place]
    return [*line, "--chdir", "/box", "--", PYTHON, "-c"]


class Template(Spawner):
    """The template of one slot, with the part of a Spawner for a Box."""

    def __init__(self, *, uid: int | None, trace: Path | None, root: Path, limits: Limits) -> None:
        self.trace, self.offset, self.cpu, self.filter = trace, 0, -1, -1
        self.file = os.open(trace, os.O_RDWR | os.O_CLOEXEC) if trace else -1
        self.programs = None  # its runs are seen by strace
        self.runs, self.spent = 0, False
        self.asked: dict[str, Any] = {}  # of the next run, as its disk
        self.disk = 0
        self.init = -1
        self.gate: socket.socket | None = None  # to the init of a run that waits
        given = {
            "tmp": TMP_MB << 20,
            "modules": list(MODULES),
            "inbox": warm_fit.texts(warm_fit.KNOWN),
            "runners": warm_fit.texts(warm_fit.RUNNERS),
            "filter": seccomp.program(ptrace=limits.ptrace),
        }
        source = b"".join(Path(__file__).with_name(name).read_bytes() for name in TEXTS)
        files = [_sealed(source), _sealed(marshal.dumps(given, FORMAT))]
        self.link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.link.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        stub = STUB.format(*files, theirs.fileno())
        tracer = [*TRACER, "-o", str(trace), "--"] if trace else []
        with theirs:
            self.process = subprocess.Popen(
                [*tracer, *_line(root), stub],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={},
                cwd="/",
                pass_fds=(*files, theirs.fileno()),
                user=uid,
                group=uid,
                extra_groups=None if uid is None else [],
            )
        for fd in files:
            os.close(fd)
        try:
            self.pid = self._sender(self.link, START_S)
        except Broken:
            self.close()
            raise
        self.size = self._size()
        if uid is not None and self._host_uids() != {uid}:
            self.close()
            raise Broken(f"the template kept the user ids {self._host_uids()} instead of {uid}")

    def _size(self) -> int:
        """Bytes of memory that it has."""
        pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize()

    @property
    def worn(self) -> bool:
        """Whether a new one should take its place: also where it is dead."""
        try:
            return self.spent or self.runs >= RUNS or self._size() > self.size + GROWN
        except FileNotFoundError:
            return True

    def _sender(self, link: socket.socket, seconds: float) -> int:
        """The pid of who says that it is ready; the kernel tells it, as the kit counts."""
        if select.select([link], [], [], seconds)[0]:
            data, control, _, _ = link.recvmsg(64, socket.CMSG_SPACE(CREDENTIALS.size))
            if data and control:
                return int(CREDENTIALS.unpack(control[0][2])[0])
        assert self.process.stderr
        os.set_blocking(self.process.stderr.fileno(), False)
        said = (self.process.stderr.read() or b"").decode(errors="replace").strip()
        raise Broken(f"the template did not answer: {said.rpartition(chr(10))[2] or 'no reason'}")

    def send(self, argv: list[str], fds: list[int]) -> None:  # noqa: ARG002 - for bubblewrap
        """Have a box made; its program stays unknown until `release`."""
        if self.trace:
            found = os.fstat(self.file)
            self.offset = found.st_size
            if found.st_blocks * 512 > TRACE_KEPT:
                os.ftruncate(self.file, 0)
        self._settle()
        self.gate, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.gate.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        with theirs:
            self._ask(str(self.disk), [*fds[:STREAMS], theirs.fileno()])
        self.runs += 1
        self.init = self._sender(self.gate, START_S)

    def release(self, init: int, limits: dict[int, tuple[int, int]]) -> None:  # noqa: ARG002
        """Tell the waiting init what to run, and under which limits."""
        asked = {**self.asked, "limits": [(kind, *pair) for kind, pair in limits.items()]}
        request = _sealed(marshal.dumps(asked, FORMAT))
        assert self.gate
        with self.gate:
            socket.send_fds(self.gate, [b"go"], [request])
        os.close(request)

    def read(self, most: int) -> str:
        """The trace of the last run, with an execve where its process took on the command line."""
        text = super().read(most)
        if not (begun := _BEGUN.search(text)):
            return ""
        words = ", ".join(map(shown, self.asked["command"]))
        line = f"{begun[1]} execve({shown(PYTHON)}, [{words}], 0x0 /* 0 vars */) = 0\n"
        first = f"0 clone(flags=CLONE_NEWPID) = {self.init}\n"
        return first + text[: begun.start()] + line + text[begun.end() :]

    def close(self) -> None:
        self._at_work.discard(self)
        self.link.close()
        if self.gate:
            self.gate.close()
        if self.trace:
            os.close(self.file)
        with self.process:
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.process.kill()


class WarmSlot(Slot):
    """The templates of a slot, in its place: same uid, CPU and cgroup."""

    def __init__(self, cold: Slot, root: Path, limits: Limits) -> None:
        self.ptrace, self.uid, self.group = cold.ptrace, cold.uid, cold.group
        self.root, self.limits, self.programs = root, limits, None
        self.trace = cold.trace.with_name(f"{cold.trace.name}-warm")
        self.trace.touch(0o600)
        if self.uid is not None:
            os.chown(self.trace, self.uid, self.uid)
        self.spawners = {}

    @property
    def isolation(self) -> str:
        return super().isolation.replace("bwrap", "warm", 1)

    def spawner(self, observe: bool) -> Spawner:
        return self.spawners[observe]

    def template(self, observe: bool) -> Template:
        """The one that waits, or a new one in the place of one that is spent."""
        known = self.spawners.get(observe)
        if isinstance(known, Template) and not known.worn:
            return known
        if known:
            self.spawners.pop(observe).close()
        trace = self.trace if observe else None
        made = Template(uid=self.uid, trace=trace, root=self.root, limits=self.limits)
        self.spawners[observe] = made
        if self.group:
            self.group.adopt(made.pid)
            if made.process.pid != made.pid:
                self.group.follow(made.process.pid, memory=False)
        return made

    def close(self) -> None:
        self.renew()
