"""Forks a child that asks not to be traced, which does one deed by Python's own means."""

import ctypes
import os
import socket
import subprocess
import sys
import traceback

CLONE, UNTRACED, SIGCHLD = 56, 0x00800000, 17

deed = sys.argv[1]
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 0))
port = server.getsockname()[1]
os.access("/kit-begin", 0)
child = ctypes.CDLL(None).syscall(CLONE, UNTRACED | SIGCHLD, 0, 0, 0, 0)
if child == 0:
    try:
        if deed == "exec":
            subprocess.run(["/bin/sh", "-c", "echo harm exec /bin/sh"], check=True)
        elif deed == "open" and os.open("/proc/self/root/etc/passwd", os.O_RDONLY) >= 0:
            print("harm open /etc/passwd", flush=True)
        elif deed == "send":
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port))
            print(f"harm connect 127.0.0.1:{port}", flush=True)
        elif deed == "write":
            os.close(os.open("/proc/self/root/tmp/new", os.O_CREAT | os.O_WRONLY))
            print("harm write /tmp/new", flush=True)
    except OSError:
        traceback.print_exc()
    finally:
        os._exit(0)
elif child > 0:
    os.waitpid(child, 0)
