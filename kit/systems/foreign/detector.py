"""The insecure code detector of CyberSecEval as an engine: its rules, read from a clone, in a box.

A finding of any rule makes an answer insecure (Bhatt et al. 2023, section 3.1). Regular expressions
look at what was generated, semgrep's rules at the whole program; what an opengrep start could not
read wholly, and nothing was found in, is unread. What matches in a comment alone is no finding.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import yaml

from kit import languages
from kit.errors import KitError
from kit.harness import box_files, cases
from kit.harness.languages import tree
from kit.oracle.sast import engines
from kit.oracle.sast.reading import Unreadable, cwe_in
from kit.records import Evidence, Finding, Observed, Status, content_key, to_json
from kit.sandbox import Sandbox

HOME = "CodeShield/insecure_code_detector/rules"
USE = "cyberseceval"  # theirs beside codeshield, whose rules are fewer
ENGINE = "insecure-code-detector"
ENDINGS = {"c": ".c", "cpp": ".cpp", "csharp": ".cs", "java": ".java", "javascript": ".js",
           "php": ".php", "python": ".py", "rust": ".rs"}  # fmt: skip
SEMGREP = ("c", "cpp", "csharp", "java", "javascript", "python")  # that theirs starts semgrep on
PARSED = ("c", "cpp", "java", "javascript")
PATIENCE_S = 10  # that the regular expressions may take with one program
ALL = "language_agnostic"
FURTHER = {"cpp": ("c", ALL)}  # whose regular expressions look at a language too; else ALL alone
_INBOX = Path(__file__).parent / "inbox"


@dataclass(frozen=True)
class Rules:
    """By language: regular expressions {id, cwe, rule, message}, the text of semgrep's rules.

    cwes: of semgrep's rules by id. left: a sentence for rules of the clone that are not run.
    """

    patterns: Mapping[str, Sequence[Mapping[str, str]]]
    semgrep: Mapping[str, bytes]
    cwes: Mapping[str, str]
    left: tuple[str, ...] = ()

    @cached_property
    def key(self) -> str:
        return content_key(self.patterns, self.semgrep)[:12]

    def __str__(self) -> str:
        expressions = {p["id"] for some in self.patterns.values() for p in some}
        return f"{len(expressions)} regular expressions, {len(self.cwes)} semgrep rules"


@dataclass(frozen=True)
class Program:
    """What is looked at. before: the part of `code` that was given, not generated."""

    code: str
    before: str = ""

    @property
    def key(self) -> str:
        return content_key(self.before, self.code)[:24]

    @property
    def generated(self) -> str:
        return self.code.removeprefix(self.before)

    @property
    def first(self) -> int:
        """The line on which the generated part begins."""
        return 1 + (self.before.count("\n") if self.code.startswith(self.before) else 0)


def read(clone: Path) -> Rules:
    """The rules that the clone's own config.yaml enables; KitError where it has none."""
    home = clone / HOME
    try:
        config = yaml.safe_load((home / "config.yaml").read_text(encoding="utf-8"))["config"][USE]
        named = {p.stem: _named(p) for p in sorted((home / "regex").glob("*.yaml"))}
        texts = {
            name: text
            for name in SEMGREP
            if json.loads(text := _semgrep(home, name).read_bytes())["rules"]
        }
        metadata = {
            str(rule["id"]): rule["metadata"]
            for text in texts.values() for rule in json.loads(text)["rules"]
        }  # fmt: skip
        enabled = {n: set(config.get(n, {}).get("regex", {}).get("rules", ())) for n in named}
        left = tuple(_left(home, named, enabled))
    except (OSError, KeyError, TypeError, ValueError, yaml.YAMLError) as error:
        raise KitError(f"The detector's rules below {home} cannot be read: {error!r}.") from None
    patterns = {
        name: [p for place in (name, *FURTHER.get(name, (ALL,))) for p in named.get(place, ())
               if p["id"] in enabled[place]]
        for name in ENDINGS
    }  # fmt: skip
    cwes = {n: cwe_in(str(m.get("cwe_id", "")), str(m.get("cwe", ""))) for n, m in metadata.items()}
    return Rules(patterns, texts, cwes, left)


def _semgrep(home: Path, language: str) -> Path:
    return home / f"semgrep/_generated_/{language}_{USE}.json"


def _left(
    home: Path, named: Mapping[str, Sequence[Mapping[str, str]]], enabled: Mapping[str, set[str]]
) -> Iterator[str]:
    """A sentence for each kind of rules of the clone that are not run, with their number."""
    if off := sum(p["id"] not in enabled[n] for n, some in named.items() for p in some):
        yield f"{off} regular expressions are switched off for {USE} in the clone's config.yaml."
    if others := {n: len(some) for n, some in named.items() if n not in (*ENDINGS, ALL) and some}:
        yield (
            f"{sum(others.values())} regular expressions for {', '.join(others)} are not run: no "
            "prompt asks for these."
        )
    for path in sorted(home.glob(f"semgrep/_generated_/*_{USE}.json")):
        language, rules = path.name.removesuffix(f"_{USE}.json"), json.loads(path.read_bytes())
        if language not in SEMGREP and rules["rules"]:
            yield (
                f"{len(rules['rules'])} semgrep rules for {language} are not run: the authors' "
                "detector starts none on it."
            )


def whole(code: str, language: str) -> bool:
    """Does the text parse? Where the kit has no parser: are its brackets balanced?"""
    if language in PARSED:
        return not tree.parse(code, language).has_error
    return languages.whole(code, language)


def _named(path: Path) -> list[dict[str, str]]:
    """The regular expressions of a file; ValueError for one that Python does not read."""
    found = []
    for entry in yaml.safe_load(path.read_text(encoding="utf-8")) or ():
        try:
            re.compile(entry["rule"])
        except re.error as error:
            raise ValueError(f"{path.name} {entry['pattern_id']}: {error}") from None
        found.append({"id": entry["pattern_id"], "cwe": entry["cwe_id"], "rule": entry["rule"],
                      "message": " ".join(entry["description"].split())})  # fmt: skip
    return found


def scan(box: Sandbox, rules: Rules, language: str, programs: Iterable[Program]) -> Evidence:
    """All programs of a language: findings by their key, and why some were not read."""
    by_key = {p.key: p for p in programs}
    found, unread, seen = _matched(box, rules.patterns[language], by_key)
    if seen.status is not Status.COMPLETED:
        return Evidence(Status.INFRA_ERROR, isolation=box.name, note=seen.note or seen.err[-300:])
    if language in rules.semgrep:
        files = {
            f"{k}/program{ENDINGS[language]}": p.code.encode(errors="replace")
            for k, p in by_key.items()
        }
        text = {"rules.yaml": rules.semgrep[language]}
        more, bad = _grepped(engines.Batch(box, files, language, text))
        unread |= {path.partition("/")[0]: why for path, why in bad.items()}
        odd = f"It does not parse as {language}, and the engine is silent about that."
        unread |= {
            k: odd for k, p in by_key.items() if k not in unread and not whole(p.code, language)
        }
        for f in more:
            key = f.file.partition("/")[0]
            if by_key[key].first <= f.line:
                cwe = rules.cwes.get(f.rule, f.cwe)
                found.setdefault(key, []).append(replace(f, engine=ENGINE, cwe=cwe, file="program"))
    value = {"findings": {k: to_json(some) for k, some in found.items()}, "unread": unread}
    return Evidence(Status.COMPLETED, wall_s=seen.wall_s, isolation=box.name,
                    observed=Observed("value", value))  # fmt: skip


def _grepped(batch: engines.Batch) -> engines.Report:
    """What opengrep says; a start that fails is split in two, so that one file silences no other.

    Raises KitError where our own box failed.
    """
    try:
        return engines.opengrep(batch)
    except (engines.Failed, Unreadable) as error:
        if getattr(error, "status", None) is Status.INFRA_ERROR:
            raise KitError(f"opengrep did not run: {error}") from None
        paths = sorted(batch.files)
        if len(paths) == 1:
            return [], {paths[0]: f"opengrep failed: {error}"}
        half = len(paths) // 2
        parts = [{p: batch.files[p] for p in some} for some in (paths[:half], paths[half:])]
        (a, b), (c, d) = (_grepped(replace(batch, files=files)) for files in parts)
        return a + c, b | d


def _matched(
    box: Sandbox, patterns: Sequence[Mapping[str, str]], programs: Mapping[str, Program]
) -> tuple[dict[str, list[Finding]], dict[str, str], Evidence]:
    """What the regular expressions find, and the programs that took them too long."""
    job = {"rules": [p["rule"] for p in patterns], "patience_s": PATIENCE_S,
           "programs": {key: p.generated for key, p in programs.items()}}  # fmt: skip
    runner = _INBOX / "kit_patterns.py"
    seen = cases.run(box, runner, job, {}, limits=engines.LIMITS)
    told = {str(o["program"]): o["found"] for o in box_files.answers(seen.channel).objects}
    found = {
        key: [
            Finding(ENGINE, p["id"], p["cwe"], "program", line + programs[key].first - 1,
                    message=p["message"], kind="regex", key=f"{ENGINE} | {p['id']} | {line}")
            for number, line in told[key] for p in [patterns[number]]
        ]
        for key in programs if told.get(key)
    }  # fmt: skip
    late = "A regular expression did not come to its end with it."
    return found, {key: late for key in programs if key not in told}, seen
