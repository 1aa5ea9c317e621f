"""Takes memory over many processes, none of which is large."""
import os
import time

for _ in range(12):
    if os.fork() == 0:
        held = bytearray(64 << 20)
        time.sleep(20)
        os._exit(0)
time.sleep(20)
