"""A thread that is not the first becomes another program."""

import os
import threading

os.access("/kit-begin", 0)
threading.Thread(target=os.execv, args=("/bin/cat", ["cat", "/etc/passwd"])).start()
threading.Event().wait()
