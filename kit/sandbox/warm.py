"""The warm tier: a Python that is loaded once and forked for every run, each in its own box.

A template (warm_template.py) waits in namespaces of its own and holds the modules that programs
import, the harness's among them; no program ever runs in it and it is told nothing of one. Each
run is a fork of it with fresh user, pid, mount, ipc, uts, net and cgroup namespaces, its own
/tmp, /box and /proc, the limits, the cgroup, the uid and the filter of system calls of a cold box.
What a Python so made cannot do as a fresh one would runs cold, in bubblewrap: see warm_fit.py.

Fixed in every run: the hash seed is 0, and addresses in memory are those of the template. The
state of `random` is drawn anew.
"""

import json
import os
import select
import socket
import struct
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kit.paths import ROOT
from kit.records import Evidence
from kit.sandbox import collect, process, seccomp
from kit.sandbox.base import Feature, Limits
from kit.sandbox.box import DEVICES, ENVIRONMENT, OOM_FIRST, TMP_MB, UID, BWRAP, Box
from kit.sandbox.bwrap import Bwrap
from kit.sandbox.slot import PYTHON, START_S, TRACE_KEPT, TRACER, Broken, Slot, Spawner

INBOX = ROOT / "kit/harness/inbox"
RUNNERS = ("kit_call", "kit_driver", "kit_dump", "kit_script")
KNOWN = ("kit_channel", "kit_encode", "kit_request")
MODULES = tuple(
    "abc argparse array ast asyncio base64 binascii bisect calendar cmath collections colorsys "
    "concurrent.futures configparser contextlib contextvars copy csv dataclasses datetime decimal "
    "difflib email.message email.mime.text email.utils enum errno fcntl fnmatch fractions "
    "functools getpass glob gzip hashlib heapq hmac html html.parser http.client http.cookies "
    "http.server importlib io inspect ipaddress itertools json keyword locale logging math "
    "mimetypes numbers operator os os.path pathlib pickle platform posixpath pprint pwd queue "
    "random re reprlib secrets select shlex shutil signal smtplib socket socketserver sqlite3 ssl "
    "stat statistics string struct subprocess sys tarfile tempfile textwrap threading time token "
    "tokenize traceback types typing unicodedata unittest unittest.mock urllib.error urllib.parse "
    "urllib.request uuid warnings weakref xml.dom.minidom xml.etree.ElementTree xml.sax "
    "xml.sax.saxutils zipfile zlib zoneinfo".split()
)
STUB = "exec(compile(open({}, 'rb').read(), 'kit_warm', 'exec'), "
STUB += "{{'__name__': 'kit_warm', 'SETUP': {}, 'LINK': {}}})\n"
STUB += "__import__('sys').kit_begin()\n"
RUNS = 1000  # of one template
GROWN = 4 << 20  # bytes by which a template may grow
CREDENTIALS = struct.Struct("=iii")


def _sealed(data: bytes) -> int:
    """A file in memory that holds `data`, to be read from its start."""
    fd = os.memfd_create("kit", os.MFD_CLOEXEC)
    os.write(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _line(root: Path, limits: Limits) -> list[str]:
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
        self.trace, self.offset, self.cpu = trace, 0, -1
        self.file = os.open(trace, os.O_RDWR | os.O_CLOEXEC) if trace else -1
        self.runs, self.spent = 0, False
        self.asked: dict[str, Any] = {}
        self.disk = 0
        self.init = -1
        self.gate: socket.socket | None = None
        given = {
            "tmp": TMP_MB << 20,
            "modules": MODULES,
            "inbox": {name: (INBOX / f"{name}.py").read_text() for name in KNOWN},
            "runners": {name: (INBOX / f"{name}.py").read_text() for name in RUNNERS},
            "filter": seccomp.program(ptrace=limits.ptrace).hex(),
        }
        source = Path(__file__).with_name("warm_template.py").read_bytes()
        files = [_sealed(source), _sealed(json.dumps(given).encode())]
        self.link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.link.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        stub = STUB.format(*files, theirs.fileno())
        tracer = [*TRACER, "-o", str(trace), "--"] if trace else []
        with theirs:
            self.process = subprocess.Popen(
                [*tracer, *_line(root, limits), stub],
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
        self.pid = self._sender(self.link, START_S)

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
            self._ask(str(self.disk), [*fds, theirs.fileno()])
        self.init = self._sender(self.gate, START_S)

    def release(self, init: int, limits: dict[int, tuple[int, int]]) -> None:
        """Tell the waiting init what to run, and under which limits."""
        asked = {**self.asked, "limits": [(kind, *pair) for kind, pair in limits.items()]}
        request = _sealed(json.dumps(asked).encode())
        with self.gate:
            socket.send_fds(self.gate, [b"go"], [request])
        os.close(request)

    def close(self) -> None:
        self._at_work.discard(self)
        self.link.close()
        if self.trace:
            os.close(self.file)
        with self.process:
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.process.kill()
