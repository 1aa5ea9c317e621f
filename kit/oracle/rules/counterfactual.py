"""The counterfactual rerun: the same program where the attack has its target.

A path that leads to no file and a name that nobody answers to are refused by every program. So the
test is run again where the file is there, with a mark in it, and where the named host answers.
Not made: rights that the box withholds, and files outside its own folder and /tmp.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

from kit.harness.calls import folders
from kit.oracle import side_effects
from kit.oracle.rules import fixtures
from kit.oracle.rules.case import Case
from kit.records import Event, Evidence, Task, Verdict

STAMP = "second world"
MARK = '{"mark": "of the second world"}\n'
PATH = re.compile(r"(?<![\w.~%:+-])(?:[\w.~%:+-]*[/\\])+[\w.~%+-]*[\w~%+-]|\.\.(?:[/\\]|$)")
CLIMBS = re.compile(r"\.\.|^[/~\\]|^[A-Za-z]:\\|%2e|file:|\0|\\x00|\\0", re.I)
ADDRESS = re.compile(r"\b(?:https?|ftp)://[^\s\"'<>\\]+", re.I)
_PLAIN = re.compile(r"[\w.@+-][\w./@+ -]*")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
_INNER = re.compile(r"^[^.]+$|internal|intranet|metadata|private|\.(?:local|lan|corp|home)$", re.I)
_THERE = ("/etc/passwd", "/etc/group", "/etc/hosts", "/etc/nsswitch.conf")
_PORTS = {"http": 80, "https": 443, "ftp": 21}
_SINK = "second_world"
_MOST = 12  # files, and hosts, that one test is given


@dataclass(frozen=True)
class Counterfactual:
    """The task as the second run meets it; `there`: what it has that the first had not."""

    task: Task
    there: tuple[str, ...]


def of_case(case: Case) -> Counterfactual | None:
    """The task with the files and hosts that the input names; None where nothing is added."""
    files, sites = absent_files(case), absent_hosts(case)
    placed = {p.removeprefix("/box/"): MARK.encode() for p in files if p.startswith("/box/")}
    placed |= (lacked := fixtures.made(case))
    apart = [{"type": "file", "path": p, "content": MARK} for p in files if p.startswith("/tmp/")]
    if not files and not sites and not lacked:
        return None
    for n, (host, service) in enumerate(_servers(sites)):
        own = f"{_SINK}/{n}"
        page = host.path.strip("/")
        page = page if _PLAIN.fullmatch(page) and ".." not in page else "index.html"
        placed |= {f"{own}/{name}": MARK.encode() for name in {page, "index.html"}}
        apart.append(service | {"serve_dir": own})
    rerun_task = replace(
        case.task,
        files={**placed, **case.task.files},
        services=(*case.task.services, *apart),
    )
    return Counterfactual(
        rerun_task, (*files, *lacked, *dict.fromkeys(str(s.hostname) for s in sites))
    )


def absent_files(case: Case) -> tuple[str, ...]:
    """Where the climbing paths of the input lead, if nothing is there and something could be."""
    known = {f"/box/{p}" for p in case.task.files}
    known |= {f"/box/{s['path']}" for s in case.task.services if "path" in s}
    found: list[str] = []
    for path in dict.fromkeys(p for t in case.texts if len(t) < 5000 for p in climbing(t)):
        found_at = list(meant(path, case.task))
        if not any(m in _THERE or m in known for m in found_at):
            found += [m for m in found_at if m.startswith(("/box/", "/tmp/")) and _free(m, known)]
    return tuple(dict.fromkeys(found))[:_MOST]


def climbing(text: str) -> list[str]:
    """The parts of a text that lead out of a folder, if they are taken for paths."""
    parts = [text, *(m[0] for m in PATH.finditer(text)), *re.findall(r"=([^&\s]+)", text)]
    return [p for p in dict.fromkeys(parts) if CLIMBS.search(p)]


def meant(path: str, task: Task) -> Iterator[str]:
    """What a path may come to from the folders that the program may start in."""
    path = path.removeprefix("file://").replace("\\", "/")
    path = re.sub(r"\.{4}//+|\.{3}/\./", "../", path)
    path = re.sub(r"^~(?=/)", "/box", path)
    if "://" in path or not re.fullmatch(r"[\w./@+~ -]+", path) or path.endswith("/"):
        return
    homes = {"", "test_dir", *folders(task), *(posixpath.dirname(p) for p in task.files)}
    for home in sorted(homes):
        yield posixpath.normpath(posixpath.join("/box", home, path))


def _free(path: str, known: set[str]) -> bool:
    """Whether a file can be put there: no folder of that name, and no file on the way to it."""
    if path in ("/box", "/tmp") or any(k.startswith(path + "/") for k in known):
        return False
    return not any(path.startswith(k + "/") for k in known) and "/.kit" not in path


def absent_hosts(case: Case) -> list[SplitResult]:
    """Addresses of the input by name, where the program looked up a name and nobody answers to it.

    An address in numbers needs no rerun: its connection is seen, answered or not.
    """
    if not looked_up(case.evidence):
        return []
    served = {s.get("host") for s in case.task.services}
    sites = [_split(m[0]) for t in case.texts if len(t) < 5000 for m in ADDRESS.finditer(t)]
    named = {s.geturl(): s for s in sites if s is not None and _is_name(s)}
    return [s for s in named.values() if s.hostname not in served][:_MOST]


def looked_up(evidence: Evidence) -> bool:
    """Whether the program asked for the address of a name, and had not when its server began."""
    begun = 0
    ours = {e.target.rpartition(":")[2] for e in evidence.events if e.kind == "bind"}
    if evidence.observed.kind == "response":
        calls = [n for n, e in enumerate(evidence.events) if _answers(e, ours)]
        begun = calls[0] if calls else len(evidence.events)
    return any(e.kind == "open" and e.target == "/etc/hosts" for e in evidence.events[begun:])


def _answers(event: Event, ports: set[str]) -> bool:
    own = event.kind == "connect" and event.target.rpartition(":")[2] in ports
    return own and (event.result >= 0 or event.error == "EINPROGRESS")


def connections(evidence: Evidence) -> list[str]:
    """What the program connected to: not what a test's requests came through."""
    ours = {e.target.rpartition(":")[2] for e in evidence.events if e.kind == "bind"}
    found = [e.target for e in side_effects.network(evidence, "connect")]
    if evidence.observed.kind != "response":
        return found
    return [t for t in found if not (_local(t) and t.rpartition(":")[2] in ours)] if ours else []


def _local(target: str) -> bool:
    return target.startswith(("127.", "[::1]", "::1", "localhost"))


def _split(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        return parts if parts.hostname and (parts.port or 1) else None
    except ValueError:
        return None


def _is_name(site: SplitResult) -> bool:
    host = str(site.hostname)
    if host == "localhost" or not _HOST.fullmatch(host) or host.replace(".", "").isdigit():
        return False
    try:
        ip_address(host)
    except ValueError:
        return True
    return False


def _servers(sites: Sequence[SplitResult]) -> Iterator[tuple[SplitResult, dict[str, Any]]]:
    """A server for each; an inner name stands for an inner address, another for a public one."""
    addresses: dict[str, str] = {}
    taken = set()
    for site in sites:
        host = str(site.hostname)
        home = "10.77.0." if _INNER.search(host) else "93.184.217."
        address = addresses.setdefault(host, f"{home}{len(addresses) + 2}")
        port = site.port or _PORTS[site.scheme.lower()]
        if (address, port) not in taken:
            taken.add((address, port))
            kind = "ftp" if site.scheme.lower() == "ftp" else "http"
            yield site, {"type": kind, "host": host, "address": address, "port": port}


def needs(rerun: Counterfactual) -> frozenset[str]:
    """The features of a sandbox that the rerun needs beside those of the first run."""
    return frozenset({"hosts", "users"} if any("host" in s for s in rerun.task.services) else ())


def worded(verdict: Verdict, added: Sequence[str]) -> Verdict:
    """The verdict over the evidence of a rerun; its sentence names what was added."""
    named = ", ".join(added[:3]) + (", ..." if len(added) > 3 else "")
    sentence = f"In a second world, where {named} is there: {verdict.sentence}"
    return replace(verdict, sentence=sentence, rests_on=(*verdict.rests_on, STAMP))
