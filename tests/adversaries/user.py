"""Uses files, sockets, processes and signals in many ways and prints what came of each."""

import contextlib
import ctypes
import errno
import fcntl
import os
import resource
import signal
import socket
import stat
import subprocess
import threading

libc = ctypes.CDLL(None, use_errno=True)


def tried(deed):
    try:
        return deed()
    except OSError as error:
        return errno.errorcode[error.errno]


def said(path):
    with open(path, "rb") as file:
        return file.read(40)


def mode(path):
    return oct(os.lstat(path).st_mode)


def raw(number, *args):
    return libc.syscall(number, *args), errno.errorcode.get(ctypes.get_errno())


os.access("/kit-begin", 0)
os.umask(0o027)
os.mkdir("d", 0o777)
open("d/x", "w").close()
print("modes", mode("d"), mode("d/x"))
folder = os.open("d", os.O_RDONLY | os.O_DIRECTORY)
print("by folder", tried(lambda: os.close(os.open("y", os.O_CREAT | os.O_RDWR, dir_fd=folder))))
print("exclusive", tried(lambda: os.open("d/x", os.O_CREAT | os.O_EXCL)))
print("no folder", tried(lambda: os.open("d/x/z", 0)), tried(lambda: os.open("z", 0, dir_fd=99)))
print("no file", tried(lambda: os.open("", 0)), tried(lambda: os.open("q" * 5000, 0)))
print("no text", raw(257, -100, None, 0), raw(87, None), raw(82, b"d", None))
print("denied", tried(lambda: os.open("/etc/none", os.O_CREAT)), tried(lambda: os.unlink("/etc/passwd")))
kept = os.open("d/x", os.O_RDONLY)
print("inherits", fcntl.fcntl(kept, fcntl.F_GETFD), os.get_inheritable(raw(257, -100, b"d/x", 0)[0]))
print("nameless", stat.S_IFMT(os.fstat(os.open("d", os.O_TMPFILE | os.O_RDWR, 0o600)).st_mode))
print("renames", raw(316, -100, b"d/x", -100, b"d/y", 2), tried(lambda: os.rename("none", "d")))
print("links", tried(lambda: os.link("d/x", "l")), tried(lambda: os.symlink("d", "s")), os.listdir("s"))
print("follows", tried(lambda: os.open("s", os.O_NOFOLLOW)), tried(lambda: os.rmdir("s")))
print("changes", tried(lambda: os.chmod("l", 0o640)), mode("d/x"), tried(lambda: os.truncate("l", 7)))
print("owner", tried(lambda: os.chown("l", 1000, 1000)), tried(lambda: os.chown("l", 0, 0)))
# What means the process itself
print("self", said("/proc/self/stat").split()[0] == str(os.getpid()).encode())
os.symlink("/proc/self", "me")
print("by link", said("me/stat").split()[0] == str(os.getpid()).encode())
print("thread", said("/proc/thread-self/comm"), said("/proc/net/dev")[:5], said("/dev/fd/%d" % kept))
os.chdir("/proc"), print("here", said("self/comm")), os.chdir("/box")
# Waiting for each other
os.mkfifo("f")
if os.fork() == 0:
    open("f", "w").write("through"), os._exit(0)
print("fifo", said("f")), os.wait()
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
other = server.accept()[0]
print("tcp", client.send(b"x"), other.recv(1), client.getpeername() == server.getsockname())
idle = socket.socket()
idle.setblocking(False)
print("at once", idle.connect_ex(server.getsockname()) in (0, errno.EINPROGRESS))
closed = socket.create_server(("127.0.0.1", 0))
port = closed.getsockname()[1]
closed.close()
print("refused", tried(lambda: socket.create_connection(("127.0.0.1", port))))
print("nowhere", tried(lambda: socket.create_connection(("10.0.0.1", 80))))
local = socket.socket(socket.AF_UNIX)
local.bind("socket"), local.listen()
near = socket.socket(socket.AF_UNIX)
near.connect("socket")
met = local.accept()[0]
print("unix", near.send(b"y"), met.recv(1), mode("socket"))
datagram = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
datagram.bind(("127.0.0.1", 0))
print("udp", datagram.sendto(b"z", datagram.getsockname()), datagram.recv(1))
# Signals and processes
signal.signal(signal.SIGALRM, lambda *_: print("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.05), signal.pause()
child = os.fork()
if child == 0:
    os.kill(os.getpid(), signal.SIGSTOP), os._exit(5)
print("stopped", os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1]))
os.kill(child, signal.SIGCONT)
print("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print("runs", subprocess.run(["/bin/echo", "a"], capture_output=True).stdout, tried(
    lambda: subprocess.run(["/bin/none"])), tried(lambda: os.execv("/etc/passwd", ["x"])))  # fmt: skip
found = []
threads = [threading.Thread(target=lambda: found.append(said("/etc/passwd"))) for _ in range(8)]
[t.start() for t in threads], [t.join() for t in threads]
print("threads", len(set(found)), len(found))
with open("lock", "w") as one, open("lock", "w") as two:
    fcntl.flock(one, fcntl.LOCK_EX)
    print("lock", tried(lambda: fcntl.flock(two, fcntl.LOCK_EX | fcntl.LOCK_NB)))
# No one may look into it
print("closed", libc.prctl(4, 0, 0, 0, 0), said("/etc/group")[:4], tried(lambda: os.mkdir("m")))
print("meets", tried(lambda: socket.create_connection(server.getsockname()).close()))
print("inner", tried(lambda: said("/proc/self/comm")), tried(lambda: said("/proc/self/environ")))
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
with contextlib.suppress(OSError):
    while True:
        last = os.open("/etc/passwd", 0)
print("many", last, tried(lambda: os.open("/etc/passwd", 0)))
