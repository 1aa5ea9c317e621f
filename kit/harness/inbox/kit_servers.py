"""In the box, outside of the program: what all servers share, and those of HTTP and FTP.

The process of the servers starts the program, and outlives it to read what it sent last. What came
is told by the return channel under a word that the program does not know.
"""

import json
import os
import select
import signal
import socket
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Converse = Callable[[socket.socket], None]
    Note = Callable[[dict[str, Any]], None]

LOOKS = 400  # at what the program left unread, one each PAUSE_S
PAUSE_S = 0.005
PLAIN_ANSWERS = {"SYST": "215 UNIX Type: L8", "NOOP": "200 Yes", "TYPE": "200 Yes"}  # of FTP
# What clients add of themselves; every other header is what the program sends.
USUAL_HEADERS = frozenset(
    "host user-agent connection content-length content-type transfer-encoding keep-alive "
    "accept accept-encoding accept-language sec-fetch-mode".split()
)


class Receipts:
    """Tells by the return channel what came, in order; the last one says whether that was all."""

    def __init__(self, channel: int) -> None:
        self.channel = channel
        self.word = os.urandom(16).hex()
        self.count = 0
        self.lock = threading.Lock()
        self.tell("begin")

    def tell(self, kind: str, path: str = "", entry: "Any" = None) -> None:
        with self.lock:
            receipt = {"receipt": kind, "path": path, "entry": entry}
            receipt |= {"word": self.word, "n": self.count}
            self.count += 1
            # A line that the program left unfinished ends here.
            data = b"\n" + json.dumps(receipt).encode() + b"\n"
            while data:
                data = data[os.write(self.channel, data) :]


class Servers:
    """Listens before the program starts, and serves each connection in a thread of its own."""

    def __init__(self, receipts: Receipts) -> None:
        self.receipts = receipts
        self.gate = threading.Lock()
        self.open = 0
        self.listeners: dict[socket.socket, Converse] = {}

    def add_listener(self, service: "dict[str, Any]") -> None:
        listener = socket.create_server((service["address"], service["port"]), backlog=64)
        note = make_note(self.receipts, service.get("log", ""))
        self.listeners[listener] = make_conversation(service, note)

    def serve_program(self) -> None:
        """Returns in a child, which becomes the program; here it ends as the program does.

        The servers hold nothing of the program's but the channel, for what they tell.
        """
        child = os.fork()
        if child == 0:
            for listener in self.listeners:
                listener.close()
            return
        null = os.open("/dev/null", os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        for listener, converse in self.listeners.items():
            threading.Thread(
                target=self.accept_connections, args=(listener, converse), daemon=True
            ).start()
        ended, status = os.wait()
        while ended != child:  # a process of the program's that nobody else waited for
            ended, status = os.wait()
        self.receipts.tell("end" if self.drain_connections() else "cut")
        if os.WIFSIGNALED(status):
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
            os.kill(os.getpid(), os.WTERMSIG(status))
        os._exit(os.waitstatus_to_exitcode(status))

    def accept_connections(self, listener: socket.socket, converse: "Converse") -> None:
        while True:
            select.select([listener], [], [])
            with (
                self.gate
            ):  # nobody is between the queue and the count when `drain_connections` looks
                link = listener.accept()[0]
                self.open += 1
            threading.Thread(
                target=self.serve_connection, args=(link, converse), daemon=True
            ).start()

    def serve_connection(self, link: socket.socket, converse: "Converse") -> None:
        try:
            with link:
                converse(link)
        except OSError:  # the program ended the connection
            pass
        except Exception as error:  # noqa: BLE001  # of ours, or at what no client sends
            self.receipts.tell("fault", entry=repr(error))
        finally:
            with self.gate:
                self.open -= 1

    def drain_connections(self) -> bool:
        """Whether all that was sent was read; the program is gone, and with it its connections."""
        for _ in range(LOOKS):
            with self.gate:
                if not self.open and not select.select([*self.listeners], [], [], 0)[0]:
                    return True
            time.sleep(PAUSE_S)
        return False


def make_conversation(service: "dict[str, Any]", note: "Note") -> "Converse":
    """What serves a connection; all that it needs is loaded and read here."""
    kind = service["type"]
    context = load_certificate(service["pem"]) if "pem" in service else None
    if kind == "smtp":
        try:
            import kit_smtp
        except ModuleNotFoundError as error:
            package = "type: apt-get install python3-aiosmtpd"
            sys.exit(f"it needs {error.name}, which is not installed in the box; {package}")
        converse: Converse = kit_smtp.make_conversation(service, note, context)
        return converse
    if kind == "ldap":
        import kit_ldap

        converse = kit_ldap.make_conversation(service["entries"], note)
    else:
        files = read_served_files(service["serve_dir"])
        if kind == "ftp":
            login = (service.get("username", ""), service.get("password", ""))
            return lambda link: talk_ftp(Session(files, login, link))
        converse = make_pages(files, note)
    if context is None:
        return converse

    def converse_by_tls(link: socket.socket) -> None:
        with context.wrap_socket(link, server_side=True) as secure:
            converse(secure)

    return converse_by_tls


def load_certificate(pem: str) -> ssl.SSLContext:
    """OpenSSL takes no certificate from memory; the file is gone before the program starts."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pem")
    with open(path, "w") as file:
        file.write(pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    os.unlink(path)
    return context


def open_servers(services: "list[dict[str, Any]]") -> Servers:
    """The servers, bound already."""
    servers = Servers(Receipts(int(os.environ["KIT_CHANNEL"])))
    for service in services:
        servers.add_listener(service)
    return servers


def make_note(receipts: Receipts, path: str) -> "Note":
    """What a server calls for each thing that came; nothing is told where no log is asked for."""

    def note(entry: "dict[str, Any]") -> None:
        if path:
            receipts.tell("entry", path, entry)

    return note


def read_content(body: bytes) -> "dict[str, Any]":
    """What a body says: "json" where it is an object or a list, else "body"."""
    text = body.decode(errors="replace")
    try:
        return {"json": json.loads(text)} if text[:1] in ("{", "[") else {"body": text}
    except (ValueError, RecursionError):
        return {"body": text}


def read_served_files(folder: str) -> dict[str, bytes]:
    """Every file below `folder` by its path on the server, read before the program starts."""
    files = {}
    for here, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(here, name)
            with open(path, "rb") as file:
                files["/" + os.path.relpath(path, folder)] = file.read()
    return files


def make_pages(pages: dict[str, bytes], note: "Note") -> "Converse":
    class Page(BaseHTTPRequestHandler):
        def parse_request(self) -> bool:
            is_request = super().parse_request()
            if not is_request:
                note({"unread": self.requestline})
            return is_request

        def read_body(self) -> bytes:
            if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = b""
            while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def answer(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            sent = {name: headers[name] for name in sorted(headers.keys() - USUAL_HEADERS)}
            request = {"method": self.command, "path": self.path, "headers": sent}
            # Before the answer: a program that has it may end at once.
            note(request | read_content(self.read_body()))
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

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        def log_message(self, *_args: "Any") -> None:
            return

    return lambda link: Page(link, ("", 0), None)  # type: ignore[arg-type, return-value]


class Session:
    """One client of the FTP server: it may log in, look around and fetch, in passive mode."""

    def __init__(self, files: dict[str, bytes], login: tuple[str, str], link: socket.socket):
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


def talk_ftp(session: Session) -> None:
    with session.link as link, link.makefile("rb") as lines:
        link.sendall(b"220 Ready\r\n")
        for line in lines:
            verb, _, word = line.decode(errors="replace").strip().partition(" ")
            link.sendall(session.answer(verb.upper(), word).encode() + b"\r\n")
            if verb.upper() == "QUIT":
                return
