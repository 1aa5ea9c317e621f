"""Opens files that do not exist, to fill the trace, then goes on to write a real one."""
import os

for n in range(30_000):
    try:
        os.open(f"/nowhere/{n}/" + "x" * 200, os.O_RDONLY)
    except OSError:
        pass
