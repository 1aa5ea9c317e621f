"""What an item needs beside its files is there when the program starts, and leaves no trace."""

import json
import os
from dataclasses import replace
from typing import Any

import pytest

from kit.core.form import Malformed
from kit.core.records import Evidence, Observed, Status, Task, Test, evidence_from, to_json
from kit.harness import box_files, services
from kit.oracle import judge
from tests.support.evidences import ran

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="names of a box's own need root")
PAGES = {"www/a.json": b'{"a": [1]}', "www/sub/index.html": b"<p>\xc3\xa9</p>"}
WEB = {"type": "http", "host": "example.com", "serve_dir": "www"}
FTP = {"type": "ftp", "host": "files.example", "serve_dir": "www"}
FETCH = "import urllib.request\ndef f(u): return urllib.request.urlopen(u).read().decode()"


def read(*given: dict[str, Any], fixtures: dict[str, bytes] | None = None) -> tuple[Any, ...]:
    return tuple(services.read_setup({"services": list(given)}, fixtures or {}))


def run(box: Any, code: str, value: Any, *given: Any, language: str = "python") -> Evidence:
    return ran(box, code, value, language=language, files=PAGES, services=read(*given))


@as_root
def test_a_page_comes_from_the_name_that_the_item_uses(box):
    assert run(box, FETCH, "http://example.com/a.json", WEB).observed.value == '{"a": [1]}'
    assert run(box, FETCH, "http://example.com/sub/", WEB).observed.value == "<p>é</p>"
    missing = run(box, FETCH, "http://example.com/none", WEB)
    assert missing.observed.exception == "HTTPError"
    assert "404" in missing.observed.message


@as_root
def test_another_name_is_not_known_and_every_test_starts_anew(box):
    assert run(box, FETCH, "http://example.org/", WEB).observed.exception == "URLError"
    assert run(box, FETCH, "http://example.com/a.json").observed.exception == "URLError"


@as_root
def test_the_address_looks_public_and_only_the_programs_own_deeds_are_events(box):
    code = """
    import ipaddress, socket, urllib.request
    def f(host):
        urllib.request.urlopen(f"http://{host}/a.json").read()
        return ipaddress.ip_address(socket.gethostbyname(host)).is_global
    """
    seen = run(box, code, "example.com", WEB)
    assert seen.observed.value is True
    network = [(e.kind, e.target) for e in seen.events if e.kind in ("connect", "bind")]
    assert ("connect", "93.184.216.2:80") in network
    assert not [t for kind, t in network if kind == "bind" and not t.endswith(":0")]
    assert not [e for e in seen.events if "www" in e.target]
    assert not seen.files


@as_root
@pytest.mark.parametrize("login", [{}, {"username": "u", "password": "p"}])
def test_a_file_comes_over_ftp(box, login):
    code = """
    import ftplib, io
    def f(host, user, password):
        with ftplib.FTP(host) as ftp:
            ftp.login(user, password)
            parts = []
            ftp.retrbinary("RETR a.json", parts.append)
            return [b"".join(parts).decode(), ftp.nlst(), ftp.size("a.json")]
    """
    given = {"host": "files.example", "user": "u", "password": "p"}
    got = run(box, code, given, {**FTP, **login}).observed
    assert got.value == ['{"a": [1]}', ["a.json", "index.html"], 10], got
    wrong = run(box, code, {**given, "password": "x"}, {**FTP, **login}).observed
    assert (wrong.exception == "error_perm") == bool(login)


@as_root
def test_urls_of_ftp_are_served_too(box):
    assert run(box, FETCH, "ftp://files.example/a.json", FTP).observed.value == '{"a": [1]}'


ASKS = {
    "javascript": """
async function f(url) { return (await fetch(url)).text(); }
module.exports = { f };
""",
    "cpp": r"""
#include <netdb.h>
#include <string>
#include <unistd.h>
std::string f(std::string url) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo("example.com", "80", &hints, &found)) return "no name";
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, found->ai_addr, found->ai_addrlen)) return "no server";
    std::string ask = "GET /a.json HTTP/1.0\r\n\r\n", got;
    if (write(fd, ask.data(), ask.size()) < 0) return "no request";
    char part[512];
    for (ssize_t n; (n = read(fd, part, sizeof part)) > 0;) got.append(part, n);
    return got.substr(got.find("\r\n\r\n") + 4);
}
""",
}


@as_root
@pytest.mark.parametrize("language", ASKS)
def test_servers_stand_for_every_language(box, language):
    seen = run(box, ASKS[language], "http://example.com/a.json", WEB, language=language)
    assert seen.observed.value == '{"a": [1]}', seen


@as_root
def test_users_are_known_by_name(box):
    code = "import pwd\ndef f(name): return [pwd.getpwnam(name).pw_uid, pwd.getpwnam('box').pw_uid]"
    seen = run(box, code, "alice", {"type": "user", "name": "alice", "uid": 4242})
    assert seen.observed.value == [4242, 1000]


def test_files_and_folders_have_the_rights_that_were_asked_for(box):
    code = """
    import os
    def f(path):
        mode = oct(os.stat(path).st_mode & 0o777)
        try:
            with open(path) as file:
                return [mode, len(file.read())]
        except OSError as error:
            return [mode, type(error).__name__]
    """
    secret = {"type": "file", "path": "d/secret", "content": "x", "mode": "0000"}
    large = {"type": "file", "path": "d/large", "size": 5_000_000}
    shut = {"type": "directory", "path": "d", "mode": "0500"}
    assert run(box, code, "d/secret", secret).observed.value == ["0o0", "PermissionError"]
    assert run(box, code, "d/large", large).observed.value == ["0o644", 5_000_000]
    assert run(box, code, "d/secret", shut, secret).observed.value[0] == "0o0"
    made = run(box, "def f(p): open(p, 'w')", "d/new", shut)
    assert made.observed.exception == "PermissionError"


def test_links_bytes_and_files_below_tmp_are_there_before_the_program(box):
    code = """
    def f(path):
        with open(path, "rb") as file:
            return file.read().hex()
    """
    raw = {"type": "file", "path": "/tmp/k/raw", "base64": "/wA="}
    link = {"type": "link", "path": "test_dir/notes/in", "target": "/tmp/k/raw"}
    assert run(box, code, "test_dir/notes/in", raw, link).observed.value == "ff00"
    dangling = {"type": "link", "path": "away", "target": "/none"}
    assert run(box, code, "away", dangling).observed.exception == "FileNotFoundError"


def test_a_service_that_cannot_start_is_ours_and_never_the_programs(box):
    taken = run(box, "def f(a): return 1", 1, WEB, {**WEB, "address": "93.184.216.2"})
    assert taken.status is Status.HARNESS_ERROR
    assert "A service did not start: OSError" in taken.note


def test_what_fails_before_the_program_began_is_the_harnesss_own(box, monkeypatch):
    files = box_files.prepare_files_and_job(["kit_channel.py", "kit_encode.py"], {})
    files[".kit/kit_call.py"] = b"1/0"
    monkeypatch.setattr(box_files, "job", lambda *_a, **_k: files)
    seen = run(box, "def f(a): return 1", 1)
    assert seen.status is Status.HARNESS_ERROR
    assert "The harness did not start: ZeroDivisionError" in seen.note


def test_databases_are_read_in_the_form_of_official_items():
    sql = {"test_dir/init.sql": b"CREATE TABLE t(a);"}
    given = {"type": "sqlite", "db_path": "test_dir/x.db", "init_sql_file": "test_dir/init.sql"}
    wanted = {"type": "sqlite", "path": "test_dir/x.db", "sql": "CREATE TABLE t(a);"}
    assert read(given, fixtures=sql) == (wanted,)
    assert read(given)[0]["sql"] == ""


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"type": "http", "port": 70000}, "port must be a number from 1 to 65535"),
        ({"type": "http", "host": "a b"}, "host must be a host name"),
        ({"type": "http", "address": "::1"}, "address must be an IPv4 address"),
        ({"type": "ftp", "serve_dir": "../x"}, "serve_dir must lie in the item's folder"),
        ({"type": "file", "path": "a", "size": 1 << 40}, "size must be a number from 0 to"),
        ({"type": "file", "path": "a", "mode": 600}, "mode must be octal text"),
        ({"type": "file", "path": "/etc/x"}, "path must lie in the item's folder"),
        ({"type": "file", "path": "/tmp/../etc/x"}, "path must lie in the item's folder"),
        ({"type": "file", "path": "a", "base64": "?"}, "base64 is no base64"),
        ({"type": "link", "path": "a"}, "'target' is missing"),
        ({"type": "user", "name": "Bad Name"}, "name must be a user name"),
        ({"type": "user"}, "'name' is missing"),
        ({"type": "https"}, "type is 'https'; use one of: sqlite, http, ftp"),
        ({"type": "ftps"}, "type is 'ftps'; use one of: sqlite, http, ftp"),
        (
            {"type": "http", "scheme": "https"},
            'scheme must be "http"; for https give a certificate',
        ),
        ({"type": "http", "certificate": "old"}, "certificate must be one of valid, expired"),
        ({"type": "ldap"}, "'entries' is missing"),
        ({"type": "ldap", "entries": {"dc=x": {"cn": []}}}, "entries must be an object, name"),
        ({"type": "directory", "path": "a", "colour": 1}, "unknown field 'colour'"),
    ],
)
def test_a_malformed_service_gives_one_sentence(given, sentence):
    with pytest.raises(Malformed, match=r"service_setup\.services\[0\]") as error:
        read(given)
    assert sentence in str(error.value)


# Names of files: in events, among the collected files and in probes a file has one name.

NAMES = [
    *("plain", "протокол.log", "50%.log", "100%25", "new\nline", " two  words ", "é\u202e"),
    *("\\", "\udcff\udcfe", "[a]*?", "..%2f..", "-rf", "a\tb", "\\xff", "日本/語.txt", "x" * 200),
]
USE = """
import json, os, sys
os.access("/kit-begin", 0)
deed, names = json.load(sys.stdin)
for name in names:
    folder, end = os.path.split(name)
    if deed == "look":
        open(name).read()
    elif deed == "add":
        open(f"{folder}/out-{end}", "w").write("new")
    elif deed == "delete":
        os.remove(name)
    else:
        open(name, "w").write("evil")
        os.chmod(name, 0o666)
"""
DEEDS = ("look", "add", "delete", "overwrite")
ABSENT = {"probe": "file_absent"}
OF_FILE = [  # what holds after each of the deeds
    ({"probe": "file_unchanged"}, "ppff"),
    (ABSENT, "ffpf"),
    ({"probe": "file_excludes", "regex": "evil"}, "pppf"),
    ({"probe": "file_matches", "regex": "old"}, "ppff"),
]
OF_NEW = [
    (ABSENT, "pfpp"),
    ({"probe": "file_unchanged"}, "pfpp"),
    ({"probe": "file_excludes", "regex": "new"}, "pfpp"),
    ({"probe": "file_matches", "regex": "new"}, "fpff"),
]


TIERS = ["bwrap", "bare", pytest.param("docker", marks=pytest.mark.slow)]


@pytest.mark.parametrize("tier", TIERS, indirect=True)
@pytest.mark.parametrize("origin", ["fixture", "service", "below /tmp", "by a link to /tmp"])
def test_a_file_has_one_name_whatever_it_is_and_whoever_made_it(tier, origin):
    if tier.name == "bare" and "/tmp" in origin:
        pytest.skip("that is the host's")
    folder = "/tmp/d" if origin == "below /tmp" else "d"
    paths = [f"{folder}/{name}" for name in NAMES]
    made = [{"type": "file", "path": path, "content": "old", "mode": "0600"} for path in paths]
    if "link" in origin:
        away, link = {"type": "directory", "path": "/tmp/away"}, {"type": "link", "path": "d"}
        made = [away, {**link, "target": "/tmp/away"}, *made]
    given = {"services": made}
    if origin == "fixture":
        given = {"files": dict.fromkeys(paths, b"old")}
    task = Task("t", "s", "", (), **given)
    start = services.prepare_environment(task)
    runs = []
    for deed in DEEDS:
        argv = [*start.before, "/usr/bin/python3", "-c", USE]
        job = json.dumps([deed, paths]).encode()
        seen = tier.run(argv, stdin=job, files=services.build_input_files(task), **start.options)
        assert (seen.exit_code, seen.lost) == (0, ()), seen.err
        runs.append(replace(seen, observed=Observed("value", value=1)))
        assert evidence_from(json.loads(json.dumps(to_json(runs[-1])))) == runs[-1]

    def judged(test: Test) -> str:
        """pass, fail or unknown after each of the deeds, by the first letters."""
        return "".join(judge(task, test, run).outcome[0] for run in runs)

    def probed(**probe: Any) -> str:
        return judged(Test("sec-0", "security", cwe="CWE-22", probes=(probe,)))

    watched = "events" in tier.capabilities
    assert probed(probe="writes_nothing") == ("pfff" if watched else "ufuf")
    assert probed(probe="no_write_outside", roots=["e"]) == probed(probe="writes_nothing")
    roots = [folder, "/tmp/away"]
    assert probed(probe="no_write_outside", roots=roots) == ("pppp" if watched else "uuuu")
    for path in paths:
        above, end = os.path.split(path)
        new = f"{above}/out-{end}"
        for probe, wanted in OF_FILE:
            assert probed(**probe, path=path) == wanted, (path, probe)
        for probe, wanted in OF_NEW:
            assert probed(**probe, path=new) == wanted, (new, probe)
        modes = "uuuf" if origin == "fixture" else "ppuf"
        assert probed(probe="file_mode", path=path, max="0600") == modes, path
        for files, wanted in (
            ({path: "old"}, "ppff"),
            ({path: None}, "ffpf"),
            ({new: "new"}, "fpff"),
            ({new: None}, "pfpp"),
        ):
            assert judged(Test("fc-0", "functional", expected={"files": files})) == wanted, files
        if watched:
            globs = {"probe": "no_open", "glob": path.replace("[", "[[]"), "mode": "write"}
            assert probed(**globs) == "ppff", path
