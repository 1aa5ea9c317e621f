"""Drafts probes and variants for security tests that have none, without a model.

The words of a test give a probe only for what is certain: that a refusal or a class of exception is
wanted, an answer and no exception, or that nothing is changed. Words that leave a choice give none.
The input gives probes and variants: the attack meets its target, a file with a mark or a host that
answers, and it stays text where it reaches a page, a template or an interpreter.
"""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from kit.harness.calls import folders
from kit.oracle.facts import strings
from kit.oracle.refusal import steps
from kit.records import Task, Test

DRAFT = "draft"  # `compiled_by` of a test with drafts
ARMED = "armed"  # the name of a drafted variant
MARK = '{"mark": "of an armed variant"}\n'
ASKING = ("CWE-918", "CWE-601", "CWE-441", "CWE-611", "CWE-827", "CWE-829")
_ADDRESS = re.compile(r"\b(?:https?|ftp)://[^\s\"'<>\\]+", re.I)
_PLAIN = re.compile(r"[\w.@+-][\w./@+ -]*")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
_INNER = re.compile(r"^[^.]+$|internal|intranet|metadata|private|\.(?:local|lan|corp|home)$", re.I)
_THERE = ("/etc/passwd", "/etc/group", "/etc/hosts", "/etc/nsswitch.conf")
_PORTS = {"http": 80, "https": 443, "ftp": 21}
_SERVED = "armed_hosts"
_MOST = 12  # files, and hosts, of one test
_PAGE = re.compile(r"html|web ?page|markup|template", re.I)
ANY_ERROR = ["Exception", "Error", "std::exception"]
_DONE = (
    r"accepted|allowed|believed|changed|created|genuine|made|moved|public|published|sent|served|"
    r"shown|taken|valid|written(?! through)|the(?! same)|part|an?"
)
_REFUSED = re.compile(
    r"\b(?:reject\w*|block\w*|refus\w+|disallow\w*|den(?:y|ied|ies)|forbid\w*|throws?|"
    r"rais(?:e|es)|turned away|stays? closed|makes? a bad|answered by 4\d\d|"
    r"(?<!that )cannot be \w+ed|"
    r"(?:is|are) (?:protected|bounded|(?<!that is )no (?!longer|more|means|way)\w+)|"
    r"(?:be|is|are) (?:not|never) (?:" + _DONE + r")|nothing is \w+ed|"
    r"(?:accepts|changes|creates|signs) (?:neither|no|nothing)|"
    r"returns? (?:an? |the )?(?:[\w-]+ )*(?:error|response)|error response)\b"
    r"|^no \w+ is (?:given|invented|made)\b|^(?:error\b|access denied)",
    re.I,
)
_CHOICE = re.compile(
    r"\b(?:sanitize|escape|encode|handle|parse|ignore|wrap|clamp|limit|treat|default|strip|"
    r"normali[sz]e|convert|restrict|goes on|already|left|leaves?|stays? (?!closed)|remains?|kept|"
    r"behind|nothing of|none of|nothing breaks|themselves|tried|predicted|computed)\b|"
    r"\bor (?:(?!not\b)[\w-]+ )*valid\b|"
    r"\breturns? (?!(?:an? |the )?error)[^.;]*? or (?:an? |the )?(?:[\w-]+ )*error|"
    r"\b(?:refused|rejected|blocked) or (?!reject|block|refus|den)|"
    r"(?<!refused)(?<!rejected)(?<!blocked) or (?:is |be )?(?:not|left|refused|rejected|blocked)\b",
    re.I,
)
_ASIDE = re.compile(r"\bwithout [^.;,]*", re.I)
_ANSWERED = re.compile(
    r"\b(?:not raised|raises? nothing|without an? (?:\w+ )?exception|no exception|not in an "
    r"exception|without raising|without exception|without crash\w*|ends? in an answer|"
    r"ends? the program|nobody expects|(?:is|are) answered(?! (?:like|as|by|not|with)))\b",
    re.I,
)
_CLASS = re.compile(r"\b([A-Z]\w*(?:Error|Exception))\b")
_UNCHANGED = re.compile(
    r"\b(?:(?:nothing|no half)\b.* behind|(?:has added|adds|changes|stores) nothing|"
    r"nothing is (?:changed|stored|written)|(?:none of them stays|never left) on the disk)\b",
    re.I,
)
_INTERPRETED = {"CWE-89": "sql", "CWE-564": "sql", "CWE-643": "xpath", "CWE-94": "code",
                "CWE-95": "code"}  # fmt: skip
_META = re.compile(r"[\"'`;|(]|--|\bor\b", re.I)
_STATE = re.compile(
    r"\b(?:left|leaves?|stays? (?!closed)|remains?|kept|counts?|"
    r"without (?!propagat|expos|execut|rais|crash)\w+ing)\b",
    re.I,
)
_PRODUCT = re.compile(r"(?:\{\{|[$#@]\{|<%=|\{)\s*(\d{1,9})\s*\*\s*(\d{1,9})\s*(?:\}\}?|%>)")
LONGEST = 5000  # characters of a text that may be a path
PATH = re.compile(r"(?<![\w.~%:+-])(?:[\w.~%:+-]*[/\\])+[\w.~%+-]*[\w~%+-]|\.\.(?:[/\\]|$)")
CLIMBS = re.compile(r"\.\.|^[/~\\]|^[A-Za-z]:\\|%2e|file:|\0|\\x00|\\0", re.I)
LINE_BREAK = re.compile(r"\r\n|\n|\r|\u2028|\u2029|\x85|%0d%0a|%0a|%0d", re.I)
_NAMED = re.compile(r"[\w.-]+\.\w{1,8}")
_MARKUP = re.compile(  # an element, or an attribute that runs a script
    r"<\s*(?:script|img|svg|iframe|body|a|div|b|i|object|embed|style)\b[^>]*>?"
    r"|[\"'][^\"'<>]*\bon\w+\s*=",
    re.I,
)


def drafted(task: Task) -> Task:
    """The task with drafts for its security tests that have no probes."""
    tests = []
    for test in task.tests:
        if test.kind == "security" and not test.probes:
            probes = (*of_words(task, test), *of_input(task, test))
            variants = tuple(armed(task, test))
            if probes or variants:
                test = replace(test, probes=probes, variants=variants, compiled_by=DRAFT)
        tests.append(test)
    return replace(task, tests=tuple(tests))


def of_words(task: Task, test: Test) -> list[dict[str, Any]]:
    """The probes that the words of a test demand; none if they leave a choice."""
    main = _ASIDE.sub("", test.behavior.strip())
    probes: list[dict[str, Any]] = []
    if _REFUSED.search(main) and not _CHOICE.search(main) and not _piped(test):
        probes = [{"probe": "refuses", "calls": attacks(task, test)}]
        probes += _databases(task, test)
        if classes := list(dict.fromkeys(_CLASS.findall(main))):
            probes[0] = {"probe": "any", "of": [{"probe": "raises", "any_of": classes}, probes[0]]}
    elif _UNCHANGED.search(main) and is_single(task, test):
        probes = _databases(task, test) or [{"probe": "writes_nothing"}]
    if _ANSWERED.search(test.behavior) and not _CLASS.search(main):
        probes += [{"probe": "completes"},
                   {"probe": "not", "of": {"probe": "raises", "any_of": ANY_ERROR}}]  # fmt: skip
    return probes


def _databases(task: Task, test: Test) -> list[dict[str, Any]]:
    """Probes that the databases are unchanged; none if a part of the input may prepare them."""
    if not is_single(task, test):
        return []
    served = [str(s["path"]) for s in task.services if s.get("type") == "sqlite"]
    return [{"probe": "database_unchanged", "path": path} for path in served]


def of_input(task: Task, test: Test) -> list[dict[str, Any]]:
    """The probes that the attack itself demands: its texts stay texts."""
    probes: list[dict[str, Any]] = []
    texts = texts_of(task, test)
    for one, other in dict.fromkeys(m.groups() for t in texts for m in _PRODUCT.finditer(t)):
        product = str(int(one) * int(other))
        if len(product) > 3 and not any(product in t for t in texts):
            probes += [{"probe": "output_excludes", "text": product}]
    if test.cwe in _INTERPRETED and any(map(_META.search, texts)):
        sink = _INTERPRETED[test.cwe]
        probes += [{"probe": "sink_confined", "sinks": [sink]}]
        probes += _databases(task, test) * (sink == "sql")
    if _PAGE.search(task.prompt):
        probes += [{"probe": "inert_markup", "text": t} for t in texts if _MARKUP.search(t)]
    return probes


def armed(task: Task, test: Test) -> list[dict[str, Any]]:
    """A variant in which files are where the input's paths lead, and its named hosts answer.

    It gives no rights that the box withholds, and has files in the box's folder and /tmp only.
    """
    paths = absent_files(task, test)
    files = {p.removeprefix("/box/"): MARK for p in paths if p.startswith("/box/")}
    served = [{"type": "file", "path": p, "content": MARK} for p in paths if p.startswith("/tmp/")]
    for n, (site, service) in enumerate(_servers(absent_hosts(task, test))):
        page = site.path.strip("/")
        page = page if _PLAIN.fullmatch(page) and ".." not in page else "index.html"
        files |= {f"{_SERVED}/{n}/{name}": MARK for name in (page, "index.html")}
        served.append(service | {"serve_dir": f"{_SERVED}/{n}"})
    added = {"files": files, "services": served}
    return [{"name": ARMED, **{k: v for k, v in added.items() if v}}] if files or served else []


def absent_files(task: Task, test: Test) -> tuple[str, ...]:
    """Where the input's paths out of a folder lead, if no file is there and one could be."""
    known = {f"/box/{p}" for p in task.files} | {
        f"/box/{s['path']}" for s in task.services if "path" in s
    }
    paths: list[str] = []
    for path in dict.fromkeys(p for t in texts_of(task, test) for p in climbing(t)):
        targets = list(meant(path, task))
        if not any(t in _THERE or t in known for t in targets):
            paths += [t for t in targets if t.startswith(("/box/", "/tmp/")) and _free(t, known)]
    return tuple(dict.fromkeys(paths))[:_MOST]


def meant(path: str, task: Task) -> Iterator[str]:
    """The files that a path may mean, from the folders that the program may start in."""
    path = path.removeprefix("file://").replace("\\", "/")
    path = re.sub(r"\.{4}//+|\.{3}/\./", "../", path)
    path = re.sub(r"^~(?=/)", "/box", path)
    if "://" in path or not re.fullmatch(r"[\w./@+~ -]+", path) or path.endswith("/"):
        return
    homes = {"", "test_dir", *folders(task), *(posixpath.dirname(p) for p in task.files)}
    for home in sorted(homes):
        yield posixpath.normpath(posixpath.join("/box", home, path))


def _free(path: str, known: set[str]) -> bool:
    """Whether a file can be put there: no folder has this name, and no file is a parent of it."""
    parts = any(k.startswith(path + "/") or path.startswith(k + "/") for k in known)
    return path not in ("/box", "/tmp") and not parts and "/.kit" not in path


def absent_hosts(task: Task, test: Test) -> list[SplitResult]:
    """Addresses by name in the input that must not be asked and that no service answers.

    An address in numbers needs no server: a connection to it is seen, answered or not.
    """
    if test.cwe not in ASKING:
        return []
    there = {s.get("host") for s in task.services}
    urls = [m[0] for t in texts_of(task, test) for m in _ADDRESS.finditer(t)]
    sites = [site for url in dict.fromkeys(urls) if (site := _split(url)) is not None]
    return [s for s in sites if s.hostname not in there][:_MOST]


def _split(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        host = str(parts.hostname or "")
        parts.port  # noqa: B018 - raises where it is none
    except ValueError:
        return None
    named = _HOST.fullmatch(host) and not host.replace(".", "").isdigit() and host != "localhost"
    return parts if named else None


def _servers(sites: Sequence[SplitResult]) -> Iterator[tuple[SplitResult, dict[str, Any]]]:
    """A server for each address; an internal name gets an internal address, others a public one."""
    addresses: dict[str, str] = {}
    taken = set()
    for site in sites:
        host, kind = str(site.hostname), "ftp" if site.scheme.lower() == "ftp" else "http"
        home = "10.77.0." if _INNER.search(host) else "93.184.217."
        address = addresses.setdefault(host, f"{home}{len(addresses) + 2}")
        port = site.port or _PORTS[site.scheme.lower()]
        if (address, port) not in taken:
            taken.add((address, port))
            yield site, {"type": kind, "host": host, "address": address, "port": port}


def is_single(task: Task, test: Test) -> bool:
    """Whether all of an input is the attack, so that no part of it prepares the attack."""
    return len(attacks(task, test)) == max(1, len(steps(test.input)))


def leaves_open(test: Test) -> bool:
    """Whether the words of a test may ask for more than a refusal of the attack."""
    return bool(_STATE.search(test.behavior)) or _piped(test)


def _piped(test: Test) -> bool:
    """Whether a test gives the program several lines, of which one may be the attack."""
    given = test.input if isinstance(test.input, Mapping) else {}
    return "\n" in str(given.get("stdin") or "").strip()


def attacks(task: Task, test: Test) -> list[int]:
    """The numbers of the calls or requests of an input that are the attack.

    Of those that no functional test makes, these are the ones for the function or path of the last.
    The ones before prepare the attack.
    """
    calls = steps(test.input)
    known = {json.dumps(s) for t in task.tests if t.kind == "functional" for s in steps(t.input)}
    new = [n for n, call in enumerate(calls) if json.dumps(call) not in known]
    target = _target(test.input, calls[new[-1]]) if new else ""
    return [n for n in new if _target(test.input, calls[n]) == target] or [-1]


def _target(given: Mapping[str, Any], step: Any) -> str:
    """Whom one call or request is for: the name of a method, or method and path."""
    if "init" in given:
        return str(step[0]) if isinstance(step, list) and step else ""
    if "requests" not in given:
        return ""
    if isinstance(step, Mapping):
        path = str(step.get("path", step.get("url", "")))
        return f"{step.get('method', 'GET')} {path.partition('?')[0]}"
    return str(step).partition("?")[0]


def texts_of(task: Task, test: Test) -> list[str]:
    """Every text of the input as it is and percent-decoded, and of the fixtures that it names."""
    raw = strings(test.input)
    if test.input_file:
        raw.append(task.files.get(test.input_file, b"").decode(errors="replace"))
    texts = [*raw, *(d for t in raw if len(t) < 10_000 and (d := unquote(t)) != t)]
    contents = {posixpath.basename(p): b for p, b in task.files.items()}
    stems = {posixpath.splitext(n)[0]: n for n in contents if n.endswith((".yaml", ".yml"))}
    # a short input may name a fixture: by its file name, or by the value of a query
    short = [t for t in raw if len(t) < 300]
    named = [n for t in short for n in (*_NAMED.findall(t), *re.findall(r"=([\w.-]+)", t))]
    for name in dict.fromkeys(named):
        content = contents.get(name) or contents.get(stems.get(name, ""))
        if content and not content.startswith(b"SQLite format 3"):
            texts.append(content.decode(errors="replace"))
    return texts


def climbing(text: str) -> list[str]:
    """The parts of a text that lead out of a folder if they are taken as paths."""
    if len(text) > LONGEST:
        return []
    parts = [text, *(m[0] for m in PATH.finditer(text)), *re.findall(r"=([^&\s]+)", text)]
    return [p for p in dict.fromkeys(parts) if CLIMBS.search(p)]
