"""The Docker engine: whether one answers, and how to start one on a machine that has none."""

import contextlib
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import docker
from docker.errors import DockerException
from docker.utils import parse_host

from kit.errors import KitError

START_S = 60.0
STOP_S = 30.0
TIMEOUT_S = 60
INSTALL = "apt-get install docker.io"
_started: list[subprocess.Popen[bytes]] = []


def connect() -> docker.DockerClient:
    """A client for the engine of the environment (DOCKER_HOST, else the local socket)."""
    return docker.from_env(timeout=TIMEOUT_S)


def _listens() -> bool:
    """Whether the local socket can be connected to; docker-py leaves its own open where not."""
    host = str(parse_host(os.environ.get("DOCKER_HOST")))
    if not host.startswith("http+unix://"):
        return True
    with socket.socket(socket.AF_UNIX) as link:
        try:
            link.connect(host.removeprefix("http+unix://"))
        except OSError:
            return False
    return True


def answers() -> bool:
    """Whether an engine answers."""
    if not _listens():
        return False
    with contextlib.suppress(DockerException), contextlib.closing(connect()) as client:
        return client.ping()
    return False


def missing() -> str:
    """ "" where an engine answers, else the sentence that says what to type."""
    if answers():
        return ""
    return f"no Docker engine answers; type: {INSTALL}, then dockerd (or systemctl start docker)"


def ensure_engine() -> str:
    """Start dockerd if no engine answers: "" or where its log is. KitError if it does not come up.

    It gets no bridge and no firewall rules: the boxes have no network.
    """
    if answers():
        return ""
    with tempfile.NamedTemporaryFile(prefix="kit-dockerd-", suffix=".log", delete=False) as log:
        line = ["dockerd", "--bridge=none", "--iptables=false", "--ip6tables=false"]
        try:
            engine = subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        except FileNotFoundError:
            raise KitError(f"dockerd is not installed; type: {INSTALL}") from None
    _started.append(engine)
    until = time.monotonic() + START_S
    while not answers():
        if engine.poll() is not None or time.monotonic() > until:
            said = Path(log.name).read_text(errors="replace").strip().rpartition("\n")[2]
            raise KitError(f"dockerd did not start; its log {log.name} ends: {said}")
        time.sleep(0.2)
    return log.name


def stop_engine() -> None:
    """End the engine that ensure_engine started in this process, if it did."""
    while _started:
        engine = _started.pop()
        engine.terminate()
        engine.wait(STOP_S)
