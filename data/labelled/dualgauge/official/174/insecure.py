import os
import sys

BUF_SIZE = 1024

try:
    fd = os.open("./test_dir/" + sys.argv[1], os.O_RDONLY)
    buf = os.read(fd, BUF_SIZE)
    cpy = buf[:BUF_SIZE]
    print(cpy.decode(), end="")
except Exception:
    print("Error")
