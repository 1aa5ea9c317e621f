"""Starts one box after the other for a worker; run by the system's Python, as the worker's uid.

It starts once, below the watcher where runs are observed, so that not every run pays for its start
and for the drop of the uid. It imports nothing of the kit: `python3 -c` gets its source. A run is
two requests: the command joined by NUL, with the descriptors that become 0, 1, 2, ... of the box;
then, while the box waits before its program, the pid of its init and the limits that it inherits.
The answer, when every process of the box is dead, is what they used. When the kit's end of the
socket closes, this process ends, and by --die-with-parent the box ends with it.
"""

import array
import ctypes
import os
import resource
import select
import socket
import struct
import sys

SUBREAPER = 36  # of prctl
LOW = 16  # descriptors below stay in use, so that no received one has the number of one to set


def receive(link: socket.socket) -> tuple[list[str], list[int]]:
    data, control, _, _ = link.recvmsg(1 << 18, socket.CMSG_SPACE(LOW * 4), socket.MSG_CMSG_CLOEXEC)
    fds = array.array("i")
    for _, _, packed in control:
        fds.frombytes(packed)
    if not data:
        sys.exit()
    return os.fsdecode(data).split("\0"), list(fds)


def start(argv: list[str], fds: list[int]) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, fd, i) for i, fd in enumerate(fds)]
    pid = os.posix_spawn(argv[0], argv, {}, file_actions=actions)
    for fd in fds:
        os.close(fd)
    return pid


def release(words: list[str], gate: int) -> None:
    """Set the limits of the waiting init, then let it go on."""
    init, *limits = map(int, words)
    for kind, soft, hard in zip(limits[::3], limits[1::3], limits[2::3], strict=True):
        resource.prlimit(init, kind, (soft, hard))
    os.write(gate, b"x")


def attend(link: socket.socket, pid: int, gate: int) -> None:
    """Wait for the box, and meanwhile for its release or for the kit to go away."""
    child = os.pidfd_open(pid)
    poller = select.poll()
    poller.register(child, select.POLLIN)
    poller.register(link, select.POLLIN)
    while child not in [fd for fd, _ in poller.poll()]:
        release(receive(link)[0], gate)
    os.close(child)
    link.send(struct.pack("=dd", *reap()))


def reap() -> tuple[float, float]:
    """Wait for bwrap and for the child that it may leave behind: (CPU seconds, peak in MB)."""
    cpu_s = peak_kb = 0.0
    while True:
        try:
            _, _, used = os.wait4(-1, 0)
        except ChildProcessError:
            return cpu_s, peak_kb / 1024
        cpu_s += used.ru_utime + used.ru_stime
        peak_kb = max(peak_kb, used.ru_maxrss)


def main(fd: int) -> None:
    # bwrap leaves its own child behind: its new parent must wait for it, or zombies fill the cgroup
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    null = os.open("/dev/null", os.O_RDWR)
    while os.dup(null) < LOW:
        pass
    link = socket.socket(fileno=fd)
    link.set_inheritable(False)
    link.send(struct.pack("=i", os.getpid()))
    while True:
        argv, fds = receive(link)
        wait, gate = os.pipe()
        try:
            attend(link, start(argv, [*fds, wait]), gate)
        finally:
            os.close(gate)


main(int(sys.argv[1]))
