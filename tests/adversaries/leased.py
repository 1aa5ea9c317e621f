"""Opens a file of which it holds a lease, so that whoever opens it has to wait for its consent."""

import fcntl
import os
import signal

SETLEASE, WRITE = 1024, 1

signal.signal(signal.SIGIO, signal.SIG_IGN)
held = os.open("file", os.O_RDWR | os.O_CREAT)
fcntl.fcntl(held, SETLEASE, WRITE)
if os.fork() == 0:
    os.open("file", os.O_RDONLY)
    os._exit(0)
os.wait()
