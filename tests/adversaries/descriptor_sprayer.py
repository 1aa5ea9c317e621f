"""Writes a false exit code into every descriptor but its return channel, then fails."""
import os

channel = os.environ["KIT_CHANNEL"]
for fd in range(3, 512):
    if str(fd) != channel:
        try:
            os.write(fd, b'{ "exit-code": 0 }\n')
        except OSError:
            pass
os._exit(7)
