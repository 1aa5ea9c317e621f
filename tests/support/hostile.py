"""What a candidate can make of a run, as Hypothesis strategies: values, responses, traces."""

import json
from dataclasses import replace

from hypothesis import strategies as st

from kit.core.paths import SUITES
from kit.core.records import Event, Evidence, Observed, Status, Test
from kit.systems.dualgauge import spec

SIZE = 40_000  # characters of the longest text
TASKS = spec.load_items(SUITES / "dualgauge").tasks
PROBES = [p for t in TASKS for test in t.tests for p in test.probes]
EXPECTED = [test.expected for t in TASKS for test in t.tests if test.kind == "functional"]
PARTS = [
    *("\n", " ", "\t", "\r\n", 'near "', '": syntax error', "at (", " at x(/", ":1", ")", "(/a"),
    *("SELECT ", " FROM", "<a ", "<script>", "[", "{", "(", '"', "'", "\\d", "\\", "1", "9" * 50),
    *('File "', '", line 1', "Traceback (most recent call last):\n", "Error: ", "http://", "/box/"),
    *("root:x:0:0:", "%0a", "\x00", "\ud800", "é", "or 1=1 ", "0x", ",", ".", "/", "../", ";\n"),
    *("INSERT INTO a VALUES('b')", "A1.b$", ".java:1)", "::1", "sqlite3.", "-", "on", "="),
]
KEYS = [
    *("__float__", "__bytes__", "__set__", "__type__", "__repr__", "raises", "bases", "message"),
    *("status_code", "status", "body", "headers", "error", "type", "files", "value", "contains"),
    *("pattern", "length", "min", "max", "result", "location", "content-type", "success"),
]
parts = st.sampled_from(PARTS)
short = st.one_of(parts, st.text(max_size=8), st.sampled_from(["400", "boom", "nan", "0" * 9]))
large = st.builds(
    lambda unit, size, tail: "".join(unit) * (size // max(1, len("".join(unit)))) + tail,
    st.lists(parts, min_size=1, max_size=3),
    st.sampled_from([300, 4000, SIZE]),
    short,
)
texts = st.integers(0, 2).flatmap(
    lambda n: [short, st.lists(parts, max_size=8).map("".join), large][n]
)
numbers = st.one_of(
    st.integers(-2, 600),
    st.floats(),
    st.sampled_from([10**400, -(10**400), 10**4000, 2**63, True, False, None, 1e308]),
)
odd = st.one_of(
    st.builds(lambda key, v: {key: v}, st.sampled_from(KEYS), st.one_of(numbers, texts)),
    st.builds(lambda n, b: {"raises": n, "bases": b}, short, st.one_of(numbers, texts)),
    st.builds(lambda n, r: {"__type__": n, "__repr__": r}, numbers, st.one_of(numbers, texts)),
)
values = st.recursive(
    st.one_of(numbers, texts, odd),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), short), inner, max_size=4),
        st.sampled_from(KEYS).flatmap(lambda key: inner.map(lambda v: {key: v})),
    ),
    max_leaves=8,
)
deep = st.builds(
    lambda v, n, wrap: _wrapped(v, n, wrap), values, st.integers(50, 99), st.booleans()
)
names = st.one_of(
    st.builds("/box/{}".format, short),
    st.sampled_from(["/box/main.py", "/etc/passwd", "127.0.0.1:80", "[::1]:0", "unix:", "/bin/sh"]),
    texts,
)
events = st.builds(
    Event,
    st.sampled_from("open write delete rename connect bind exec signal".split()),
    names,
    texts,
    st.integers(-200, 9),
    st.sampled_from(["", "ENOENT", "EEXIST"]),
)
responses = st.fixed_dictionaries(
    {
        "status": st.one_of(st.sampled_from([200, 302, 400, 404, 500]), st.integers()),
        "headers": st.dictionaries(st.one_of(st.sampled_from(KEYS), short), values, max_size=3),
        "body": st.one_of(texts, values.map(json.dumps)),
    }
)
raw = texts.map(lambda text: text.encode(errors="replace"))


def observations(wanted):
    """What was observed where this was expected: that, or that with one part replaced, or any."""
    value = st.one_of(values, deep, st.just(wanted), values.flatmap(lambda v: _grafted(wanted, v)))
    return st.one_of(
        st.builds(Observed, st.just("value"), value),
        st.builds(
            lambda n, b, m: Observed("exception", exception=n, bases=tuple(b), message=m),
            *(texts, st.lists(short, max_size=3), texts),
        ),
        st.builds(
            lambda r, body, own: _response(r if own else {**r, "body": body}),
            *(responses, value.map(json.dumps), st.booleans()),
        ),
        st.builds(lambda t, m: Observed("output", value=t, message=m), texts, texts),
    )


def _response(response):
    return Observed("response", value=[response], response=response)


def _grafted(wanted, value):
    """`wanted` with one of its parts replaced by `value`."""
    if isinstance(wanted, dict) and wanted:
        return st.sampled_from(sorted(wanted)).flatmap(
            lambda key: _grafted(wanted[key], value).map(lambda new: {**wanted, key: new})
        )
    if isinstance(wanted, list) and wanted:
        return _grafted(wanted[-1], value).map(lambda new: [*wanted[:-1], new])
    return st.just(value)


@st.composite
def runs(draw, wanted):
    """The evidence of a run that was expected to answer `wanted`."""
    seen = draw(
        st.integers(0, 9).flatmap(lambda n: observations(wanted) if n else st.just(Observed()))
    )
    out = draw(st.one_of(raw, st.just(json.dumps(wanted).encode())))
    lines = draw(st.lists(st.integers(1, 3), max_size=3))
    return Evidence(
        status=draw(st.sampled_from([Status.COMPLETED] * 30 + list(Status))),
        exit_code=draw(st.sampled_from([0, 1, None, -9, 255])),
        stdout=out,
        stderr=draw(raw),
        truncated=draw(st.booleans()),
        wall_s=draw(st.floats(0, 100)),
        cpu_s=draw(st.floats(0, 100)),
        peak_mb=draw(st.floats(0, 1000)),
        files=draw(st.dictionaries(short, raw, max_size=2)),
        skipped=draw(st.dictionaries(short, short, max_size=1)),
        modes=draw(st.dictionaries(short, st.integers(0, 0o177777), max_size=1)),
        events=draw(st.lists(events, max_size=4).map(tuple)),
        isolation=draw(st.sampled_from(["bwrap", "docker", "bare(no events)"])),
        note=draw(short),
        observed=replace(seen, lines=tuple(lines), databases={"a.db": draw(texts)}),
    )


def _wrapped(value, times, as_list):
    for _ in range(times):
        value = [value] if as_list else {"a": value}
    return value


@st.composite
def judged(draw):
    """(task, test, evidence): a test of the suite, or one with any expectation, class or probe."""
    task = draw(st.sampled_from(TASKS))
    test = draw(st.sampled_from(task.tests))
    match draw(st.integers(0, 3)):
        case 0:
            wanted = draw(st.one_of(st.sampled_from(EXPECTED), values, st.floats()))
            test = Test("fc-0", "functional", input=test.input, expected=wanted)
        case 1:
            test = replace(test, kind="security", probes=(), behavior=test.behavior or "x")
        case 2:
            probes = draw(st.lists(st.sampled_from(PROBES), min_size=1, max_size=2))
            test = replace(test, kind="security", cwe="CWE-20", probes=tuple(probes))
    return task, test, draw(runs(test.expected))


answers = st.one_of(
    st.builds(lambda v: {"kind": "value", "value": v}, values),
    st.fixed_dictionaries(
        {"kind": st.sampled_from(["exception", "output", "unfit", "unreachable"])},
        optional={
            name: st.one_of(values, short)
            for name in "exception bases message during why missing server code ended".split()
        },
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("responses"),
            "responses": st.one_of(values, st.lists(st.one_of(values, responses), max_size=3)),
        },
        optional={"port": numbers, "asked": numbers, "offered": numbers},
    ),
    values,
)
channels = st.lists(
    st.one_of(answers.map(lambda v: json.dumps(v).encode()), raw, st.integers().map(b"%d".__mod__)),
    max_size=6,
).map(b"\n".join)

CALLS = [
    "openat\tc/box\tp/box/{}\tmr\t=3\t>/box/{}",
    "openat\tc/{}\tp{}\tmrw\t!ENOENT",
    "open\tp{}\tmr",
    "mkdir\tp/box/{}\t=0",
    "rename\tp/box/{}\tp/box/{}\t!EPERM",
    "symlink\ts{}\tp/box/{}\t=0",
    "link\tp{}\tp/box/{}\tfFOLLOW\t=0",
    "unlink\tp{}",
    "execve\tp{}\twa\tw{}\t=0",
    "connect\tnsocket:[1]\taunix:{}\t=0",
    "sendto\ta{}\t!{}",
    "chmod\tp/proc/self/cwd/{}\t>{}\ti{}\t=0",
    "link\tp{}\tp{}\t>{}\t>{}\ti1:2\t=0",
    "open\tp{}\tmw\ti1:2\t>{}\t=3",
    "bind\taunix:{}\tp{}\t>{}\t!EADDRINUSE",
    "end\t{}\t>{}\ti{}\t=0",
    "killed\ts{}",
    "end\t{}",
    "{}",
]


def escaped(text: str) -> str:
    """As the watcher writes what a program chose."""
    parts = text.encode(errors="surrogatepass")
    return "".join(chr(c) if 32 <= c < 127 and c != 92 else f"\\{c:03o}" for c in parts)


inside = st.one_of(texts, st.sampled_from(["..", "/proc/self/fd/3", "a/../b", "9" * 250]))
calls = st.builds(
    lambda pid, form, name, other: f"{pid}\t" + form.format(*[escaped(name), escaped(other)] * 2),
    st.integers(1, 9),
    st.sampled_from(CALLS),
    inside,
    inside,
)
traces = st.lists(calls, max_size=8).map(
    lambda lines: "\n".join(["1\texecve\tp/a\t=0", "2\texecve\tp/b\t=0", *lines, ""])
)

PIECES = [
    *("namespace a{", "struct a{", "class A:", "{", "}", "(", ")", "[", "]", "=>", "a.", "a()"),
    *("def f(n):", "\n", " ", "return n", "int f(int n)", "function f(n)", "`${", "a=", "1+", '"'),
    *("module.exports=", "#if 1\n", "template<", "::", "import a\n", "#include <a>\n", "'", "\x00"),
    *("lambda:", "if 1:\n ", "@a\n", "f(", "not ", "?", ";", "async ", "\ud800", "export "),
]
programs = st.lists(
    st.builds(
        lambda units, times: "".join(units) * times,
        st.lists(st.sampled_from(PIECES), min_size=1, max_size=4),
        st.sampled_from([1, 1, 1, 5, 400]),
    ),
    max_size=8,
).map("".join)
