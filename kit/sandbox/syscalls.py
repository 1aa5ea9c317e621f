"""The one table of system calls: which are refused, which are traced, how a call becomes an event;
and the filter of a box, made from it. Numbers are those of x86-64.

    reads    which path the event is about
    leads    the first path, and where it leads if it is a link
    name     the first path itself, link or not
    made     the last path itself
    both     the first and the last path itself
    fd       the file that the first descriptor stands for
    address  every address that the call names
    ""       none; the reader treats the call in its own way

`shape` has a letter for each argument: what native/watch.c shows of it.

    d folder   p path in it or in the working folder   s text   o, h, c flags of an open
    n descriptor   a address and its length   M message, V messages   v list of texts
    x AT_ flags   r flags of a rename   m mode of a new file   - nothing
"""

import errno
import json
import re
import struct
from typing import NamedTuple


class Syscall(NamedTuple):
    """kind: that of the event; "refused" (EPERM), or "mark"."""

    name: str
    number: int
    kind: str
    reads: str = ""
    shape: str = "-"

    @property
    def way(self) -> str:
        """Who carries it out: the watcher, the program after a note of its attempt, or nobody."""
        return {"refused": "refused", "mark": "passed", "exec": "told"}.get(self.kind, "done")


# A row: kind and `reads`, and the calls that have them, each with its number and shape.
_ROWS = """
open leads: open 2 po, openat 257 dpo, openat2 437 dph, creat 85 pc
delete name: unlink 87 p, unlinkat 263 dp, rmdir 84 p
rename both: rename 82 pp, renameat 264 dpdp, renameat2 316 dpdpr
write name: mkdir 83 p, mkdirat 258 dp, mknod 133 pm, mknodat 259 dpm, lchown 94 p, lsetxattr 189 p,
    lremovexattr 198 p
write made: symlink 88 sp, symlinkat 266 sdp, link 86 pp, linkat 265 dpdpx
write leads: truncate 76 p, chmod 90 p, fchmodat 268 dp, chown 92 p, fchownat 260 dp--x,
    setxattr 188 p, removexattr 197 p, utime 132 p, utimes 235 p, futimesat 261 dp,
    utimensat 280 dp-x
write fd: fchmod 91 n, fchown 93 n, fsetxattr 190 n, fremovexattr 199 n
connect address: connect 42 na, sendto 44 n---a, sendmsg 46 nM, sendmmsg 307 nV
bind address: bind 49 na
listen fd: listen 50 n
exec leads: execve 59 pv, execveat 322 dpv-x
mark leads: access 21 p, faccessat 269 dp, faccessat2 439 dp-x
refused -: ptrace 101, process_vm_readv 310, process_vm_writev 311, kcmp 312, pidfd_getfd 438,
    process_madvise 440, seccomp 317, add_key 248, request_key 249, keyctl 250, bpf 321,
    perf_event_open 298, userfaultfd 323, io_uring_setup 425, io_uring_enter 426,
    io_uring_register 427, mount 165, umount2 166, pivot_root 155, chroot 161, open_tree 428,
    move_mount 429, fsopen 430, fsconfig 431, fsmount 432, fspick 433, mount_setattr 442,
    unshare 272, setns 308, name_to_handle_at 303, open_by_handle_at 304, fanotify_init 300,
    create_module 174, init_module 175, delete_module 176, get_kernel_syms 177, query_module 178,
    finit_module 313, kexec_load 246, kexec_file_load 320, swapon 167, swapoff 168, reboot 169,
    acct 163, quotactl 179, quotactl_fd 443, syslog 103, iopl 172, ioperm 173, modify_ldt 154,
    personality 135, vhangup 153, settimeofday 164, adjtimex 159, clock_settime 227,
    clock_adjtime 305, sethostname 170, setdomainname 171, memfd_secret 447, vmsplice 278,
    migrate_pages 256, move_pages 279, lookup_dcookie 212, uselib 134, ustat 136, sysfs 139,
    _sysctl 156, nfsservctl 180
"""  # a seccomp filter of its own with USER_NOTIF would keep a program's calls from the watcher


def _parse_row(row: str) -> list[Syscall]:
    head, _, calls = row.partition(":")
    kind, reads = head.split()
    parts = [(*call.split(), "-") for call in calls.split(",")]
    return [Syscall(p[0], int(p[1]), kind, reads.strip("-"), p[2]) for p in parts]


TABLE = tuple(c for row in re.split(r"\n(?! )", _ROWS.strip()) for c in _parse_row(row))
CALLS = {call.name: call for call in TABLE}
REFUSED = {call.name: call.number for call in TABLE if call.kind == "refused"}
# Runtimes ask every kernel for io_uring. Every other refused call becomes an event.
_SILENT = ("io_uring_setup", "io_uring_enter", "io_uring_register")
NOTIFIED = tuple(c for c in TABLE if c.name not in _SILENT)
SHAPES = "\n".join(
    f"{c.number} {c.name} {c.kind} {c.shape} {c.reads or '-'} {c.way}" for c in NOTIFIED
)
SHAPES += "\n56 clone refused - - refused"  # with flags that the filter asks about
# Only noted, for their effects: messages name their sender; the kernel writes into memory.
SHAPES += "\n54 setsockopt noted - - passed\n206 io_setup noted - - passed"
# Answered with 0 and not made: whoever let others on the machine go first would never time out.
PRIORITIES = {"setpriority": 141, "sched_setscheduler": 144, "sched_setattr": 314}
# Newer calls, fchmodat2, setxattrat and open_tree_attr among them, are answered as by a kernel that
# lacks them (ENOSYS): no row above has them.
LAST = 450

# The filter: a deny-list as a BPF program for bwrap's --seccomp. It refuses what namespaces do not
# confine: the kernel's debugging, keyring, module and time interfaces, new namespaces and mounts,
# io_uring, other ABIs, and sockets that reach past the network namespace (vsock); and what would
# hide a program from its watcher: filters of its own, protocols that connect by setsockopt (SCTP),
# and calls so new that no row has them. Landlock is lacking: a watcher outside would not be barred.
ARCH_X86_64 = 0xC000003E
ALLOW, ERRNO, NOTIFY = 0x7FFF0000, 0x00050000, 0x7FC00000
LD, AND, JEQ, JGE, JSET, RET = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
OFF_NR, OFF_ARCH, OFF_ARG = 0, 4, 16

CLONE, CLONE3, IOCTL, SOCKET, PRCTL, FCNTL = 56, 435, 16, 41, 157, 72
SETSOCKOPT, IO_SETUP = 54, 206
PASSCRED, PASSPIDFD = 16, 76  # of setsockopt: messages name their sender
SET_SECCOMP = 22  # of prctl
LANDLOCK = {"landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446}
# of fcntl: whoever opens the file then waits for its owner; and all that is newer than F_GETDELEG
SET_LEASE, NEWER = 1024, 1040
UNTRACED = 0x00800000  # of clone: a child that no tracer sees
# and NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
FORBIDDEN = 0x7E020000 | UNTRACED
# of ioctl: to type into a terminal; to change the attributes of a file, which no event would show
IOCTLS = (0x5412, 0x541C, 0x40086602, 0x40046602, 0x401C5820)
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16
TYPES, RAW = 0xF, 3  # of socket: the bits of its type, and the last type of the protocols below
PROTOCOLS = (0, 1, 6, 17, 58, 262)  # the usual one, ICMP, TCP, UDP, ICMP of INET6, MPTCP


def _pack_instruction(code: int, k: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, k & 0xFFFFFFFF)


def _return_error(error: int) -> bytes:
    return _pack_instruction(RET, ERRNO | error)


def _load_argument(index: int) -> bytes:
    """Load the low 32 bits of an argument; of those looked at here the kernel reads no more."""
    return _pack_instruction(LD, OFF_ARG + 8 * index)


def _restrict_to_call(number: int, body: list[bytes]) -> list[bytes]:
    """`body` for this system call only; it must return on every path."""
    return [_pack_instruction(JEQ, number, 0, len(body)), *body]


def _filter_sockets(allow: bytes) -> list[bytes]:
    """Only UNIX, the routing part of NETLINK (protocol 0), and PROTOCOLS of INET and INET6."""
    family, protocol = _return_error(errno.EAFNOSUPPORT), _return_error(errno.EPROTONOSUPPORT)
    internet = [
        _load_argument(1),
        _pack_instruction(AND, TYPES),
        _pack_instruction(JGE, RAW + 1, 0, 1),
        protocol,
        _load_argument(2),
    ]
    internet += [op for number in PROTOCOLS for op in _restrict_to_call(number, [allow])]
    routes = [_load_argument(2), _pack_instruction(JEQ, 0, 0, 1), allow, family]
    internet.append(protocol)
    rows = {UNIX: [allow], NETLINK: routes, INET: internet, INET6: internet}
    return [
        _load_argument(0),
        *(op for number, row in rows.items() for op in _restrict_to_call(number, row)),
        family,
    ]


def _notify_watcher(call: Syscall) -> list[bytes]:
    """Ask the watcher: of sendto, where it has an address; of access, where it asks for F_OK."""
    if call.kind == "mark":
        mode = _load_argument(call.shape.index("p") + 1)
        return [
            mode,
            _pack_instruction(JEQ, 0, 0, 1),
            _pack_instruction(RET, NOTIFY),
            _pack_instruction(RET, ALLOW),
        ]
    if call.name != "sendto":
        return [_pack_instruction(RET, NOTIFY)]
    address = OFF_ARG + 8 * 4
    return [
        *(
            _pack_instruction(LD, address),
            _pack_instruction(JEQ, 0, 0, 2),
            _pack_instruction(LD, address + 4),
            _pack_instruction(JEQ, 0, 1),
        ),
        *(_pack_instruction(RET, NOTIFY), _pack_instruction(RET, ALLOW)),
    ]


def filter_program(*, ptrace: bool = False, notify: bool = False) -> bytes:
    """The filter, ready for seccomp(2).

    ptrace: a program may trace others of its own box, and begin children that no tracer sees, as
    LeakSanitizer does; nobody may where calls are notified, for there the watcher is the tracer.
    notify: calls that are evidence wait for the answer of whoever holds the filter's listener, and
    the watcher's to those of the deny-list is EPERM; without a watcher no call is made at all.
    """
    eperm, enosys, allow = (
        _return_error(errno.EPERM),
        _return_error(errno.ENOSYS),
        _pack_instruction(RET, ALLOW),
    )
    code = [_pack_instruction(LD, OFF_ARCH), _pack_instruction(JEQ, ARCH_X86_64, 1), enosys]
    code += [
        _pack_instruction(LD, OFF_NR),
        _pack_instruction(JGE, LAST + 1, 0, 1),
        enosys,
    ]  # those of x32, too
    notified = NOTIFIED if notify else ()
    for name, number in REFUSED.items():
        if ptrace and name == "ptrace" or number in {call.number for call in notified}:
            continue
        code += _restrict_to_call(number, [eperm])
    for number in (CLONE3, *LANDLOCK.values()):  # clone3's flags lie in memory; glibc has clone
        code += _restrict_to_call(number, [enosys])
    for number in PRIORITIES.values():
        code += _restrict_to_call(number, [_return_error(0)])
    denied = _pack_instruction(RET, NOTIFY) if notify else eperm
    forbidden = FORBIDDEN & ~UNTRACED if ptrace and not notify else FORBIDDEN
    code += _restrict_to_call(
        CLONE, [_load_argument(0), _pack_instruction(JSET, forbidden, 0, 1), denied, allow]
    )
    leases = [
        _pack_instruction(JEQ, SET_LEASE, 1),
        _pack_instruction(JGE, NEWER, 0, 1),
        _return_error(errno.EINVAL),
    ]
    code += _restrict_to_call(FCNTL, [_load_argument(1), *leases, allow])
    code += _restrict_to_call(
        PRCTL, [_load_argument(0), _pack_instruction(JEQ, SET_SECCOMP, 0, 1), eperm, allow]
    )
    requests = [
        _pack_instruction(JEQ, request, len(IOCTLS) - i) for i, request in enumerate(IOCTLS)
    ]
    code += _restrict_to_call(IOCTL, [_load_argument(1), *requests, allow, eperm])
    code += _restrict_to_call(SOCKET, _filter_sockets(allow))
    if notify:
        names = [_pack_instruction(JEQ, PASSCRED, 1), _pack_instruction(JEQ, PASSPIDFD, 0, 1)]
        code += _restrict_to_call(SETSOCKOPT, [_load_argument(2), *names, denied, allow])
        code += _restrict_to_call(IO_SETUP, [denied])
    for call in notified:
        code += _restrict_to_call(call.number, _notify_watcher(call))
    return b"".join([*code, allow])


def _build_rule(names: list[str], error: int, *args: tuple[int, int, str]) -> dict[str, object]:
    conditions = [
        {"index": i, "value": value, "valueTwo": value, "op": f"SCMP_CMP_{op}"}
        for i, value, op in args
    ]
    return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error, "args": conditions}


def container_profile() -> str:
    """The deny-list as JSON for a container.

    The program also gets the whole `filter_program`; this covers all else in the container.
    """
    rules = [_build_rule(list(REFUSED), errno.EPERM)]
    rules.append(_build_rule(["clone3", *LANDLOCK], errno.ENOSYS))
    rules.append(_build_rule(["fcntl"], errno.EINVAL, (1, SET_LEASE, "EQ")))
    rules.append(_build_rule(["fcntl"], errno.EINVAL, (1, NEWER, "GE")))
    for bit in (1 << n for n in range(32) if FORBIDDEN >> n & 1):  # any of them, not all
        rules.append(_build_rule(["clone"], errno.EPERM, (0, bit, "MASKED_EQ")))
    rules += [_build_rule(["ioctl"], errno.EPERM, (1, n, "EQ")) for n in IOCTLS]
    for family in set(range(64)) - {UNIX, INET, INET6, NETLINK}:
        rules.append(_build_rule(["socket"], errno.EAFNOSUPPORT, (0, family, "EQ")))
    rules.append(_build_rule(["socket"], errno.EAFNOSUPPORT, (0, NETLINK, "EQ"), (2, 1, "GE")))
    for number in {*range(PROTOCOLS[-1])} - {*PROTOCOLS}:
        for family in (INET, INET6):
            asked = (0, family, "EQ"), (2, number, "EQ")
            rules.append(_build_rule(["socket"], errno.EPROTONOSUPPORT, *asked))
    arch = {"architecture": "SCMP_ARCH_X86_64", "subArchitectures": []}
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "archMap": [arch], "syscalls": rules})
