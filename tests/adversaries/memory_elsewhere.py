"""Takes memory that is not the process's: shared, in tmpfs, in memfd."""
import mmap
import os

kept = []
for _ in range(64):
    fd = os.memfd_create("m")
    os.truncate(fd, 16 << 20)
    kept.append(mmap.mmap(fd, 16 << 20))
    kept[-1].write(b"x" * (16 << 20))
print("took 1 GB")
