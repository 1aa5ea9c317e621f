"""A deny-list of system calls as a BPF program for bwrap's --seccomp; x86-64 only.

Refused is what namespaces do not hold: the kernel's debugging, keyring, module and time interfaces,
new namespaces and mounts, io_uring, other ABIs, and sockets that reach past the network namespace
(vsock); and what would hide a program from its tracer: filters of its own, and calls so new that
the tracer has no name for them.
"""

import errno
import json
import struct

from kit.sandbox.calls import LAST, NOTED, NOTIFIED, REFUSED

ARCH_X86_64 = 0xC000003E
ALLOW, ERRNO, NOTIFY = 0x7FFF0000, 0x00050000, 0x7FC00000
LD, JEQ, JGE, JSET, RET = 0x20, 0x15, 0x35, 0x45, 0x06
OFF_NR, OFF_ARCH, OFF_ARG = 0, 4, 16

CLONE, CLONE3, IOCTL, SOCKET, PRCTL, FCNTL = 56, 435, 16, 41, 157, 72
SETSOCKOPT = 54
PASSCRED, PASSPIDFD = 16, 76  # of setsockopt: messages tell who sent them
SET_SECCOMP = 22  # of prctl
SET_LEASE = 1024  # of fcntl: whoever opens the file then waits for its owner
UNTRACED = 0x00800000  # of clone: a child that no tracer sees
# and NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
FORBIDDEN = 0x7E020000 | UNTRACED
# of ioctl: to type into a terminal; to change the attributes of a file, which no call tells
IOCTLS = (0x5412, 0x541C, 0x40086602, 0x40046602, 0x401C5820)
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16


def _op(code: int, k: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, k & 0xFFFFFFFF)


def _refuse(error: int) -> bytes:
    return _op(RET, ERRNO | error)


def _arg(index: int) -> bytes:
    """Load the low 32 bits of an argument; of those looked at here the kernel reads no more."""
    return _op(LD, OFF_ARG + 8 * index)


def _when(number: int, body: list[bytes]) -> list[bytes]:
    """`body` for this system call only; it must return on every path."""
    return [_op(JEQ, number, 0, len(body)), *body]


def _sockets(allow: bytes) -> list[bytes]:
    """Only UNIX, INET, INET6 and the routing part of NETLINK (protocol 0)."""
    return [
        *(_arg(0), _op(JEQ, UNIX, 6), _op(JEQ, INET, 5), _op(JEQ, INET6, 4)),
        *(_op(JEQ, NETLINK, 0, 2), _arg(2), _op(JEQ, 0, 1)),
        *(_refuse(errno.EAFNOSUPPORT), allow),
    ]


def _notify(name: str) -> list[bytes]:
    """Ask the watcher; about data that is sent only where it is sent to an address."""
    if name != "sendto":
        return [_op(RET, NOTIFY)]
    address = OFF_ARG + 8 * 4
    return [
        *(_op(LD, address), _op(JEQ, 0, 0, 2), _op(LD, address + 4), _op(JEQ, 0, 1)),
        *(_op(RET, NOTIFY), _op(RET, ALLOW)),
    ]


def program(*, ptrace: bool = False, notify: bool = False, untraced: bool = False) -> bytes:
    """The filter, ready for seccomp(2). ptrace: a program may trace others of its own box.

    untraced: a program may begin children that no tracer sees, as LeakSanitizer does.
    notify: calls that are evidence wait for the answer of whoever holds the filter's listener, and
    the watcher's to those of the deny-list is EPERM; without a watcher no call is made at all.
    """
    eperm, enosys, allow = _refuse(errno.EPERM), _refuse(errno.ENOSYS), _op(RET, ALLOW)
    code = [_op(LD, OFF_ARCH), _op(JEQ, ARCH_X86_64, 1), enosys]
    code += [_op(LD, OFF_NR), _op(JGE, LAST + 1, 0, 1), enosys]  # those of x32, too
    asked = NOTIFIED if notify else ()
    for name, number in REFUSED.items():
        if ptrace and name == "ptrace" or number in {call.number for call in asked}:
            continue
        code += _when(number, [eperm])
    code += _when(CLONE3, [enosys])  # its flags lie in memory; glibc falls back to clone
    told = _op(RET, NOTIFY) if notify else eperm
    forbidden = FORBIDDEN & ~UNTRACED if untraced else FORBIDDEN
    code += _when(CLONE, [_arg(0), _op(JSET, forbidden, 0, 1), told, allow])
    code += _when(FCNTL, [_arg(1), _op(JEQ, SET_LEASE, 0, 1), _refuse(errno.EINVAL), allow])
    code += _when(PRCTL, [_arg(0), _op(JEQ, SET_SECCOMP, 0, 1), eperm, allow])
    found = [_op(JEQ, request, len(IOCTLS) - i) for i, request in enumerate(IOCTLS)]
    code += _when(IOCTL, [_arg(1), *found, allow, eperm])
    code += _when(SOCKET, _sockets(allow))
    if notify:
        names = [_op(JEQ, PASSCRED, 1), _op(JEQ, PASSPIDFD, 0, 1)]
        code += _when(SETSOCKOPT, [_arg(2), *names, told, allow])
        code += [op for number in NOTED.values() for op in _when(number, [told])]
    for call in asked:
        code += _when(call.number, _notify(call.name))
    return b"".join([*code, allow])


def _rule(names: list[str], error: int, *args: tuple[int, int, str]) -> dict[str, object]:
    found = [
        {"index": i, "value": value, "valueTwo": value, "op": f"SCMP_CMP_{op}"}
        for i, value, op in args
    ]
    return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error, "args": found}


def profile() -> str:
    """The deny-list as JSON for a container, in which a tracer must be able to work.

    The program gets the whole `program` besides; this holds for all else in the container.
    """
    needed = {"ptrace", "process_vm_readv", "seccomp"}
    rules = [_rule([name for name in REFUSED if name not in needed], errno.EPERM)]
    rules.append(_rule(["clone3"], errno.ENOSYS))
    for bit in (1 << n for n in range(32) if FORBIDDEN >> n & 1):  # any of them, not all
        rules.append(_rule(["clone"], errno.EPERM, (0, bit, "MASKED_EQ")))
    rules += [_rule(["ioctl"], errno.EPERM, (1, n, "EQ")) for n in IOCTLS]
    for family in set(range(64)) - {UNIX, INET, INET6, NETLINK}:
        rules.append(_rule(["socket"], errno.EAFNOSUPPORT, (0, family, "EQ")))
    rules.append(_rule(["socket"], errno.EAFNOSUPPORT, (0, NETLINK, "EQ"), (2, 1, "GE")))
    arch = {"architecture": "SCMP_ARCH_X86_64", "subArchitectures": []}
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "archMap": [arch], "syscalls": rules})
