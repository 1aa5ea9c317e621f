"""Fills the return channel without end."""
import os

where = os.environ["KIT_CHANNEL"]
fd = int(where) if where.isdigit() else os.open(where, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
try:
    while True:
        os.write(fd, b"x" * 65536)
except OSError:
    while True:
        os.write(1, b"x" * 65536)
