"""Begins what does not end before the program does."""

import os
import signal
import socket
import sys
import threading
import time


def full(family: int, name: object) -> tuple[socket.socket, list[socket.socket], object]:
    """A listener that takes no more connections, those that it has, and where it is."""
    server = socket.socket(family)
    server.bind(name)
    server.listen(0)
    kept = []
    for _ in range(4):
        client = socket.socket(family)
        client.setblocking(False)
        client.connect_ex(server.getsockname())
        kept.append(client)
    return server, kept, server.getsockname()


def harm(kind: str, target: str) -> None:
    os.access("/kit-begin", 0)
    print(f"harm {kind} {target}", flush=True)


def last(deed: object, *args: object) -> None:
    threading.Thread(target=deed, args=args, daemon=True).start()
    time.sleep(0.3)
    os._exit(0)


deed = sys.argv[1]
if deed == "fifo":
    os.mkfifo("/box/fifo")
    harm("open", "/box/fifo")
    last(os.open, "/box/fifo", os.O_RDONLY)
unix = deed.endswith("unix")
name = "/box/server" if unix else ("127.0.0.1", 0)
server, kept, where = full(socket.AF_UNIX if unix else socket.AF_INET, name)
client = socket.socket(server.family)
harm("connect", f"unix:{where}" if unix else f"127.0.0.1:{where[1]}")
if deed.startswith("alarm"):
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    client.connect(where)
elif deed.startswith("killed"):
    if (child := os.fork()) == 0:
        client.connect(where)
    time.sleep(0.3)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
else:
    last(client.connect, where)
