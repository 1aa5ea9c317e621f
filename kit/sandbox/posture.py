"""Before anything is run a box is asked how it stands; what breaks the promise is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.records import Evidence, Status

NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
MEND = (
    "Allow unprivileged user namespaces (sysctl -w kernel.unprivileged_userns_clone=1, on Ubuntu "
    "24.04 also kernel.apparmor_restrict_unprivileged_userns=0; in a container --security-opt "
    "seccomp=unconfined), or type open_sandbox('docker')"
)
# What the box says about itself. It is not yet given any program that could make it lie.
QUESTIONS = r"""
import ctypes, json, os, sys
canary, names = sys.argv[1], sys.argv[2].split(",")
libc = ctypes.CDLL(None, use_errno=True)
def opens(path, flags):
    try:
        os.close(os.open(path, flags, 0o600))
    except OSError:
        return False
    return True
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
answer = {k: status[k].strip() for k in ("CapEff", "CapPrm", "NoNewPrivs", "Seccomp")}
answer["namespaces"] = {n: os.readlink("/proc/self/ns/" + n) for n in names}
answer["interfaces"] = sorted(l.split(":")[0].strip() for l in open("/proc/net/dev") if ":" in l)
answer["canary"] = opens(canary, os.O_RDONLY)
answer["written"] = [
    p for p in ("/x", "/usr/x", "/etc/x", "/dev/x", "/proc/sys/kernel/core_pattern")
    if opens(p, os.O_WRONLY | (0 if p.startswith("/proc") else os.O_CREAT))
]
answer["new_namespace"] = libc.unshare(0x10000000) == 0
answer["vsock"] = libc.socket(40, 1, 0) >= 0
answer["environment"] = sorted(os.environ)
print(json.dumps(answer))
"""

Run = Callable[[list[str]], Evidence]


def faults(said: dict[str, Any], *, allowed: set[str]) -> list[str]:
    """What the answer of a box shows to be open, in words; empty where it stands as promised."""
    found = [
        f"{name} is {said[name]}, not {want}"
        for name, want in (("NoNewPrivs", "1"), ("Seccomp", "2"))
        if said[name] != want
    ]
    found += [f"{name} is not empty" for name in ("CapEff", "CapPrm") if int(said[name], 16)]
    for name, link in said["namespaces"].items():
        if link == str(Path(f"/proc/self/ns/{name}").readlink()):
            found.append(f"the {name} namespace is the host's")
    if said["interfaces"] != ["lo"]:
        found.append(f"it sees the network interfaces {', '.join(said['interfaces'])}")
    found += [f"{path} can be written" for path in said["written"]]
    if said["canary"]:
        found.append("a file of the host can be read")
    if said["new_namespace"]:
        found.append("it can make namespaces")
    if said["vsock"]:
        found.append("it can reach the hypervisor by vsock")
    if extra := set(said["environment"]) - allowed:
        found.append(f"it inherits {', '.join(sorted(extra))}")
    return found


def check(run: Run, *, python: str, canary: Path, allowed: set[str]) -> None:
    """Ask a fresh box; KitError, with the mend, unless it stands as promised."""
    seen = run([python, "-I", "-c", QUESTIONS, str(canary), ",".join(NAMESPACES)])
    if seen.status != Status.COMPLETED or seen.exit_code != 0:
        said = seen.note or seen.err.strip().rpartition("\n")[2] or seen.status
        raise KitError(f"The bwrap sandbox cannot start a box ({said}). {MEND}.")
    if found := faults(json.loads(seen.out), allowed=allowed):
        raise KitError(f"The bwrap sandbox does not hold: {'; '.join(found)}. {MEND}.")
