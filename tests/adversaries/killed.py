"""One deed whose doer is gone as soon as it is done, so that nobody could ask him afterwards."""

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable

UNTIL = "/tmp/made"


def by_child(deed: Callable[[], object], seen: Callable[[], object]) -> None:
    """A child does it, and dies as soon as it can be seen that it did."""
    if (child := os.fork()) == 0:
        deed()
        os._exit(0)
    seen()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def exists() -> None:
    while not os.path.exists(UNTIL):
        pass


def udp() -> tuple[socket.socket, socket.socket, tuple[str, int]]:
    server, client = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    server.bind(("127.0.0.1", 0))
    return server, client, server.getsockname()


def unix(kind: int) -> tuple[socket.socket, socket.socket, str]:
    server, client = (socket.socket(socket.AF_UNIX, kind) for _ in range(2))
    server.bind("/box/server")
    if kind == socket.SOCK_STREAM:
        server.listen(5)
    return server, client, "/box/server"


def harm(kind: str, target: object) -> None:
    where = ":".join(map(str, target)) if isinstance(target, tuple) else target
    os.access("/kit-begin", 0)
    print(f"harm {kind} {where}", flush=True)


def kill() -> None:
    harm("exec", "/bin/sleep")
    started = subprocess.Popen(["/bin/sleep", "5"])
    started.kill()
    started.wait()


def timeout() -> None:
    harm("exec", "/bin/sleep")
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(["/bin/sleep", "5"], timeout=1e-6, check=False)


def send() -> None:
    server, client, where = udp()
    harm("connect", where)
    by_child(lambda: client.sendto(b"x", where), lambda: server.recv(1))


def sendmsg() -> None:
    server, client, where = udp()
    harm("connect", where)
    by_child(lambda: client.sendmsg([b"x"], [], 0, where), lambda: server.recv(1))


def send_unix() -> None:
    server, client, where = unix(socket.SOCK_DGRAM)
    harm("connect", f"unix:{where}")
    by_child(lambda: client.sendto(b"x", where), lambda: server.recv(1))


def connect_unix() -> None:
    server, client, where = unix(socket.SOCK_STREAM)
    harm("connect", f"unix:{where}")
    by_child(lambda: client.connect(where), server.accept)


def connect() -> None:
    server, client = socket.create_server(("127.0.0.1", 0)), socket.socket()
    harm("connect", server.getsockname())
    by_child(lambda: client.connect(server.getsockname()), server.accept)


def thread() -> None:
    """A thread sends, and the process ends as soon as that has come."""
    server, client, where = udp()
    harm("connect", where)
    threading.Thread(target=client.sendto, args=(b"x", where)).start()
    server.recv(1)
    os._exit(0)


def create() -> None:
    harm("write", UNTIL)
    by_child(lambda: os.open(f"/proc/self/root{UNTIL}", os.O_CREAT | os.O_WRONLY), exists)


def mknod() -> None:
    harm("write", UNTIL)
    by_child(lambda: os.mknod(UNTIL), exists)


def mkdir() -> None:
    harm("write", UNTIL)
    by_child(lambda: os.mkdir(f"/proc/self/root{UNTIL}"), exists)


def openat2() -> None:
    harm("write", UNTIL)
    how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o600, 0)
    made = ctypes.CDLL(None).syscall
    by_child(lambda: made(437, -100, UNTIL.encode(), how, 24), exists)


def truncate() -> None:
    with open(UNTIL, "w") as file:
        file.write("x")
    harm("write", UNTIL)

    def empty() -> None:
        while os.stat(UNTIL).st_size:
            pass

    by_child(lambda: os.truncate(UNTIL, 0), empty)


def times() -> None:
    open(UNTIL, "w").close()
    harm("write", UNTIL)

    def old() -> None:
        while os.stat(UNTIL).st_mtime > 5:
            pass

    by_child(lambda: os.utime(UNTIL, (1, 1)), old)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
