"""The warm tier: a Python that is loaded once and forked for every run, each in its own box.

A template (warm_template.py) waits in namespaces of its own and holds the modules that programs
import, the harness's among them; no program ever runs in it and it is told nothing of one. Each
run is a fork of it with fresh user, pid, mount, ipc, uts, net and cgroup namespaces, its own
/tmp, /box and /proc, the limits, the cgroup, the uid and the filter of system calls of a cold box.
What a Python so made cannot do as a fresh one would runs cold, in bubblewrap: see warm_fit.py.

Fixed in every run: the hash seed is 0, and addresses in memory are those of the template. The
state of `random` is drawn anew.
"""

import os
import weakref
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.records import Evidence
from kit.sandbox import collect, posture, process, warm_fit
from kit.sandbox.base import Limits
from kit.sandbox.box import ENVIRONMENT, OOM_FIRST, Box
from kit.sandbox.bwrap import Bwrap
from kit.sandbox.slot import PYTHON, Broken
from kit.sandbox.warm_slot import WarmSlot
from kit.versions import version_of

SOURCES = tuple(f"kit.sandbox.{name}" for name in ("warm", "warm_fit", "warm_slot"))
PLACED = ("kit/sandbox", "kit/harness/inbox")


def _end(owner: int, slots: dict[str, WarmSlot]) -> None:
    """What close() does, and the end of the interpreter where it was forgotten."""
    while slots and os.getpid() == owner:
        slots.popitem()[1].close()


class WarmBox(Box):
    """The life of a box whose program is forked from a template."""

    def __init__(self, slot: WarmSlot, limits: Limits, *, observe: bool) -> None:
        super().__init__(slot, limits, observe=observe)
        self.template = slot.template(observe)
        self.template.disk = limits.disk_mb << 20

    def _hold(self, status: int, stderr: process.Stream) -> int:  # noqa: ARG002 - bubblewrap's
        """Pin the init of the run and its /box, which are there when the template says so."""
        pid = self.template.init
        self.init = os.pidfd_open(pid)
        self.stack.callback(os.close, self.init)
        self.root = os.open(f"/proc/{pid}/root/box", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.stack.callback(os.close, self.root)
        self.stack.callback(self._kill)
        if self.slot.group:
            Path(f"/proc/{pid}/oom_score_adj").write_text(OOM_FIRST)
        return pid

    def _evidence(self, ending: process.Ending, *args: Any) -> Evidence:
        if ending.why != "exit":
            self.template.spent = True
        return super()._evidence(ending, *args)


class Warm(Bwrap):
    """Python from a template; all else, and what needs a fresh interpreter, in bubblewrap.

    Which of the two it was stands in the evidence: isolation "warm" or "bwrap".
    """

    name = "warm"
    cold = staticmethod(warm_fit.cold)

    def __init__(self, limits: Limits) -> None:
        self._warm: dict[str, WarmSlot] = {}
        super().__init__(limits)
        self._cool = weakref.finalize(self, _end, self._owner, self._warm)
        version = version_of(__name__, within=SOURCES, placed=PLACED)
        self.identity = f"warm {version}, {self.identity}"
        asked = partial(self._forked, limits=Limits())
        try:
            canary = self._folder / "canary"
            posture.check(asked, python=PYTHON, canary=canary, allowed={*ENVIRONMENT, "PWD"})
        except (KitError, Broken) as error:
            self.close()
            why = str(error).replace("bwrap", "warm", 1)
            raise KitError(f"{why} The bwrap sandbox may run all the same.") from error

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
        """One program in its own box. See the protocol."""
        wide = mounts or network or hosts or users or (limits and limits.ptrace)
        inside = os.getpid() == self._owner
        if inside and not wide and not self.cold(argv, files or {}, stdin, env or {}):
            try:
                return self._forked(
                    argv, files=files, stdin=stdin, env=env, limits=limits, observe=observe
                )
            except Broken:  # ours: a cold box has the answer
                pass
        return super().run(
            argv, files=files, stdin=stdin, env=env, limits=limits, observe=observe,
            mounts=mounts, network=network, hosts=hosts, users=users,
        )  # fmt: skip

    def _forked(
        self,
        argv: Sequence[str],
        *,
        files: Mapping[str, bytes] | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        observe: bool = True,
    ) -> Evidence:
        """A run in a fork of a template; Broken where that failed."""
        for path in files or {}:
            collect.parts_of(path)
        with self._slot() as cold:
            key = cold.trace.name
            if key not in self._warm:
                self._warm[key] = WarmSlot(cold, self._root, self.limits)
            try:
                box = WarmBox(self._warm[key], limits or self.limits, observe=observe)
                box.template.asked = warm_fit.request(argv, files or {}, env or {})
                return box.live(
                    self._root, list(argv), files=files or {}, stdin=stdin, env={}, mounts={}
                )
            except BaseException:  # also an interrupt: this template still has an answer to give
                self._warm[key].renew()
                raise

    def close(self) -> None:
        _end(self._owner, self._warm)
        super().close()
