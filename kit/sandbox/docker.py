"""The second tier: a container for every run, through docker-py."""

import contextlib
import os
import platform
import socket
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import docker
from docker.errors import APIError, DockerException, NotFound

from kit.errors import KitError
from kit.records import Evidence, Status
from kit.sandbox import collect, container, engine, image, process, syscalls
from kit.sandbox.base import Feature, Limits, demand
from kit.sandbox.slot import Broken

missing = engine.missing
LABEL = "kit.owner"


def owner() -> str:
    """Who made a container: machine and process."""
    return f"{socket.gethostname()}/{os.getpid()}"


def sweep(client: docker.DockerClient) -> int:
    """Remove the containers of kits of this machine that are dead; how many there were."""
    host, count = socket.gethostname(), 0
    for found in client.containers.list(all=True, filters={"label": LABEL}):
        name, _, pid = found.labels[LABEL].rpartition("/")
        if name == host and not os.path.exists(f"/proc/{pid}"):  # noqa: PTH110
            with contextlib.suppress(NotFound, APIError):
                found.remove(force=True, v=True)
                count += 1
    return count


class Docker:
    """A fresh container for every run. See kit.sandbox.base.Sandbox for the contract."""

    name = "docker"
    gives: frozenset[Feature] = frozenset({"events", "memory"})

    def __init__(self, limits: Limits) -> None:
        if platform.machine() not in ("x86_64", "AMD64"):
            raise KitError(f"The docker tier needs x86_64, not {platform.machine()}.")
        if why := missing():
            raise KitError(f"The docker sandbox cannot run: {why}.")
        demand(self, {"ptrace": limits.ptrace})
        self.limits = limits
        self._local = threading.local()
        self._clients: list[docker.DockerClient] = []
        sweep(self._client())
        self._image = image.ensure(self._client())
        version = self._client().version()["Version"]
        self.identity = f"docker {version}, {image.tag()}, {self._image[:19]}"

    def _client(self) -> docker.DockerClient:
        """One for each thread: a client shared between them mixes replies."""
        client: docker.DockerClient | None = getattr(self._local, "client", None)
        if client is None:
            client = self._local.client = engine.connect()
            self._clients.append(client)
        return client

    def run(
        self,
        argv: Sequence[str],
        *,
        files: Mapping[str, bytes] | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        observe: bool = True,
        mounts: Mapping[str, Path] | None = None,
        network: bool = False,
        hosts: Mapping[str, str] | None = None,
        users: Mapping[str, int] | None = None,
    ) -> Evidence:
        """One program in its own container. See the protocol."""
        ptrace = limits is not None and limits.ptrace
        demand(self, {"mounts": mounts, "network": network, "hosts": hosts, "users": users,
                      "ptrace": ptrace})  # fmt: skip
        for path in files or {}:
            collect.parts_of(path)
        life = _Life(self._client(), self._image, limits or self.limits, observe=observe)
        note = ""
        for _ in range(2):
            try:
                return life.live(list(argv), files or {}, stdin, env or {})
            except (Broken, DockerException, OSError) as error:
                note = f"{type(error).__name__}: {error}"
        return Evidence(Status.INFRA_ERROR, isolation=self.name, note=note)

    def close(self) -> None:
        while self._clients:
            self._clients.pop().close()

    def __enter__(self) -> "Docker":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class _Life:
    """One container from its making to its removal."""

    def __init__(
        self, client: docker.DockerClient, image_id: str, limits: Limits, *, observe: bool
    ) -> None:
        self.client, self.image, self.limits, self.observe = client, image_id, limits, observe

    def live(
        self, argv: list[str], files: Mapping[str, bytes], stdin: bytes, env: Mapping[str, str]
    ) -> Evidence:
        limits = self.limits
        box = container.create(
            self.client,
            self.image,
            limits,
            labels={LABEL: owner()},
            spare_kb=64 + (len(stdin) >> 10),
        )
        try:
            box.start()
            streams = process.streams(-1, -1, -1, limits)
            line = container.command(argv, env, limits, observe=self.observe)
            shell = container.Shell(box, line, uid=0)
            try:
                wanted = {1: streams[0], 2: streams[1]}
                filling, before = container.packed(files, stdin), process.pressure()
                ending = shell.talk(filling, wanted, limits.wall_s)
                code = shell.code() if ending.why == "exit" else None
            finally:
                shell.close()
            pressed_s = process.pressure() - before
            remains = container.finish(box, limits, list(files))
        finally:
            with contextlib.suppress(NotFound):
                box.remove(force=True, v=True)
        ending = process.excused(ending, cpu_s=remains.cpu_s, pressed_s=pressed_s)
        return self._evidence(ending, code, streams, remains, files)

    def _evidence(
        self,
        ending: process.Ending,
        code: int | None,
        streams: list[process.Stream],
        remains: container.Remains,
        files: Mapping[str, bytes],
    ) -> Evidence:
        trace = remains.files.pop(os.fsencode(container.TRACE_FILE), (b"", 0))[0]
        channel = remains.files.pop(os.fsencode(container.CHANNEL_FILE), (b"", 0))[0]
        streams[2].add(channel)
        story = syscalls.read_trace(
            trace.decode(errors="backslashreplace"), wrappers=container.WRAPPERS
        )
        capped = len(trace) >= (container.TRACE_MB << 20) - container.PAGE
        lost = syscalls.gaps(story, capped=capped, whole=ending.why == "exit")
        if self.observe and not story.started:
            said = bytes(streams[1].data).decode(errors="replace").strip()
            raise Broken(f"the program did not start: {said or 'no reason given'}")
        number = None
        if ending.why == "exit":
            number = process.signal_of(story.signal, code, observed=self.observe)
        return process.evidence(
            ending,
            code=None if number else code,
            signal=number,
            cpu_s=remains.cpu_s,
            peak_mb=remains.peak_mb,
            oom=remains.oom,
            streams=streams,
            harvest=container.harvest(remains, files, self.limits),
            limits=self.limits,
            events=story.events,
            lost=lost,
            isolation="docker",
        )
