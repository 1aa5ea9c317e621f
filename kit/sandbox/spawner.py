"""Starts one box after the other for a slot; run by the system's Python, as the slot's uid.

Started once, below strace, so that neither the tracer's start nor the drop of the uid is paid for
by every run. It imports nothing of the kit: its source is handed to `python3 -c`. Two requests make
a run: the command joined by NUL, with the descriptors that become 0, 1, 2, ... of the box; then,
while the box waits before its program, the pid of its init and the limits that it shall inherit.
The answer is bwrap's wait status and what it used. When the kit's end of the socket closes, this
process ends, and --die-with-parent takes the box along.
"""

import array
import os
import resource
import select
import socket
import struct
import sys

LOW = 16  # descriptors below stay busy: those received never collide with those to be set


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
    """Set the limits on the waiting init, then let it go on."""
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
    _, status, used = os.wait4(pid, 0)
    link.send(struct.pack("=idd", status, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))


def main(fd: int) -> None:
    null = os.open("/dev/null", os.O_RDWR)
    while os.dup(null) < LOW:
        pass
    link = socket.socket(fileno=fd)
    link.set_inheritable(False)
    link.send(struct.pack("=i", os.getpid()))
    while True:
        argv, fds = receive(link)
        wait, gate = os.pipe()
        pid = start(argv, [*fds, wait])
        try:
            attend(link, pid, gate)
        finally:
            os.close(gate)


main(int(sys.argv[1]))
