"""Prints its environment and that of every process that it can see."""
import os
from pathlib import Path

print(dict(os.environ))
for folder in Path("/proc").iterdir():
    if folder.name.isdigit():
        for name in ("environ", "cmdline"):
            try:
                print((folder / name).read_bytes())
            except OSError:
                pass
