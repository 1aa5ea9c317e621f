"""Tries every call that makes or enters namespaces, mounts, traces or loads; prints what succeeded."""
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
page = ctypes.create_string_buffer(4096)
calls = {
    "unshare user": (272, 0x10000000), "unshare mount": (272, 0x20000), "unshare net": (272, 0x40000000),
    "setns": (308, -1, 0), "clone user": (56, 0x10000000 | 17, 0, 0, 0, 0), "clone pid": (56, 0x20000000 | 17, 0, 0, 0, 0),
    "mount": (165, b"none", b"/tmp", b"tmpfs", 0, 0), "umount": (166, b"/box", 0), "pivot_root": (155, b"/tmp", b"/tmp"),
    "chroot": (161, b"/tmp"), "fsopen": (430, b"tmpfs", 0), "open_tree": (428, -100, b"/", 1),
    "ptrace parent": (101, 16, os.getppid(), 0, 0), "ptrace init": (101, 16, 1, 0, 0),
    "bpf": (321, 0, page, 64), "perf": (298, page, 0, -1, -1, 0), "keyctl": (250, 0, -3, 1), "add_key": (248, b"user", b"x", b"y", 1, -3),
    "userfaultfd": (323, 1), "io_uring": (425, 8, page), "kexec": (246, 0, 0, 0, 0), "init_module": (175, page, 1, b""),
    "reboot": (169, 0xFEE1DEAD, 672274793, 0, 0), "settime": (227, 0, page), "hostname": (170, b"x", 1), "swapon": (167, b"/x", 0),
    "setuid": (105, 0), "setgid": (106, 0), "syslog": (103, 3, page, 10), "quotactl": (179, 0, 0, 0, 0),
    "open_by_handle": (304, -100, page, 0), "process_vm_writev": (311, 1, page, 1, page, 1, 0), "acct": (163, b"/box/a"),
    "TIOCSTI": (16, 0, 0x5412, b"x"), "iopl": (172, 3), "vhangup": (153,), "memfd_secret": (447, 0), "fanotify": (300, 0, 0),
}
for name, call in calls.items():
    got = libc.syscall(*call)
    if got == 0 and name.startswith("clone"):
        os._exit(0)
    if got >= 0:
        print("succeeded", name, got)
print("done")
