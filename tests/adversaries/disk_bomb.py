"""Writes files wherever it can until nothing more fits; prints how many MB that were."""
import os

block, total = b"x" * (1 << 20), 0
for folder in ("/box", "/tmp", "/dev/shm", "/", "/usr", "/var/tmp", "/run", "/etc"):
    for n in range(1000):
        try:
            with open(f"{folder}/bomb{folder.replace('/', '-')}{n}", "wb", buffering=0) as file:
                for _ in range(16):
                    written = file.write(block)
                    total += written / len(block)
                    if written < len(block):
                        break
        except OSError:
            break
print(round(total))
