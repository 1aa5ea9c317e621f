"""In the box, before the candidate: makes files, starts servers, then becomes the real command."""

import binascii
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # what only servers need is loaded where there are any
    import socket
    from collections.abc import Callable
    from typing import Any

FOLDER = os.path.dirname(os.path.abspath(__file__))
PLAIN_ANSWERS = {"SYST": "215 UNIX Type: L8", "NOOP": "200 Yes", "TYPE": "200 Yes"}  # of FTP


def place(entry: "dict[str, Any]") -> None:
    """A folder, file or link, still without the rights that it is to have."""
    path = entry["path"]
    is_folder = entry["type"] == "directory"
    os.makedirs(path if is_folder else os.path.dirname(path) or ".", exist_ok=True)
    if entry["type"] == "link":
        os.symlink(entry["target"], path)
    elif entry["type"] == "file":
        text = entry.get("content", "").ljust(entry.get("size", 0), entry.get("fill", " "))
        with open(path, "wb") as file:
            file.write(binascii.a2b_base64(entry.get("base64", "")) or text.encode())


def read_served_files(folder: str) -> dict[str, bytes]:
    """Every file below `folder` by its path on the server, read before the program starts."""
    files = {}
    for here, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(here, name)
            with open(path, "rb") as file:
                files["/" + os.path.relpath(path, folder)] = file.read()
    return files


def serve_http(pages: dict[str, bytes], listener: "socket.socket") -> None:
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    from urllib.parse import unquote

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(self.path.split("?")[0].split("#")[0])
            body = pages.get(path, pages.get(path.rstrip("/") + "/index.html"))
            self.send_response(404 if body is None else 200)
            kind = "text/plain"
            if path.endswith((".html", "/")):
                kind = "text/html"
            elif path.endswith(".json"):
                kind = "application/json"
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body or b"")

        do_HEAD = do_GET

        def log_message(self, *_args: "Any") -> None:
            return

    server = ThreadingHTTPServer(listener.getsockname(), Page, bind_and_activate=False)
    server.socket = listener
    server.daemon_threads = True
    server.serve_forever()


class Session:
    """One client of the FTP server: it may log in, look around and fetch, in passive mode."""

    def __init__(self, files: dict[str, bytes], login: tuple[str, str], link: "socket.socket"):
        self.files = files
        self.login = login
        self.link = link
        self.name = ""
        self.folder = "/"
        self.is_inside = login[0] == ""
        self.passive: socket.socket | None = None

    def answer(self, verb: str, word: str) -> str:
        """The line that answers a command."""
        if verb in PLAIN_ANSWERS:
            return PLAIN_ANSWERS[verb]
        act = getattr(self, f"do_{verb.lower()}", None)
        if act is None:
            return "502 Not here"
        if not self.is_inside and verb not in ("USER", "PASS", "QUIT"):
            return "530 Log in first"
        line: str = act(word)
        return line

    def path(self, word: str) -> str:
        return os.path.normpath(os.path.join(self.folder, word))

    def do_user(self, word: str) -> str:
        self.name = word
        return "331 Password, please"

    def do_pass(self, word: str) -> str:
        self.is_inside = self.login[0] == "" or (self.name, word) == self.login
        return "230 Welcome" if self.is_inside else "530 Wrong name or password"

    def do_quit(self, _: str) -> str:
        return "221 Goodbye"

    def listen(self) -> tuple[str, int]:
        import socket

        self.passive = socket.create_server((self.link.getsockname()[0], 0))
        address: tuple[str, int] = self.passive.getsockname()
        return address

    def do_pasv(self, _: str) -> str:
        host, port = self.listen()
        numbers = [*host.split("."), str(port >> 8), str(port & 255)]
        return f"227 Enter ({','.join(numbers)})"

    def do_epsv(self, _: str) -> str:
        return f"229 Enter (|||{self.listen()[1]}|)"

    def do_pwd(self, _: str) -> str:
        return f'257 "{self.folder}"'

    def do_cwd(self, word: str) -> str:
        self.folder = self.path(word)
        return "250 There"

    def do_size(self, word: str) -> str:
        path = self.path(word)
        return f"213 {len(self.files[path])}" if path in self.files else "550 No such file"

    def do_retr(self, word: str) -> str:
        path = self.path(word)
        return self.send(self.files[path]) if path in self.files else "550 No such file"

    def do_nlst(self, word: str) -> str:
        start = self.path(word).rstrip("/") + "/"
        lines = ""
        for name in sorted(self.files):
            if name.startswith(start):
                lines += f"{os.path.basename(name)}\r\n"
        return self.send(lines.encode())

    do_list = do_nlst

    def send(self, data: bytes) -> str:
        if self.passive is None:
            return "425 Use PASV or EPSV first"
        self.link.sendall(b"150 Here it comes\r\n")
        with self.passive, self.passive.accept()[0] as channel:
            channel.sendall(data)
        self.passive = None
        return "226 Done"


def converse(session: Session) -> None:
    with session.link as link, link.makefile("rb") as lines:
        link.sendall(b"220 Ready\r\n")
        for line in lines:
            verb, _, word = line.decode(errors="replace").strip().partition(" ")
            link.sendall(session.answer(verb.upper(), word).encode() + b"\r\n")
            if verb.upper() == "QUIT":
                return


def serve_ftp(files: dict[str, bytes], listener: "socket.socket", login: tuple[str, str]) -> None:
    import threading

    while True:
        session = Session(files, login, listener.accept()[0])
        threading.Thread(target=converse, args=(session,), daemon=True).start()


def serve(service: "dict[str, Any]") -> "Callable[[], None]":
    """The server, bound already, as what a thread is to run; all that it needs is loaded here."""
    import http.server  # noqa: F401
    import socket
    import urllib.parse  # noqa: F401

    listener = socket.create_server((service["address"], service["port"]))
    content = read_served_files(service["serve_dir"])
    if service["type"] == "http":
        return lambda: serve_http(content, listener)
    login = (service.get("username", ""), service.get("password", ""))
    return lambda: serve_ftp(content, listener, login)


def main() -> None:
    with open(os.path.join(FOLDER, "setup"), "rb") as file:
        services = marshal.loads(file.read())
    entries = [s for s in services if s["type"] in ("directory", "file", "link")]
    for entry in entries:
        place(entry)
    servers = []
    for service in services:
        if service["type"] in ("http", "ftp"):
            servers.append(serve(service))
    for entry in reversed(entries):
        if "mode" in entry:
            os.chmod(entry["path"], int(entry["mode"], 8))
    for name in ("setup", os.path.basename(__file__)):
        os.unlink(os.path.join(FOLDER, name))
    if not os.listdir(FOLDER):
        os.rmdir(FOLDER)
    if servers and os.fork() == 0:
        import threading

        quiet()
        for run in servers:
            threading.Thread(target=run).start()
        return
    os.execv(sys.argv[1], sys.argv[1:])


def quiet() -> None:
    """The servers hold nothing of the candidate's: neither its streams nor the return channel."""
    null = os.open("/dev/null", os.O_RDWR)
    channel = os.environ.pop("KIT_CHANNEL", "")
    descriptors = [0, 1, 2]
    if channel.isdigit():
        descriptors.append(int(channel))
    for descriptor in descriptors:
        os.dup2(null, descriptor)


main()
