"""Probes on what a browser makes of the answer: its headers, and markup that the input made."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any, ClassVar

from pydantic import Field

from kit.core.form import Filled, Regex
from kit.core.records import Evidence
from kit.harness.wording import shorten_value, summarize_answer
from kit.oracle import refusal
from kit.oracle.facts import (
    Case,
    Conclusion,
    collect_strings,
    json_of,
)
from kit.oracle.probes.answers import TOO_LARGE
from kit.oracle.probes.probe import Probe, broken_finding, held_finding, undecidable_finding

LARGEST = 200_000  # characters that are parsed
Attributes = frozenset[tuple[str, str | None]]
_TELLING = ("style", "src", "srcdoc", "href", "action", "formaction")
_RUNS = ("javascript:", "vbscript:", "data:text/html")
_RENDERED = re.compile(r"html|xml|svg|json|^$")


class _Header(Probe):
    one_of: ClassVar = ("text", "regex")
    header: Filled = Field(alias="name")
    text: Filled = ""
    regex: Regex = ""

    def wanted(self) -> str:
        pattern = (
            repr(shorten_value(self.text, 60))
            if self.text
            else f"/{shorten_value(self.regex, 60)}/"
        )
        return f"{pattern} in a header {self.header}"

    def header_of(self, responses: Iterable[Mapping[str, Any]], *, names: bool) -> str:
        """The first header, "name: value", whose value (names: or name) has the text or a match."""
        for response in responses:
            for name, value in (response.get("headers") or {}).items():
                if not fnmatchcase(name.lower(), self.header.lower()):
                    continue
                parts = [str(value), *([name, f"{name}: {value}".lower()] if names else [])]
                texts = (self.text, self.text.lower()) if names else (self.text,)
                if any(
                    any(t in part for t in texts) if self.text else re.search(self.regex, part)
                    for part in parts
                ):
                    return f"{name}: {value}"
        return ""


class HeaderExcludes(_Header):
    """In no response has a header of this name ("*": any) the text or a match in name or value."""

    example: ClassVar = {"name": "*", "text": "X-Injected"}

    def check(self, run: Case) -> Conclusion:
        answers = _list_responses(run)
        if header := self.header_of(answers, names=True):
            return broken_finding(f"it sent {shorten_value(header)}", "response")
        cause = run.evidence.why_unfinished
        if cause or not answers or not answers[-1].get("status"):
            cause = cause or f"no response was seen ({summarize_answer(run.evidence)})"
            return undecidable_finding(f"no {self.wanted()} was seen, but {cause}", "status")
        return held_finding(f"no {self.wanted()} was sent", "response")


class HeaderMatches(_Header):
    """In the last response a header of this name has the text or a match."""

    example: ClassVar = {"name": "x-frame-options", "regex": "(?i)^(deny|sameorigin)$"}

    def check(self, run: Case) -> Conclusion:
        if header := self.header_of(_list_responses(run)[-1:], names=False):
            return held_finding(f"it sent {shorten_value(header)}", "response")
        if cause := run.evidence.why_unfinished:
            return undecidable_finding(f"no {self.wanted()} was seen, but {cause}", "status")
        return broken_finding(f"no {self.wanted()}: {summarize_answer(run.evidence)}", "response")


def _list_responses(run: Case) -> list[Mapping[str, Any]]:
    answers = refusal.split_answers(run)
    return [a.observed.response or {} for a in answers if a.observed.kind == "response"]


class _Page(HTMLParser):
    """The elements of a text as a browser reads it: tag, attributes, the text up to the next tag.

    The parser is never closed: what no ">" ends is no markup and would take much time.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, Attributes, list[str]]] = []
        unended = ">" if text.rfind("<") > text.rfind(">") else ""
        self.feed(text.replace("<![", "<!x[") + unended + "\n")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, frozenset(attrs), []))

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the parser's hook
        self.elements.append(("", frozenset(), []))

    def handle_data(self, data: str) -> None:
        if self.elements:
            self.elements[-1][2].append(data)


class InertMarkup(Probe):
    """The input's text makes no element, attribute or script in the answer, also after NFKC."""

    example: ClassVar = {"text": "<img src=x onerror=alert(1)>"}
    text: Filled

    def check(self, run: Case) -> Conclusion:
        evidence, kind = run.evidence, run.evidence.observed.kind
        texts = list(_collect_markup(evidence))
        if any(len(t) > LARGEST or t == TOO_LARGE for t in texts):
            return undecidable_finding("the answer is too large to be read as markup", kind)
        for form in dict.fromkeys((self.text, unicodedata.normalize("NFKC", self.text))):
            for tag, attrs, data in (e for t in texts for e in _Page(t).elements):
                if _made_by(form, tag, attrs, "".join(data)):
                    shown = "".join(f' {n}="{v}"' for n, v in sorted(attrs, key=str))
                    return broken_finding(
                        f"the input is live markup: <{shorten_value(tag + shown)}>", kind
                    )
        response = evidence.observed.response or {"status": 200}
        cause = evidence.why_unfinished
        if cause or response.get("error") or evidence.status.is_early_end:
            cause = cause or "the server gave no answer"
            return undecidable_finding(f"no live markup was seen, but {cause}", "status")
        return held_finding(f"{shorten_value(self.text, 60)!r} makes no markup in the answer", kind)


def _collect_markup(evidence: Evidence) -> Iterable[str]:
    """The texts of the answer that a browser may be given as markup."""
    observed, response = evidence.observed, evidence.observed.response
    if observed.kind == "response" and response is not None:
        headers = response.get("headers") or {}
        if _RENDERED.search(str(headers.get("content-type", "")).lower()):
            body = str(response.get("body", ""))
            data = json_of(body)
            yield from collect_strings(data) if data is not None else [body]
    else:
        yield from [evidence.out] if observed.kind == "output" else collect_strings(observed.value)


@lru_cache(maxsize=64)
def _find_made_markup(text: str) -> tuple[list[tuple[str, Attributes, str]], list[Attributes]]:
    """The elements that a text makes in a page, and the attributes that it adds to a tag."""
    own = [(t, a, "".join(d).strip()) for t, a, d in _Page(text).elements if t]
    added = []
    for quote in ('"', "'", ""):
        _, attrs, _ = next(iter(_Page(f"<a x={quote}{text}{quote}>").elements), ("", (), []))
        names = () if quote == "" else _TELLING
        added.append(frozenset((n, v) for n, v in attrs if n[:2] == "on" or n in names))
    return own, [a for a in added if a]


def _made_by(text: str, tag: str, attrs: Attributes, data: str) -> bool:
    """Whether an element of the answer, or an attribute or script of it, is one that `text` makes.

    An element without attributes is known by its text; by its name if no element of the text has
    attributes or text.
    """
    own, added = _find_made_markup(text)
    bare = not any(a or d for _, a, d in own)
    for name, wanted, inner in own:
        known = wanted <= attrs if wanted else (data.strip().startswith(inner) if inner else bare)
        if tag == name and known:
            return True
    plain = re.sub(r"[\0-\x20]", "", text).lower()
    links = [re.sub(r"[\0-\x20]", "", v or "").lower() for n, v in attrs if n in _TELLING]
    scripts = [v or "" for n, v in attrs if n[:2] == "on"] + ([data] if tag == "script" else [])
    return (
        any(a <= attrs for a in added)
        or any(v.startswith(_RUNS) and v in plain for v in links)
        or any(_is_outside_literals(text, s) for s in scripts)
    )


def _is_outside_literals(text: str, script: str) -> bool:
    """Whether a text that is more than a word has a character outside of literals of the script."""
    at = script.find(text) if re.search(r"[^\w\s]", text) else -1
    if at < 0:
        return False
    quote, n = "", 0
    while n < at + len(text):
        if n >= at and not quote and script[n] not in "\"'`":
            return True
        if n >= at and quote == "`" and script.startswith("${", n):
            return True
        if script[n] == "\\" and quote:
            n += 1
        elif quote:
            quote = "" if script[n] == quote else quote
        elif script[n] in "\"'`":
            quote = script[n]
        n += 1
    return False
