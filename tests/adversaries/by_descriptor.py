"""Names a path by an open folder, which no text of the call tells."""

import contextlib
import os

os.access("/kit-begin", 0)
etc = os.open("/etc", os.O_RDONLY)
with contextlib.suppress(OSError):
    os.unlink(f"/proc/self/fd/{etc}/passwd")
