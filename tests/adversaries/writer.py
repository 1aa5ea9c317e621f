"""Tries to write what belongs to the host or to the kernel; prints what opened for writing."""
import glob
import os

tries = ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/proc/sys/kernel/modprobe"]
tries += ["/proc/sys/vm/drop_caches", "/sys/power/state"]
tries += ["/usr/bin/python3", "/usr/lib/x", "/etc/passwd", "/etc/ld.so.preload", "/bin/x", "/x", "/root/x", "/dev/x"]
tries += glob.glob("/sys/fs/cgroup/*/cgroup.procs") + glob.glob("/sys/fs/cgroup/*/release_agent")
tries += glob.glob("/sys/fs/cgroup/memory/memory.limit_in_bytes") + glob.glob("/sys/fs/cgroup/memory.max")
for path in tries:
    for flags in (os.O_WRONLY, os.O_WRONLY | os.O_CREAT):
        try:
            os.close(os.open(path, flags, 0o600))
            print("write", path)
            break
        except OSError:
            pass
for path in ("/etc/passwd", "/usr/bin/python3"):
    for action in (os.remove, lambda p: os.chmod(p, 0o777), lambda p: os.rename(p, p + "x")):
        try:
            action(path)
            print("changed", path)
        except OSError:
            pass
