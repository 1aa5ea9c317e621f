"""The bare tier: no isolation. Use it only for programs that you would start by hand."""

import os
import signal
import subprocess
import tempfile
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from kit.core.errors import KitError
from kit.core.records import Evidence
from kit.sandbox import process
from kit.sandbox.base import HOST_TMP, Command, Feature, Limits, Sandbox

PRLIMIT = "/usr/bin/prlimit"


def missing() -> str:
    """ "" where this tier can run, else the sentence that says what to install."""
    return (
        "" if os.access(PRLIMIT, os.X_OK) else "prlimit not found; type: apt-get install util-linux"
    )


class Bare(Sandbox):
    """A temporary folder and a process group. /box in argv and env is replaced by that folder."""

    name = "bare"
    capabilities: frozenset[Feature] = frozenset(
        {"network", "ptrace"}
    )  # no program is denied these

    def __init__(self, limits: Limits) -> None:
        if cause := missing():
            raise KitError(f"The bare tier cannot run: {cause}.")
        self.limits = limits
        done = subprocess.run(
            ["/usr/bin/python3", "--version"], capture_output=True, text=True, check=True
        )
        self.identity = f"bare, {done.stdout.strip()}"

    def close(self) -> None:
        """Nothing is kept between runs."""

    def perform(self, command: Command) -> Evidence:
        """One program on the host, with its memory and network, and without events."""
        limits = command.limits
        with ExitStack() as stack:
            folder = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="kit-bare-", ignore_cleanup_errors=True)
            )
            box = Path(folder, "box")
            box.mkdir()
            root = os.open(box, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, root)
            process.place_files(root, command.files, owner=None)
            theirs, feeding = stack.enter_context(ExitStack()), stack.enter_context(ExitStack())
            stdin = process.open_pipe(theirs, feeding)
            out, err, chan = (process.open_pipe(stack, theirs) for _ in range(3))
            child = _start_program(
                command, box, stdin=stdin[0], out=out[1], err=err[1], channel=chan[1]
            )
            theirs.close()
            streams = process.make_streams(out[0], err[0], chan[0], limits)
            pidfd = os.pidfd_open(child.pid)
            stack.callback(os.close, pidfd)
            try:
                ending = process.pump_streams(
                    streams,
                    until=pidfd,
                    stdin_fd=stdin[1],
                    close_stdin=feeding.close,
                    stdin=command.stdin,
                    wall_s=limits.wall_s,
                )
                everyone = process.list_session_processes(
                    child.pid
                )  # children too, that nobody reaps
                ran_s, waited_s = process.measure_cpu_use(everyone)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
            _, status, used = os.wait4(child.pid, 0)
            cpu_s = used.ru_utime + used.ru_stime
            ending = process.excuse_deadline(ending, cpu_s=max(cpu_s, ran_s), waited_s=waited_s)
            child.returncode = os.waitstatus_to_exitcode(status)
            for stream in streams:
                stream.drain()
            in_box = {path: file for path, file in command.made.items() if path[0] != "/"}
            collected = process.Collector(replace(command, made=in_box)).take(box=root)
        return process.build_evidence(
            ending,
            command=command,
            code=child.returncode,
            usage=process.RunUsage(cpu_s, peak_mb=used.ru_maxrss / 1024),
            streams=streams,
            collected=collected,
            isolation=f"bare(no events, no cgroup, {HOST_TMP})",
        )


def _start_program(
    command: Command, box: Path, *, stdin: int, out: int, err: int, channel: int
) -> subprocess.Popen[bytes]:
    """The program, begun in its folder; the numbers are the ends of the pipes that it holds."""
    cpu = max(1, round(command.limits.cpu_s))
    wrap = [PRLIMIT, f"--cpu={cpu}:{cpu + 1}", f"--fsize={command.limits.file_mb << 20}"]
    variables = command.environment(str(channel))
    return subprocess.Popen(
        [*wrap, "--core=0:0", "--", *(_replace_box_path(box, word) for word in command.argv)],
        stdin=stdin,
        stdout=out,
        stderr=err,
        env={name: _replace_box_path(box, value) for name, value in variables.items()},
        cwd=box,
        pass_fds=(channel,),
        start_new_session=True,
    )


def _replace_box_path(box: Path, text: str) -> str:
    """`text` with the folder in the place of /box."""
    return str(box) if text == "/box" else text.replace("/box/", f"{box}/")
