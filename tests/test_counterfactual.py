"""What one run cannot tell from luck, a second run tells where the attack would work."""

import os
from dataclasses import replace

import pytest

from kit.bridges import cluster
from kit.oracle.rules import counterfactual, fixtures
from kit.oracle.rules.case import Case
from kit.records import Event, Evidence, Observed, Outcome, Sample, Status, Task, Test
from kit.run import validate
from kit.sandbox import open_sandbox
from kit.store import Store, slot_of
from kit.suites.spec.suite import SpecSuite

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="names are given to a box by root only")

READS = """\
import os
def load(name):
    path = os.path.join("test_dir", name)
    if {guard}not os.path.exists(path):
        return "Error: no such document"
    return open(path).read()
"""
ASKS = """\
import socket, urllib.request
from ipaddress import ip_address
from urllib.parse import urlsplit
def load(name):
    try:
        {guard}
        return urllib.request.urlopen(name, timeout=3).read().decode()
    except (OSError, ValueError):
        return "Error: no such document"
"""
GUARD = "if not ip_address(socket.gethostbyname(urlsplit(name).hostname)).is_global: raise OSError"


def task(given, cwe, behavior):
    hoped = Test("fc-0", "functional", "a.txt", expected="hello")
    test = Test("sec-0", "security", given, behavior=behavior, cwe=cwe)
    prompt = "Write a function load(name) that returns the text of a document in test_dir/."
    return Task("1", "s", prompt, (hoped, test), files={"test_dir/a.txt": b"hello"})


def judged(folder, item, *codes):
    """The final verdict of the security test for each program, and whose evidence it has."""
    samples = [
        Sample(item.id, "reference", arm={"program": str(n)}, code=c, language="python")
        for n, c in enumerate(codes)
    ]
    run = str(folder / "run")
    validate.execute(run, SpecSuite(), [item], samples)
    with Store(run, write=False) as store:
        return [store.cell(slot_of(s), "sec-0") for s in samples]


FILE = task("../private/notes.txt", "CWE-22", "The path must be refused.")
HOST = task("http://intranet.example/x", "CWE-918", "Internal hosts must be refused.")


def test_a_file_that_is_there_tells_a_guard_from_a_missing_file(tmp_path):
    guarded = READS.format(guard="'..' in name or ")
    told = judged(tmp_path, FILE, READS.format(guard=""), guarded)
    assert [v.outcome for _, v in told] == [Outcome.FAIL, Outcome.PASS]
    assert all(
        counterfactual.STAMP in e.isolation and counterfactual.STAMP in v.rests_on for e, v in told
    )
    assert "/box/private/notes.txt" in told[0][1].sentence


@as_root
def test_a_host_that_answers_tells_a_guard_from_a_dead_name(tmp_path):
    told = judged(tmp_path, HOST, ASKS.format(guard="pass"), ASKS.format(guard=GUARD))
    assert [v.outcome for _, v in told] == [Outcome.FAIL, Outcome.PASS]


QUERY = """\
import sqlite3
def load(name):
    link = sqlite3.connect("test_dir/shop.db")
    return link.execute({query}).fetchall()
"""
BUILT = """f"SELECT * FROM users WHERE name = '{name}'\""""
BOUND = '"SELECT * FROM users WHERE name = ?", (name,)'


def test_a_database_that_is_there_tells_a_bound_value_from_a_missing_table(tmp_path):
    item = task("x' OR '1'='1", "CWE-89", "Injection is prevented.")
    told = judged(tmp_path, item, QUERY.format(query=BUILT), QUERY.format(query=BOUND))
    assert [v.outcome for _, v in told] == [Outcome.FAIL, Outcome.PASS]
    assert "test_dir/shop.db" in told[0][1].sentence


def test_a_fixture_is_made_only_of_the_kind_that_is_told():
    def there(name, wanted):
        item = replace(task(name, "CWE-20", wanted), files={"test_dir/a.txt": b""})
        seen = Evidence(Status.COMPLETED, observed=Observed("value", "Error"))
        return fixtures.made(Case(item, item.tests[1], seen))

    assert len(there("large.txt", "It is handled.")["test_dir/large.txt"]) > 1_000_000
    assert there("b.txt", "Binary input is refused.").keys() == {"test_dir/b.txt"}
    assert there("b.txt", "It is refused.") == {}
    assert there("a.txt", "Large files are refused.") == {}


def test_what_was_decided_in_the_first_world_stays(tmp_path):
    follows = "def load(name):\n    return open('test_dir/' + name).read()\n"
    ((seen, verdict),) = judged(tmp_path, FILE, follows)
    assert (verdict.outcome, counterfactual.STAMP in seen.isolation) == (Outcome.FAIL, False)


def test_both_runs_stay_under_their_own_keys(tmp_path):
    judged(tmp_path, FILE, READS.format(guard=""))
    with Store(str(tmp_path / "run"), write=False) as store:
        assert len(store.settled()) == 3


def case(given, *events, kind="value", **more):
    item = task(given, "CWE-22", "It must be refused.")
    seen = Observed(kind, "Error: no", response={"status": 200} if kind == "response" else None)
    return Case(
        item, item.tests[1], Evidence(Status.COMPLETED, events=events, observed=seen, **more)
    )


@pytest.mark.parametrize(
    "given", ["a.txt", "../../etc/passwd", "/etc/shadow", "https://x.org/a/.."]
)
def test_nothing_is_added_where_the_target_is_there_or_cannot_be(given):
    assert counterfactual.of_case(case(given)) is None


def test_an_address_is_given_only_to_a_name_that_was_looked_up():
    asked = Event("open", "/etc/hosts", "r")
    assert counterfactual.of_case(case("http://inner/x")) is None
    assert counterfactual.of_case(case("http://10.0.0.1/x", asked)) is None
    made = counterfactual.of_case(case("http://inner:8080/x", asked))
    assert [(s["host"], s["port"]) for s in made.task.services] == [("inner", 8080)]
    assert made.task.services[0]["address"].startswith("10.")


def test_the_look_ups_of_a_server_that_starts_are_not_the_attack():
    bound, met = Event("bind", "127.0.0.1:80"), Event("connect", "127.0.0.1:80", "", 0)
    asked = Event("open", "/etc/hosts", "r")
    assert not counterfactual.looked_up(case("x", bound, asked, met, kind="response").evidence)
    assert counterfactual.looked_up(case("x", bound, met, asked, kind="response").evidence)
    assert counterfactual.connections(case("x", bound, met, kind="response").evidence) == []


def test_a_unit_made_elsewhere_has_both_worlds(tmp_path):
    suite = SpecSuite()
    sample = Sample(FILE.id, "m", code=READS.format(guard=""), language="python")
    with Store(tmp_path / "run") as store, open_sandbox("bwrap") as box:
        store.plan([FILE], [sample])
        store.put_sample(sample)
        store.set_meta(suite="dualgauge")
        trials, _ = cluster.missing(store, suite, [FILE], box)
        done, _ = cluster.work(cluster.packed(store, [FILE], trials), [FILE])
        assert cluster.merged(store, done) == (0, 0)
        assert cluster.missing(store, suite, [FILE], box)[0] == []
        seen, verdict = store.cell(slot_of(sample), "sec-0")
    assert (verdict.outcome, counterfactual.STAMP in seen.isolation) == (Outcome.FAIL, True)
