"""Prints bytes that are no text."""
import os

os.write(1, b"\xff\xfe\x00\x1b[31m\xc3\x28\xe2\x80\xa8 end")
os.write(2, bytes(range(256)))
