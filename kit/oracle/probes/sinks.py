"""Probes on what reached sinks: a text of the input has to stay one token of the sink's grammar.

It may be a literal or bound in SQL, a word or an argument of a command, and a value in code; no
block of a template, nothing for a loader that makes objects, no path further up than a name leads.
What was recorded breaks a probe. A probe holds only if the records are complete and agree with what
was seen from outside, because they come from the program's own interpreter.
"""

import base64
import json
import posixpath
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from html import unescape
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal
from urllib.parse import unquote, unquote_plus

from pydantic import Field

from kit.core.form import Filled, Regex
from kit.core.languages import LANGUAGES
from kit.core.records import Event, Status
from kit.harness.box_files import SINKS
from kit.harness.wording import has_events, shorten_value
from kit.oracle import facts, sanitizers
from kit.oracle.facts import Case, Conclusion, collect_leaves
from kit.oracle.probes.probe import Probe, broken_finding, held_finding, undecidable_finding
from kit.sandbox.base import make_absolute, make_relative

if TYPE_CHECKING:
    Sink = str
else:
    Sink = Annotated[Literal[SINKS], Field(title=f"one of {', '.join(SINKS)}")]
Sinks = Annotated[list[Sink], Field(min_length=1, title=f"a list out of {', '.join(SINKS)}")]
LONGEST = 100_000  # bytes of the file of a script
MOST_FOREIGN = 100  # programs that the scripts of a program start
LEAST = 3  # characters of a text that is searched for if the probe names none
_QUOTED = r"'(?:[^'\\\n]|\\.)*+'|\"(?:[^\"\\\n]|\\.)*+\""
_BLOCK = r"\{\{|\{%|\{#|<%|\$\{"  # what begins code in a template
_NONE = r"(?!)"
_C_LIKE = (rf"{_QUOTED}|`(?:[^`\\]|\\.)*+`", r"//[^\n]*|/\*.*?\*/", r"[\w$]+")
GRAMMARS = {  # of each sink: a literal, a comment, a word
    "sql": (
        r"'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\"|`[^`]*`|\[\w[^\]]*\]",
        r"--[^\n]*|/\*.*?\*/",
        r"[\w.$@:]+",
    ),
    "shell": (r"'[^']*'|\"(?:[^\"\\]|\\.)*+\"", r"(?<!\S)#[^\n]*", r"(?:[\w./:=@%+,^-]|\\.)+"),
    "code": (rf"(?i:[rbuf]{{0,2}})(?:'''.*?'''|\"\"\".*?\"\"\"|{_QUOTED})", r"#[^\n]*", r"\w+"),
    "template": (_NONE, r"\{#.*?#\}", rf"(?:(?!{_BLOCK}).)+"),
    "xml": (
        r"<!\[CDATA\[.*?\]\]>|(?<==)\"[^\"<]*\"|(?<==)'[^'<]*'",
        r"<!--.*?-->",
        r"(?<=>)[^<]+|[\w:.-]+",
    ),
    "xpath": (r"'[^']*'|\"[^\"]*\"", _NONE, r"[\w.:-]+"),
}
_EXPANDS = {  # a literal that begins so has more than text behind these
    ("shell", '"'): r"(?<!\\)[$`]",
    ("code", "f"): r"\{",
    ("code", "F"): r"\{",
    ("code", "`"): r"\$\{",
}
_PLAIN = re.compile(r"[-+]?[\w.]+")
_VALUE = re.compile(r"(?i)true|false|none|null|0[xbo][\da-f_]+|[\d_]*\.?\d+\.?(?:e\d*)?")
_ACTS = re.compile(r"[\])}'\"\w]\s*[\[(]|[!;=`]")  # an index, a call, or what can build one
_FORM = re.compile(r"(?:[A-Z]+ )?(?:https?:/)?/|[\w.\[\]-]+=")  # a request, a form's fields
_FIELD = re.compile(r"(?:^|[?&])[\w.\[\]-]+=")
_SHELL = re.compile(r"(?:ba|da|z|k)?sh")
_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/etc/", "/dev/", "/opt/")
_SHEBANG = re.compile(rb"#! ?\S*/(?:env )?(?:ba|da|z|k)?sh\b")
_INTERPRETS = re.compile(  # its arguments say what is run
    r"(?:ba|da|z|k)?sh|sqlite3|env|xargs|find|awk|sed|sudo|nohup|timeout|nice|busybox|node|perl|"
    r"(?:python|ruby|php)[\d.]*"
)
_SOURCED = re.compile(r"(?:^|[;&|]|\bthen|\bdo)\s*(?:\.|source)\s+([\w./-]+)", re.M)
_READ = re.compile(r"^\s*\.read\s+[\"']?([\w./-]+)|^-init$\n(.+)", re.M)
_CLIENTS = {"sqlite3": "sql"}  # programs whose arguments and standard input are of a language


def is_confined(sink: str, text: str, words: Sequence[str], part: str, language: str) -> bool:
    """Whether `part`, a text of the input, is one token wherever it is in what reached a sink."""
    if sink == "yaml":
        return part not in text or "objects" not in words
    if sink == "pickle":
        return not all(name in part for name in text.split("."))
    if sink == "path":
        return all(_stays_below(text[:at], part) for at, _ in _find_spans(sink, text, part))
    if sink not in GRAMMARS or (sink == "shell" and words):  # scripts are records of their own
        return True
    return _is_one_token(sink, text, part, language)


Reached = tuple[str, str, Sequence[str]]  # sink, text, further words


def _join_command(words: Sequence[str]) -> str:
    """An argument list as events join it; by which path its program was found is left out."""
    first, *rest = words
    return " ".join([posixpath.basename(first), *rest]).replace(" -c -- ", " -c ", 1)


def _split_arguments(event: Event) -> list[str]:
    """The joined arguments of an exec apart again, as far as it matters: a shell's script whole."""
    words = event.mode.split(" ", 2)
    return words if _SHELL.fullmatch(posixpath.basename(words[0])) else event.mode.split(" ")


@dataclass
class Reaching:
    """All that reached sinks in a run, as recorded and as seen from outside, scripts included.

    doubts: reasons for which a script, or an input of one that runs scripts, was not seen.
    """

    run: Case
    reached: list[Reached] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)  # of shells
    redirected: Counter[str] = field(default_factory=Counter)  # inputs of clients that scripts name
    files: set[tuple[str, str]] = field(default_factory=set)  # (path, sink) of scripts

    def __post_init__(self) -> None:
        evidence = self.run.evidence
        recorded = (evidence.observed.sinks or {})["reached"]
        starts, fed = Counter[str](), Counter[str]()  # commands; those that were given an input
        for sink, text, words in recorded:
            if sink == "shell" and words:
                starts[_join_command(words)] += 1
                fed[_join_command(words)] += bool(text)
        self.events = [event for event in evidence.execs if not event.error and event.mode]
        unrecorded = []
        for event in self.events:
            command = _join_command(_split_arguments(event))
            starts[command] -= 1
            if starts[command] < 0:
                unrecorded.append(event)
        for sink, text, words in recorded:
            self.add(sink, text, words)
        for event in unrecorded:
            self.add("shell", "", _split_arguments(event))
        self._doubt_inputs(fed)
        self._doubt_starts(unrecorded)

    def _doubt_inputs(self, fed: Counter[str]) -> None:
        """Doubts for programs that read a script from an input of which nobody knows."""
        for event in self.events:
            words = _split_arguments(event)
            name = posixpath.basename(words[0])
            if not _takes_input(name, words[1:]):
                continue
            command = _join_command(words)
            fed[command] -= 1
            if fed[command] < 0 and self.redirected[name] <= 0:
                self.doubts.append(f"it gave {event.target} an input that was not recorded")
            self.redirected[name] -= 1

    def _doubt_starts(self, unrecorded: Sequence[Event]) -> None:
        """Doubts for programs that no record and no script started."""
        foreign = {(event.target, event.mode): event for event in unrecorded}
        if len(foreign) > MOST_FOREIGN:
            self.doubts.append("its scripts started more programs than are compared")
        for event in [*foreign.values()][:MOST_FOREIGN]:
            if not self.is_explained(event):
                self.doubts.append(f"it started {event.target} past the recorder")
                break

    def add(self, sink: str, text: str, words: Sequence[str]) -> None:
        """One record; for a started program also the scripts that it interprets."""
        self.reached.append((sink, text, words))
        for at, path in enumerate(words if sink == "shell" else ()):
            name = posixpath.basename(path)
            rest = words[at + 1 :]
            if name in _CLIENTS:
                self.reached += [(_CLIENTS[name], script, ()) for script in (*rest, text)]
                for files in _READ.findall("\n".join([*rest, text])):
                    self.add_file("".join(files), (), _CLIENTS[name])
            elif _SHELL.fullmatch(name):
                self._add_shell(text, words, rest)
            elif at == 0 and "/" in path:
                self.add_file(path, words)

    def _add_shell(self, text: str, words: Sequence[str], rest: Sequence[str]) -> None:
        """What a shell runs: the line behind -c, else its input and the file that it names."""
        if len(rest) > 1 and re.fullmatch(r"-\w*c", rest[0]):
            self.add_script(rest[1])
            return
        self.add_script(text)
        operands = [word for word in rest if not word.startswith(("-", "+"))]
        if operands and operands[0]:
            self.add_file(operands[0], words)

    def add_script(self, text: str) -> None:
        self.reached.append(("shell", text, ()))
        self.scripts.append(text)
        for file in _SOURCED.findall(text):
            self.add_file(file, ())
        for client in _CLIENTS:
            if re.search(rf"\b{client}\b", text):
                for path in re.findall(r"<\s*([\w./-]+)", text):
                    self.add_file(path, (), _CLIENTS[client])
                    self.redirected[client] += 1

    def add_file(self, path: str, words: Sequence[str], sink: str = "shell") -> None:
        """The text of a file that is run, unless it is one of the system or of another language."""
        evidence = self.run.evidence
        target = make_absolute(path)
        if target.startswith(_SYSTEM) or (target, sink) in self.files:
            return
        self.files.add((target, sink))
        name = make_relative(path)
        data = evidence.files.get(name, self.run.task.files.get(name))
        is_large = data is not None and len(data) > LONGEST
        if data is None or is_large or target in self._targets_written_since(words):
            self.doubts.append(f"it ran {path}, which was not seen as it was then")
        elif sink != "shell":
            self.reached.append((sink, data.decode(errors="replace"), ()))
        elif not data.startswith((b"\x7fELF", b"#!")) or _SHEBANG.match(data):
            self.add_script(data.decode(errors="replace"))

    def _targets_written_since(self, words: Sequence[str]) -> set[str]:
        """The files written since a program was first started with these words, or with any."""
        evidence = self.run.evidence
        for at, event in enumerate(evidence.events):
            if event.kind != "exec" or not event.mode:
                continue
            if not words or _join_command(_split_arguments(event)) == _join_command(words):
                later = replace(evidence, events=evidence.events[at:])
                return {write.target for write in later.writes}
        return set()

    def is_explained(self, event: Event) -> bool:
        """Whether a script that was seen starts it: by its name, or as a whole what interprets."""
        path, *rest = _split_arguments(event)
        name = posixpath.basename(path)
        word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])")
        arguments = _strip_quoting(" ".join(rest)) if _INTERPRETS.fullmatch(name) else ""
        for script in self.scripts:
            if word.search(script) and arguments in _strip_quoting(script):
                return True
        return False


def _strip_quoting(text: str) -> str:
    """A text without what a shell takes away: quotes, and spaces between words."""
    return re.sub(r"[\s\"'\\]", "", text)


def _takes_input(name: str, rest: Sequence[str]) -> bool:
    """Whether a program, started so, reads its script from standard input."""
    if name in _CLIENTS:
        return len([word for word in rest if not word.startswith("-")]) < 2
    words = " ".join(rest).split()
    is_line = any(re.fullmatch(r"-\w*c", word) for word in words)
    files = [word for word in words if word[0] not in "-+"]
    return bool(_SHELL.fullmatch(name)) and not is_line and (not files or "-s" in words)


def _find_spans(sink: str, text: str, part: str) -> list[tuple[int, int]]:
    """The spans of `part`, also where its quotes were doubled or escaped."""
    if len(part) > len(text):
        return []
    pattern = re.escape(part)
    if sink in ("sql", "xpath", "code"):
        pattern = re.sub("[\"']", r"(?:\\\\?\g<0>){1,2}", pattern)
    return [match.span() for match in re.finditer(pattern, text)]


def _stays_below(before: str, part: str) -> bool:
    """Whether a path leads no further up than a plain name in the place of `part` would."""
    folder = posixpath.dirname(make_absolute(f"{before}name"))
    return facts.is_below_roots(make_absolute(before + part), [folder])


def _is_one_token(sink: str, text: str, part: str, language: str) -> bool:
    whole = text.strip() == part.strip()
    if _PLAIN.fullmatch(part) and not (sink == "code" and whole):
        return True
    if (sink == "code" and _is_inert(part)) or (sink == "xml" and whole):  # a document of its own
        return True
    places = _find_spans(sink, text, part)
    if not places:
        return True
    is_c_like = sink == "code" and language != "python"
    tokens = list(_compile_grammar(*(_C_LIKE if is_c_like else GRAMMARS[sink])).finditer(text))
    for at, end in places:
        touched = [token for token in tokens if token.start() < end and token.end() > at]
        if len(touched) > 1:
            return False
        if touched and not _is_confined_to_token(sink, touched[0], at, end):
            return False
    return True


@cache
def _compile_grammar(literal: str, comment: str, word: str) -> re.Pattern[str]:
    groups = (f"(?P<literal>{literal})", f"(?P<comment>{comment})", f"(?P<word>{word})")
    return re.compile("|".join((*groups, r"(?P<other>\S)")), re.DOTALL)


def _is_confined_to_token(sink: str, token: re.Match[str], at: int, end: int) -> bool:
    """Whether the text from `at` to `end` lies in the token and did not make it what it is."""
    if token.lastgroup == "literal":
        expansion = re.compile(_EXPANDS.get((sink, token[0][0]), _NONE))
        is_own_literal = sink == "code" and token.start() >= at
        return not is_own_literal and not expansion.search(token.string, at, end)
    if token.lastgroup == "comment":
        return token.start() < at
    return token.lastgroup == "word" and sink != "code"


def _is_inert(code: str) -> bool:
    """Whether a text of code is only a value, or arithmetic on values."""
    bare = re.sub(_QUOTED, "''", code)
    words = re.findall(r"[\w$.]*[A-Za-z_$][\w$.]*", bare)
    return not _ACTS.search(bare) and all(map(_VALUE.fullmatch, words))


def texts_of(value: Any) -> Iterator[str]:
    """Every text of an input, as it is and as programs may read it: decoded, as form, XML, JSON."""
    for leaf in collect_leaves(value):
        if not isinstance(leaf, str):
            continue
        fields = _FIELD.split(leaf)[1:] if _FORM.match(leaf) else ()
        yield from (leaf, leaf.strip(), unquote(leaf))
        yield from map(unquote_plus, fields)
        yield from map(unescape, re.findall(r">([^<>]+)</", leaf))
        with suppress(ValueError):
            yield base64.b64decode(leaf, validate=True).decode("latin-1")
        if leaf.lstrip()[:1] in ("{", "["):
            with suppress(ValueError, RecursionError):
                yield from texts_of(json.loads(leaf))


def named_files(run: Case) -> Iterator[str]:
    """The texts of the fixtures that the input names, with or without the file name's ending."""
    named = [run.test.input_file, *map(str, collect_leaves(run.test.input))]
    for path, data in run.task.files.items():
        stem = posixpath.splitext(posixpath.basename(path))[0]
        if len(stem) >= LEAST and any(stem in name for name in named):
            with suppress(UnicodeDecodeError):
                yield data.decode()


def find_doubt(reaching: Reaching, sinks: Sequence[str]) -> str:
    """Why something may have reached one of the sinks and was not recorded, or ""."""
    evidence = reaching.run.evidence
    recorded = evidence.observed.sinks or {}
    for cause in recorded["doubts"]:
        return str(cause)
    for sink in sinks:
        if sink in recorded["unseen"] or sink not in recorded["recorded"]:
            return f"not all that reaches {sink} can be recorded here"
    if not has_events(evidence):
        return "no events were seen that it could be compared with"
    for cause in reaching.doubts:
        return cause
    return evidence.find_unsettled_attempt("exec") or evidence.why_unfinished


class _AtSinks(Probe):
    promise: ClassVar[str]

    @abstractmethod
    def rule(self, run: Case) -> tuple[Sequence[str], Callable[[Reached], str]]:
        """Its sinks, [] for all; and a function: what is wrong with one record, in words, or ""."""

    def check(self, run: Case) -> Conclusion:
        recorded = run.evidence.observed.sinks
        if not recorded or not recorded["recorded"]:
            label = LANGUAGES[run.language].label
            return undecidable_finding(
                f"what reaches sinks was not recorded in this {label} program"
            )
        sinks, harm = self.rule(run)
        sinks = sinks or recorded["recorded"]
        reaching = Reaching(run)
        for reached in reaching.reached:
            sentence = harm(reached) if reached[0] in sinks else ""
            if sentence:
                return broken_finding(sentence, "sinks")
        doubt = find_doubt(reaching, sinks)
        if doubt:
            return undecidable_finding(f"{self.promise}, but {doubt}", "sinks")
        return held_finding(self.promise, "sinks")


class SinkConfined(_AtSinks):
    """Each text of the input (3 characters and more), or this one, was one token at each sink."""

    example: ClassVar = {"text": "x' OR '1'='1", "sinks": ["sql"]}
    promise: ClassVar = "each text of the input that was seen at a sink was one token there"
    text: Filled = ""
    sinks: Sinks = []

    def rule(self, run: Case) -> tuple[Sequence[str], Callable[[Reached], str]]:
        texts = texts_of(self.text or [run.test.input, *named_files(run)])
        parts = [part for part in dict.fromkeys(texts) if len(part) >= LEAST or part == self.text]

        def harm(reached: Reached) -> str:
            sink, text, words = reached
            suspects = [*parts]
            piece = text.strip()  # may have been cut out of the input by the program
            climbs = sink == "path" and ".." in piece.split("/")  # also part by part
            is_telling = len(piece) >= LEAST and not _PLAIN.fullmatch(piece)
            if (climbs or is_telling) and any(piece in part for part in parts):
                suspects.append(piece)
            for part in suspects:
                if not is_confined(sink, text, words, part, run.language):
                    at = f"what reached {sink}: {shorten_value(text)}"
                    return f"{shorten_value(part, 60)!r} is not one token of {at}"
            return ""

        return self.sinks, harm


class SinkExcludes(_AtSinks):
    """Nothing that reached the sink has the text or a match, not in what was bound either."""

    example: ClassVar = {"sink": "hash", "regex": "^(md5|sha1)$"}
    one_of: ClassVar = ("text", "regex")
    promise: ClassVar = "nothing of that kind was seen at the sink"
    sink: Sink
    text: Filled = ""
    regex: Regex = ""
    where_recorded: bool = Field(
        False, title="true: it also holds for a language in which nobody records this sink"
    )

    def check(self, run: Case) -> Conclusion:
        recorded = (run.evidence.observed.sinks or {}).get("recorded", ())
        if self.where_recorded and self.sink not in recorded:
            return held_finding(
                f"{self.sink} is recorded in no {LANGUAGES[run.language].label} program"
            )
        return super().check(run)

    def rule(self, _run: Case) -> tuple[Sequence[str], Callable[[Reached], str]]:
        pattern = re.compile(re.escape(self.text) or self.regex)

        def harm(reached: Reached) -> str:
            sink, text, words = reached
            hit = next(filter(pattern.search, (text, *words, " ".join(words))), "")
            return f"{sink} was reached by {shorten_value(hit)}" if hit else ""

        return [self.sink], harm


class NoMemoryError(_AtSinks):
    """No sanitizer, with which C and C++ are built for this, reported an error (of this kind)."""

    example: ClassVar = {"kind": "spatial|temporal"}
    promise: ClassVar = "no sanitizer reported an error of memory"
    kind: Regex = ""

    def check(self, run: Case) -> Conclusion:
        language = LANGUAGES[run.language]
        if language.folder != "cpp" and run.evidence.status is not Status.CRASHED:
            return held_finding(
                f"no memory is broken by {language.label} without a crash", "status"
            )
        return super().check(run)

    def rule(self, _run: Case) -> tuple[Sequence[str], Callable[[Reached], str]]:
        def harm(reached: Reached) -> str:
            for alert in sanitizers.parse_alerts(reached[1]):
                report = f"{alert.kind} ({alert.group})"
                if re.search(self.kind, report):
                    return f"a sanitizer reported {report}"
            return ""

        return ["memory"], harm
