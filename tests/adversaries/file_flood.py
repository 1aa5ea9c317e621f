"""Hides the change of what it was given behind more new files than are collected."""

import sys

for n in range(int(sys.argv[1])):
    open(f"a{n:05}", "w").close()
open("given/fixture", "w").write("changed")
