"""In the box: starts the candidate as a server, waits for its port, sends requests.

The server runs in another process, which never holds the channel and cannot look into this one.
Nothing here opens a file or resolves a name once the server runs, so that what is seen from outside
is the server's doing, but for the connections to its own port.
"""

import encodings.idna  # noqa: F401 - loaded before events count
import http.client
import json
import marshal
import os
import re
import select
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.cookies import SimpleCookie
from typing import Any, NamedTuple
from urllib.parse import quote

from kit_channel import FOLDER, Channel, take_job
from kit_child import Pulse, hide

BODY = 1_000_000
PIECE = 65_536
# What most clients say of themselves, where the test says nothing else.
CLIENT = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Accept": "*/*",
}
LISTEN = "0A"  # the state column of /proc/net/tcp
LIFTED = 8000  # added to ports that only root may take: see kit_script


class Ports:
    """The ports on which a program listens: all of the box but those that were open before it.

    The tables are opened once.
    """

    def __init__(self) -> None:
        tables = [t for t in ("/proc/net/tcp", "/proc/net/tcp6") if os.path.exists(t)]
        self.tables = [open(table, encoding="ascii") for table in tables]
        self.earlier = {number for number, _ in self._listening()}

    def opened(self) -> list[tuple[int, bool]]:
        """(port, over IPv6) of every socket that listens, the oldest first."""
        addresses = []
        for number, address in sorted(self._listening()):
            if number not in self.earlier:
                addresses.append(address)
        return addresses

    def _listening(self) -> Iterator[tuple[int, tuple[int, bool]]]:
        for table, v6 in zip(self.tables, (False, True), strict=False):
            table.seek(0)
            for row in map(str.split, table.readlines()[1:]):
                if row[3] == LISTEN:
                    yield int(row[9]), (int(row[1].rpartition(":")[2], 16), v6)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Started(NamedTuple):
    """The server's process, the thread that relays its lines, and the port table."""

    server: subprocess.Popen[bytes]
    relaying: threading.Thread
    ports: Ports


def relay(source: int, channel: Channel) -> None:
    """Hands on covered lines (gcov's counters), the server's exception, records of sinks."""
    with os.fdopen(source, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, int):
                channel.write(message)
            elif not isinstance(message, dict):
                continue
            elif "gcda" in message:
                channel.write({"gcda": message["gcda"]})
            elif message.get("sink", "stopped") != "stopped":
                channel.write(message)
            elif "exception" in message:
                channel.write({"server": message})


def connect(port: int, v6: bool) -> socket.socket:
    link = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET)
    link.connect(("::1" if v6 else "127.0.0.1", port))
    return link


def no_answer(error: Exception) -> dict[str, Any]:
    return {"status": 0, "headers": {}, "body": "", "error": type(error).__name__}


def pieces(body: bytes, link: socket.socket) -> Iterator[bytes]:
    """The body, as long as the server takes it: it may answer, and take no more."""
    for at in range(0, len(body), PIECE):
        if not select.select([link], [link], [])[1]:
            return
        yield body[at : at + PIECE]


def ask(request: dict[str, Any], cookies: SimpleCookie, port: int, v6: bool) -> dict[str, Any]:
    """One request over a connection of its own; status 0 where no answer came."""
    link = http.client.HTTPConnection("127.0.0.1", port)
    headers = dict(CLIENT)
    if cookies:
        pairs = [f"{name}={cookie.value}" for name, cookie in cookies.items()]
        headers["Cookie"] = "; ".join(pairs)
    for name, text in request["headers"].items():
        headers.pop(name.title(), None)
        headers[name] = text
    body = bytes.fromhex(request["body"]) if request["body"] is not None else None
    try:
        link.sock = connect(port, v6)
        data = pieces(body, link.sock) if body else body
        with suppress(BrokenPipeError, ConnectionResetError):  # its answer may be there already
            link.request(request["method"], request["target"], data, headers)
        answer = link.getresponse()
        answer_text = answer.read(BODY).decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return no_answer(error)
    finally:
        link.close()
    answer_headers: dict[str, str] = {}
    for name, value in answer.getheaders():
        key = name.lower()
        if key in answer_headers:
            answer_headers[key] += f", {value}"
        else:
            answer_headers[key] = value
        if request["cookies"] and key == "set-cookie":
            cookies.load(value)
    return {"status": answer.status, "headers": answer_headers, "body": answer_text}


def fill(text: str, saved: dict[str, Any]) -> str:
    """The text with the values of earlier answers for "{name}", as what they stand in writes it."""
    for name, value in saved.items():
        plain = value if isinstance(value, str) else json.dumps(value)
        text = text.replace(f'"{{{name}}}"', json.dumps(value)).replace(f"{{{name}}}", plain)
        text = text.replace(f"%7B{name}%7D", quote(plain, safe=""))
    return text


def fill_request(request: dict[str, Any], saved: dict[str, Any]) -> dict[str, Any]:
    """The request with what was saved; what no header may have is left out there."""
    headers = {}
    for name, value in request["headers"].items():
        printable = [c for c in fill(value, saved) if " " <= c <= "~"]
        headers[name] = "".join(printable)
    body = request["body"]
    if body:
        text = bytes.fromhex(body).decode(errors="surrogateescape")
        data = fill(text, saved).encode(errors="surrogateescape")
        body = data.hex()
        if "Content-Length" in headers:
            headers["Content-Length"] = str(len(data))
    target = fill(request["target"], saved)
    return {**request, "target": target, "headers": headers, "body": body}


def part(reply: dict[str, Any], where: str) -> Any:
    """What a request saves of its answer; None where that is not there."""
    kind, _, name = where.partition(".")
    with suppress(ValueError, LookupError, TypeError, RecursionError):
        if kind == "header":
            return reply["headers"][name.lower()]
        if kind == "body":
            return re.search(name, reply["body"])[1]  # type: ignore[index] # None is a TypeError
        value = json.loads(reply["body"])
        for field in name.split("."):
            value = value[int(field) if isinstance(value, list) else field]
        return value
    return None


def talk(text: str, pid: int, port: int, v6: bool) -> dict[str, Any]:
    """What a plain socket server answers to `text`, until it closes or is silent for a second.

    Silent is a server that does nothing: one that gets no CPU has not been asked yet.
    """
    data = b""
    try:
        with connect(port, v6) as link:
            link.settimeout(0.1)
            link.sendall(text.encode())
            pulse = Pulse(pid)
            while len(data) < BODY:
                try:
                    chunk = link.recv(PIECE)
                except TimeoutError:
                    if pulse.over(1.0, idle_s=0.5):
                        break
                    continue
                if not chunk:
                    break
                data += chunk
                pulse = Pulse(pid)
    except OSError as error:
        return no_answer(error)
    return {"status": 0, "headers": {}, "body": data.decode(errors="replace")}


def start(command: list[str], channel: Channel, port: int) -> Started:
    """Starts the server, which is offered this port."""
    ports = Ports()
    source, sink = os.pipe()
    argv = [word.format(sink=sink, port=port) for word in command]
    relaying = threading.Thread(target=relay, args=(source, channel), daemon=True)
    env = {**os.environ, "PORT": str(port), "HOST": "127.0.0.1"}
    server = subprocess.Popen(argv, pass_fds=[sink], stdin=subprocess.DEVNULL, env=env)
    os.close(sink)
    relaying.start()
    return Started(server, relaying, ports)


def await_port(
    server: subprocess.Popen[bytes], ports: Ports, job: dict[str, Any], offered: int
) -> tuple[tuple[int, bool] | None, list[int]]:
    """(port, v6) once the server listens, None if it opened nothing in time; and what was probed.

    The port that the task names, or the one that it was offered, is taken at once; any other when
    the server is quiet. A start that gets on slowly has more time, up to so many seconds of CPU;
    one that waits for a slow disk counts as idle only after three seconds.
    """
    named = job["port"]
    wanted = {offered, named}
    if named:
        wanted.add(named + LIFTED)
    opened = []
    quiet_s = 1.0 if named else 0.15
    pulse_since_opened = None
    pulse = Pulse(server.pid)
    while not pulse.over(job["start_s"], idle_s=3.0):
        has_ended = server.poll() is not None
        opened = ports.opened()
        for address in opened:
            if address[0] in wanted:
                return address, []
        if opened and pulse_since_opened is None:
            pulse_since_opened = Pulse(server.pid)
        is_quiet = pulse_since_opened is not None and pulse_since_opened.idle_s() >= quiet_s
        if has_ended or is_quiet:
            break
        time.sleep(0.02)
    if len(opened) < 2 or job["raw"]:
        return (opened[0] if opened else None), []
    scores = {address: probe(job["requests"][0]["target"], *address) for address in opened}
    best = max(reversed(opened), key=scores.__getitem__)  # the latest of equals
    return best, [port for port, _ in opened]


def probe(target: str, port: int, v6: bool) -> int:
    """How much a port answers as one that the requests are meant for; 0: not in HTTP."""
    with suppress(OSError), connect(port, v6) as link:
        link.settimeout(0.5)
        head = f"OPTIONS {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        link.sendall(head.encode())
        if status := re.match(rb"HTTP/\S+ (\d{3})", link.recv(PIECE)):
            if status[1] == b"404":
                return 1
            return 3 if status[1] < b"400" else 2
    return 0


def converse(
    job: dict[str, Any], pid: int, address: Any, channel: Channel, facts: dict[str, Any]
) -> None:
    """Sends the requests in order and writes all answers so far after each, with these facts."""
    cookies: SimpleCookie = SimpleCookie()
    answers: list[dict[str, Any]] = []
    saved: dict[str, Any] = {}
    for request in job["requests"]:
        channel.write({**facts, "asked": len(answers) + 1, "responses": answers})
        if job["raw"]:
            reply = talk(request, pid, *address)
        else:
            reply = ask(fill_request(request, saved) if saved else request, cookies, *address)
            for name, where in request.get("save", {}).items():
                value = part(reply, where)
                if value is not None:
                    saved[name] = value
        answers.append(reply)
    channel.write({**facts, "asked": len(answers), "responses": answers})


def withhold(job: dict[str, Any]) -> None:
    """The server takes its job from the same files: it finds no request there."""
    rest = {**job, "requests": [], "command": []}
    for name, text in (("job", marshal.dumps(rest)), ("job.json", json.dumps(rest).encode())):
        path = os.path.join(FOLDER, name)
        if os.path.exists(path):
            os.unlink(path)
            with open(path, "wb") as file:
                file.write(text)


def stop(server: subprocess.Popen[bytes]) -> int:
    """The server's exit code; it gets one second to go by itself, more while it is at it."""
    server.terminate()
    pulse = Pulse(server.pid)
    while server.poll() is None and not pulse.over(1.0, idle_s=0.5):
        time.sleep(0.005)
    server.kill()
    return server.wait()


def main() -> None:
    channel = Channel(os.environ.pop("KIT_CHANNEL"))
    hide()
    job = take_job()
    withhold(job)
    offered = free_port()
    server, relaying, ports = start(job["command"], channel, offered)
    address, probed = await_port(server, ports, job, offered)
    if address is not None:
        facts = {"kind": "response", "port": address[0], "offered": address[0] == offered}
        facts["probed"] = probed
        converse(job, server.pid, address, channel, facts)
        ran_to_the_end = relaying.is_alive() and server.poll() is None
        stop(server)
        relaying.join(3)
        if ran_to_the_end:  # it sent what it had to, until it was stopped
            channel.write({"sink": "stopped"})
    else:
        has_ended = server.poll() is not None
        code = stop(server)
        relaying.join(3)
        channel.write({"kind": "unreachable", "ended": has_ended, "code": code})
    relaying.join(3)


main()
