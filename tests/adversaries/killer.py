"""Sends SIGKILL to its parents, to init, to every process, and last to itself."""
import os
import signal

for pid in [os.getppid(), 1, 2, *range(3, 3000), -1]:
    if pid != os.getpid():
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
print("still here", flush=True)
os.kill(0, signal.SIGKILL)
