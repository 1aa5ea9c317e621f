"""Starts one box after the other for a worker; run by the system's Python, as the worker's uid.

It starts once, below the watcher where runs are observed, so that not every run pays for its start
and for the drop of the uid. It imports nothing of the kit: `python3 -c` gets its source. A run is
two requests: the command joined by NUL, with the descriptors that become 0, 1, 2, ... of the box;
then, while the box waits before its program, the pid of its init, the addresses that its loopback
answers to and the limits that it inherits.
The answer, when every process of the box is dead, is what they used. When the kit's end of the
socket closes, this process ends, and by --die-with-parent the box ends with it.
"""

import array
import ctypes
import fcntl
import os
import resource
import select
import signal
import socket
import struct
import sys

SUBREAPER = 36  # of prctl
NEWUSER, NEWNET = 0x10000000, 0x40000000  # of setns
OWNER, SET_ADDRESS, SET_MASK = 0xB701, 0x8916, 0x891C  # of ioctl
FREE_PORTS = "/proc/sys/net/ipv4/ip_unprivileged_port_start"
LIBC = ctypes.CDLL(None)
LOW = 16  # descriptors below stay in use, so that no received one has the number of one to set


def receive_request(link: socket.socket) -> tuple[list[str], list[int]]:
    data, control, _, _ = link.recvmsg(1 << 18, socket.CMSG_SPACE(LOW * 4), socket.MSG_CMSG_CLOEXEC)
    fds = array.array("i")
    for _, _, packed in control:
        fds.frombytes(packed)
    if not data:
        sys.exit()
    return os.fsdecode(data).split("\0"), list(fds)


def start_box(argv: list[str], fds: list[int]) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, fd, i) for i, fd in enumerate(fds)]
    pid = os.posix_spawn(argv[0], argv, {}, file_actions=actions)
    for fd in fds:
        os.close(fd)
    return pid


def release_box(words: list[str], gate: int) -> None:
    """Set the limits of the waiting init, then let it go on."""
    init, limits = int(words[0]), list(map(int, words[2:]))
    if words[1]:
        answer_to(init, words[1].split())
    for kind, soft, hard in zip(limits[::3], limits[1::3], limits[2::3], strict=True):
        resource.prlimit(init, kind, (soft, hard))
    os.write(gate, b"x")


def answer_to(init: int, addresses: list[str]) -> None:
    """Give the loopback of a box these addresses; where that fails the box ends."""
    if pid := os.fork():
        if os.waitpid(pid, 0)[1]:
            os.kill(init, signal.SIGKILL)
        return
    try:
        network = os.open(f"/proc/{init}/ns/net", os.O_RDONLY)
        # its owner's rights over it are had in that namespace of users
        for space, kind in ((fcntl.ioctl(network, OWNER), NEWUSER), (network, NEWNET)):
            LIBC.setns(space, kind)  # without it the next line fails
        os.write(os.open(FREE_PORTS, os.O_WRONLY), b"0")
        further = [a for a in addresses if not a.startswith("127.")]
        for number, address in enumerate(further):
            set_address(f"lo:{number}", address)
        os._exit(0)
    finally:
        os._exit(1)


def set_address(name: str, address: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        for request, text in ((SET_ADDRESS, address), (SET_MASK, "255.255.255.255")):
            packed = struct.pack(
                "=16sHH4s8x", name.encode(), socket.AF_INET, 0, socket.inet_aton(text)
            )
            fcntl.ioctl(link, request, packed)


def attend_box(link: socket.socket, pid: int, gate: int) -> None:
    """Wait for the box, and meanwhile for its release or for the kit to go away."""
    child = os.pidfd_open(pid)
    poller = select.poll()
    poller.register(child, select.POLLIN)
    poller.register(link, select.POLLIN)
    while child not in [fd for fd, _ in poller.poll()]:
        release_box(receive_request(link)[0], gate)
    os.close(child)
    link.send(struct.pack("=dd", *wait_for_children()))


def wait_for_children() -> tuple[float, float]:
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
    LIBC.prctl(SUBREAPER, 1, 0, 0, 0)
    null = os.open("/dev/null", os.O_RDWR)
    while os.dup(null) < LOW:
        pass
    link = socket.socket(fileno=fd)
    link.set_inheritable(False)
    link.send(struct.pack("=i", os.getpid()))
    while True:
        argv, fds = receive_request(link)
        wait, gate = os.pipe()
        try:
            attend_box(link, start_box(argv, [*fds, wait]), gate)
        finally:
            os.close(gate)


main(int(sys.argv[1]))
