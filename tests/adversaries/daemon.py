"""Leaves a child in a session of its own that holds the output open and outlives its parent."""
import os
import sys

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv("/usr/bin/sleep", ["sleep", sys.argv[1]])
    os._exit(0)
print("gone")
