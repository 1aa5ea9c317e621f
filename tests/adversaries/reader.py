"""Tries to read the host by many paths; prints those that opened."""
import glob
import os
import sys

canary = sys.argv[1]
tries = [canary, "/etc/shadow", "/etc/hostname", "/root/.bashrc", "/root/.ssh/id_rsa", "/etc/ssh/ssh_host_rsa_key"]
tries += [f"/proc/{pid}/root{canary}" for pid in (1, 2, "self")]
tries += [f"/proc/{pid}/cwd{canary}" for pid in (1, 2, "self")]
tries += [f"/box/../../../../../../..{canary}", "/proc/kcore", "/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda"]
tries += [f"/proc/self/fd/{fd}{canary}" for fd in range(32)] + glob.glob("/var/run/*") + glob.glob("/home/*/*")
for path in tries:
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        continue
    try:
        print("read", path, os.read(fd, 40))
    except OSError:
        pass
for folder in ("/work", "/home", "/root", "/var/lib", "/srv", "/run"):
    try:
        print("listed", folder, os.listdir(folder)[:1]) if os.listdir(folder) else None
    except OSError:
        pass
