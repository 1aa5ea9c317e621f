"""Where a path leads: the links that a program made, followed as the kernel would."""

import posixpath
import re

HOPS = 40
STEPS = 100_000  # parts of paths that are looked at for one run
LONGEST = 8192
_PROCESS = re.compile(r"/proc/(?:self|thread-self|\d+)(?:/task/\d+)?/(?:(root)|(cwd)|fd/\d+)")
_OWN = re.compile(r"/proc/(?:self|thread-self)/")


class Links:
    """Symbolic and hard links by their place. `unclear`: one was met that cannot be followed."""

    def __init__(self) -> None:
        self.to: dict[str, str] = {}
        self.unclear = False
        self.steps = 0

    def add(self, place: str, target: str) -> None:
        """A link at `place`; a relative target is meant from the folder of `place`."""
        self.to[place] = target if target[:1] == "/" else f"{posixpath.dirname(place)}/{target}"

    def drop(self, place: str) -> None:
        self.to.pop(place, None)

    def move(self, old: str, new: str) -> None:
        """What lies at or below `old` lies at or below `new`."""
        self.drop(new)
        for place in [p for p in self.to if p == old or p.startswith(old + "/")]:
            self.to[new + place[len(old) :]] = self.to.pop(place)

    def matter(self, path: str) -> bool:
        """Whether a path could be another than it looks."""
        return bool(self.to) or path.startswith(("/proc/", "/dev/fd/"))

    def follow(self, path: str, *, folder: str, last: bool) -> str:
        """Where an absolute path leads, dots and all; `last`: also where its last part is a link.

        folder: the working folder of the process, for /proc/self/cwd.
        """
        if not self.matter(path):
            return normal(path)
        todo, done, hops = path.split("/")[::-1], [""], 0
        while todo:
            self.steps += 1
            if self.steps > STEPS or len(path) > LONGEST:
                self.unclear = True
                return normal(path)
            part = todo.pop()
            if part == ".." and len(done) > 1:
                done.pop()
            if part in ("", ".", ".."):
                continue
            here = f"{done[-1]}/{part}"
            done.append(here)
            target = self._target(here, folder, further=bool(todo)) if todo or last else None
            if target is not None and hops < HOPS:
                hops, done = hops + 1, [""]
                todo += target.split("/")[::-1]
        return done[-1] or "/"

    def _target(self, here: str, folder: str, *, further: bool) -> str | None:
        if here == "/dev/fd":
            return "/proc/self/fd"
        if here.startswith("/proc/") and (found := _PROCESS.fullmatch(here)):
            if found[1]:
                return "/"
            if found[2] and _OWN.match(here):
                return folder
            self.unclear = self.unclear or further
        return self.to.get(here)


def normal(path: str) -> str:
    """An absolute path without dots; a link before a `..` is not looked at."""
    if "/." in path or "//" in path or path.endswith("/"):
        path = posixpath.normpath(path)
    return path[1:] if path.startswith("//") else path
