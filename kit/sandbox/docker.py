"""The second tier: a container for every run, through docker-py; its engine and its image."""

import contextlib
import hashlib
import os
import platform
import shutil
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

import docker
from docker.errors import APIError, BuildError, DockerException, ImageNotFound, NotFound
from docker.utils import parse_host

from kit.errors import KitError
from kit.records import Evidence, Status
from kit.sandbox import container
from kit.sandbox.base import Broken, Command, Feature, Limits, Sandbox
from kit.sandbox.container import LABEL

TIMEOUT_S = 60
FOLDER = Path(__file__).with_name("images")
SUITE = "bookworm"
NAME = "kit-sandbox"


class Docker(Sandbox):
    """A fresh container for every run. See kit.sandbox.base.Sandbox for the contract."""

    name = "docker"
    capabilities: frozenset[Feature] = frozenset({"events", "memory"})

    def __init__(self, limits: Limits) -> None:
        if platform.machine() not in ("x86_64", "AMD64"):
            raise KitError(f"The docker tier needs x86_64, not {platform.machine()}.")
        if why := missing():
            raise KitError(f"The docker sandbox cannot run: {why}.")
        self.require(ptrace=limits.ptrace)
        self.limits = limits
        self._local = threading.local()
        self._clients: list[docker.DockerClient] = []
        sweep(self._client())
        self._image = image(self._client())
        version = self._client().version()["Version"]
        self.identity = f"docker {version}, {tag()}, {self._image[:19]}"

    def _client(self) -> docker.DockerClient:
        """One for each thread: a client shared between them mixes replies."""
        client: docker.DockerClient | None = getattr(self._local, "client", None)
        if client is None:
            client = self._local.client = connect()
            self._clients.append(client)
        return client

    def perform(self, command: Command) -> Evidence:
        for _ in range(2):
            try:
                return container.live(self._client(), self._image, command, owner())
            except (Broken, DockerException, OSError) as error:
                note = f"{type(error).__name__}: {error}"
        return Evidence(Status.INFRA_ERROR, isolation=self.name, note=note)

    def close(self) -> None:
        while self._clients:
            self._clients.pop().close()


def connect() -> docker.DockerClient:
    """A client for the engine of the environment (DOCKER_HOST, else the local socket)."""
    return docker.from_env(timeout=TIMEOUT_S)


def missing() -> str:
    """ "" where an engine answers, else the sentence that says what to type."""
    host = str(parse_host(os.environ.get("DOCKER_HOST")))
    with contextlib.suppress(DockerException, OSError):
        if host.startswith("http+unix://"):  # docker-py leaves its own open where nobody listens
            with socket.socket(socket.AF_UNIX) as link:
                link.connect(host.removeprefix("http+unix://"))
        with contextlib.closing(connect()) as client:
            if client.ping():
                return ""
    return (
        "no Docker engine answers; type: apt-get install docker.io, then dockerd (or systemctl "
        "start docker)"
    )


def owner() -> str:
    """Who made a container: machine and process."""
    return f"{socket.gethostname()}/{os.getpid()}"


def sweep(client: docker.DockerClient) -> None:
    """Remove the containers of kits of this machine that are dead."""
    for found in client.containers.list(all=True, filters={"label": LABEL}):
        host, _, pid = found.labels[LABEL].rpartition("/")
        if host == socket.gethostname() and not Path("/proc", pid).exists():
            with contextlib.suppress(NotFound, APIError):
                found.remove(force=True, v=True)


def packages() -> list[str]:
    """The packages of images/core.txt, or of the list that the variable KIT_IMAGE names."""
    lines = (FOLDER / f"{_list()}.txt").read_text().splitlines()
    return list(dict.fromkeys(line.split()[0] for line in lines if not line.startswith("#")))


def _list() -> str:
    name, known = os.environ.get("KIT_IMAGE", "core"), sorted(p.stem for p in FOLDER.glob("*.txt"))
    if name not in known:
        raise KitError(f"Unknown image KIT_IMAGE={name!r}. Use one of: {', '.join(known)}.")
    return name


def tag() -> str:
    """NAME:<hash of the recipe>: another list, another image."""
    recipe = "\n".join([SUITE, *packages(), (FOLDER / "Dockerfile").read_text()])
    return f"{NAME}:{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"


def image(client: docker.DockerClient) -> str:
    """The id of the image; where it is not there it is built, from a registry or without one."""
    with contextlib.suppress(ImageNotFound):
        return str(client.images.get(tag()).id)
    parts = {"SUITE": SUITE, "LIST": _list()}
    try:
        client.images.pull("debian", tag=f"{SUITE}-slim")
        client.images.build(path=str(FOLDER), tag=tag(), buildargs=parts, rm=True)
    except (APIError, BuildError):
        _import(client)
    return str(client.images.get(tag()).id)


def _import(client: docker.DockerClient) -> None:
    """The same image without a registry: a root file system made by mmdebstrap, then imported."""
    if not shutil.which("mmdebstrap"):
        raise KitError(
            "No registry answers and mmdebstrap is not installed; type: apt-get install mmdebstrap"
        )
    line = ["mmdebstrap", "--variant=minbase", f"--include={','.join(packages())}", SUITE, "-"]
    with tempfile.TemporaryFile() as root:
        made = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=root, stderr=subprocess.PIPE)
        if made.returncode:
            said = made.stderr.decode(errors="replace").strip()
            raise KitError(f"mmdebstrap could not build the image: {said[-300:]}")
        root.seek(0)
        repository, _, version = tag().partition(":")
        client.api.import_image_from_data(root, repository=repository, tag=version)
