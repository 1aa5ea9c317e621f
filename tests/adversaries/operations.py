"""Plays each operation of a list in a process and a folder of its own, and keeps the answers."""

import contextlib
import ctypes
import errno
import fcntl
import json
import multiprocessing  # noqa: F401 - what operations use
import os
import pathlib  # noqa: F401
import resource  # noqa: F401
import select
import shutil
import signal
import socket
import sqlite3  # noqa: F401
import stat
import struct
import subprocess
import tempfile  # noqa: F401
import threading
import time

PATIENCE = 6
libc = ctypes.CDLL(None, use_errno=True)
kept = []  # what must not be closed yet


def call(number, *args):
    """A system call by its number, and its errno."""
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    value = libc.syscall(ctypes.c_long(number), *words)
    if value < 0:
        raise OSError(ctypes.get_errno(), "")
    return value


def how(flags, mode=0, resolve=0):
    return struct.pack("QQQ", flags, mode, resolve)


def at(name, flags=os.O_RDONLY):
    return os.open(name, flags)


def path(name, flags=0):
    return os.open(name, os.O_PATH | flags)


def mode(name):
    return oct(os.lstat(name).st_mode)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def pipe(data):
    reading, writing = os.pipe()
    os.write(writing, data)
    return reading


def rename(old, new, flags):
    return call(316, -100, old.encode(), -100, new.encode(), flags)


def gone():
    os.mkdir("gone")
    os.chdir("gone")
    os.rmdir("../gone")


def at_gone():
    os.dup2(path("folder"), 7)
    shutil.rmtree("folder")


def unlinked():
    fd = os.open("file", os.O_RDONLY)
    os.unlink("file")
    return fd


def alarmed(deed, restart=False):
    """What a signal does to a call that waits: its handler raises, or the call begins again."""

    def ring(*_):
        if restart and not kept:
            kept.append(1)
            return
        raise InterruptedError(errno.EINTR, "rung")

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
    return deed()


def handled(deed):
    """A signal whose handler opens what the call waits for."""
    signal.signal(signal.SIGALRM, lambda *_: kept.append(os.open("fifo", os.O_RDWR)))
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    return deed()


def fifo_both():
    if (child := os.fork()) == 0:
        os.write(os.open("fifo", os.O_WRONLY), b"abc")
        os._exit(0)
    data = os.read(os.open("fifo", os.O_RDONLY), 9)
    return data, os.waitpid(child, 0)[1]


def leased():
    """A lease that is given back, by what needs a file itself, as soon as another opens."""
    held = os.open("file", os.O_RDWR)

    def give_back(*_):
        os.mkdir("asked")
        fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_UNLCK)

    signal.signal(signal.SIGIO, give_back)
    fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    if (child := os.fork()) == 0:
        os.open("file", os.O_RDONLY)
        os._exit(0)
    return os.waitpid(child, 0)[1], os.path.exists("asked")


def server(family=socket.AF_INET, name=("127.0.0.1", 0), backlog=5):
    made = socket.socket(family)
    made.bind(name)
    made.listen(backlog)
    kept.append(made)
    return made


def connect_full(timeout=None, unix=False):
    """A connection to a listener that takes no more."""
    family = socket.AF_UNIX if unix else socket.AF_INET
    listener = server(family, "full" if unix else ("127.0.0.1", 0), 0)
    for _ in range(4):
        kept.append(nonblocking(socket.socket(family)))
        kept[-1].connect_ex(listener.getsockname())
    client = socket.socket(family)
    client.settimeout(timeout)
    return client.connect(listener.getsockname())


def nonblocking(made):
    made.setblocking(False)
    return made


def polled():
    listener, client = server(), nonblocking(socket.socket())
    first = client.connect_ex(listener.getsockname())
    ready = select.select([], [client], [], 3)[1] == [client]
    again = client.connect_ex(listener.getsockname())
    return first, ready, client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR), again


def twice():
    client, where = socket.socket(), server().getsockname()
    client.connect(where)
    return client.connect_ex(where), client.send(b"x")


def bound_twice():
    made = socket.socket()
    made.bind(("127.0.0.1", 0))
    return made.bind(("127.0.0.1", 0))


def udp():
    kept.extend(socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    kept[-2].bind(("127.0.0.1", 0))
    return kept[-2], kept[-1]


def echoed(deed):
    receiver, sender = udp()
    deed(sender, receiver.getsockname())
    return receiver.recv(9)


def unix_echo(name):
    listener, client = server(socket.AF_UNIX, name), socket.socket(socket.AF_UNIX)
    client.connect(name)
    client.send(b"abc")
    return listener.accept()[0].recv(9), client.getpeername()


def fill_unix():
    receiver, sender = (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2))
    receiver.bind("new")
    while True:
        sender.sendto(b"x", "new")


def passed_on():
    """A descriptor that goes to another process and is used there."""
    ours, theirs = socket.socketpair()
    if (child := os.fork()) == 0:
        (fd,) = socket.recv_fds(theirs, 9, 1)[1]
        os._exit(len(os.read(os.open("inner", os.O_RDONLY, dir_fd=fd), 9)))
    socket.send_fds(ours, [b"x"], [path("folder")])
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def sockaddr():
    return struct.pack("=HH4s8x", socket.AF_INET, socket.htons(1), b"\x7f\0\0\1") + bytes(300)


def message(size):
    name, data = (ctypes.create_string_buffer(b) for b in (sockaddr(), b"x"))
    part = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(data), 1))
    kept.extend((name, data, part))
    places = ctypes.addressof(name), size, ctypes.addressof(part), 1, 0, 0, 0, 0
    return struct.pack("QI4xQQQQi4xI4x", *places)


def threaded(deed):
    answer = []
    thread = threading.Thread(target=lambda: answer.append(answered(deed)))
    thread.start()
    thread.join()
    return answer


def stopped_and_continued():
    if (child := os.fork()) == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
        os.mkdir("new")
        os._exit(7)
    stopped = os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1])
    os.kill(child, signal.SIGCONT)
    return stopped, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), os.path.exists("new")


def prepare(folder):
    os.mkdir(folder)
    os.chdir(folder)
    for name in ("folder", "empty", "closed"):
        os.mkdir(name)
    for name in ("file", "folder/inner", "secret", "closed/inner", "script", "folder/script"):
        with open(name, "w") as file:
            file.write("#!/bin/sh\necho run\n" if "script" in name else f"of {name}")
    with open("no-such-interpreter", "w") as file:
        file.write("#!/no/such\n")
    for name in ("script", "folder/script", "no-such-interpreter"):
        os.chmod(name, 0o755)
    for target, name in (("file", "to_file"), ("nowhere", "to_none"), ("folder", "to_folder")):
        os.symlink(target, name)
    os.symlink("loop", "loop")
    os.mkfifo("fifo")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
    os.chmod("secret", 0)
    os.chmod("closed", 0)


def opened(place, flags):
    """What open gives, and what the descriptor is good for."""
    value = 0
    for flag in flags.split("|"):
        value |= getattr(os, flag) if flag != "0" else 0
    fd = os.open(place, value, 0o640)
    told = [fd, fcntl.fcntl(fd, fcntl.F_GETFL), fcntl.fcntl(fd, fcntl.F_GETFD), mode_of(fd)]
    for deed in (lambda: os.read(fd, 9), lambda: os.write(fd, b"new")):
        told.append(answered(deed))
    return told


def mode_of(fd):
    found = os.fstat(fd)
    return oct(stat.S_IFMT(found.st_mode) | stat.S_IMODE(found.st_mode)), found.st_nlink


def answered(deed):
    try:
        return repr(deed())
    except OSError as error:
        return f"{type(error).__name__} {errno.errorcode.get(error.errno, error.errno)}"
    except Exception as error:
        return type(error).__name__


def play(number, text):
    """The answer to one operation, given by a child that has PATIENCE seconds."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.setpgid(0, 0)
        os.close(reading)
        os.dup2(writing, 50)
        os.close(writing)
        prepare(f"/tmp/{number}")
        word, _, rest = text.partition(" ")
        if word == "open":
            answer = answered(lambda: opened(*rest.split()))
        else:
            answer = answered(lambda: eval(text, globals()))  # noqa: S307
        os.write(50, answer[:2000].encode())
        os._exit(0)
    os.close(writing)
    ended = os.pidfd_open(child)
    late = not select.select([ended], [], [], PATIENCE)[0]
    os.close(ended)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    data = b"" if late else os.read(reading, 3000)
    os.close(reading)
    return "late" if late else data.decode() or f"ended with {status}"


def main():
    with open("asked.json", encoding="utf-8") as file:
        asked = json.load(file)
    answers = [play(number, text) for number, text in enumerate(asked)]
    with open("/box/answers.json", "w", encoding="utf-8") as file:
        json.dump(answers, file)


if __name__ == "__main__":
    main()
