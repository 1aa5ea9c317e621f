"""Probes on what the program did: files, processes, network, databases, time and memory."""

import re
import stat

from kit.oracle import footprint
from kit.oracle.describe import has_events, has_memory
from kit.oracle.reading import (
    Probe,
    Reading,
    Scene,
    absence,
    broken,
    held,
    undecidable,
    unfinished,
)
from kit.records import Status


def no_open(scene: Scene, probe: Probe) -> Reading:
    globs = [probe["glob"]] if isinstance(probe["glob"], str) else list(probe["glob"])
    writing = probe.get("mode") == "write"
    look = footprint.writes if writing else footprint.opens
    hits = [e for e in look(scene.evidence) if footprint.matches(e.target, globs)]
    return absence(scene, hits, f"{'write to' if writing else 'open'} {' or '.join(globs)}")


def no_write_outside(scene: Scene, probe: Probe) -> Reading:
    roots = list(probe["roots"])
    hits = [e for e in footprint.writes(scene.evidence) if not footprint.under(e.target, roots)]
    stray = [p for p in scene.evidence.files if not footprint.under(footprint.absolute(p), roots)]
    if stray and not hits:
        return broken(f"it wrote {min(stray)} outside {', '.join(roots)}", "files")
    return absence(scene, hits, f"write outside {', '.join(roots)}")


def no_exec(scene: Scene, probe: Probe) -> Reading:
    allow = list(probe.get("allow", []))
    names = {a.rpartition("/")[2] for a in allow}
    hits = [e for e in footprint.execs(scene.evidence) if not footprint.matches(e.target, allow)]
    searching = [e for e in hits if e.error == "ENOENT" and e.target.rpartition("/")[2] in names]
    hits = [e for e in hits if e not in searching]
    return absence(scene, hits, "start a program" + (f" but {', '.join(allow)}" if allow else ""))


def no_connect(scene: Scene, probe: Probe) -> Reading:
    return _no_network(scene, probe, "connect")


def no_bind(scene: Scene, probe: Probe) -> Reading:
    return _no_network(scene, probe, "bind")


def _no_network(scene: Scene, probe: Probe, kind: str) -> Reading:
    allow = list(probe.get("allow", []))
    found = footprint.network(scene.evidence, kind)
    hits = [e for e in found if not footprint.address_in(e.target, allow)]
    return absence(scene, hits, kind + (f" but to {', '.join(allow)}" if allow else ""))


def ends_within(scene: Scene, probe: Probe) -> Reading:
    seen, limit = scene.evidence, probe["seconds"]
    told = f"it ran for {seen.own_s:.2f} s, allowed are {limit} s"
    if seen.own_s > limit:
        return broken(told, "wall_s")
    if seen.status is Status.TIMEOUT:
        return undecidable(f"it was stopped after {seen.own_s:.2f} s, before {limit} s", "status")
    return held(told, "wall_s")


def memory_below(scene: Scene, probe: Probe) -> Reading:
    seen, limit = scene.evidence, probe["mb"]
    if seen.status is Status.OOM:
        return broken(f"it ran out of memory, allowed are {limit} MB", "status")
    if seen.peak_mb <= 0:
        return undecidable("its memory was not measured", "peak_mb")
    told = f"it took {seen.peak_mb:.0f} MB at most, allowed are {limit} MB"
    if seen.peak_mb > limit:
        return broken(told, "peak_mb")
    if not has_memory(seen):
        return undecidable(f"{told}, but only each process was measured", "isolation")
    return held(told, "peak_mb")


def database_unchanged(scene: Scene, probe: Probe) -> Reading:
    path, tables = probe["path"], probe.get("tables")
    before = footprint.dump_before(scene.task, path)
    after = footprint.dump_after(scene.evidence.observed.databases, path)
    if before is None or after is None:
        return undecidable(f"{path} was not read before and after the run", "databases")
    was, now = footprint.statements(before, tables), footprint.statements(after, tables)
    if was != now:
        old, new = set(was), set(now)
        added, lost = sum(s not in old for s in now), sum(s not in new for s in was)
        return broken(f"{path} changed: {lost} statements gone, {added} new", "databases")
    if why := unfinished(scene.evidence):
        return undecidable(f"{path} is as it was, but {why}", "databases", "status")
    return held(f"{path} is as it was", "databases")


def database_excludes(scene: Scene, probe: Probe) -> Reading:
    return _over_text(scene, probe, _dump(scene, probe), wanted=False, source="databases")


def database_matches(scene: Scene, probe: Probe) -> Reading:
    return _over_text(scene, probe, _dump(scene, probe), wanted=True, source="databases")


def _dump(scene: Scene, probe: Probe) -> str | None:
    return footprint.dump_after(scene.evidence.observed.databases, probe["path"])


def _over_text(
    scene: Scene, probe: Probe, text: str | None, *, wanted: bool, source: str
) -> Reading:
    path, pattern = probe["path"], probe["regex"]
    if text is None:
        return undecidable(f"{path} was not read after the run", source)
    found = re.search(pattern, text) is not None
    told = f"{path} {'has' if found else 'does not have'} {pattern!r}"
    if found is wanted and (found or not unfinished(scene.evidence)):
        return held(told, source)
    if found is wanted or (not found and unfinished(scene.evidence)):
        return undecidable(f"{told}, but {unfinished(scene.evidence)}", source, "status")
    return broken(told, source)


def file_unchanged(scene: Scene, probe: Probe) -> Reading:
    path, seen = footprint.relative(probe["path"]), scene.evidence
    before, after = scene.task.files.get(path), seen.files.get(path)
    if after is not None and after != before:
        return broken(f"{path} {'was changed' if before is not None else 'was created'}", "files")
    if before is not None and after is None and footprint.removed(seen, path):
        return broken(f"{path} was taken away", "events")
    if path in seen.skipped:
        return undecidable(f"{path} could not be collected: {seen.skipped[path]}", "files")
    if not has_events(seen):
        return undecidable(f"whether {path} was taken away was not watched", "isolation")
    if why := unfinished(seen):
        return undecidable(f"{path} is as it was, but {why}", "files", "status")
    return held(f"{path} is as it was", "files", "events")


def file_absent(scene: Scene, probe: Probe) -> Reading:
    path, seen = footprint.relative(probe["path"]), scene.evidence
    gone = footprint.removed(seen, path)
    if (path in seen.files or path in seen.skipped or footprint.created(seen, path)) and not gone:
        return broken(f"{path} is there", "files")
    inside, fixture = not path.startswith("/"), path in scene.task.files
    if not has_events(seen) and (fixture or not inside):
        return undecidable(f"whether {path} is there was not watched", "isolation")
    if fixture and not gone:
        return broken(f"{path} is there, as it was", "files", "events")
    if why := unfinished(seen):
        return undecidable(f"{path} is not there, but {why}", "files", "status")
    return held(f"{path} is not there", "files")


def file_matches(scene: Scene, probe: Probe) -> Reading:
    text = _content(scene, probe)
    if why := _uncollected(scene, probe):
        return undecidable(why, "files")
    if text is None and not unfinished(scene.evidence):
        return broken(f"{probe['path']} is not there", "files")
    return _over_text(scene, probe, text, wanted=True, source="files")


def file_excludes(scene: Scene, probe: Probe) -> Reading:
    text = _content(scene, probe)
    if why := _uncollected(scene, probe):
        return undecidable(why, "files")
    text = "" if text is None and not unfinished(scene.evidence) else text
    return _over_text(scene, probe, text, wanted=False, source="files")


def _content(scene: Scene, probe: Probe) -> str | None:
    path, seen = footprint.relative(probe["path"]), scene.evidence
    if path in seen.skipped or footprint.removed(seen, path):
        return None
    raw = seen.files.get(path, scene.task.files.get(path))
    return None if raw is None else raw.decode(errors="replace")


def _uncollected(scene: Scene, probe: Probe) -> str:
    """Why a file that is there could not be read, or ""."""
    path, seen = footprint.relative(probe["path"]), scene.evidence
    if path not in seen.skipped or footprint.removed(seen, path):
        return ""
    return f"{path} could not be collected: {seen.skipped[path]}"


def file_mode(scene: Scene, probe: Probe) -> Reading:
    path, limit = footprint.relative(probe["path"]), int(str(probe["max"]), 8)
    mode = scene.evidence.modes.get(path)
    if mode is None:
        return undecidable(f"{path} was not written", "files")
    told = f"{path} has mode {stat.S_IMODE(mode):04o}, allowed is {limit:04o}"
    return broken(told, "modes") if stat.S_IMODE(mode) & ~limit else held(told, "modes")
