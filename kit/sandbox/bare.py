"""No isolation: a program runs as you, on your files. For programs that you would start by hand."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from kit.errors import KitError
from kit.records import Evidence
from kit.sandbox import collect, process
from kit.sandbox.base import Feature, Limits, demand

PRLIMIT = "/usr/bin/prlimit"


def missing() -> str:
    """ "" where this tier can run, else the sentence that says what to install."""
    return (
        "" if os.access(PRLIMIT, os.X_OK) else "prlimit not found; type: apt-get install util-linux"
    )


class Bare:
    """A temporary folder and a process group. /box in argv and env is replaced by that folder."""

    name = "bare"
    gives: frozenset[Feature] = frozenset({"network", "ptrace"})  # neither is kept from anyone

    def __init__(self, limits: Limits) -> None:
        if why := missing():
            raise KitError(f"The bare tier cannot run: {why}.")
        self.limits = limits
        done = subprocess.run(
            ["/usr/bin/python3", "--version"], capture_output=True, text=True, check=True
        )
        self.identity = f"bare, {done.stdout.strip()}"

    def run(
        self,
        argv: Sequence[str],
        *,
        files: Mapping[str, bytes] | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        observe: bool = True,  # noqa: ARG002 - nothing is seen from outside here
        mounts: Mapping[str, Path] | None = None,
        network: bool = False,  # noqa: ARG002 - it is the host's in any case
        hosts: Mapping[str, str] | None = None,
        users: Mapping[str, int] | None = None,
    ) -> Evidence:
        """One program on the host; no events, no limit of memory or network. See the protocol."""
        demand(self, {"mounts": mounts, "hosts": hosts, "users": users})
        with tempfile.TemporaryDirectory(prefix="kit-bare-", ignore_cleanup_errors=True) as folder:
            Path(folder, "box").mkdir()
            run = _Run(Path(folder, "box"), limits or self.limits)
            return run.go(list(argv), files or {}, stdin, env or {})

    def close(self) -> None:
        """Nothing is kept between runs."""

    def __enter__(self) -> "Bare":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class _Run:
    def __init__(self, box: Path, limits: Limits) -> None:
        self.box, self.limits = box, limits

    def _here(self, text: str) -> str:
        """`text` with the folder in the place of /box."""
        if text == "/box" or text.startswith("/box/"):
            return f"{self.box}{text[4:]}"
        return text.replace("/box/", f"{self.box}/")

    def _command(self, argv: list[str]) -> list[str]:
        cpu = max(1, round(self.limits.cpu_s))
        wrap = [PRLIMIT, f"--cpu={cpu}:{cpu + 1}", f"--fsize={self.limits.file_mb << 20}"]
        return [*wrap, "--core=0:0", "--", *map(self._here, argv)]

    def _environment(self, env: Mapping[str, str], channel: int) -> dict[str, str]:
        base = {"PATH": "/usr/bin:/bin", "HOME": str(self.box), "TMPDIR": "/tmp", "LANG": "C.UTF-8"}
        base |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
        return base | {k: self._here(v) for k, v in env.items()} | {"KIT_CHANNEL": str(channel)}

    def go(
        self, argv: list[str], files: Mapping[str, bytes], stdin: bytes, env: Mapping[str, str]
    ) -> Evidence:
        limits = self.limits
        with ExitStack() as stack:
            root = os.open(self.box, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, root)
            collect.place(root, files, owner=None)
            pipes = process.Pipes(stack)
            given = pipes.pair(ours="w")
            out, err, chan = (pipes.pair(ours="r") for _ in range(3))
            child = subprocess.Popen(
                self._command(argv),
                stdin=given[1],
                stdout=out[1],
                stderr=err[1],
                env=self._environment(env, chan[1]),
                cwd=self.box,
                pass_fds=(chan[1],),
                start_new_session=True,
            )
            pipes.close_theirs()
            pipes.forget(given[0])
            streams = process.streams(out[0], err[0], chan[0], limits)
            pidfd, before = os.pidfd_open(child.pid), process.pressure()
            stack.callback(os.close, pidfd)
            try:
                ending = process.listen(
                    streams, until=pidfd, stdin_fd=given[0], stdin=stdin, wall_s=limits.wall_s
                )
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
            _, status, used = os.wait4(child.pid, 0)
            ending = process.excused(ending, cpu_s=used.ru_utime + used.ru_stime,
                                     pressed_s=process.pressure() - before)  # fmt: skip
            child.returncode = os.waitstatus_to_exitcode(status)
            for stream in streams:
                stream.drain()
            harvest = collect.Collector(files, limits).take(root)
        code = child.returncode if ending.why == "exit" else None
        return process.evidence(
            ending,
            code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            cpu_s=used.ru_utime + used.ru_stime,
            peak_mb=used.ru_maxrss / 1024,
            streams=streams,
            harvest=harvest,
            limits=limits,
            isolation="bare(no events, no cgroup)",
        )
