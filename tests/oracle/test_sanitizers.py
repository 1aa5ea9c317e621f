"""Reports of real programs: compiled here, run in a box, and parsed."""

import json
import tempfile
from pathlib import Path

import pytest
from test_sinks import judged

from kit.oracle import sanitizers
from kit.sandbox import Limits, open_sandbox

# Programs that act before all others; that keep a fault from the sanitizers, or come near to that.
PROGRAMS = json.loads(Path(__file__).parents[1].joinpath("files", "memory.json").read_text())

BODIES = {
    "spatial": "char *p = malloc(n); p[n] = 1; free(p);",
    "temporal": "char *p = malloc(n); free(p); p[0] = 1;",
    "segv": "*(volatile int *volatile)64 = n;",
    "undefined": "volatile int k = 2147483647; k += n;",
}
SOURCE = (
    "#include <stdlib.h>\nvoid hurt(int n) {{ {} }}\nint main(int c, char **v) "
    "{{ (void)v; hurt(c); return 0; }}\n"
)


@pytest.fixture(scope="module")
def logs():
    """class -> what a program with such a fault printed; its source stands below /mnt."""
    out, limits = {}, Limits(wall_s=60, cpu_s=50, memory_mb=900, disk_mb=200)
    env = {
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "TMPDIR": "/box",
    }
    line = "gcc -g -fsanitize=address,undefined /mnt/hurt.c -o hurt && ./hurt"
    with open_sandbox("bwrap", limits) as box, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for group, body in BODIES.items():
            (folder / "hurt.c").write_text(SOURCE.format(body))
            done = box.run(["sh", "-c", line], env=env, mounts={"/mnt": folder}, observe=False)
            out[group] = done.stderr
    return out


@pytest.mark.parametrize("group", BODIES)
def test_a_real_fault_is_classed_and_its_function_named(logs, group):
    alert, *more = sanitizers.parse_alerts(logs[group])
    assert {a.key for a in more} <= {alert.key}
    assert alert.group == group
    assert alert.frames[0] == "hurt hurt.c"


def test_repeated_reports_have_one_key(logs):
    twice = sanitizers.parse_alerts(logs["spatial"] + b"\n" + logs["spatial"])
    assert len(twice) == 2
    assert len({alert.key for alert in twice}) == 1


def test_line_numbers_and_addresses_do_not_tell_alerts_apart():
    a = "/mnt/a.c:10:5: runtime error: signed integer overflow: 2147483647 + 1 cannot be 'int'"
    b = "/mnt/a.c:99:1: runtime error: signed integer overflow: 7 + 12 cannot be 'int'"
    assert sanitizers.parse_alerts(a)[0].key == sanitizers.parse_alerts(b)[0].key


def test_a_sanitizer_that_gets_no_memory_itself_found_nothing(box):
    files = {"a.c": SOURCE.format(BODIES["spatial"]).encode()}
    line = "gcc -fsanitize=address a.c && ulimit -v 1000000 && ./a.out"
    log = box.run(["sh", "-c", line], files=files, limits=Limits(memory_mb=900)).err
    assert "ERROR: AddressSanitizer failed to allocate" in log
    assert sanitizers.parse_alerts(log) == []
    assert not sanitizers.is_report(log)
    late = "==9==ERROR: AddressSanitizer: allocator is out of memory trying to allocate 0x9 bytes"
    assert sanitizers.parse_alerts(late) == []


def test_binary_bytes_and_silence_are_no_alert():
    assert sanitizers.parse_alerts(b"\xff\xfe\x00 all is well\n" * 3) == []
    assert sanitizers.parse_alerts(b"") == []
    log = b"\x00\xff\n==7==ERROR: AddressSanitizer: attempting double-free on 0x1 in thread T0:\n"
    assert [a.group for a in sanitizers.parse_alerts(log)] == ["temporal"]


@pytest.mark.parametrize(
    ("kind", "group"),
    [
        ("heap-buffer-overflow", "spatial"),
        ("stack-use-after-scope", "temporal"),
        ("SEGV", "segv"),
        ("bad-free", "temporal"),
        ("leak", "leak"),
        ("signed integer overflow: _ + _", "undefined"),
        ("index _ out of bounds", "spatial"),
        ("FPE", "undefined"),
        ("shift exponent _ is too large", "undefined"),
    ],
)
def test_every_kind_has_one_class(kind, group):
    assert sanitizers.group_of(kind) == group


NO_ERROR = {"probe": "no_memory_error"}


@pytest.mark.slow
@pytest.mark.parametrize("way", PROGRAMS["early"])
def test_no_program_is_before_the_first_event(box, way):
    code = PROGRAMS["early"][way].join([PROGRAMS["heads"][0], "\nint f(int x) { return x; }\n"])
    asked = {"probe": "all", "of": [NO_ERROR, {"probe": "no_exec"}]}
    outcome, sentence, evidence = judged(box, code, {"x": 1}, asked, "cpp")
    assert "/box/early" in [e.target for e in evidence.events], (sentence, evidence)
    assert outcome == "pass"  # it executes nothing, and neither do the sanitizers


@pytest.mark.slow
@pytest.mark.parametrize("way", PROGRAMS["kept"])
def test_what_is_kept_from_the_sanitizers_never_holds(box, way):
    head, body, *outcomes = PROGRAMS["kept"][way]
    code = f"{PROGRAMS['heads'][1]}{head}\nint f(std::string x) {{ {body} return 0; }}\n"
    for text, outcome in zip(("abc", "abcdefghijklmnopq"), outcomes, strict=True):
        got, sentence, _ = judged(box, code, {"x": text}, NO_ERROR, "cpp")
        assert got == outcome, (text, sentence)
