"""Tries to reach the network by every door, and its own loopback; prints a line for each."""
import socket
import sys
import threading

HOST = ("127.0.0.1", int(sys.argv[1]))


def attempt(name, action):
    try:
        print(name, action() or "ok")
    except OSError as error:
        print(name, "refused", type(error).__name__)


def tcp(address, family=socket.AF_INET):
    with socket.socket(family, socket.SOCK_STREAM) as link:
        link.settimeout(1)
        link.connect(address)


def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.sendto(b"x", ("8.8.8.8", 53))


def vsock():
    with socket.socket(40, socket.SOCK_STREAM) as link:
        link.settimeout(1)
        link.connect((2, 1024))


def loopback():
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=lambda: server.accept()[0].sendall(b"hello")).start()
        with socket.create_connection(server.getsockname()) as link:
            return link.recv(5).decode()


attempt("loopback", loopback)
attempt("host", lambda: tcp(HOST))
attempt("tcp", lambda: tcp(("1.1.1.1", 80)))
attempt("tcp6", lambda: tcp(("2606:4700:4700::1111", 80), socket.AF_INET6))
attempt("udp", udp)
attempt("dns", lambda: socket.getaddrinfo("example.com", 80) and None)
attempt("metadata", lambda: tcp(("169.254.169.254", 80)))
attempt("vsock", vsock)
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close())
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3).close())
attempt("docker", lambda: tcp("/var/run/docker.sock", socket.AF_UNIX))
attempt("abstract", lambda: tcp("\0" + sys.argv[2], socket.AF_UNIX))
