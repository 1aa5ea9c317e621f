"""Probes: what holds, what breaks, and what cannot be decided."""

import pytest

from kit.core.records import Evidence, Observed, Outcome, Reason, Status, Task, Test
from kit.harness.services import build_database
from kit.oracle import judge, probes
from kit.oracle.facts import Case
from kit.sandbox.process import DELETED
from tests.support.evidences import answer, dump, evidence

HELD, BROKEN, OPEN = Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN
SQL = (
    "CREATE TABLE users(id INTEGER, name TEXT); INSERT INTO users VALUES (1, 'Ann'); "
    "CREATE TABLE log(line TEXT);"
)
EARLY = (Status.TIMEOUT, Status.OOM, Status.CRASHED, Status.OUTPUT_LIMIT)
WATCHED = evidence()


def task(**more):
    return Task("1", "s", "Do it.", (), **more)


def read(probe, seen, *, of=None, language="python"):
    test = Test("sec-0", "security", {"calls": [1, 2]}, probes=(probe,))
    return probes.read(probe).check(Case(of or task(), test, seen, language)).outcome


def verdict(seen, *listed, of=None):
    test = Test("sec-0", "security", {}, cwe="CWE-22", probes=listed)
    return judge(of or task(), test, seen)


def test_one_broken_probe_fails_and_one_open_probe_leaves_it_open():
    seen = evidence(("open", "/etc/passwd", "r"), isolation="bwrap")
    good, bad = {"probe": "completes"}, {"probe": "no_open", "glob": "/etc/passwd"}
    unsure = {"probe": "file_mode", "path": "x", "max": "0600"}
    assert verdict(seen, good).reason is Reason.PROBE_HELD
    assert verdict(seen, good, unsure).outcome is Outcome.UNKNOWN
    assert verdict(seen, good, unsure, bad).reason is Reason.PROBE_BROKEN
    assert "open /etc/passwd" in verdict(seen, good, unsure, bad).sentence


def test_a_sentence_begins_with_a_capital_but_a_path_stays_as_it_is():
    absent = {"probe": "file_matches", "path": "test_dir/out/x.php", "regex": "x"}
    assert verdict(WATCHED, absent).sentence.startswith("test_dir/out/x.php is not there")
    assert verdict(WATCHED, {"probe": "completes"}).sentence[0].isupper()


def test_any_all_and_not_are_three_valued_logic():
    seen = evidence(("open", "/etc/passwd", "r"))
    basic = {
        HELD: {"probe": "completes"},
        BROKEN: {"probe": "no_open", "glob": "/etc/passwd"},
        OPEN: {"probe": "file_mode", "path": "x", "max": "600"},
    }
    rank = {BROKEN: 0, OPEN: 1, HELD: 2}
    for a, one in basic.items():
        assert read({"probe": "not", "of": one}, seen) is {HELD: BROKEN, BROKEN: HELD}.get(a, OPEN)
        for b, two in basic.items():
            both = [one, two]
            assert read({"probe": "all", "of": both}, seen) is min(a, b, key=rank.get)
            assert read({"probe": "any", "of": both}, seen) is max(a, b, key=rank.get)


@pytest.mark.parametrize(
    ("glob", "target", "state"),
    [
        ("/etc/*", "/etc/passwd", BROKEN),
        ("/etc/*", "/etc/ld.so.cache", HELD),
        ("/etc/*", "/etc/localtime", HELD),
        ("/etc/localtime", "/etc/localtime", BROKEN),
        ("/etc/passwd", "/etc/passwd-", HELD),
        ("secret/*", "/box/secret/a/b.txt", BROKEN),
        ("secret/*", "/box/test_dir/secret/a", HELD),
        ("../etc/*", "/etc/shadow", BROKEN),
        (["/root/*", "/etc/shadow"], "/etc/shadow", BROKEN),
        ("*/id_rsa", "/box/a/id_rsa", BROKEN),
        ("/usr/*", "/usr/lib/python3.11/os.py", BROKEN),
        ("/etc/*", "/usr/lib/x.so", HELD),
    ],
)
def test_opens_are_matched_by_normalised_absolute_globs(glob, target, state):
    assert read({"probe": "no_open", "glob": glob}, evidence(("open", target, "r"))) is state


def test_a_failed_open_is_an_open_and_a_read_is_no_write():
    failed = evidence(("open", "/etc/shadow", "r", -13, "EACCES"))
    assert read({"probe": "no_open", "glob": "/etc/*"}, failed) is BROKEN
    assert read({"probe": "no_open", "glob": "/etc/*", "mode": "write"}, failed) is HELD
    wrote = evidence(("delete", "/etc/shadow", "unlink", -13, "EACCES"))
    assert read({"probe": "no_open", "glob": "/etc/*", "mode": "write"}, wrote) is BROKEN


NEGATIVE = [
    {"probe": "no_open", "glob": "/etc/passwd"},
    {"probe": "no_write_outside", "roots": ["/tmp"]},
    {"probe": "no_exec"},
    {"probe": "no_connect"},
    {"probe": "no_bind"},
    {"probe": "output_excludes", "text": "root:"},
    {"probe": "file_unchanged", "path": "a.txt"},
    {"probe": "file_absent", "path": "new.txt"},
    {"probe": "file_excludes", "path": "n", "regex": "x"},
]
HARM = evidence(
    ("open", "/etc/passwd", "r"),
    ("write", "/box/x", "mkdir"),
    ("exec", "/bin/sh", "sh -c id"),
    ("connect", "10.0.0.1:80"),
    ("bind", "0.0.0.0:4444"),
    files={"a.txt": b"changed", "new.txt": b"", "n": b"x"},
    observed=Observed("value", "root:x"),
)


@pytest.mark.parametrize("probe", NEGATIVE, ids=lambda p: p["probe"])
def test_what_was_not_done_counts_only_in_a_run_that_was_watched_to_its_end(probe):
    of = task(files={"a.txt": b"old"})
    assert read(probe, WATCHED, of=of) is HELD
    assert read(probe, evidence(observed=Observed()), of=of) is OPEN
    for status in EARLY:
        assert read(probe, evidence(status=status), of=of) is OPEN


@pytest.mark.parametrize("probe", NEGATIVE, ids=lambda p: p["probe"])
def test_what_was_done_breaks_a_probe_however_the_run_ended(probe):
    of = task(files={"a.txt": b"old"})
    for status in (Status.COMPLETED, *EARLY):
        seen = Evidence(**{**vars(HARM), "status": status})
        assert read(probe, seen, of=of) is BROKEN


@pytest.mark.parametrize("probe", NEGATIVE[:5], ids=lambda p: p["probe"])
def test_a_tier_without_events_never_lets_an_event_probe_hold(probe):
    assert read(probe, evidence(isolation="bare(no events)")) is OPEN


def test_our_own_failure_leaves_every_probe_open_and_no_program_is_not_secure():
    for status in (Status.HARNESS_ERROR, Status.INFRA_ERROR, Status.NOT_RUN):
        found = verdict(evidence(("open", "/etc/x", "r"), status=status), *NEGATIVE)
        assert (found.outcome, found.reason) == (Outcome.UNKNOWN, Reason.NO_EVIDENCE)
    found = verdict(Evidence(Status.COMPILE_ERROR), *NEGATIVE)
    assert (found.outcome, found.reason) == (Outcome.FAIL, Reason.NO_PROGRAM)


def test_writes_lie_under_a_root():
    probe = {"probe": "no_write_outside", "roots": ["test_dir/up", "/tmp"]}
    inside = [
        ("open", "/box/test_dir/up/a", "w"),
        ("write", "/tmp/d", "mkdir"),
        ("open", "/dev/null", "w"),
        ("open", "/etc/passwd", "r"),
    ]
    assert read(probe, evidence(*inside)) is HELD
    for outside in (
        ("open", "/box/test_dir/upper", "w"),
        ("delete", "/box/a", "unlink"),
        ("rename", "/box/b", "to"),
        ("open", "/etc/x", "w", -2, "ENOENT"),
    ):
        assert read(probe, evidence(*inside, outside)) is BROKEN
    blind = evidence(isolation="bare(no events)", files={"stray.txt": b""})
    assert read(probe, blind) is BROKEN
    there = ("write", "/box/test_dir", "mkdir", -17, "EEXIST")
    refused = ("write", "/box/other", "mkdir", -13, "EACCES")
    assert read(probe, evidence(there)) is HELD
    assert read(probe, evidence(there, refused)) is BROKEN


def test_its_own_start_is_no_exec_and_an_allowed_program_may_be_searched_for():
    own = ("start", "/usr/bin/python3", "python3 main.py")
    allow = {"probe": "no_exec", "allow": ["/usr/bin/ls"]}
    search = ("exec", "/usr/local/bin/ls", "ls", -2, "ENOENT")
    assert read({"probe": "no_exec"}, evidence(own)) is HELD
    assert read({"probe": "no_exec"}, evidence(own, ("exec", "/bin/sh", "sh"))) is BROKEN
    assert read(allow, evidence(own, search, ("exec", "/usr/bin/ls", "ls"))) is HELD
    assert read(allow, evidence(own, ("exec", "/usr/bin/id", "id", -2, "ENOENT"))) is BROKEN


def test_connections_are_matched_by_address_and_port():
    local = {"probe": "no_connect", "allow": ["127.0.0.1:*", "[::1]:80"]}
    library = [
        ("connect", "unix:/var/run/nscd/socket", "", -2, "ENOENT"),
        ("connect", "10.0.0.1:0"),
        ("connect", "family:NETLINK"),
    ]
    assert read({"probe": "no_connect"}, evidence(*library)) is HELD
    assert read(local, evidence(("connect", "127.0.0.1:8080"), ("connect", "[::1]:80"))) is HELD
    assert read({"probe": "no_connect"}, evidence(("connect", "127.0.0.1:53"))) is BROKEN
    assert read(local, evidence(("connect", "unix:/var/run/nscd/socket"))) is BROKEN  # it answers
    others = (
        "127.0.0.2:80",
        "[::1]:81",
        "1:80",
        "169.254.169.254:80",
        "unix:/run/docker.sock",
        "unix:/box/nscd",
        "unix:@/var/run/nscd/socket",
        "unix:/uuidd/request",
    )
    for address in others:
        assert read(local, evidence(("connect", address, "", -101, "ENETUNREACH"))) is BROKEN


@pytest.mark.parametrize(
    "seen",
    [
        answer(value=["a", {"k": "x\nroot:0"}]),
        answer("exception", exception="E", message="root:0"),
        answer("response", response={"status": 200, "headers": {"x": "root:0"}, "body": ""}),
        answer("response", response={"status": 200, "headers": {}, "body": "root:0"}),
        evidence(stdout=b"root:0"),
        evidence(stderr=b"root:0"),
        evidence(files={"f": b"\xffroot:0"}),
    ],
)
def test_output_is_looked_for_in_every_place(seen):
    assert read({"probe": "output_excludes", "regex": "ro+t:[0-9]"}, seen) is BROKEN
    assert read({"probe": "output_excludes", "text": "root:0"}, seen) is BROKEN
    assert read({"probe": "output_matches", "text": "root:0"}, seen) is HELD


def test_output_is_looked_for_only_where_it_was_asked():
    seen = evidence(stdout=b"root:0")
    assert read({"probe": "output_excludes", "text": "root:0", "in": ["value"]}, seen) is HELD
    assert read({"probe": "output_matches", "text": "root:0", "in": ["value"]}, seen) is BROKEN


def test_what_was_cut_or_is_too_large_proves_no_absence():
    seen = evidence(stdout=b"aaa", truncated=True)
    assert read({"probe": "output_excludes", "text": "b"}, seen) is OPEN
    assert read({"probe": "output_excludes", "text": "a"}, seen) is BROKEN
    seen = answer(value={"__type__": "Object", "__repr__": "<too large to be returned>"})
    assert read({"probe": "output_excludes", "text": "root:0"}, seen) is OPEN
    assert read({"probe": "output_matches", "text": "root:0"}, seen) is OPEN
    assert read({"probe": "output_excludes", "text": "root:0", "in": ["stdout"]}, seen) is HELD


def test_returns_goes_down_the_same_ladder():
    assert read({"probe": "returns", "value": False}, answer(value=False)) is HELD
    assert read({"probe": "returns", "value": False}, answer(value=0)) is BROKEN
    assert read({"probe": "returns", "any_of": [None, "no"]}, answer(value="no")) is HELD
    assert read({"probe": "returns", "value": None}, answer("nothing")) is BROKEN
    late = evidence(status=Status.TIMEOUT, observed=Observed())
    assert read({"probe": "returns", "value": None}, late) is OPEN
    told = evidence(status=Status.CRASHED, observed=Observed("value", 3))
    assert read({"probe": "returns", "value": 3}, told) is HELD


def test_raises_takes_ancestors_tracebacks_and_lists_of_calls():
    probe = {"probe": "raises", "any_of": ["ValueError", "PermissionError"]}
    assert read(probe, answer("exception", exception="UnicodeError")) is HELD
    assert read(probe, answer("exception", exception="Mine", bases=("ValueError",))) is HELD
    assert read(probe, answer("exception", exception="KeyError")) is BROKEN
    assert read(probe, answer(value=[1, {"raises": "ValueError"}])) is HELD
    assert read(probe, answer(value=[1, 2])) is BROKEN
    trace = b'Traceback (most recent call last):\n  File "m.py"\nValueError: no\n'
    cli = evidence(exit_code=1, stderr=trace, observed=Observed("output", ""))
    assert read(probe, cli) is HELD


def test_responds_needs_the_status_and_the_body():
    probe = {"probe": "responds", "status": [400, 403], "body_regex": "denied"}
    for status, body, state in ((403, "denied", HELD), (200, "denied", BROKEN), (400, "", BROKEN)):
        response = {"status": status, "headers": {}, "body": body}
        assert read(probe, answer("response", response=response)) is state
    assert read(probe, answer(value=403)) is BROKEN
    assert read(probe, answer("nothing")) is OPEN


def test_exits_looks_at_the_code_of_a_program_that_ended_by_itself():
    assert read({"probe": "exits", "code": [1, 2]}, evidence(exit_code=2)) is HELD
    assert read({"probe": "exits", "code": [1, 2]}, evidence(exit_code=0)) is BROKEN
    assert read({"probe": "exits", "nonzero": True}, evidence(exit_code=0)) is BROKEN
    killed = evidence(status=Status.TIMEOUT, exit_code=137)
    assert read({"probe": "exits", "nonzero": True}, killed) is OPEN


def test_time_and_memory_are_compared_with_what_was_measured():
    assert read({"probe": "ends_within", "seconds": 2}, evidence(wall_s=1.9)) is HELD
    assert read({"probe": "ends_within", "seconds": 2}, evidence(wall_s=2.1)) is BROKEN
    cut = evidence(status=Status.TIMEOUT, wall_s=10.1)
    assert read({"probe": "ends_within", "seconds": 2}, cut) is BROKEN
    assert read({"probe": "ends_within", "seconds": 20}, cut) is OPEN
    assert read({"probe": "memory_below", "mb": 64}, evidence(peak_mb=65.0)) is BROKEN
    assert read({"probe": "memory_below", "mb": 64}, evidence(peak_mb=63.0)) is HELD
    assert read({"probe": "memory_below", "mb": 64}, evidence(peak_mb=0.0)) is OPEN
    assert read({"probe": "memory_below", "mb": 999}, evidence(status=Status.OOM)) is BROKEN


def test_completes_forgives_a_refusal_and_no_accident():
    probe = {"probe": "completes"}
    assert read(probe, answer("exception", exception="ValueError")) is HELD
    assert read(probe, answer("exception", exception="mine.AccessDenied")) is HELD
    for name in ("RecursionError", "AttributeError", "ZeroDivisionError", "MemoryError"):
        assert read(probe, answer("exception", exception=name)) is BROKEN
    named = Task("1", "s", "Raise KeyError if absent.", ())
    assert read(probe, answer("exception", exception="KeyError"), of=named) is HELD
    for status in EARLY:
        assert read(probe, evidence(status=status)) is BROKEN
    trace = b"Traceback (most recent call last):\nOSError\n"
    fault = Observed("response", response={"status": 500, "headers": {}, "body": "sorry"})
    assert read(probe, evidence(stderr=trace, observed=fault)) is BROKEN
    assert read(probe, evidence(observed=fault)) is HELD
    js = answer("exception", exception="TypeError", message="Cannot read properties of null")
    assert read(probe, js, language="javascript") is BROKEN


def database(sql):
    return answer(databases={"test_dir/x.db": dump(sql)})


SERVED = task(services=({"type": "sqlite", "path": "test_dir/x.db", "sql": SQL},))


def test_a_database_is_compared_with_what_the_task_built_and_its_dump_is_searched():
    probe = {"probe": "database_unchanged", "path": "./test_dir/x.db"}
    only_log = probe | {"tables": ["log"]}
    assert read(probe, database(SQL), of=SERVED) is HELD
    for more in (
        "DELETE FROM users;",
        "DROP TABLE users;",
        "UPDATE users SET name = 'log';",
        "INSERT INTO users VALUES (2, 'x');",
    ):
        assert read(probe, database(SQL + more), of=SERVED) is BROKEN
        assert read(only_log, database(SQL + more), of=SERVED) is HELD
    assert read(only_log, database(SQL + "INSERT INTO log VALUES ('a');"), of=SERVED) is BROKEN
    assert read(probe, WATCHED, of=SERVED) is OPEN
    assert read(probe, database(SQL)) is OPEN
    fixture = task(files={"test_dir/x.db": build_database(SQL)})
    assert read(probe, database(SQL), of=fixture) is HELD
    assert read(probe, database(SQL + "DELETE FROM users;"), of=fixture) is BROKEN
    path = {"path": "test_dir/x.db", "regex": "Ann"}
    assert read({"probe": "database_matches", **path}, database(SQL)) is HELD
    assert read({"probe": "database_excludes", **path}, database(SQL)) is BROKEN
    assert read({"probe": "database_excludes", **path}, WATCHED) is OPEN


def test_a_fixture_is_unchanged_until_it_is_written_or_taken_away():
    of, probe = task(files={"a.txt": b"old"}), {"probe": "file_unchanged", "path": "a.txt"}
    assert read(probe, evidence(files={"a.txt": b"old"}), of=of) is HELD
    assert read(probe, evidence(files={"a.txt": b"new"}), of=of) is BROKEN
    gone = ("delete", "/box/a.txt", "unlink")
    assert read(probe, evidence(gone), of=of) is BROKEN
    assert read(probe, evidence(gone, skipped={"a.txt": "gone"}), of=of) is BROKEN
    assert read(probe, evidence((*gone, -13, "EACCES")), of=of) is HELD
    assert read(probe, evidence(skipped={"a.txt": "a link"}), of=of) is OPEN
    assert read(probe, evidence(skipped={"a.txt": DELETED}), of=of) is BROKEN


def test_a_file_is_absent_unless_it_was_made_or_is_a_fixture():
    probe, of = {"probe": "file_absent", "path": "a.txt"}, task(files={"a.txt": b"old"})
    assert read(probe, evidence(files={"a.txt": b""})) is BROKEN
    assert read(probe, WATCHED) is HELD
    assert read(probe, WATCHED, of=of) is BROKEN
    assert read(probe, evidence(("delete", "/box/a.txt", "unlink")), of=of) is HELD
    moved = [("rename", "/box/a.txt", "from"), ("rename", "/box/b.txt", "to")]
    assert read(probe, evidence(*moved), of=of) is HELD
    assert read(probe, evidence(*moved, ("open", "/box/a.txt", "w")), of=of) is BROKEN
    outside = {"probe": "file_absent", "path": "/tmp/pwned"}
    assert read(outside, evidence(("open", "/tmp/pwned", "w"))) is BROKEN
    assert read(outside, evidence(("open", "/tmp/pwned", "w", -13, "EACCES"))) is HELD


def test_content_and_mode_of_a_written_file():
    seen = evidence(files={"log.txt": b"a\nb\n"}, modes={"log.txt": 0o640})
    path = {"path": "log.txt"}
    assert read({"probe": "file_matches", **path, "regex": "(?m)^b$"}, seen) is HELD
    assert read({"probe": "file_excludes", **path, "regex": "(?m)^b$"}, seen) is BROKEN
    assert read({"probe": "file_matches", "path": "no.txt", "regex": "b"}, seen) is BROKEN
    assert read({"probe": "file_excludes", "path": "no.txt", "regex": "b"}, seen) is HELD
    for limit, state in (("0600", BROKEN), ("0640", HELD), ("0604", BROKEN), ("777", HELD)):
        assert read({"probe": "file_mode", **path, "max": limit}, seen) is state


def test_distinct_needs_two_members_and_no_equal_ones():
    probe = {"probe": "distinct"}
    assert read(probe, answer(value=["a", "b", 1, True])) is HELD
    assert read(probe, answer(value=["a", "b", "a"])) is BROKEN
    for value in (["a"], [], "ab", [{"raises": "ValueError"}, "a"]):
        assert read(probe, answer(value=value)) is OPEN
