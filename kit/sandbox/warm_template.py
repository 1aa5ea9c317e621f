"""A Python whose modules are loaded, from which every run of a slot is forked; see warm.py.

Run by the system's Python from its source, in namespaces of its own that bubblewrap made, where it
keeps the right to make more. It imports nothing of the kit and never meets a program: of a run it
learns the size of the disk and six descriptors. What is to run goes through the last of them to
the child, which is its own process by then.

Three processes make a run: this one; the init of the run's namespaces, which mounts, waits, and
tells the exit code at the end; and the program's, which gives up its rights, takes on limits and
the filter of system calls, and then goes on as a fresh interpreter would.
"""

import sys

FRESH = frozenset(sys.modules)  # what any program finds loaded; nothing may be imported before

import builtins  # noqa: E402 - in this order on purpose
from types import FrameType, ModuleType  # noqa: E402


def _running(frame: FrameType | None) -> str:
    """The module whose text, or whose library in C, is being run for its import."""
    while frame:
        if frame.f_code.co_name == "<module>":
            return str(frame.f_globals["__name__"])
        if frame.f_code.co_name == "_load_unlocked":
            return str(frame.f_locals["spec"].name)
        frame = frame.f_back
    return ""


class Shelf:
    """Modules that are loaded but not imported: who imports one gets it and what it needs.

    So `import xml` gives no xml.etree here either, and sys.modules tells what was imported.
    """

    def __init__(self) -> None:
        self.modules: dict[str, ModuleType] = {}
        self.specs: dict[str, Any] = {}  # noqa: F821 - as below
        self.parts: set[str] = set()  # those that their package knows as an attribute
        self.needs: dict[str, dict[str, None]] = {}
        self.original = builtins.__import__

    def record(
        self, name: str, space: "Any" = None, local: "Any" = None, names: "Any" = (), level: int = 0
    ) -> ModuleType:
        """__import__ that notes which module's text imported which."""
        found = self.original(name, space, local, names, level)
        importer = _running(sys._getframe(1))
        whole = name
        if level:
            home = space["__package__"].split(".")
            whole = ".".join([*home[: len(home) - level + 1], *([name] if name else [])])
        parts = whole.split(".")
        needed = [".".join(parts[: n + 1]) for n in range(len(parts))]
        needed += [f"{whole}.{part}" for part in names or () if f"{whole}.{part}" in sys.modules]
        self.needs.setdefault(importer, {}).update(dict.fromkeys(needed))
        return found

    def fill(self, names: list[str]) -> None:
        """Load these; then nothing but what a fresh interpreter has is imported."""
        builtins.__import__ = self.record  # type: ignore[assignment]
        for name in names:
            try:
                self.record(name)
            except ImportError:
                continue
        builtins.__import__ = self.original
        for name in [n for n in sys.modules if n not in FRESH]:
            self.modules[name] = sys.modules.pop(name)
            self.specs[name] = getattr(self.modules[name], "__spec__", None)
        for name, module in self.modules.items():
            home, _, leaf = name.rpartition(".")
            package = self.modules.get(home) or sys.modules.get(home)
            if package and package.__dict__.get(leaf) is module:
                delattr(package, leaf)
                self.parts.add(name)
                if not hasattr(package, "__path__"):  # it has made its parts itself
                    self.needs.setdefault(home, {})[name] = None

    def find_spec(self, name: str, _path: "Any" = None, _target: "Any" = None) -> "Any":
        return type(sys.__spec__)(name, self) if name in self.modules else None  # type: ignore[arg-type]

    def create_module(self, spec: "Any") -> ModuleType:
        return self.modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        """Its text has run long ago; what it had imported comes along."""
        todo = [module.__spec__.name] if module.__spec__ else []
        while todo:
            name = todo.pop()
            if (found := self.modules.pop(name, None)) is None:
                continue
            found.__spec__ = self.specs[name]
            sys.modules[name] = found
            home, _, leaf = name.rpartition(".")
            if name in self.parts and (package := self.modules.get(home) or sys.modules.get(home)):
                setattr(package, leaf, found)
            todo += reversed(self.needs.get(name, {}))


shelf = Shelf()
builtins.__import__ = shelf.record  # type: ignore[assignment]

import array  # noqa: E402
import atexit  # noqa: E402
import ctypes  # noqa: E402
import fcntl  # noqa: E402
import gc  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import resource  # noqa: E402
import select  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import struct  # noqa: E402
from _weakref import ref  # noqa: E402
from functools import partial  # noqa: E402
from importlib.machinery import SourceFileLoader  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

LIBC, PYTHON = ctypes.CDLL(None, use_errno=True), ctypes.pythonapi
NEW_USER, NEW_PID, OTHERS = 0x10000000, 0x20000000, 0x4E020000  # NS, CGROUP, UTS, IPC, NET
NODEV_NOSUID, NOEXEC = 6, 8
SET_DUMPABLE, DROP, SET_SECCOMP, FILTER = 4, 24, 22, 2  # of prctl
CAPABILITIES = 0x20080522  # the version of capset's header
LAST_CAPABILITY = 63
UP_AND_RUNNING, SET_FLAGS = 0x41, 0x8914  # of the loopback; of ioctl
BEGUN = "/kit-warm"  # touched by the program's process when all of this is behind it
DEPTH = 3  # frames of ours below those of the program
MOST = 64  # descriptors that this process may have
SOURCE = "kit_warm"  # the name that this text is compiled under
INTERRUPTED = 130
DELETED = ("path", "argv", "ps1", "ps2", "last_type", "last_value", "last_traceback", "path_hooks",
           "path_importer_cache", "meta_path", "__interactivehook__")  # fmt: skip
runners: dict[str, Any] = {}  # compiled texts of the harness that a run may begin with


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
        if (pid := os.fork()) == 0:
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


def interpreter(asked: dict[str, Any]) -> list[Any]:
    """Make this interpreter the one that the command line asks for: [text or code, module]."""
    os.chdir("/box")
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.orig_argv, sys.argv = asked["command"], asked["argv"]
    sys.path[:1] = asked["path"]
    for name in asked["strange"]:  # what lies there under this name is another
        shelf.modules.pop(name, None)
    sys.meta_path.insert(0, shelf)
    sys.setrecursionlimit(sys.getrecursionlimit() + DEPTH)
    module, place = ModuleType("__main__"), asked["place"]
    module.__loader__ = sys.modules["__main__"].__loader__
    module.__dict__.update(__annotations__={}, __builtins__=builtins)
    if place:
        module.__dict__.update(__file__=place, __cached__=None)
        module.__loader__ = SourceFileLoader("__main__", place)
    sys.modules["__main__"] = module
    return [runners.get(asked["runner"], asked["text"]), module]


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
        given = json.load(file)
    load(given["modules"], given["inbox"], given["runners"])
    code = bytes.fromhex(given["filter"])
    link = socket.socket(fileno=fd)
    link.set_inheritable(False)
    gc.collect()
    gc.freeze()
    link.send(b"ready")
    disk, (*streams, status, door) = serve(link)
    link.close()
    settle(disk, given["tmp"])
    gate = socket.socket(fileno=door)
    gate.send(b"ready")
    _, (request,) = receive(gate)
    do("prctl", SET_DUMPABLE, 0, 0, 0, 0)  # nobody in the box may look into its init
    if pid := os.fork():
        os.closerange(0, status)
        os.closerange(status + 1, MOST)
        attend_program(pid, status)
    gate.detach()
    with os.fdopen(request, "rb") as file:
        asked = json.load(file)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(len(streams), MOST)
    begin_run(asked, code)
    sys.kit_begin = partial(program, interpreter(asked))  # type: ignore[attr-defined]
    os.access(BEGUN, 0)


def program(held: list[Any]) -> None:
    """The program, as the last thing that this process does."""
    del sys.kit_begin  # type: ignore[attr-defined]
    code = 0
    try:
        run(held)
    except SystemExit as error:
        code = exit_code(error.code)
    except BaseException as error:
        code = complain(error)
    leave(code)


def run(held: list[Any]) -> None:
    """The text, compiled here where it is none of ours, in its module; nothing else holds that."""
    module, text = held.pop(), held.pop()
    if text is None:
        file = Path(str(module.__file__))
        text = compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
    elif isinstance(text, str):
        text = compile(text, "<string>", "exec", dont_inherit=True)
    exec(text, module.__dict__)


def exit_code(told: Any) -> int:
    """What SystemExit makes of its argument."""
    if told is None:
        return 0
    if isinstance(told, int):
        return told if -(1 << 63) <= told < 1 << 63 else -1
    print(told, file=sys.stderr)
    return 1


def complain(error: BaseException) -> int:
    """Print an exception that nobody caught, without the frames of this file."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename == SOURCE:
        trace = trace.tb_next
    kind = type(error)
    sys.last_type, sys.last_value, sys.last_traceback = kind, error.with_traceback(trace), trace
    try:
        sys.excepthook(kind, error, trace)
    except SystemExit as told:
        return exit_code(told.code)
    except BaseException as second:
        print("Error in sys.excepthook:", file=sys.stderr)
        sys.__excepthook__(type(second), second, second.__traceback__)
        print("\nOriginal exception was:", file=sys.stderr)
        sys.__excepthook__(kind, error, trace)
    return INTERRUPTED if kind is KeyboardInterrupt else 1


def leave(code: int) -> None:
    """End as an interpreter does: threads, exit functions, streams, then what is left of objects.

    Py_FinalizeEx would write into every page of the template's memory.
    """
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()
    atexit._run_exitfuncs()
    if not flushed():
        code = 120
    destroy()
    flushed()
    LIBC.fflush(None)
    if code == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(code & 255)


def flushed() -> bool:
    """Write out what the standard streams still hold; whether that went well."""
    done = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except BaseException:  # also a stream that is the program's own
            done = False
    return done


def destroy() -> None:
    """Modules of the program are taken apart as finalize_modules of CPython 3.11 does it."""
    for name in DELETED:
        if name in sys.__dict__:
            sys.__dict__[name] = None
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
    ours = {n: m for n, m in sys.modules.items() if n in shelf.specs or n in FRESH}
    ours.pop("__main__", None)
    theirs = [ref(m) for n, m in sys.modules.items() if n not in ours and isinstance(m, ModuleType)]
    sys.modules.clear()
    gc.collect()
    for weak in reversed(theirs):
        if (module := weak()) is not None:
            PYTHON._PyModule_Clear(ctypes.py_object(module))
        del module
    gc.collect()


main(SETUP, LINK)  # type: ignore[name-defined] # noqa: F821 - given with the source
