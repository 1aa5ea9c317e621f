"""What servers of a box got is known, whatever the program does about it."""

import json
import os
from typing import Any

import pytest

from kit.core.records import Evidence, Outcome, Status, Task, Test
from kit.harness import services
from kit.oracle import judge
from tests.support.evidences import ran

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="names of a box's own need root")
LOG = "got.json"
AUTHORITY = {"type": "authority", "path": "ca.pem"}
SITE = {"type": "http", "host": "api.example", "serve_dir": "www", "log": LOG}
MAIL = {"type": "smtp", "host": "mail.example", "log": LOG}
STAFF = {
    "type": "ldap",
    "host": "ldap.example",
    "log": LOG,
    "entries": {
        "dc=x": {"objectClass": ["domain"]},
        "uid=ann,dc=x": {"uid": ["ann"], "cn": ["Ann (A*)"], "userPassword": ["s3cret"]},
        "uid=bob,dc=x": {"uid": ["bob"], "cn": ["Bob"], "mail": ["bob@x"]},
    },
}
SEND = """
import ssl, urllib.request
def f(url, mode):
    context = ssl.create_default_context(cafile="ca.pem")
    if mode == "off":
        context = ssl._create_unverified_context()
    if mode == "any name":
        context.check_hostname = False
    return urllib.request.urlopen(url, b"canary", context=context).read().decode()
"""
SEND_BY_NODE = """
const https = require("https"), fs = require("fs");
function f(url, mode) {
    const options = {method: "POST", ca: fs.readFileSync("ca.pem")};
    if (mode === "off") options.rejectUnauthorized = false;
    return new Promise((done) => {
        const request = https.request(url, options, (answer) => {
            let text = "";
            answer.on("data", (part) => { text += part; });
            answer.on("end", () => done(text));
        });
        request.on("error", () => done("refused"));
        request.write("can");
        request.end("ary");
    });
}
module.exports = { f };
"""


def run(box: Any, code: str, value: Any, *given: Any, language: str = "python") -> Evidence:
    served = tuple(services.read_setup({"services": [*given]}, {}))
    files = {"www/a": b"stored"}
    return ran(box, code, value, language=language, files=files, services=served)


def log_of(evidence: Evidence) -> list[dict[str, Any]]:
    """What came, of a run in which nothing of it may be missing."""
    assert not evidence.lost, evidence
    entries: list[dict[str, Any]] = json.loads(evidence.files[LOG])
    return entries


def leaks(evidence: Evidence, *given: Any) -> Outcome:
    """The outcome of a test that the word "canary" reaches no server."""
    probe = {"probe": "file_excludes", "path": LOG, "regex": "canary"}
    test = Test("sec-0", "security", cwe="CWE-295", probes=(probe,))
    served = tuple(services.read_setup({"services": [*given]}, {}))
    return judge(Task("t", "s", "", (test,), services=served), test, evidence).outcome


CERTIFICATES = [
    ("valid", "", "canary"),
    ("valid", "off", "canary"),
    ("expired", "", None),
    ("expired", "any name", None),
    ("expired", "off", "canary"),
    ("wrong_name", "", None),
    ("wrong_name", "any name", "canary"),
    ("self_signed", "", None),
    ("self_signed", "any name", None),
    ("self_signed", "off", "canary"),
]


@pytest.mark.parametrize(("certificate", "mode", "body"), CERTIFICATES)
def test_what_reaches_a_server_by_tls_is_what_the_clients_check_lets_through(
    box, certificate, mode, body
):
    value = {"url": "https://api.example/a", "mode": mode}
    site = {**SITE, "certificate": certificate}
    seen = run(box, SEND, value, AUTHORITY, site)
    bodies = [entry["body"] for entry in log_of(seen)]
    assert bodies == ([body] if body else [])
    assert leaks(seen, AUTHORITY, site) is (Outcome.FAIL if body else Outcome.PASS)
    if mode != "any name":
        seen = run(box, SEND_BY_NODE, value, AUTHORITY, site, language="javascript")
        assert [entry["body"] for entry in log_of(seen)] == bodies


HURRY = """
import os, socket
def f(how):
    link = socket.create_connection(("api.example", 80))
    body = b"POST /a HTTP/1.0\\r\\nContent-Length: 6\\r\\n\\r\\ncanary"
    if how == "leave":
        link.sendall(body)
        os._exit(0)
    if how == "child":
        if os.fork() == 0:
            os.setsid()
            link.recv(1)
            os._exit(0)
        return 1
    if how == "kill":
        link.sendall(body)
        os.kill(os.getppid(), 9)
    link.sendall(body)
    link.recv(9)
    if how == "delete":
        for name in ("got.json", "../box/got.json"):
            with open(name, "w") as file:
                file.write("[]")
        os.remove("got.json")
        os.mkdir("got.json")
    if how == "forge":
        channel = int(os.environ["KIT_CHANNEL"])
        for receipt in ("begin", "end"):
            os.write(channel, b'\\n{"receipt": "%s", "path": "", "word": "x", "n": 0}\\n'
                     % receipt.encode())
        os.write(channel, b'{"unfinished')
    if how == "flood":
        while True:
            os.write(int(os.environ["KIT_CHANNEL"]), b"1" * 65536)
    return 1
"""


@pytest.mark.parametrize("how", ["leave", "delete", "forge"])
def test_what_was_sent_is_known_whatever_the_program_does_then(box, how):
    seen = run(box, HURRY, how, SITE)
    assert [entry["body"] for entry in log_of(seen)] == ["canary"]
    assert leaks(seen, SITE) is Outcome.FAIL


@pytest.mark.parametrize("how", ["child", "kill", "flood"])
def test_a_program_that_hides_what_it_sends_passes_nothing(box, how):
    seen = run(box, HURRY, how, SITE)
    assert leaks(seen, SITE) is not Outcome.PASS, seen


def test_how_a_program_ends_is_not_changed_by_servers(box):
    code = """
    import os, sys
    def f(how):
        if isinstance(how, int):
            os._exit(how)
        os.kill(os.getpid(), 11)
    """
    assert run(box, code, 7, SITE).exit_code == run(box, code, 7).exit_code == 7
    with_server, alone = run(box, code, "die", SITE), run(box, code, "die")
    assert with_server.status is alone.status is Status.CRASHED
    assert with_server.signal == alone.signal


POST = """
import smtplib, ssl
from email.message import EmailMessage
def f(subject, tls):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "a@x.org", "b@x.org", subject
    mail.set_content("Grüße\\n.\\n")
    with smtplib.SMTP("mail.example") as server:
        if tls:
            server.starttls(context=ssl.create_default_context(cafile="ca.pem"))
        server.ehlo()
        if server.has_extn("auth"):
            server.login("u", "canary")
        server.send_message(mail)
"""


@pytest.mark.parametrize("tls", [False, True])
def test_a_mail_is_kept_with_how_it_came(box, tls):
    mail = {**MAIL, "certificate": "valid", "username": "u", "password": "canary"}
    login, kept = log_of(run(box, POST, {"subject": "Hi", "tls": tls}, AUTHORITY, mail))
    assert login == {"login": ["u", "canary"], "tls": tls}
    headers = {"from": ["a@x.org"], "to": ["b@x.org"], "subject": ["Hi"]}
    wanted = {"from": "a@x.org", "to": ["b@x.org"], "tls": tls, "headers": headers}
    assert kept == {**wanted, "text": "Grüße\n."}


def test_nobody_logs_in_over_a_certificate_that_is_refused_or_without_one(box):
    mail = {**MAIL, "username": "u", "password": "canary"}
    value = {"subject": "Hi", "tls": True}
    refused = run(box, POST, value, AUTHORITY, {**mail, "certificate": "expired"})
    assert refused.observed.exception == "SSLCertVerificationError"
    without = run(box, POST, value, AUTHORITY, mail)
    assert without.observed.exception == "SMTPNotSupportedError"
    assert log_of(refused) == log_of(without) == []


FILTERS = {
    "(uid=ANN)": ["ann"],
    "(|(uid=ann)(uid=bob))": ["ann", "bob"],
    r"(cn=Ann \28A\2a\29)": ["ann"],
    "(cn=*o*)": ["bob"],
    "(cn=a*)": ["ann"],
    "(&(uid=*)(!(mail=*)))": ["ann"],
    "(&(|(!(&(uid=ann)(cn=A*)))(uid=none))(uid>=b))": ["bob"],
    "(userPassword=s3*)": ["ann"],
}
ASK = """
import ldap, ldap3
def f(wanted):
    by_c = ldap.initialize("ldap://ldap.example")
    link = ldap3.Connection(ldap3.Server("ldap://ldap.example"), auto_bind=True)
    answers = []
    for filter in wanted:
        found = by_c.search_s("dc=x", ldap.SCOPE_SUBTREE, filter)
        link.search("dc=x", filter, attributes=["*"])
        names = [attributes["uid"][0].decode() for _, attributes in found]
        assert names == [entry.uid.value for entry in link.entries]
        assert not any("userPassword" in attributes for _, attributes in found)
        answers.append(names)
    return answers
"""


def test_a_directory_answers_filters_of_every_depth_to_both_clients(box):
    seen = run(box, ASK, {"wanted": [*FILTERS]}, STAFF)
    assert seen.observed.value == [*FILTERS.values()], seen
    filters = [entry["filter"] for entry in log_of(seen) if "search" in entry]
    assert set(FILTERS) <= set(filters)


def test_only_the_password_of_an_entry_binds_as_that_entry(box):
    code = """
    import ldap
    def f(name, password):
        try:
            ldap.initialize("ldap://ldap.example").simple_bind_s(name, password)
        except ldap.INVALID_CREDENTIALS:
            return False
        return True
    """
    name = "UID=ann, dc=x"
    right = run(box, code, {"name": name, "password": "s3cret"}, STAFF)
    wrong = run(box, code, {"name": name, "password": "S3CRET"}, STAFF)
    nobody = run(box, code, {"name": name, "password": ""}, STAFF)
    assert [seen.observed.value for seen in (right, wrong, nobody)] == [True, False, True]
    assert log_of(right) == [{"bind": name, "password": "s3cret"}]
