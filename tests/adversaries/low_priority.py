"""Tries each way to let others go first, so as to starve; says what came of it."""

import ctypes
import os
import struct
from glob import glob


def told():
    return os.nice(0), os.sched_getscheduler(0), [open(p).read() for p in glob("/proc/self/auto*")]


before = told()
os.nice(19)
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
idle = struct.pack("=IIQiIQQQ", 48, os.SCHED_IDLE, 0, 19, 0, 0, 0, 0)
ctypes.CDLL(None).syscall(314, 0, idle, 0)  # sched_setattr
os.symlink("/proc", "p")
held = os.open("p/self/mem", os.O_PATH)
group = f"/{os.getppid()}/autogroup"
for path in ("/proc/self/autogroup", "p" + group, f"/proc/self/fd/{held}", "/proc/1/mem"):
    for mode in ("wb", "r+b", "ab"):
        try:
            open(path, mode, buffering=0).write(b"19\n")
            print("wrote", path, mode)
        except OSError:
            pass
print("as before" if told() == before else told())
