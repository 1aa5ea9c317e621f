"""Static analysis: one start of an engine over a batch of programs becomes Findings.

A finding is a fact about a text; the suite decides what it means for a test. A file that an engine
could not read, or that suppresses findings, is in `unread` with the reason: it is never secure.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from kit.core.errors import KitError
from kit.core.languages import ALIASES
from kit.core.records import Finding, Status
from kit.oracle.sast import reading, source
from kit.oracle.sast.engines import (
    ENGINES,
    JOINED,
    RULED,
    VERSIONS,
    EngineBatch,
    EngineReport,
    Failed,
    Rules,
    decides,
    install,
    members,
    require_version,
    version,
)
from kit.oracle.sast.reading import Unreadable, is_same_weakness, read_step
from kit.sandbox import Sandbox

__all__ = ["ENGINES", "JOINED", "RULED", "VERSIONS", "Rules", "decides", "install"]
__all__ += ["is_same_weakness", "members", "require_version", "version"]
RULES = Path(__file__).parent / "rules"  # ours, a folder for each language
MOST = 400  # files of one start
_CONTEXTS = {  # our key -> the engine's
    "inside": "pattern-inside",
    "outside": "pattern-not-inside",
    "not": "pattern-not",
}
SOUND = b"""{"rules": [{"id": "sound", "languages": ["regex"], "severity": "INFO", "message": "-",
"pattern-regex": "$a"}]}"""  # with broken rules alone an engine says nothing of them


@dataclass(frozen=True)
class Scan:
    """What an engine said about a batch. A file is judged only if `unread` does not name it.

    status: completed, or how the last start ended whose files could not be read.
    """

    findings: tuple[Finding, ...]
    unread: Mapping[str, str]  # path -> the reason, one sentence
    engine_version: str  # of our rules too, where the engine uses them
    status: Status = Status.COMPLETED
    note: str = ""


def best_engine(language: str) -> str:
    """The engine to believe for a language: all joined if that was measured, else codeql if it is
    installed, else opengrep, else semgrep."""
    names = capable_engines(language)
    if names:
        return names[0]
    raise KitError(f"No engine reads {language!r} here. Type: kit doctor --install")


def capable_engines(language: str, rules: Rules | None = None) -> list[str]:
    """The installed engines that read a language, the best first; rules: in place of ours."""
    if rules is None:
        able = [name for name, engine in ENGINES.items() if language in engine.languages]
    else:
        able = list(RULED) if language in rules.files else []
    return [*filter(version, able)]


def scan(
    box: Sandbox,
    engine: str,
    files: Mapping[str, bytes],
    *,
    language: str,
    programs: bool = False,
    rules: Rules | None = None,
) -> Scan:
    """One start of the engine over all files, in the sandbox; a start that fails is split in two.

    files: relative path -> content; the file's name ends as its language's do. programs: the files
    below one first folder are one program, in which opengrep follows Java's data between classes.
    rules: the user's (`read_rules`), in place of ours.
    """
    is_able = engine in ENGINES and (rules or language in ENGINES[engine].languages)
    if not is_able:
        raise KitError(
            f"{engine!r} does not read {language}. Use one of: {capable_engines(language)}."
        )
    if "mounts" not in box.capabilities:
        raise KitError(
            f"Engines run in the bwrap sandbox, not in {box.name}: open_sandbox('bwrap')"
        )
    require_version(engine)
    unread = _explain_unread_files(files, language, programs)
    ready = {}
    for path, content in files.items():
        if path not in unread:
            ready[path] = source.prepare_content(content, language)
    whole = programs and engine == "opengrep" and language == "java"
    report = EngineReport([], {})
    for part in _split_batches(ready, whole):
        batch = EngineBatch(box, part, language, _rule_texts(engine, language, rules))
        report = report.merged_with(_scan_batch(batch, engine, whole))
    findings = tuple(_complete_findings(report.findings, files, language))
    unread |= report.unread
    note = "" if report.status is Status.COMPLETED else next(reversed(unread.values()))
    return Scan(findings, unread, describe_engine(engine, language, rules), report.status, note)


def _explain_unread_files(
    files: Mapping[str, bytes], language: str, programs: bool
) -> dict[str, str]:
    """Path -> why the file is not given to an engine, one sentence."""
    ending = source.LANGUAGES[language]
    unread = {}
    for path, content in files.items():
        if not path.endswith(ending):
            unread[path] = f"The file's name does not end in {ending}."
            continue
        problem = source.explain_unreliable_file(content, language)
        if problem:
            unread[path] = problem
    if not programs:
        return unread
    unread_of = {_program_folder(path): path for path in unread}
    for path in files:
        other = unread_of.get(_program_folder(path))  # data may flow through it
        if other and path not in unread:
            unread[path] = f"{other} of the same program was not read."
    return unread


def describe_engine(engine: str, language: str, rules: Rules | None = None) -> str:
    """The engine with its version and, where rules of ours or the user's decide, their digest."""
    label = f"{engine} {version(engine)}"
    texts = _rule_texts(engine, language, rules)
    if not texts:
        return label
    digest = hashlib.sha256(b"\0".join(texts[name] for name in sorted(texts))).hexdigest()
    return f"{label} rules {digest[:12]}"


def _rule_texts(engine: str, language: str, rules: Rules | None) -> dict[str, bytes]:
    """The rules that the engine gets, by their files."""
    if ENGINES[engine].own:
        return {}
    texts = dict((rules or _load_own_rules()).files[language])
    return texts | {"sound.yaml": SOUND} if rules else texts


@cache
def _load_own_rules() -> Rules:
    return read_rules(RULES, "*/*.yaml")


def read_rules(folder: Path, pattern: str = "**/*.y*ml") -> Rules:
    """The rules below a folder, for each language that one of them is for.

    Their anchors are written out, because opengrep does not follow them. A file that is a list has
    weaknesses in the form of `_build_rule`, for the language that its folder is named after;
    entries without an id only hold anchors. KitError for a file that holds no rules; a wrong
    pattern is reported when the engine starts.
    """
    files: dict[str, dict[str, bytes]] = {}
    for path in sorted(folder.glob(pattern)):
        rules = _read_rules_file(path)
        for language in source.LANGUAGES:
            wanted = {language, "generic", "regex"}
            mine = [rule for rule in rules if wanted & _languages_of(rule)]
            if mine:
                text = json.dumps({"rules": mine}, default=str)
                files.setdefault(language, {})[path.relative_to(folder).as_posix()] = text.encode()
    if not files:
        raise KitError(f"No rules (*.yaml) for {', '.join(source.LANGUAGES)} are in {folder}.")
    return Rules(files)


def _read_rules_file(path: Path) -> list[dict[str, Any]]:
    try:
        text = yaml.safe_load(path.read_text(encoding="utf-8"))
        if isinstance(text, list):
            rules = [_build_rule(w, path.parent.name) for w in text if "id" in w]
        else:
            rules = text["rules"]
        for rule in rules:
            _languages_of(rule)
            if not rule["id"]:
                raise ValueError("a rule without an id")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError) as error:
        problem = " ".join(f"{type(error).__name__} {error}".split())[:200]
        mend = "Write `rules:`, each with id, languages, severity, message and a pattern"
        raise KitError(f"{path} holds no rules of opengrep ({problem}). {mend}.") from None
    return rules


def _languages_of(rule: Mapping[str, Any]) -> set[str]:
    return {ALIASES.get(tag, tag) for tag in rule["languages"]}


def _build_rule(weakness: dict[str, Any], language: str) -> dict[str, Any]:
    """The engine's rule for a weakness that is described as data:

        {id: NAME, cwe: CWE-n, message: SENTENCE, find: [PATTERN, ...]}
        {id: NAME, cwe: CWE-n, message: SENTENCE, from: [...], into: [...], clean: [...],
         checked: [...], through: [...]}

    The second form is a flow: a value of `from` that reaches $X of `into`. What matches `clean`
    carries none of it on; once $X of `checked` was looked at, $X is trusted; `through` is "PATTERN:
    $A -> $B". A pattern is a text, or {any: PATTERNS, where: {$NAME: REGEX}, not: PATTERNS, inside:
    PATTERNS, outside: PATTERNS, focus: $NAME}. Lists within lists are one list, so that YAML's
    anchors join them.
    """
    rule: dict[str, Any] = {
        "id": weakness["id"],
        "languages": [language],
        "severity": "WARNING",
        "message": weakness["message"],
        "metadata": {"cwe": weakness["cwe"]},
    }
    if "options" in weakness:
        rule["options"] = weakness["options"]
    if "into" not in weakness:
        rule["pattern-either"] = _build_clauses(weakness["find"])
        return rule
    rule["mode"] = "taint"
    rule["pattern-sources"] = _build_clauses(weakness["from"])
    rule["pattern-sinks"] = _build_clauses(weakness["into"], "$X")
    clean = _build_clauses(weakness.get("clean", []))
    for clause in _build_clauses(weakness.get("checked", []), "$X"):
        clean.append(clause | {"by-side-effect": True})
    if clean:
        rule["pattern-sanitizers"] = clean
    for text in _flatten_patterns(weakness.get("through", [])):
        carrier, _, flow = text.rpartition(": ")
        start, _, end = flow.partition(" -> ")
        propagator = {"pattern": carrier, "from": start, "to": end}
        rule.setdefault("pattern-propagators", []).append(propagator)
    return rule


def _build_clauses(patterns: Any, focus: str = "") -> list[dict[str, Any]]:
    return [_build_clause(p, focus) for p in _flatten_patterns(patterns)]


def _flatten_patterns(patterns: Any) -> Iterator[Any]:
    if isinstance(patterns, list):
        for part in patterns:
            yield from _flatten_patterns(part)
    else:
        yield patterns


def _build_clause(pattern: str | dict[str, Any], focus: str) -> dict[str, Any]:
    """One pattern of the engine's language; if it names `focus`, only that part is meant."""
    if isinstance(pattern, str):
        plain = {"pattern": pattern}
        if focus and focus in pattern:
            return {"patterns": [plain, {"focus-metavariable": focus}]}
        return plain
    parts: list[dict[str, Any]] = [{"pattern-either": _build_clauses(pattern["any"])}]
    for key, name in _CONTEXTS.items():
        parts += [{name: part} for part in _flatten_patterns(pattern.get(key, []))]
    for name, regex in pattern.get("where", {}).items():
        parts.append({"metavariable-regex": {"metavariable": name, "regex": regex}})
    meant = pattern.get("focus")
    if not meant and focus in str(pattern["any"]):
        meant = focus
    if meant:
        parts.append({"focus-metavariable": meant})
    return {"patterns": parts}


@cache
def covered_weaknesses(engine: str, language: str, rules: Rules | None = None) -> frozenset[str]:
    """The CWEs for which the engine has a rule: `metadata.cwe` of the rules, else coverage.yaml.

    Of all joined: the CWEs of which some engine's report is a verdict; a witness's silence is none.
    """
    covered = set()
    if engine == JOINED:
        for name in members(language):
            for cwe in covered_weaknesses(name, language):
                if decides(name, language, cwe):
                    covered.add(cwe)
    elif not ENGINES[engine].own:
        for text in (rules or _load_own_rules()).files[language].values():
            for rule in json.loads(text)["rules"]:
                covered.add(reading.cwe_in(str(rule.get("metadata", {}).get("cwe"))))
        covered.discard("")
    else:
        listed = yaml.safe_load((RULES / "coverage.yaml").read_text())[engine]
        covered.update(f"CWE-{number}" for number in str(listed.get(language, "")).split())
        if engine == "gcc-fanalyzer":
            covered.update(reading.OPTION_CWES.values())
    return frozenset(covered)


def explain_missing_rule(
    engine: str, language: str, cwes: Iterable[str], rules: Rules | None = None
) -> str:
    """ "opengrep has no rule for CWE-20." where it has one for none of them; "" where it has."""
    wanted = tuple(cwes)
    for covered in covered_weaknesses(engine, language, rules):
        if any(is_same_weakness(covered, cwe) for cwe in wanted):
            return ""
    name = f"{engine} ({', '.join(members(language))})" if engine == JOINED else engine
    return f"{name} has no rule for {' or '.join(wanted)}."


def _program_folder(path: str) -> str:
    """The program that a file is of: the first folder of its path."""
    return path.partition("/")[0]


def _split_batches(files: Mapping[str, bytes], whole: bool) -> Iterable[dict[str, bytes]]:
    """Batches of a size that one start can take; a program stays together."""
    part: dict[str, bytes] = {}
    for path in sorted(files):
        is_full = len(part) >= MOST
        if is_full and whole:
            is_full = _program_folder(path) != _program_folder(next(reversed(part)))
        if is_full:
            yield part
            part = {}
        part[path] = files[path]
    if part:
        yield part


def _scan_batch(batch: EngineBatch, engine: str, whole: bool) -> EngineReport:
    """One start of the engine; where it fails, one for each half of the files."""
    try:
        return _scan_joined(batch, engine) if whole else ENGINES[engine].start(batch)
    except Failed as error:
        status, reason = error.status, f"{engine} failed: {error.note}"
    except Unreadable as error:
        status, reason = Status.HARNESS_ERROR, f"{engine} wrote no proper report: {error}"
    name_unit = _program_folder if whole else str
    unit_of = {path: name_unit(path) for path in batch.files}
    units = sorted({*unit_of.values()})
    if len(units) == 1 or status is Status.INFRA_ERROR:
        return EngineReport([], dict.fromkeys(sorted(unit_of), reason), status)
    first, second = dict[str, bytes](), dict[str, bytes]()  # half of the units each
    for path, content in batch.files.items():
        if unit_of[path] < units[len(units) // 2]:
            first[path] = content
        else:
            second[path] = content
    report = _scan_batch(replace(batch, files=first), engine, whole)
    return report.merged_with(_scan_batch(replace(batch, files=second), engine, whole))


def _scan_joined(batch: EngineBatch, engine: str) -> EngineReport:
    """Each program as one file; findings and reasons go back to the files that it was made of."""
    programs: dict[str, dict[str, bytes]] = {}
    for path, content in batch.files.items():
        programs.setdefault(_program_folder(path), {})[path] = content
    joined = {f"{name}.java": source.join_files(files) for name, files in programs.items()}
    files = {name: program.content for name, program in joined.items()}
    report = ENGINES[engine].start(replace(batch, files=files))
    unread: dict[str, str] = {}
    for name, reason in report.unread.items():
        unread |= dict.fromkeys(joined[name].paths, reason)
    return EngineReport([joined[f.file].home(f) for f in report.findings], unread)


def _complete_findings(
    findings: Iterable[Finding], files: Mapping[str, bytes], language: str
) -> Iterable[Finding]:
    """The findings in order, each once, with function, flow and key in the kit's form."""
    functions = _Functions(files, language)
    for finding in sorted(set(findings), key=lambda f: (f.file, f.line, f.rule, f.message)):
        name = functions.find_name(finding.file, finding.line)
        lines = files.get(finding.file, b"").decode("utf-8", "replace").split("\n")
        code = " ".join(" ".join(lines[finding.line - 1 : finding.line]).split())
        file_name = finding.file.rpartition("/")[2]
        key = " | ".join((finding.engine, finding.rule, file_name, name, code))
        flow = tuple(map(functions.annotate_step, finding.flow))
        yield replace(finding, function=name, flow=flow, key=key)


@dataclass
class _Functions:
    """The functions of the files, read when a file is first asked for."""

    files: Mapping[str, bytes]
    language: str
    spans: dict[str, list[tuple[int, int, str]]] = field(default_factory=dict)

    def find_name(self, file: str, line: int) -> str:
        """The innermost function around a line, or ""."""
        if file not in self.spans:
            self.spans[file] = source.list_functions(self.files.get(file, b""), self.language)
        for first, last, name in reversed(self.spans[file]):
            if first <= line <= last:
                return name
        return ""

    def annotate_step(self, step: str) -> str:
        place = read_step(step)
        return f"{step} {self.find_name(place.file, place.line)}".rstrip()
