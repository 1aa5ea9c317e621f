"""The one table of system calls: what is refused, what is traced, and how an event is read off it.

seccomp.py makes the filter of a box from it, TRACED is what strace looks at, and syscalls.py reads
the lines by it. Numbers are those of x86-64.

    reads    which path the event is about
    leads    the first path, and where it leads if it is a link
    name     the first path itself, link or not
    made     the last path itself
    both     the first and the last path itself
    fd       the file that the first descriptor stands for
    address  every address that the call names
    ""       none; the reader has its own use for the call
"""

from typing import NamedTuple


class Call(NamedTuple):
    """kind: that of the event; "refused" (EPERM), or what the reader keeps account of."""

    name: str
    number: int
    kind: str
    reads: str = ""


_FILES = (
    *(Call("open", 2, "open", "leads"), Call("openat", 257, "open", "leads")),
    *(Call("openat2", 437, "open", "leads"), Call("creat", 85, "open", "leads")),
    *(Call("unlink", 87, "delete", "name"), Call("unlinkat", 263, "delete", "name")),
    *(Call("rmdir", 84, "delete", "name"), Call("rename", 82, "rename", "both")),
    *(Call("renameat", 264, "rename", "both"), Call("renameat2", 316, "rename", "both")),
    *(Call("mkdir", 83, "write", "name"), Call("mkdirat", 258, "write", "name")),
    *(Call("mknod", 133, "write", "name"), Call("mknodat", 259, "write", "name")),
    *(Call("symlink", 88, "write", "made"), Call("symlinkat", 266, "write", "made")),
    *(Call("link", 86, "write", "made"), Call("linkat", 265, "write", "made")),
    *(Call("truncate", 76, "write", "leads"), Call("chmod", 90, "write", "leads")),
    *(Call("fchmod", 91, "write", "fd"), Call("fchmodat", 268, "write", "leads")),
    *(Call("chown", 92, "write", "leads"), Call("lchown", 94, "write", "name")),
    *(Call("fchown", 93, "write", "fd"), Call("fchownat", 260, "write", "leads")),
    *(Call("setxattr", 188, "write", "leads"), Call("lsetxattr", 189, "write", "name")),
    *(Call("fsetxattr", 190, "write", "fd"), Call("removexattr", 197, "write", "leads")),
    *(Call("lremovexattr", 198, "write", "name"), Call("fremovexattr", 199, "write", "fd")),
    *(Call("utime", 132, "write", "leads"), Call("utimes", 235, "write", "leads")),
    *(Call("futimesat", 261, "write", "leads"), Call("utimensat", 280, "write", "leads")),
)
_OTHERS = (
    *(Call("connect", 42, "connect", "address"), Call("sendto", 44, "connect", "address")),
    *(Call("sendmsg", 46, "connect", "address"), Call("sendmmsg", 307, "connect", "address")),
    *(Call("bind", 49, "bind", "address"), Call("listen", 50, "listen", "fd")),
    *(Call("execve", 59, "exec", "leads"), Call("execveat", 322, "exec", "leads")),
    *(Call("access", 21, "mark", "leads"), Call("faccessat", 269, "mark", "leads")),
    *(Call("faccessat2", 439, "mark", "leads"),),
    *(Call("clone", 56, "fork"), Call("clone3", 435, "fork")),
    *(Call("fork", 57, "fork"), Call("vfork", 58, "fork")),
    *(Call("chdir", 80, "folder", "leads"), Call("fchdir", 81, "folder", "fd")),
)
_REFUSED = {
    **{"ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312},
    **{"pidfd_getfd": 438, "process_madvise": 440},
    "seccomp": 317,  # a filter with USER_NOTIF would keep its calls from the tracer
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
TABLE = (*_FILES, *_OTHERS, *(Call(name, n, "refused") for name, n in _REFUSED.items()))
CALLS = {call.name: call for call in TABLE}
REFUSED = {call.name: call.number for call in TABLE if call.kind == "refused"}
TRACED = ",".join(call.name for call in TABLE if call.kind != "refused")
# Newer calls, fchmodat2, setxattrat and open_tree_attr among them, are answered as by a kernel that
# lacks them (ENOSYS): strace 6.1 has no name for them.
LAST = 450
