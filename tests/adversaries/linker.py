"""Leaves behind what a careless collector would follow, block on, or copy from the host."""
import os
import socket

os.symlink("/etc/passwd", "passwd")
os.symlink("/", "root")
os.symlink("../../../../etc", "etc")
os.mkdir("d")
os.symlink("/etc", "d/etc")
os.mkfifo("pipe")
open("one", "w").write("1")
os.link("one", "two")
socket.socket(socket.AF_UNIX).bind("socket")
for kind in (0o020666, 0o060666):
    try:
        os.mknod("device", kind, os.makedev(1, 3))
    except OSError:
        pass
open("honest", "w").write("kept")
