"""What an honest program with threads does with its sockets and with other programs."""

import asyncio
import os
import socket
import struct
import subprocess
import threading
from collections.abc import Callable

BIG = [b"x" * 400000] * 3
NOSIGNAL = socket.MSG_NOSIGNAL


def tried(deed: Callable[[], object]) -> None:
    try:
        print(deed())
    except OSError as error:
        print(error)


def pairs(kind: int, file: int) -> None:
    a, b = socket.socketpair(socket.AF_UNIX, kind)
    for data in ([b"x"], [b"x", b"yz"], []):
        tried(lambda data=data: a.sendmsg(data))
    print(b.recv(1), socket.send_fds(a, [b"p"], [file]), len(socket.recv_fds(b, 3, 1)[1]))
    tried(lambda: a.sendmsg([b"x"], [], NOSIGNAL, "none"))
    b.close()
    tried(lambda: a.sendmsg([b"x"], [], NOSIGNAL))
    tried(lambda: a.sendmsg([b""]))


def buffers() -> None:
    a, b = socket.socketpair()
    sent: list[int] = []
    thread = threading.Thread(target=lambda: sent.append(a.sendmsg(BIG)))
    thread.start()
    print(len(b.recv(1200000, socket.MSG_WAITALL)))
    thread.join()
    print(sent)
    a.setblocking(False)
    tried(lambda: 0 < a.sendmsg(BIG) < 1200000)
    tried(lambda: a.sendmsg(BIG))
    a.setblocking(True)
    tried(lambda: a.sendmsg(BIG, [], socket.MSG_DONTWAIT))


def names(name: str) -> None:
    server, one = (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2))
    server.bind(name)
    print(one.sendto(b"ab", name), one.connect(name), one.send(b"c"))
    print(one.sendmsg([b"d", b"e"], [], 0, name), [server.recv(9) for _ in range(3)])
    listening = socket.create_server(name + "s", family=socket.AF_UNIX)
    print(server.getsockname(), one.getpeername(), listening.getsockname())
    stream = socket.socket(socket.AF_UNIX)
    stream.connect(name + "s")
    owner = listening.accept()[0].getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    print(stream.getpeername(), struct.unpack("iII", owner)[0] == os.getpid())


def nowhere(name: str) -> None:
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        tried(lambda kind=kind: socket.socket(socket.AF_UNIX, kind).connect(name))
        tried(lambda kind=kind: socket.socket(socket.AF_UNIX, kind).sendto(b"", name))


def internet() -> None:
    tried(lambda: socket.socket().sendto(b"x", ("127.0.0.1", 9)))
    server = socket.create_server(("127.0.0.1", 0))
    one, there = socket.create_connection(server.getsockname()), ("127.0.0.1", 9)
    print(one.sendmsg([b"a", b"b"]), one.sendto(b"c", there), one.sendmsg([b"d"], [], 0, there))
    other = server.accept()[0]
    one.close()
    print(other.recv(9, socket.MSG_WAITALL))
    print(socket.getaddrinfo("127.0.0.1", 80, 0, socket.SOCK_STREAM)[0][4])


def programs() -> None:
    with open("s", "w") as file:
        file.write("#!/bin/sh\necho $0 $1")
    os.chmod("s", 0o755)
    for name in ("./s", "/box/s", "/bin/echo"):
        print(subprocess.run([name, "a b", '"'], capture_output=True, check=True).stdout)


async def lines() -> None:
    def answer(_: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        out.writelines([b"x" * 9] * 9)
        out.close()

    server = await asyncio.start_server(answer, "127.0.0.1")
    reader, _ = await asyncio.open_connection(*server.sockets[0].getsockname())
    print(await reader.read())


threading.Thread(target=threading.Event().wait, daemon=True).start()
held = os.open("f", os.O_CREAT | os.O_RDWR)
os.utime(held, (1, 2))
print(os.stat("f").st_mtime)
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
    pairs(kind, held)
buffers()
for name in ("u", "/box/v", "\0w", "/proc/self/cwd/y"):
    names(name)
for name in ("none", "f", "none/x", "u" * 107, ""):
    nowhere(name)
internet()
programs()
asyncio.run(lines())
