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
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from html import unescape
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal
from urllib.parse import unquote, unquote_plus

from pydantic import Field

from kit.form import Filled, Regex
from kit.harness.box_files import SINKS
from kit.harness.wording import has_events, short
from kit.languages import LANGUAGES
from kit.oracle import facts, sanitizers
from kit.oracle.facts import Case, Finding, leaves, unfinished
from kit.oracle.probes.probe import Probe, broken, held, undecidable
from kit.records import Evidence, Status
from kit.sandbox.base import absolute

if TYPE_CHECKING:
    Sink = str
else:
    Sink = Annotated[Literal[SINKS], Field(title=f"one of {', '.join(SINKS)}")]
Sinks = Annotated[list[Sink], Field(min_length=1, title=f"a list out of {', '.join(SINKS)}")]
LEAST = 3  # characters of a text that is searched for if the probe names none


def _grammar(literal: str, comment: str, word: str) -> re.Pattern[str]:
    parts = {"literal": literal, "comment": comment, "word": word, "other": r"\S"}
    return re.compile("|".join(f"(?P<{kind}>{p})" for kind, p in parts.items()), re.DOTALL)


_QUOTED = r"'(?:[^'\\\n]|\\.)*+'|\"(?:[^\"\\\n]|\\.)*+\""
_BLOCK = r"\{\{|\{%|\{#|<%|\$\{"  # what begins code in a template
_NONE = r"(?!)"
_C_LIKE = _grammar(rf"{_QUOTED}|`(?:[^`\\]|\\.)*+`", r"//[^\n]*|/\*.*?\*/", r"[\w$]+")
GRAMMARS = {
    "sql": _grammar(
        r"'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\"|`[^`]*`|\[\w[^\]]*\]",
        r"--[^\n]*|/\*.*?\*/",
        r"[\w.$@:]+",
    ),
    "shell": _grammar(r"'[^']*'|\"(?:[^\"\\]|\\.)*+\"", r"(?<!\S)#[^\n]*",
                      r"(?:[\w./:=@%+,^-]|\\.)+"),
    "code": _grammar(rf"(?i:[rbuf]{{0,2}})(?:'''.*?'''|\"\"\".*?\"\"\"|{_QUOTED})", r"#[^\n]*",
                     r"\w+"),
    "template": _grammar(_NONE, r"\{#.*?#\}", rf"(?:(?!{_BLOCK}).)+"),
    "xml": _grammar(r"<!\[CDATA\[.*?\]\]>|(?<==)\"[^\"<]*\"|(?<==)'[^'<]*'", r"<!--.*?-->",
                    r"(?<=>)[^<]+|[\w:.-]+"),
    "xpath": _grammar(r"'[^']*'|\"[^\"]*\"", _NONE, r"[\w.:-]+"),
}  # fmt: skip
_EXPANDS = {  # a literal that begins so has more than text behind these
    ("shell", '"'): r"(?<!\\)[$`]", ("code", "f"): r"\{", ("code", "F"): r"\{",
    ("code", "`"): r"\$\{",
}  # fmt: skip
_PLAIN = re.compile(r"[-+]?[\w.]+")
_VALUE = re.compile(r"(?i)true|false|none|null|0[xbo][\da-f_]+|[\d_]*\.?\d+\.?(?:e\d*)?")
_ACTS = re.compile(r"[\])}'\"\w]\s*[\[(]|[!;=`]")  # an index, a call, or what can build one
_FORM = re.compile(r"(?:[A-Z]+ )?(?:https?:/)?/|[\w.\[\]-]+=")  # a request, a form's fields
_FIELD = re.compile(r"(?:^|[?&])[\w.\[\]-]+=")
_SHELL = re.compile(r"(?:ba|da|z|k)?sh")
_CLIENTS = {"sqlite3": "sql"}  # programs whose arguments and standard input are of a language


def is_confined(sink: str, text: str, words: Sequence[str], part: str, language: str) -> bool:
    """Whether `part`, a text of the input, is one token wherever it is in what reached a sink."""
    if sink == "yaml":
        return part not in text or "objects" not in words
    if sink == "pickle":
        return not all(name in part for name in text.split("."))
    if sink == "path":
        return all(_stays_below(text[:at], part) for at, _ in _places(sink, text, part))
    if sink not in GRAMMARS or (sink == "shell" and words):  # scripts are records of their own
        return True
    return _is_one_token(sink, text, part, language)


Reached = tuple[str, str, Sequence[str]]  # sink, text, further words


def _with_scripts(reached: Reached) -> Iterator[Reached]:
    """What reached a sink; for a started program also the scripts that it interprets."""
    sink, stdin, argv = reached
    yield sink, stdin, argv
    for at, name in enumerate(map(posixpath.basename, argv if sink == "shell" else ())):
        rest = argv[at + 1 :]
        if _SHELL.fullmatch(name):
            yield sink, rest[1] if rest[1:] and re.fullmatch(r"-\w*c", rest[0]) else stdin, ()
        elif name in _CLIENTS:
            yield from ((_CLIENTS[name], script, ()) for script in (*rest, stdin))


def _places(sink: str, text: str, part: str) -> list[tuple[int, int]]:
    """The spans of `part`, also where its quotes were doubled or escaped."""
    if len(part) > len(text):
        return []
    pattern = re.escape(part)
    if sink in ("sql", "xpath", "code"):
        pattern = re.sub("[\"']", r"(?:\\\\?\g<0>){1,2}", pattern)
    return [match.span() for match in re.finditer(pattern, text)]


def _stays_below(before: str, part: str) -> bool:
    """Whether a path leads no further up than a plain name in the place of `part` would."""
    folder = posixpath.dirname(absolute(f"{before}name"))
    return facts.under(absolute(before + part), [folder])


def _is_one_token(sink: str, text: str, part: str, language: str) -> bool:
    whole = text.strip() == part.strip()
    if _PLAIN.fullmatch(part) and not (sink == "code" and whole):
        return True
    if (sink == "code" and _is_inert(part)) or (sink == "xml" and whole):  # a document of its own
        return True
    grammar = _C_LIKE if sink == "code" and language != "python" else GRAMMARS[sink]
    places = _places(sink, text, part)
    tokens = list(grammar.finditer(text)) if places else []
    for at, end in places:
        met = [t for t in tokens if t.start() < end and t.end() > at]
        if len(met) > 1 or not all(_keeps(sink, token, at, end) for token in met):
            return False
    return True


def _keeps(sink: str, token: re.Match[str], at: int, end: int) -> bool:
    """Whether the text from `at` to `end` lies in the token and did not make it what it is."""
    if token.lastgroup == "literal":
        more = _EXPANDS.get((sink, token[0][0]), _NONE)
        own = sink == "code" and token.start() >= at
        return not own and not re.compile(more).search(token.string, at, end)
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
    for leaf in (text for text in leaves(value) if isinstance(text, str)):
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
    named = [run.test.input_file, *map(str, leaves(run.test.input))]
    for path, data in run.task.files.items():
        stem = posixpath.splitext(posixpath.basename(path))[0]
        if len(stem) >= LEAST and any(stem in name for name in named):
            with suppress(UnicodeDecodeError):
                yield data.decode()


def doubt(evidence: Evidence, sinks: Sequence[str]) -> str:
    """Why something may have reached one of the sinks and was not recorded, or ""."""
    recorded = evidence.observed.sinks or {}
    for cause in recorded["doubts"]:
        return str(cause)
    for sink in sinks:
        if sink in recorded["unseen"] or sink not in recorded["recorded"]:
            return f"not all that reaches {sink} can be recorded here"
    if not has_events(evidence):
        return "no events were seen that it could be compared with"
    started = " ".join(w for s, t, ws in recorded["reached"] if s == "shell" for w in (t, *ws))
    for event in facts.execs(evidence):
        if not event.error and posixpath.basename(event.target) not in started:
            return f"it started {event.target} past the recorder"
    return facts.unsettled(evidence, "exec") or unfinished(evidence)


class _AtSinks(Probe):
    promise: ClassVar[str]

    @abstractmethod
    def rule(self, run: Case) -> tuple[Sequence[str], Callable[[Reached], str]]:
        """Its sinks, [] for all; and a function: what is wrong with one record, in words, or ""."""

    def check(self, run: Case) -> Finding:
        recorded = run.evidence.observed.sinks
        if not recorded or not recorded["recorded"]:
            label = LANGUAGES[run.language].label
            return undecidable(f"what reaches sinks was not recorded in this {label} program")
        sinks, harm = self.rule(run)
        sinks = sinks or recorded["recorded"]
        for reached in chain.from_iterable(map(_with_scripts, recorded["reached"])):
            if reached[0] in sinks and (sentence := harm(reached)):
                return broken(sentence, "sinks")
        if cause := doubt(run.evidence, sinks):
            return undecidable(f"{self.promise}, but {cause}", "sinks")
        return held(self.promise, "sinks")


class SinkConfined(_AtSinks):
    """Each text of the input (3 characters and more), or this one, was one token at each sink."""

    example: ClassVar = {"text": "x' OR '1'='1", "sinks": ["sql"]}
    promise: ClassVar = "each text of the input that was seen at a sink was one token there"
    text: Filled = ""
    sinks: Sinks = []

    def rule(self, run: Case) -> tuple[Sequence[str], Callable[[Reached], str]]:
        given = texts_of(self.text or [run.test.input, *named_files(run)])
        parts = [p for p in dict.fromkeys(given) if len(p) >= LEAST or p == self.text]

        def harm(reached: Reached) -> str:
            sink, text, words = reached
            inner = text.strip()  # may be a piece that a program cut out of the input
            cut_out = not _PLAIN.fullmatch(inner) and any(inner in part for part in parts)
            for part in (*parts, *[inner] * (cut_out and len(inner) >= LEAST)):
                if not is_confined(sink, text, words, part, run.language):
                    at = f"what reached {sink}: {short(text)}"
                    return f"{short(part, 60)!r} is not one token of {at}"
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

    def check(self, run: Case) -> Finding:
        recorded = (run.evidence.observed.sinks or {}).get("recorded", ())
        if self.where_recorded and self.sink not in recorded:
            return held(f"{self.sink} is recorded in no {LANGUAGES[run.language].label} program")
        return super().check(run)

    def rule(self, _run: Case) -> tuple[Sequence[str], Callable[[Reached], str]]:
        pattern = re.compile(re.escape(self.text) or self.regex)

        def harm(reached: Reached) -> str:
            sink, text, words = reached
            hit = next(filter(pattern.search, (text, *words, " ".join(words))), "")
            return f"{sink} was reached by {short(hit)}" if hit else ""

        return [self.sink], harm


class NoMemoryError(_AtSinks):
    """No sanitizer, with which C and C++ are built for this, reported an error (of this kind)."""

    example: ClassVar = {"kind": "spatial|temporal"}
    promise: ClassVar = "no sanitizer reported an error of memory"
    kind: Regex = ""

    def check(self, run: Case) -> Finding:
        language = LANGUAGES[run.language]
        if language.folder != "cpp" and run.evidence.status is not Status.CRASHED:
            return held(f"no memory is broken by {language.label} without a crash", "status")
        return super().check(run)

    def rule(self, _run: Case) -> tuple[Sequence[str], Callable[[Reached], str]]:
        def harm(reached: Reached) -> str:
            for alert in sanitizers.parse(reached[1]):
                if re.search(self.kind, report := f"{alert.kind} ({alert.group})"):
                    return f"a sanitizer reported {report}"
            return ""

        return ["memory"], harm
