"""Reaches what it may not by links to folders, through which no path shows where it leads."""

import contextlib
import os

os.makedirs("folder/inner")
open("folder/kept", "w").close()
open("plain", "w").close()
os.access("/kit-begin", 0)
os.symlink("/etc", "e")
os.symlink("folder/inner", "i")
os.symlink("e", "again")
os.link("plain", "alias")
for deed in (
    lambda: open("e/none"),
    lambda: open("again/none-either"),
    lambda: open("i/../kept2"),
    lambda: os.unlink("i/../kept"),
    lambda: os.chmod("alias", 0o600),
    lambda: os.rename("e", "moved"),
    lambda: open("moved/after"),
    lambda: open("/proc/self/root/etc/by-root"),
    lambda: open("/proc/self/cwd/by-cwd"),
    lambda: open("alias", "w").close(),
):
    with contextlib.suppress(OSError):
        deed()
