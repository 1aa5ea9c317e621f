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

`shape` says, a letter an argument, what the watcher of native/watch.c shows of the call:

    d folder   p path in it or in the working folder   s text   o, h, c flags of an open
    n descriptor   a address and its length   M message, V messages   v list of texts
    x AT_ flags   r flags of a rename   m mode of a new file   - nothing
"""

from typing import NamedTuple


class Call(NamedTuple):
    """kind: that of the event; "refused" (EPERM), or what the reader keeps account of."""

    name: str
    number: int
    kind: str
    reads: str = ""
    shape: str = "-"

    @property
    def way(self) -> str:
        """Who carries it out: the watcher, the program itself once its attempt is told, or none."""
        if self.kind in ("refused", "mark", "fork", "folder"):
            return {"refused": "refused", "mark": "passed"}.get(self.kind, "followed")
        return "told" if self.kind == "exec" else "done"


_FILES = (
    *(Call("open", 2, "open", "leads", "po"), Call("openat", 257, "open", "leads", "dpo")),
    *(Call("openat2", 437, "open", "leads", "dph"), Call("creat", 85, "open", "leads", "pc")),
    *(Call("unlink", 87, "delete", "name", "p"), Call("unlinkat", 263, "delete", "name", "dp")),
    *(Call("rmdir", 84, "delete", "name", "p"), Call("rename", 82, "rename", "both", "pp")),
    *(
        Call("renameat", 264, "rename", "both", "dpdp"),
        Call("renameat2", 316, "rename", "both", "dpdpr"),
    ),
    *(Call("mkdir", 83, "write", "name", "p"), Call("mkdirat", 258, "write", "name", "dp")),
    *(Call("mknod", 133, "write", "name", "pm"), Call("mknodat", 259, "write", "name", "dpm")),
    *(Call("symlink", 88, "write", "made", "sp"), Call("symlinkat", 266, "write", "made", "sdp")),
    *(Call("link", 86, "write", "made", "pp"), Call("linkat", 265, "write", "made", "dpdpx")),
    *(Call("truncate", 76, "write", "leads", "p"), Call("chmod", 90, "write", "leads", "p")),
    *(Call("fchmod", 91, "write", "fd", "n"), Call("fchmodat", 268, "write", "leads", "dp")),
    *(Call("chown", 92, "write", "leads", "p"), Call("lchown", 94, "write", "name", "p")),
    *(Call("fchown", 93, "write", "fd", "n"), Call("fchownat", 260, "write", "leads", "dp--x")),
    *(Call("setxattr", 188, "write", "leads", "p"), Call("lsetxattr", 189, "write", "name", "p")),
    *(Call("fsetxattr", 190, "write", "fd", "n"), Call("removexattr", 197, "write", "leads", "p")),
    *(
        Call("lremovexattr", 198, "write", "name", "p"),
        Call("fremovexattr", 199, "write", "fd", "n"),
    ),
    *(Call("utime", 132, "write", "leads", "p"), Call("utimes", 235, "write", "leads", "p")),
    *(
        Call("futimesat", 261, "write", "leads", "dp"),
        Call("utimensat", 280, "write", "leads", "dp-x"),
    ),
)
_OTHERS = (
    *(
        Call("connect", 42, "connect", "address", "na"),
        Call("sendto", 44, "connect", "address", "n---a"),
    ),
    *(
        Call("sendmsg", 46, "connect", "address", "nM"),
        Call("sendmmsg", 307, "connect", "address", "nV"),
    ),
    *(Call("bind", 49, "bind", "address", "na"), Call("listen", 50, "listen", "fd", "n")),
    *(Call("execve", 59, "exec", "leads", "pv"), Call("execveat", 322, "exec", "leads", "dpv-x")),
    *(Call("access", 21, "mark", "leads", "p"), Call("faccessat", 269, "mark", "leads", "dp")),
    *(Call("faccessat2", 439, "mark", "leads", "dp-x"),),
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
# Forks and working folders the watcher sees without stopping at the calls; runtimes ask every
# kernel for io_uring. All else that is refused is told, so that who tried is known.
_SILENT = ("io_uring_setup", "io_uring_enter", "io_uring_register")
NOTIFIED = tuple(c for c in TABLE if c.kind not in ("fork", "folder") and c.name not in _SILENT)
# Where a call that the watcher does is told instead, and the program does it.
EXCEPTIONS = {
    "open": "an O_PATH descriptor; a FIFO, where the open must wait for its other end",
    "truncate": "to more than a file may hold, for which the program gets a signal",
    "connect": "a stream of the UNIX family; its datagrams where no other could change the address",
    "sendto": "a stream, which ignores it; UNIX datagrams where no other could change the address",
    "sendmsg": "as sendto; without an address it is not told",
    "bind": "a socket of the UNIX family",
    "listen": "a socket of the UNIX family",
}


def table() -> str:
    """For each notified call who carries it out, and where that is otherwise, in Markdown."""
    lines = ["| call | carried out | but told as an attempt |", "| --- | --- | --- |"]
    words = {
        "done": "by the watcher",
        "told": "by the program, told as an attempt",
        "passed": "by the program; only a mark of the harness is read",
        "refused": "by none: refused and told",
    }
    for way, what in words.items():
        groups: dict[str, list[str]] = {}
        for call in NOTIFIED:
            if call.way == way:
                alike = (
                    "open" if call.kind == "open" else "sendmsg" if call.name == "sendmmsg" else ""
                )
                groups.setdefault(EXCEPTIONS.get(alike or call.name, ""), []).append(call.name)
        lines += [f"| {', '.join(names)} | {what} | {but} |" for but, names in groups.items()]
    lines.append("| clone with CLONE_UNTRACED or a new namespace | by none: refused and told | |")
    return "\n".join(lines) + "\n"


SHAPES = "\n".join(
    f"{c.number} {c.name} {c.kind} {c.shape} {c.reads or '-'} {c.way}" for c in NOTIFIED
)
SHAPES += "\n56 clone refused - - refused"  # with flags that the filter asks about
# Only noted, for what they change: messages tell who sent them; the kernel writes into memory;
# others of the machine may go first.
NOTED = {"io_setup": 206, "setpriority": 141, "sched_setscheduler": 144, "sched_setattr": 314}
SHAPES += "".join(
    f"\n{n} {name} noted - - passed" for name, n in {"setsockopt": 54, **NOTED}.items()
)
# Newer calls, fchmodat2, setxattrat and open_tree_attr among them, are answered as by a kernel that
# lacks them (ENOSYS): strace 6.1 has no name for them.
LAST = 450
