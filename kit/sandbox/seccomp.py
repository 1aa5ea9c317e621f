"""A deny-list of system calls as a BPF program for bwrap's --seccomp; x86-64 only.

Refused is what namespaces do not hold: the kernel's debugging, keyring, module and time interfaces,
new namespaces and mounts, io_uring, other ABIs, and sockets that reach past the network namespace
(vsock).
"""

import errno
import json
import struct

ARCH_X86_64 = 0xC000003E
X32_BIT = 0x40000000
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
LD, JEQ, JGE, JSET, RET = 0x20, 0x15, 0x35, 0x45, 0x06
OFF_NR, OFF_ARCH, OFF_ARG = 0, 4, 16

CLONE, CLONE3, IOCTL, SOCKET = 56, 435, 16, 41
NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16

DENIED = {
    **{"ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312},
    **{"pidfd_getfd": 438, "process_madvise": 440},
    **{"add_key": 248, "request_key": 249, "keyctl": 250},
    **{"bpf": 321, "perf_event_open": 298, "userfaultfd": 323},
    **{"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427},
    **{"mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161},
    **{"open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432},
    **{"fspick": 433, "mount_setattr": 442, "unshare": 272, "setns": 308},
    **{"name_to_handle_at": 303, "open_by_handle_at": 304, "fanotify_init": 300},
    **{"create_module": 174, "init_module": 175, "delete_module": 176, "get_kernel_syms": 177},
    **{"query_module": 178, "finit_module": 313},
    **{"kexec_load": 246, "kexec_file_load": 320, "swapon": 167, "swapoff": 168},
    **{"reboot": 169, "acct": 163, "quotactl": 179, "quotactl_fd": 443, "syslog": 103},
    **{"iopl": 172, "ioperm": 173, "modify_ldt": 154, "personality": 135, "vhangup": 153},
    **{"settimeofday": 164, "adjtimex": 159, "clock_settime": 227, "clock_adjtime": 305},
    **{"sethostname": 170, "setdomainname": 171, "memfd_secret": 447, "vmsplice": 278},
    **{"migrate_pages": 256, "move_pages": 279, "lookup_dcookie": 212, "uselib": 134},
    **{"ustat": 136, "sysfs": 139, "_sysctl": 156, "nfsservctl": 180},
}


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


def program(*, ptrace: bool = False) -> bytes:
    """The filter, ready for seccomp(2). ptrace: a program may trace others of its own box."""
    eperm, enosys, allow = _refuse(errno.EPERM), _refuse(errno.ENOSYS), _op(RET, ALLOW)
    code = [_op(LD, OFF_ARCH), _op(JEQ, ARCH_X86_64, 1), enosys]
    code += [_op(LD, OFF_NR), _op(JGE, X32_BIT, 0, 1), enosys]
    for name, number in DENIED.items():
        if ptrace and name == "ptrace":
            continue
        code += _when(number, [eperm])
    code += _when(CLONE3, [enosys])  # its flags lie in memory; glibc falls back to clone
    code += _when(CLONE, [_arg(0), _op(JSET, NEW_NAMESPACES, 0, 1), eperm, allow])
    tty = [_op(JEQ, TIOCSTI, 2), _op(JEQ, TIOCLINUX, 1)]
    code += _when(IOCTL, [_arg(1), *tty, allow, eperm])
    code += _when(SOCKET, _sockets(allow))
    return b"".join([*code, allow])


def _rule(names: list[str], error: int, *args: tuple[int, int, str]) -> dict[str, object]:
    found = [
        {"index": i, "value": value, "valueTwo": value, "op": f"SCMP_CMP_{op}"}
        for i, value, op in args
    ]
    return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error, "args": found}


def profile(*, tracer: bool) -> str:
    """The same deny-list as JSON for Docker; with `tracer`, strace can work inside."""
    needed = {"ptrace", "process_vm_readv"} if tracer else set()
    rules = [_rule([name for name in DENIED if name not in needed], errno.EPERM)]
    rules.append(_rule(["clone3"], errno.ENOSYS))
    for bit in (1 << n for n in range(32) if NEW_NAMESPACES >> n & 1):  # any of them, not all
        rules.append(_rule(["clone"], errno.EPERM, (0, bit, "MASKED_EQ")))
    rules += [_rule(["ioctl"], errno.EPERM, (1, n, "EQ")) for n in (TIOCSTI, TIOCLINUX)]
    for family in set(range(64)) - {UNIX, INET, INET6, NETLINK}:
        rules.append(_rule(["socket"], errno.EAFNOSUPPORT, (0, family, "EQ")))
    rules.append(_rule(["socket"], errno.EAFNOSUPPORT, (0, NETLINK, "EQ"), (2, 1, "GE")))
    arch = {"architecture": "SCMP_ARCH_X86_64", "subArchitectures": []}
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "archMap": [arch], "syscalls": rules})
