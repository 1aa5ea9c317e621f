"""A Python whose modules are loaded, from which every run of a slot is forked; see warm.py.

Run by the system's Python from its source, in namespaces of its own that bubblewrap made, where it
keeps the right to make more. It imports nothing of the kit and never meets a program: of a run it
learns the size of the disk and six descriptors. What is to run goes through the last of them to
the child, which is its own process by then.

Three processes make a run: this one; the init of the run's namespaces, which mounts, waits, and
tells the exit code at the end; and the program's, which gives up its rights, takes on limits and
the filter of system calls, and then goes on as a fresh interpreter would.
"""

import array
import ctypes
import fcntl
import gc
import marshal
import os
import resource
import select
import socket
import struct
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in a template the three texts are one
    from kit.sandbox.warm_program import LIBC, interpreter, program, runners
    from kit.sandbox.warm_shelf import shelf

fork = ctypes.pythonapi.fork
NEW_USER, NEW_PID, OTHERS = 0x10000000, 0x20000000, 0x4E020000  # NS, CGROUP, UTS, IPC, NET
NODEV_NOSUID, NOEXEC = 6, 8
SET_DUMPABLE, DROP, SET_SECCOMP, FILTER = 4, 24, 22, 2  # of prctl
CAPABILITIES = 0x20080522  # the version of capset's header
LAST_CAPABILITY = 63
UP_AND_RUNNING, SET_FLAGS = 0x41, 0x8914  # of the loopback; of ioctl
BEGUN = "/kit-warm"  # touched by the program's process when all of this is behind it
MOST = 64  # descriptors that this process may have


class Steps(ctypes.Structure):
    """A filter of system calls as prctl takes it."""

    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def do(call: str, *args: Any) -> None:
    """A function of libc; OSError where it fails."""
    if getattr(LIBC, call)(*args) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")


def write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY)
    os.write(fd, text.encode())
    os.close(fd)


def receive(link: socket.socket) -> tuple[bytes, list[int]]:
    data, control, _, _ = link.recvmsg(64, socket.CMSG_SPACE(64), socket.MSG_CMSG_CLOEXEC)
    fds = array.array("i")
    for _, _, packed in control:
        fds.frombytes(packed)
    if not data:
        os._exit(0)
    return data, list(fds)


def attend(link: socket.socket, pid: int) -> None:
    """Wait for the init of a run, or for the kit to go away: then all of it ends with us."""
    child = os.pidfd_open(pid)
    poller = select.poll()
    poller.register(child, select.POLLIN)
    poller.register(link, select.POLLIN)
    while child not in [fd for fd, _ in poller.poll()]:
        receive(link)
    os.close(child)
    used = os.wait4(pid, 0)[2]
    sys.modules.pop("resource", None)  # wait4 has imported it
    link.send(struct.pack("=dd", used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))


def serve(link: socket.socket) -> tuple[int, list[int]]:
    """One run after the other; returns in the child, which is init of new namespaces."""
    own = os.open("/proc/self/ns/pid", os.O_RDONLY)
    while True:
        disk, fds = receive(link)
        do("setns", own, NEW_PID)
        do("unshare", NEW_PID)
        # of libc, without what Python does after a fork: init runs next to nothing
        if (pid := fork()) == 0:
            return int(disk), fds
        for fd in fds:
            os.close(fd)
        attend(link, pid)


def settle(disk: int, tmp: int) -> None:
    """The run's own mounts, loopback and user, after which no right to change them is left."""
    do("unshare", OTHERS)
    do("mount", b"proc", b"/proc", b"proc", NODEV_NOSUID | NOEXEC, None)
    for place, size, mode in ((b"/tmp", tmp, b"1777"), (b"/box", disk, b"0755")):
        options = b"size=%d,mode=%s" % (size, mode)
        do("mount", b"tmpfs", place, b"tmpfs", NODEV_NOSUID, options)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_:
        fcntl.ioctl(any_, SET_FLAGS, struct.pack("16sh14x", b"lo", UP_AND_RUNNING))
    uid = os.getuid()
    do("unshare", NEW_USER)
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{uid} {uid} 1")
    write("/proc/self/gid_map", f"{uid} {uid} 1")
    write("/proc/sys/user/max_user_namespaces", "0")
    os.setsid()


def attend_program(pid: int, status: int) -> None:
    """Wait for the program as init; 128 + n is the exit code of one that signal n killed."""
    while True:
        done, how = os.waitpid(-1, 0)
        if done == pid:
            code = os.waitstatus_to_exitcode(how)
            os.write(status, b'{"exit-code": %d}\n' % (code if code >= 0 else 128 - code))
            os._exit(0)


def begin_run(asked: dict[str, Any], code: bytes) -> None:
    """Limits on, rights off, the filter on: from here on this process is the program's."""
    for kind, soft, hard in asked["limits"]:
        resource.setrlimit(kind, (soft, hard))
    for number in range(LAST_CAPABILITY + 1):
        if LIBC.prctl(DROP, number, 0, 0, 0):
            break
    do("capset", struct.pack("=Ii", CAPABILITIES, 0), bytes(24))
    do("prctl", SET_DUMPABLE, 1, 0, 0, 0)
    do("prctl", SET_SECCOMP, FILTER, ctypes.byref(Steps(len(code) // 8, code)), 0, 0)


def load(modules: list[str], inbox: dict[str, str], runners_: dict[str, str]) -> None:
    """Load the modules, and those of the harness from where a run's will lie."""
    Path("/box/.kit").mkdir()
    for name, text in inbox.items():
        Path(f"/box/.kit/{name}.py").write_text(text)
    for name, text in runners_.items():
        runners[name] = compile(text, f"/box/.kit/{name}.py", "exec", dont_inherit=True)
    os.chdir("/box")
    sys.path.insert(0, "/box/.kit")
    shelf.fill([*modules, *inbox])
    del sys.path[0]
    sys.path_importer_cache.pop("/box/.kit", None)


def main(setup: int, fd: int) -> None:
    """Until it returns, the template; when it does, this is a program's process."""
    with os.fdopen(setup, "rb") as file:
        given = marshal.load(file)
    load(given["modules"], given["inbox"], given["runners"])
    code, tmp = given["filter"], given["tmp"]
    del given
    link = socket.socket(fileno=fd)
    link.set_inheritable(False)
    gc.collect()
    gc.freeze()
    link.send(b"ready")
    disk, (*streams, status, door) = serve(link)
    link.close()
    settle(disk, tmp)
    gate = socket.socket(fileno=door)
    gate.send(b"ready")
    _, (request,) = receive(gate)
    do("prctl", SET_DUMPABLE, 0, 0, 0, 0)  # nobody in the box may look into its init
    if pid := os.fork():
        os.closerange(0, status)
        os.closerange(status + 1, MOST)
        attend_program(pid, status)
    gate.detach()
    asked = marshal.loads(os.read(request, os.fstat(request).st_size))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(len(streams), MOST)
    begin_run(asked, code)
    sys.kit_begin = partial(program, interpreter(asked))  # type: ignore[attr-defined]
    os.access(BEGUN, 0)


main(SETUP, LINK)  # type: ignore[name-defined] # noqa: F821 - given with the source
