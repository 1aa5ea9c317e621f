"""Opens files of very long names that do not exist, without end, to fill the trace."""
import os

name = "/nowhere/" + "/".join(["x" * 200] * 19)
while True:
    try:
        os.open(name, os.O_RDONLY)
    except OSError:
        pass
