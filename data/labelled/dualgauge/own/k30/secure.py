"""A small part of Markdown as HTML: one pass over the marks, everything else is escaped text."""

import re
from html import escape

LIMIT, DEPTH = 20_000, 5
INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FENCE = re.compile(r"```([a-z0-9+-]{0,20})")
HEADING = re.compile(r"(#{1,3}) (.+)")
MARK = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|\*\*(?P<strong>[^*]+)\*\*"
    r"|\*(?P<em>[^*]+)\*"
    r"|(?P<image>!?)\[(?P<text>[^\[\]]*)\]\((?P<url>[^\s()]+)\)"
)
PLACE = r"/(?![/\\])"
LINK_URL = re.compile(rf"https?://|mailto:|#|{PLACE}", re.IGNORECASE)
IMAGE_URL = re.compile(rf"https://|{PLACE}", re.IGNORECASE)


def element(mark):
    """The element of a mark, or its characters where it is none."""
    for tag in ("code", "strong", "em"):
        if mark[tag] is not None:
            return f"<{tag}>{escape(mark[tag])}</{tag}>"
    url, text = escape(mark["url"]), escape(mark["text"])
    if mark["image"] and IMAGE_URL.match(mark["url"]):
        return f'<img src="{url}" alt="{text}">'
    if not mark["image"] and text and LINK_URL.match(mark["url"]):
        return f'<a href="{url}" rel="nofollow noopener">{text}</a>'
    return escape(mark[0])


def inline(text):
    parts, last = [], 0
    for mark in MARK.finditer(text):
        parts += [escape(text[last : mark.start()]), element(mark)]
        last = mark.end()
    return "".join([*parts, escape(text[last:])])


def is_quote(line):
    return line.startswith("> ") or line == ">"


def kind(line, depth):
    """What a line begins: blank, fence, heading, item, quote or text."""
    if not line.strip(" \t"):
        return "blank"
    if FENCE.fullmatch(line):
        return "fence"
    if HEADING.fullmatch(line):
        return "heading"
    if line.startswith("- ") and len(line) > 2:
        return "item"
    return "quote" if depth < DEPTH and is_quote(line) else "text"


def block(what, lines, depth):
    """The HTML of consecutive lines of one kind."""
    if what == "heading":
        found = [HEADING.fullmatch(line) for line in lines]
        levels = [(len(parts[1]), inline(parts[2])) for parts in found]
        return "\n".join(f"<h{level}>{text}</h{level}>" for level, text in levels)
    if what == "item":
        return "<ul>" + "".join(f"<li>{inline(line[2:])}</li>" for line in lines) + "</ul>"
    if what == "quote":
        inner = blocks([line[2:] for line in lines], depth + 1)
        return f"<blockquote>{inner}</blockquote>"
    return "<p>" + "<br>".join(map(inline, lines)) + "</p>"


def fenced(opening, lines):
    language = FENCE.fullmatch(opening)[1]
    start = f'<code class="language-{language}">' if language else "<code>"
    return f"<pre>{start}{escape(chr(10).join(lines))}</code></pre>"


def blocks(lines, depth=0):
    found, at = [], 0
    while at < len(lines):
        what, end = kind(lines[at], depth), at + 1
        if what == "fence":
            while end < len(lines) and lines[end] != "```":
                end += 1
            found.append(fenced(lines[at], lines[at + 1 : end]))
            at = end + 1
            continue
        while end < len(lines) and kind(lines[end], depth) == what:
            end += 1
        if what != "blank":
            found.append(block(what, lines[at:end], depth))
        at = end
    return "\n".join(found)


def to_html(text):
    if not isinstance(text, str):
        raise ValueError("text must be a str")
    if len(text) > LIMIT:
        raise ValueError(f"text must have at most {LIMIT} characters, not {len(text)}")
    return blocks(INVISIBLE.sub("", text).split("\n"))
