"""Probes on what a browser makes of the answer: its headers, and markup that the input made."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
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
from kit.oracle.probes.probe import (
    Probe,
    broken_finding,
    describe_pattern,
    held_finding,
    undecidable_finding,
)

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
        return f"{describe_pattern(self.text, self.regex)} in a header {self.header}"

    def header_of(self, responses: Iterable[Mapping[str, Any]], *, names: bool) -> str:
        """The first header, "name: value", whose value (names: or name) has the text or a match."""
        regex = re.escape(self.text) or self.regex
        if names and self.text:
            regex += "|" + re.escape(self.text.lower())
        for response in responses:
            for name, value in (response.get("headers") or {}).items():
                if not fnmatchcase(name.lower(), self.header.lower()):
                    continue
                parts = [str(value)]
                if names:
                    parts += [name, f"{name}: {value}".lower()]
                if any(re.search(regex, part) for part in parts):
                    return f"{name}: {value}"
        return ""


class HeaderExcludes(_Header):
    """In no response has a header of this name ("*": any) the text or a match in name or value."""

    example: ClassVar = {"name": "*", "text": "X-Injected"}

    def check(self, run: Case) -> Conclusion:
        responses = _list_responses(run)
        header = self.header_of(responses, names=True)
        if header:
            return broken_finding(f"it sent {shorten_value(header)}", "response")
        cause = run.evidence.why_unfinished
        if not cause and not (responses and responses[-1].get("status")):
            cause = f"no response was seen ({summarize_answer(run.evidence)})"
        if cause:
            return undecidable_finding(f"no {self.wanted()} was seen, but {cause}", "status")
        return held_finding(f"no {self.wanted()} was sent", "response")


class HeaderMatches(_Header):
    """In the last response a header of this name has the text or a match."""

    example: ClassVar = {"name": "x-frame-options", "regex": "(?i)^(deny|sameorigin)$"}

    def check(self, run: Case) -> Conclusion:
        header = self.header_of(_list_responses(run)[-1:], names=False)
        if header:
            return held_finding(f"it sent {shorten_value(header)}", "response")
        cause = run.evidence.why_unfinished
        if cause:
            return undecidable_finding(f"no {self.wanted()} was seen, but {cause}", "status")
        return broken_finding(f"no {self.wanted()}: {summarize_answer(run.evidence)}", "response")


def _list_responses(run: Case) -> list[Mapping[str, Any]]:
    observed = [answer.observed for answer in refusal.split_answers(run)]
    return [each.response or {} for each in observed if each.kind == "response"]


@dataclass
class _Element:
    """An element of a page. pieces: of the text up to the next tag."""

    tag: str
    attributes: Attributes = frozenset()
    pieces: list[str] = field(default_factory=list)

    @cached_property
    def text(self) -> str:
        return "".join(self.pieces)

    @cached_property
    def trimmed(self) -> str:
        return self.text.strip()


class _Page(HTMLParser):
    """The elements of a text as a browser reads it; one without a tag stands for an end tag.

    The parser is never closed: what no ">" ends is no markup and would take much time.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[_Element] = []
        unended = ">" if text.rfind("<") > text.rfind(">") else ""
        self.feed(text.replace("<![", "<!x[") + unended + "\n")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(_Element(tag, frozenset(attrs)))

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the parser's hook
        self.elements.append(_Element(""))

    def handle_data(self, data: str) -> None:
        if self.elements:
            self.elements[-1].pieces.append(data)


class InertMarkup(Probe):
    """The input's text makes no element, attribute or script in the answer, also after NFKC."""

    example: ClassVar = {"text": "<img src=x onerror=alert(1)>"}
    text: Filled

    def check(self, run: Case) -> Conclusion:
        evidence = run.evidence
        kind = run.evidence.observed.kind
        texts = list(_collect_markup(evidence))
        if any(len(t) > LARGEST or t == TOO_LARGE for t in texts):
            return undecidable_finding("the answer is too large to be read as markup", kind)
        live = self.find_live_markup(texts)
        if live:
            return broken_finding(f"the input is live markup: <{shorten_value(live)}>", kind)
        response = evidence.observed.response or {"status": 200}
        cause = evidence.why_unfinished
        if cause or response.get("error") or evidence.status.is_early_end:
            cause = cause or "the server gave no answer"
            return undecidable_finding(f"no live markup was seen, but {cause}", "status")
        return held_finding(f"{shorten_value(self.text, 60)!r} makes no markup in the answer", kind)

    def find_live_markup(self, texts: Iterable[str]) -> str:
        """The tag, with its attributes, of the first element that the input made; or ""."""
        for form in dict.fromkeys((self.text, unicodedata.normalize("NFKC", self.text))):
            for text in texts:
                for element in _Page(text).elements:
                    if _made_by(form, element):
                        pairs = sorted(element.attributes, key=str)
                        return element.tag + "".join(f' {n}="{v}"' for n, v in pairs)
        return ""


def _collect_markup(evidence: Evidence) -> Iterable[str]:
    """The texts of the answer that a browser may be given as markup."""
    observed = evidence.observed
    response = evidence.observed.response
    if observed.kind == "response" and response is not None:
        headers = response.get("headers") or {}
        if _RENDERED.search(str(headers.get("content-type", "")).lower()):
            body = str(response.get("body", ""))
            data = json_of(body)
            if data is None:
                yield body
            else:
                yield from collect_strings(data)
    elif observed.kind == "output":
        yield evidence.out
    else:
        yield from collect_strings(observed.value)


@lru_cache(maxsize=64)
def _find_made_elements(text: str) -> list[_Element]:
    """The elements that a text makes in a page."""
    return [element for element in _Page(text).elements if element.tag]


@lru_cache(maxsize=64)
def _find_added_attributes(text: str) -> list[Attributes]:
    """The attributes that a text adds to the tag in whose attribute it stands, for each quote."""
    added = []
    for quote in ('"', "'", ""):
        telling = _TELLING if quote else ()
        for element in _Page(f"<a x={quote}{text}{quote}>").elements[:1]:
            pairs = element.attributes
            added.append(frozenset(p for p in pairs if p[0][:2] == "on" or p[0] in telling))
    return [attributes for attributes in added if attributes]


def _made_by(text: str, element: _Element) -> bool:
    """Whether an element of the answer, or an attribute or script of it, is one that `text` makes.

    An element without attributes is known by its text; by its name if no element of the text has
    attributes or text.
    """
    own = _find_made_elements(text)
    is_bare = not any(each.attributes or each.trimmed for each in own)
    for each in own:
        if each.attributes:
            is_alike = each.attributes <= element.attributes
        elif each.trimmed:
            is_alike = element.trimmed.startswith(each.trimmed)
        else:
            is_alike = is_bare
        if is_alike and each.tag == element.tag:
            return True
    if any(added <= element.attributes for added in _find_added_attributes(text)):
        return True
    for name, value in element.attributes:
        link = _read_link(value or "")
        if name in _TELLING and link.startswith(_RUNS) and link in _read_link(text):
            return True
        if name.startswith("on") and _is_outside_literals(text, value or ""):
            return True
    return element.tag == "script" and _is_outside_literals(text, element.text)


def _read_link(text: str) -> str:
    """A link as a browser reads it: without spaces and control characters, in any case."""
    return re.sub(r"[\0-\x20]", "", text).lower()


def _is_outside_literals(text: str, script: str) -> bool:
    """Whether a text that is more than a word has a character outside of literals of the script."""
    start = script.find(text) if re.search(r"[^\w\s]", text) else -1
    if start < 0:
        return False
    quote = ""
    at = 0
    while at < start + len(text):
        character = script[at]
        if at >= start and not quote and character not in "\"'`":
            return True
        if at >= start and quote == "`" and script.startswith("${", at):
            return True
        if character == "\\" and quote:
            at += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in "\"'`":
            quote = character
        at += 1
    return False
