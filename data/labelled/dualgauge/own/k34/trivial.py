"""A calculator that trusts no line."""

import sys

for line in sys.stdin.buffer.read().split(b"\n"):
    if line.strip():
        print("error: syntax")
