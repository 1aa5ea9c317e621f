"""Markdown subset to HTML for user comments."""

import html
import re

BAD_SCHEMES = ("javascript:", "data:", "vbscript:")


def safe_url(url):
    """Block dangerous schemes; everything else may be linked."""
    return not html.unescape(url).strip().lower().startswith(BAD_SCHEMES)


def link(match):
    text, url = match.group(1), match.group(2)
    if not safe_url(url):
        return match.group(0)
    return f'<a href="{url}" rel="nofollow noopener">{text}</a>'


def image(match):
    alt, url = match.group(1), match.group(2)
    if not safe_url(url):
        return match.group(0)
    return f'<img src="{url}" alt="{alt}">'


def inline(text):
    text = html.escape(text)
    codes = []

    def keep(match):
        codes.append(match.group(1))
        return f"\x00{len(codes) - 1}\x00"

    text = re.sub(r"`([^`]+)`", keep, text)
    text = re.sub(r"!\[([^\[\]]*)\]\(([^\s()]+)\)", image, text)
    text = re.sub(r"\[([^\[\]]+)\]\(([^\s()]+)\)", link, text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)
    return re.sub(r"\x00(\d+)\x00", lambda m: f"<code>{codes[int(m.group(1))]}</code>", text)


def is_special(line):
    if not line.strip() or line.startswith(("- ", "> ", "```")) or line == ">":
        return True
    return re.match(r"#{1,3} ", line) is not None


def render(lines):
    out = []
    i = 0
    while i < len(lines):
        line = lines[i]
        heading = re.match(r"(#{1,3}) (.+)", line)
        if not line.strip():
            i += 1
        elif line.startswith("```"):
            lang = html.escape(line[3:].strip())
            i += 1
            code = []
            while i < len(lines) and lines[i] != "```":
                code.append(lines[i])
                i += 1
            i += 1
            cls = f' class="language-{lang}"' if lang else ""
            out.append(f"<pre><code{cls}>{html.escape(chr(10).join(code))}</code></pre>")
        elif heading:
            level = len(heading.group(1))
            out.append(f"<h{level}>{inline(heading.group(2))}</h{level}>")
            i += 1
        elif line.startswith("- "):
            items = []
            while i < len(lines) and lines[i].startswith("- "):
                items.append(f"<li>{inline(lines[i][2:])}</li>")
                i += 1
            out.append("<ul>" + "".join(items) + "</ul>")
        elif line.startswith("> ") or line == ">":
            quoted = []
            while i < len(lines) and (lines[i].startswith("> ") or lines[i] == ">"):
                quoted.append(lines[i][2:])
                i += 1
            out.append("<blockquote>" + render(quoted) + "</blockquote>")
        else:
            para = [inline(line)]
            i += 1
            while i < len(lines) and not is_special(lines[i]):
                para.append(inline(lines[i]))
                i += 1
            out.append("<p>" + "<br>".join(para) + "</p>")
    return "\n".join(out)


def to_html(text):
    # Remove characters that cannot be displayed.
    text = re.sub(r"[\x00\x0b\x0c\x0e-\x1f\x7f]", "", text)
    return render(text.split("\n"))
