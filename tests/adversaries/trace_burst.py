"""Fills the trace within half a second, does its deed, and ends in order."""

import os

os.access("/kit-begin", 0)
long = "/" + "/".join(["n" * 255] * 15)
for _ in range(6000):
    try:
        os.open(long, os.O_RDONLY)
    except OSError:
        continue
open("/etc/passwd").close()
