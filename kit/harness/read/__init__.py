"""Programs parsed, never run: what they define, import, serve and read."""

from kit.harness.read import cpp, javascript, python

READERS = {"python": python.read, "javascript": javascript.read, **cpp.READERS}
