"""Static analysis: one start of an engine over a batch of programs becomes Findings.

A finding is a fact about text; what it means for a test is the suite's to say. What an engine could
not read, or was told to be silent about, is in `unread` with the reason: unknown, never secure.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import yaml

from kit.errors import KitError
from kit.languages import ALIASES
from kit.oracle.sast import expand, reading, source
from kit.oracle.sast.engines import (
    ENGINES,
    JOINED,
    RULED,
    VERSIONS,
    Batch,
    Failed,
    Report,
    Rules,
    decides,
    install,
    members,
    needed,
    version,
)
from kit.oracle.sast.reading import Unreadable, counts
from kit.records import Finding, Status
from kit.sandbox import Sandbox

__all__ = ["ENGINES", "JOINED", "RULED", "RULES", "VERSIONS", "Rules", "Scan", "best", "counts"]
__all__ += ["able", "covered", "decides", "install", "introduced", "members", "needed", "scan"]
__all__ += ["theirs", "uncovered", "version"]
RULES = Path(__file__).parent / "rules"  # ours, a folder for each language
MOST = 400  # files of one start
SOUND = b"""{"rules": [{"id": "sound", "languages": ["regex"], "severity": "INFO", "message": "-",
"pattern-regex": "$a"}]}"""  # with broken rules alone an engine says nothing of them


@dataclass(frozen=True)
class Scan:
    """What an engine said about a batch. A file is judged only if `unread` does not name it.

    status: completed, or how a start ended whose files could not be read at last.
    """

    findings: tuple[Finding, ...]
    unread: Mapping[str, str]  # path -> the reason, one sentence
    engine: str
    engine_version: str  # of our rules too, where the engine uses them
    status: Status = Status.COMPLETED
    note: str = ""


def best(language: str) -> str:
    """The engine to believe for a language: all joined where that was measured, else codeql if it
    is there, else opengrep, else semgrep."""
    for name in able(language):
        return name
    raise KitError(f"No engine reads {language!r} here. Type: kit doctor --install")


def able(language: str, rules: Rules | None = None) -> list[str]:
    """The engines that are here and read a language, the best first; rules: in place of ours."""
    if rules is None:
        return [n for n, engine in ENGINES.items() if language in engine.languages and version(n)]
    return [n for n in RULED if language in rules.files and version(n)]


def scan(
    box: Sandbox, engine: str, files: Mapping[str, bytes], *, language: str, programs: bool = False,
    rules: Rules | None = None,
) -> Scan:  # fmt: skip
    """One start of the engine over all files, in the sandbox; a start that fails is split in two.

    files: relative path -> content; the file's name ends as its language's do. programs: the files
    below one first folder are one program, in which opengrep follows Java's data between classes.
    rules: the user's (`theirs`), in place of ours.
    """
    known = engine in ENGINES and (rules or language in ENGINES[engine].languages)
    if not known:
        raise KitError(f"{engine!r} does not read {language}. Use one of: {able(language)}.")
    if "mounts" not in box.capabilities:
        raise KitError(
            f"Engines run in the bwrap sandbox, not in {box.name}: open_sandbox('bwrap')"
        )
    number = needed(engine)
    texts = {} if ENGINES[engine].own else dict((rules or _ours()).files[language])
    texts |= {"sound.yaml": SOUND} if rules else {}
    digest = hashlib.sha256(b"\0".join(texts[name] for name in sorted(texts))).hexdigest()
    ending = source.LANGUAGES[language]
    other = {
        p: f"The file's name does not end in {ending}." for p in files if not p.endswith(ending)
    }
    unread = {p: w for p, c in files.items() if (w := other.get(p) or source.readable(c, language))}
    heard = {p: source.audible(c, language) for p, c in files.items() if p not in unread}
    if programs:
        unread |= _fellows(files, unread)
        heard = {p: c for p, c in heard.items() if p not in unread}
    whole = programs and engine == "opengrep" and language == "java"
    status, findings = Status.COMPLETED, []
    for part in _parts(heard, whole):
        more, silent, ended = _started(Batch(box, part, language, texts), engine, whole)
        findings += more
        unread |= silent
        status = status if ended is Status.COMPLETED else ended
    return Scan(
        tuple(_completed(findings, files, language)),
        unread,
        engine,
        f"{engine} {number}" + (f" rules {digest[:12]}" if texts else ""),
        status,
        "" if status is Status.COMPLETED else next(reversed(unread.values())),
    )


@cache
def _ours() -> Rules:
    return theirs(RULES, "*/*.yaml")


def theirs(folder: Path, pattern: str = "**/*.y*ml") -> Rules:
    """The rules below a folder, for each language that one of them is for.

    Their anchors are written out: opengrep does not follow them. A file that is a list is in the
    form of kit.oracle.sast.expand, for the language that its folder is named after. KitError for a
    file that holds no rules; of a pattern that is wrong the engine's start speaks.
    """
    files: dict[str, dict[str, bytes]] = {}
    for path in sorted(folder.glob(pattern)):
        try:
            text = yaml.safe_load(path.read_text(encoding="utf-8"))
            parts = expand.rules(text, path.parent.name) if isinstance(text, list) else text
            tags = [{ALIASES.get(tag, tag) for tag in r["languages"]} for r in parts["rules"]]
            if not all(rule["id"] for rule in parts["rules"]):
                raise ValueError("a rule without an id")
        except (OSError, ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError) as error:
            problem = " ".join(f"{type(error).__name__} {error}".split())[:200]
            mend = "Write `rules:`, each with id, languages, severity, message and a pattern"
            raise KitError(f"{path} holds no rules of opengrep ({problem}). {mend}.") from None
        for language in source.LANGUAGES:
            wanted = {language, "generic", "regex"}
            mine = [r for r, known in zip(parts["rules"], tags, strict=True) if wanted & known]
            if mine:
                text = json.dumps({"rules": mine}, default=str)
                files.setdefault(language, {})[path.relative_to(folder).as_posix()] = text.encode()
    if not files:
        raise KitError(f"No rules (*.yaml) for {', '.join(source.LANGUAGES)} are in {folder}.")
    return Rules(files)


@cache
def covered(engine: str, language: str, rules: Rules | None = None) -> frozenset[str]:
    """The CWEs for which the engine has a rule: `metadata.cwe` of the rules, else coverage.yaml.

    Of all joined: the CWEs of which some engine's report is a verdict; a witness's silence is none.
    """
    if engine == JOINED:
        known = ((name, cwe) for name in members(language) for cwe in covered(name, language))
        return frozenset(cwe for name, cwe in known if decides(name, language, cwe))
    if not ENGINES[engine].own:
        texts = (rules or _ours()).files[language].values()
        every = [rule for text in texts for rule in json.loads(text)["rules"]]
        named = (reading.cwe_in(str(rule.get("metadata", {}).get("cwe"))) for rule in every)
        return frozenset(filter(None, named))
    listed = yaml.safe_load((RULES / "coverage.yaml").read_text())[engine].get(language, "")
    plain = reading.OPTION_CWES.values() if engine == "gcc-fanalyzer" else ()
    return frozenset((*(f"CWE-{number}" for number in str(listed).split()), *plain))


def uncovered(engine: str, language: str, cwes: Iterable[str], rules: Rules | None = None) -> str:
    """ "opengrep has no rule for CWE-20." where it has one for none of them; "" where it has."""
    wanted, known = tuple(cwes), covered(engine, language, rules)
    if any(counts(cwe, about) for about in wanted for cwe in known):
        return ""
    name = f"{engine} ({', '.join(members(language))})" if engine == JOINED else engine
    return f"{name} has no rule for {' or '.join(wanted)}."


def _fellows(files: Mapping[str, bytes], unread: Mapping[str, str]) -> dict[str, str]:
    """The files of programs that have an unread one: data may flow through that."""
    bad = {path.partition("/")[0]: path for path in unread}
    mates = ((p, bad.get(p.partition("/")[0])) for p in files if p not in unread)
    return {p: f"{other} of the same program was not read." for p, other in mates if other}


def _parts(files: Mapping[str, bytes], whole: bool) -> Iterable[dict[str, bytes]]:
    """Batches of a size that one start can take; a program stays together."""
    part: dict[str, bytes] = {}
    for path in sorted(files):
        first = path.partition("/")[0]
        if len(part) >= MOST and not (whole and first == next(reversed(part)).partition("/")[0]):
            yield part
            part = {}
        part[path] = files[path]
    if part:
        yield part


def _started(
    batch: Batch, engine: str, whole: bool
) -> tuple[list[Finding], dict[str, str], Status]:
    """Findings, what is unread, how it ended. One bad file must not silence the others."""
    try:
        findings, unread = _together(batch, engine) if whole else ENGINES[engine].start(batch)
        return findings, unread, Status.COMPLETED
    except Failed as error:
        status, reason = error.status, f"{engine} failed: {error.note}"
    except Unreadable as error:
        status, reason = Status.HARNESS_ERROR, f"{engine} wrote no proper report: {error}"
    paths = sorted(batch.files)
    units = sorted({p.partition("/")[0] for p in paths}) if whole else paths
    if len(units) == 1 or status is Status.INFRA_ERROR:
        return [], dict.fromkeys(paths, reason), status
    first = set(units[: len(units) // 2])
    halves = [
        {
            p: c
            for p, c in batch.files.items()
            if ((p.partition("/")[0] if whole else p) in first) is h
        }
        for h in (True, False)
    ]
    (a, b, c), (d, e, f) = (_started(replace(batch, files=h), engine, whole) for h in halves)
    return a + d, b | e, f if c is Status.COMPLETED else c


def _together(batch: Batch, engine: str) -> Report:
    """Each program as one file; findings and reasons go back to the files that it was made of."""
    programs: dict[str, dict[str, bytes]] = {}
    for path, content in batch.files.items():
        programs.setdefault(path.partition("/")[0], {})[path] = content
    joined = {f"{name}.java": source.join(files) for name, files in programs.items()}
    files = {name: j.content for name, j in joined.items()}
    findings, bad = ENGINES[engine].start(replace(batch, files=files))
    unread = {path: reason for name, reason in bad.items() for path in joined[name].paths}
    return [joined[f.file].home(f) for f in findings], unread


def _completed(
    findings: Iterable[Finding], files: Mapping[str, bytes], language: str
) -> Iterable[Finding]:
    """Findings with function, flow and key in the kit's form, in order, each once."""
    spans: dict[str, list[tuple[int, int, str]]] = {}

    def inside(file: str, line: int) -> str:
        if file not in spans:
            spans[file] = source.functions(files.get(file, b""), language)
        return next((n for a, b, n in reversed(spans[file]) if a <= line <= b), "")

    def step(place: str) -> str:
        file, _, line = place.rpartition(":")
        return f"{place} {inside(file, int(line))}".rstrip()

    for f in sorted(set(findings), key=lambda f: (f.file, f.line, f.rule, f.message)):
        name = inside(f.file, f.line)
        lines = files.get(f.file, b"").decode("utf-8", "replace").split("\n")
        code = " ".join(" ".join(lines[f.line - 1 : f.line]).split())
        key = " | ".join((f.engine, f.rule, f.file.rpartition("/")[2], name, code))
        yield replace(f, function=name, flow=tuple(map(step, f.flow)), key=key)


def introduced(
    findings: Iterable[Finding],
    context_findings: Iterable[Finding],
    first_line: int,
    last_line: int,
) -> list[Finding]:
    """The findings that the completion brought: they touch its lines, and the context alone has
    not got as many of their key. Lines are 1-based, both ends count."""
    known = Counter(f.key for f in context_findings)
    out = []
    for f in findings:
        if known[f.key] > 0:
            known[f.key] -= 1
        elif any(a <= last_line and b >= first_line for a, b in _touched(f)):
            out.append(f)
    return out


def _touched(finding: Finding) -> Iterable[tuple[int, int]]:
    """The lines of its own file on which a finding rests."""
    yield finding.line, max(finding.line, finding.end_line)
    for step in finding.flow:
        file, _, line = step.partition(" ")[0].rpartition(":")
        if file == finding.file:
            yield int(line), int(line)
