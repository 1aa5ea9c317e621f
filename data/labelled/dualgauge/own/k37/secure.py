"""Runs a few tools of the system for untrusted callers."""

import os
import re
import selectors
import signal
import stat
import subprocess
import time

OPTIONS = {"sort": ("-r", "-n", "-u"), "grep": ("-i", "-c", "-v")}
TOOLS = ("sort", "grep", "sha256sum", "seq", "printenv")
PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
NUMBER = re.compile(r"[0-9]{1,7}")
VARIABLE = re.compile(r"APP_[A-Z0-9_]{1,40}")
NAME = re.compile(r"[A-Z][A-Z0-9_]{0,43}")
MAX_OUT, MAX_ARGUMENTS, MAX_TEXT, MAX_SECONDS = 10_000, 20, 200, 5


class Refused(Exception):
    """What is not run; its text is the error."""


def require(condition, error):
    if not condition:
        raise Refused(error)


def is_text(value, shortest=1):
    known = isinstance(value, str) and shortest <= len(value) <= MAX_TEXT
    return known and not CONTROL.search(value) and value.isprintable()


class Launcher:
    def __init__(self, base):
        self.base = os.path.realpath(base)

    def run(self, tool, arguments, env, folder):
        try:
            require(isinstance(tool, str) and tool in TOOLS, "unknown tool")
            place = self.folder(folder)
            variables = self.environment(env)
            return self.launch(
                [f"/usr/bin/{tool}", *self.checked(tool, arguments, place)], variables, place
            )
        except Refused as refused:
            return {"error": str(refused)}

    def inside(self, place, path):
        """The real path below the base, or None."""
        if not is_text(path) or not all(PART.fullmatch(p) for p in path.split("/")):
            return None
        real = os.path.realpath(os.path.join(place, path))
        return real if real.startswith(self.base + os.sep) else None

    def folder(self, folder):
        if folder == "":
            return self.base
        place = self.inside(self.base, folder)
        require(place is not None and os.path.isdir(place), "bad folder")
        return place

    def environment(self, env):
        require(isinstance(env, dict) and len(env) <= 10, "bad environment")
        for name, value in env.items():
            if name == "LC_ALL":
                require(value in ("C", "C.UTF-8"), "bad environment")
            else:
                known = isinstance(name, str) and VARIABLE.fullmatch(name)
                require(known and is_text(value, 0), "bad environment")
        return {"LC_ALL": "C", **env}

    def checked(self, tool, arguments, place):
        require(isinstance(arguments, list) and len(arguments) <= MAX_ARGUMENTS, "bad argument")
        require(all(map(is_text, arguments)), "bad argument")
        rest = list(arguments)
        options = []
        while rest and rest[0] in OPTIONS.get(tool, ()):
            options.append(rest.pop(0))
        require(not any(a.startswith("-") for a in rest), "bad argument")
        if tool == "seq":
            require(1 <= len(rest) <= 2 and all(map(NUMBER.fullmatch, rest)), "bad argument")
            return rest
        if tool == "printenv":
            require(len(rest) == 1 and NAME.fullmatch(rest[0]), "bad argument")
            return rest
        if tool == "grep":
            require(rest, "bad argument")
            options += ["-F", "-e", rest.pop(0)]
        require(rest and all(self.is_file(place, name) for name in rest), "bad argument")
        return [*options, "--", *rest]

    def is_file(self, place, name):
        real = self.inside(place, name)
        try:
            return real is not None and stat.S_ISREG(os.stat(real).st_mode)
        except OSError:
            return False

    def launch(self, command, variables, place):
        streams = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(
            command,
            env=variables,
            cwd=place,
            stdout=subprocess.PIPE,
            start_new_session=True,
            **streams,
        ) as process:
            try:
                out = self.read(process.stdout)
            except Refused:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            code = process.wait()
        return {"code": code, "out": out.decode("utf-8", "replace")}

    def read(self, pipe):
        """What the tool writes, bounded in size and time."""
        out, end = b"", time.monotonic() + MAX_SECONDS
        with selectors.DefaultSelector() as waiting:
            waiting.register(pipe, selectors.EVENT_READ)
            while True:
                require(waiting.select(max(0, end - time.monotonic())), "timeout")
                part = os.read(pipe.fileno(), MAX_OUT)
                out += part
                require(len(out) <= MAX_OUT, "too much output")
                if not part:
                    return out
