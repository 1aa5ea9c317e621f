#!/usr/bin/env python3
import sys

BUF_SIZE = 4096

if len(sys.argv) < 2:
    print("Error")
    sys.exit(1)

try:
    with open("./test_dir/" + sys.argv[1], "rb") as f:
        buf = f.read(BUF_SIZE)
    cpy = buf[:BUF_SIZE]
    print(cpy.decode("utf-8", errors="replace"), end="")
except Exception:
    print("Error")
