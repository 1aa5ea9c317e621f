"""Services of a task: read from tests.json, made before a run, databases dumped after it."""

import base64
import ipaddress
import json
import posixpath
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field, TypeAdapter

from kit.core.form import Anything, Filled, Form, Malformed, Text, validation_error
from kit.core.form import validate_data as read_form
from kit.core.records import Evidence, Status, Task, Test
from kit.harness import box_files, certificates
from kit.sandbox.base import Given, Sandbox, make_relative

LOOPBACK = "127.0.0.1"
PORTS = {"http": 80, "ftp": 21, "smtp": 25, "ldap": 389}
TLS_PORTS = {"http": 443, "ldap": 636}
ROOM = 48 << 20  # bytes of one file that a service makes: the box's disk holds 64 MB
# In the box's own network these lead nowhere but to its loopback; a program sees public addresses.
PUBLIC = "93.184.216."
FIRST_UID = 1001
_MAGIC = b"SQLite format 3\0"
_SIDE_FILES = ("-wal", "-shm", "-journal")
SETUP = "kit_setup.py"
SERVERS = ("kit_servers.py", "kit_smtp.py", "kit_ldap.py")
ELSEWHERE = "can be had in the bwrap sandbox only"
_MADE_IN_BOX = (*PORTS, "file", "directory", "link")
_Files = tuple[tuple[str, bytes], ...]  # a database with its side files; none if it is gone
KEPT_BYTES = 32 << 10  # of a database; the dumps of larger ones are made again each time


@lru_cache(maxsize=512)
def build_database(sql: str) -> bytes:
    """The bytes of the database that `sql` creates; equal text gives equal bytes.

    Only for text that the suite's author wrote: SQL of a candidate never comes here.
    """
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(sql)
        connection.commit()
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        return connection.serialize() if tables else b""


def _check_inside_folder(name: str) -> str:
    path = PurePosixPath(name or "/")
    if path.is_absolute() or ".." in path.parts:
        raise validation_error(f" must lie in the item's folder, got {name!r}.")
    return name


def _check_place(name: str) -> str:
    if name.startswith("/tmp/") and ".." not in PurePosixPath(name).parts:
        return name
    return _check_inside_folder(name)


def _check_base64(text: str) -> str:
    try:
        base64.b64decode(text, validate=True)
    except ValueError as error:
        raise validation_error(f" is no base64: {error}.") from None
    return text


def _check_sql(sql: str) -> str:
    try:
        build_database(sql)
    except sqlite3.Error as error:
        raise validation_error(f" does not run: {error}.") from error
    return sql


def _check_address(text: str) -> str:
    ipaddress.IPv4Address(text)
    return text


Within = Annotated[str, Field(title="a path"), AfterValidator(_check_inside_folder)]
Place = Annotated[str, Field(title="a path, or one below /tmp"), AfterValidator(_check_place)]
Base64 = Annotated[str, Field(title="base64"), AfterValidator(_check_base64)]
Sql = Annotated[str, Field(title="SQL"), AfterValidator(_check_sql)]
Host = Annotated[
    str, Field(pattern="^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$", title="a host name")
]
Port = Annotated[int, Field(gt=0, lt=65536, title="a number from 1 to 65535")]
Address = Annotated[str, Field(title="an IPv4 address"), AfterValidator(_check_address)]
Mode = Annotated[str, Field(pattern="^0?[0-7]{3}$", title='octal text such as "0640"')]
Size = Annotated[int, Field(ge=0, le=ROOM, title=f"a number from 0 to {ROOM}")]
Letter = Annotated[str, Field(min_length=1, max_length=1, title="one letter")]
Name = Annotated[str, Field(pattern="^[a-z_][a-z0-9_-]{0,31}$", title="a user name")]
Scheme = Annotated[Literal["", "http"], Field(title='"http"; for https give a certificate')]
_CERTIFICATES = ", ".join(get_args(certificates.Kind))
Certificate = Annotated[certificates.Kind, Field(title=f"one of {_CERTIFICATES}")]
_Attributes = dict[str, Annotated[list[Text], Field(min_length=1)]]
Entries = Annotated[
    dict[Filled, _Attributes], Field(title="an object, name -> attribute -> list of texts")
]
Uid = Annotated[int, Field(title="a number")]


class _Service(Form):
    type: Text


class Sqlite(_Service):
    """A database that `sql` creates; official items name a fixture: `db_path`, `init_sql_file`."""

    path: Within
    sql: Sql


class Authority(_Service):
    """The certificate of the box's own authority, in a file, for programs that are to trust it."""

    path: Within


class _Server(_Service):
    host: Host = LOOPBACK
    port: Port = 80
    address: Address = LOOPBACK


class Http(_Server):
    """A web server of a folder; `address` is what the host's name stands for in the box. With a
    `certificate` it speaks TLS, usually at port 443."""

    scheme: Scheme = ""
    serve_dir: Within = "test_dir"
    certificate: Certificate = "valid"
    log: Within = ""


class Ftp(_Server):
    """An FTP server of a folder, for anyone or for one user."""

    serve_dir: Within = "test_dir"
    username: Anything = ""
    password: Anything = ""


class Smtp(_Server):
    """A mail server that keeps what comes, for anyone or for one user; STARTTLS is offered where
    there is a `certificate`, and demanded of nobody."""

    username: Text = ""
    password: Text = ""
    certificate: Certificate = "valid"
    log: Within = ""


class Ldap(_Server):
    """A directory of these entries, in which anyone may search. With a `certificate` it speaks TLS,
    usually at port 636. No search gives out a userPassword, with which its entry may bind."""

    entries: Entries
    certificate: Certificate = "valid"
    log: Within = ""


class File(_Service):
    """A file with this text, with the bytes of `base64`, or filled up to a size."""

    path: Place
    content: Text = ""
    base64: Base64 = ""
    size: Size = 0
    fill: Letter = " "
    mode: Mode = "0644"


class Directory(_Service):
    """An empty folder."""

    path: Place
    mode: Mode = "0755"


class Link(_Service):
    """A symbolic link; where it leads need not be there."""

    path: Place
    target: Filled


class User(_Service):
    """A line of the box's /etc/passwd."""

    name: Name
    uid: Uid = FIRST_UID


FORMS: Mapping[str, type[_Service]] = {
    "sqlite": Sqlite,
    "http": Http,
    "ftp": Ftp,
    "smtp": Smtp,
    "ldap": Ldap,
    "authority": Authority,
    "file": File,
    "directory": Directory,
    "link": Link,
    "user": User,
}


def read_setup(setup: Any, fixtures: Mapping[str, bytes]) -> list[Mapping[str, Any]]:
    """The services of an item in their full form; raises form.Malformed with one sentence."""
    if setup is None:
        return []
    entries = setup.get("services") if isinstance(setup, dict) else None
    if not isinstance(entries, list):
        raise Malformed('service_setup must be an object {"services": [...]}.')
    return [_read_service(entry, index, fixtures) for index, entry in enumerate(entries)]


def _read_service(entry: Any, index: int, fixtures: Mapping[str, bytes]) -> dict[str, Any]:
    place = f"service_setup.services[{index}]"
    kind = entry.get("type") if isinstance(entry, dict) else None
    if not isinstance(kind, str) or kind not in FORMS:
        raise Malformed(f"{place}.type is {kind!r}; use one of: {', '.join(FORMS)}.")
    service = dict(entry)
    if "db_path" in entry:  # as official items say it: the text is in the fixture that it names
        sql = fixtures.get(str(service.pop("init_sql_file", "")).removeprefix("./"), b"")
        service |= {"path": service.pop("db_path"), "sql": sql.decode(errors="replace")}
    read_form(TypeAdapter(FORMS[kind]), service, place)
    if kind not in PORTS:
        return service
    ports = PORTS | TLS_PORTS if "certificate" in service else PORTS
    service = {"host": LOOPBACK, "port": ports[kind], "serve_dir": "test_dir", **service}
    address = service["host"]
    if address == "localhost":
        address = LOOPBACK
    elif not address.replace(".", "").isdigit():
        address = f"{PUBLIC}{index + 2}"
    return {"address": address, **service}


@dataclass(frozen=True)
class Environment:
    """What a run of a task needs beside its files: a command in front, options of the sandbox."""

    before: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


def missing_service(box: Sandbox, task: Task) -> str:
    """The sentence about a service that cannot be had here, or ""."""
    beyond_files = _list_services(task, *PORTS, "user")
    if beyond_files and not {"hosts", "users"} <= box.capabilities:
        return f"A service of type {beyond_files[0]['type']!r} {ELSEWHERE}."
    return ""


def _list_services(task: Task, *types: str) -> list[Mapping[str, Any]]:
    return [service for service in task.services if service["type"] in types]


def prepare_environment(task: Task) -> Environment:
    """Servers and files are made in the box, before the program; names and users with the box."""
    options: dict[str, Any] = {}
    hosts = {server["host"]: server["address"] for server in _list_services(task, *PORTS)}
    if hosts:
        named = {h: a for h, a in hosts.items() if h not in (a, "localhost")}
        options["hosts"] = named or {"localhost": LOOPBACK}
    files = made_files(task)
    if files:
        options["made"] = files
    users = {}
    for number, user in enumerate(_list_services(task, "user")):
        users[user["name"]] = user.get("uid", FIRST_UID + number)
    if users:
        options["users"] = users
    before: list[str] = []
    if _list_services(task, *_MADE_IN_BOX):
        flags = () if _list_services(task, "smtp") else ("-S",)  # by a library
        before = box_files.runner_command(SETUP, *flags)
    return Environment(tuple(before), options)


def made_files(task: Task) -> dict[str, Given]:
    """The files that the services make in the box, by the names under which they are collected."""
    files = {}
    for service in _list_services(task, "file"):
        text = service.get("content", "").ljust(service.get("size", 0), service.get("fill", " "))
        data = base64.b64decode(service.get("base64", "")) or text.encode()
        mode = int(service.get("mode", "0644"), 8)
        files[followed_path(task, service["path"])] = Given(data, mode)
    return files


def followed_path(task: Task, path: str) -> str:
    """The `relative` path to which the task's own links lead."""
    path = make_relative(path)
    links = _list_services(task, "link")
    for service in links * len(links):  # one may lead to another
        link = make_relative(service["path"])
        if f"{path}/".startswith(f"{link}/"):
            end = service["target"] + path[len(link) :]
            path = make_relative(posixpath.join(posixpath.dirname(link), end))
    return path


def _placed_files(task: Task) -> dict[str, bytes]:
    """The fixtures of a task with its databases and the certificate of the box's authority."""
    files = dict(task.files)
    for service in _list_services(task, "sqlite"):
        files[service["path"]] = build_database(service["sql"])
    for service in _list_services(task, "authority"):
        files[service["path"]] = certificates.write_authority().encode()
    return files


def initial_files(task: Task) -> dict[str, Given]:
    """All files that a program of the task finds, as they are at the start of every test."""
    placed = {make_relative(path): Given(data) for path, data in _placed_files(task).items()}
    return placed | made_files(task)


def build_input_files(task: Task) -> dict[str, bytes]:
    """What is placed in the box for every test; the set-up adds to it what services make."""
    files = _placed_files(task)
    job = []
    for service in _list_services(task, *_MADE_IN_BOX):
        kind = service.get("certificate")
        pem = certificates.issue_certificate(kind, service["host"]) if kind else ""
        job.append({**service, "pem": pem} if kind else service)
    if job:
        names = (SETUP, *SERVERS) if _list_services(task, *PORTS) else (SETUP,)
        for name in names:
            files[f"{box_files.FOLDER}/{name}"] = box_files.read_source(name)
        files[f"{box_files.FOLDER}/setup"] = box_files.pack_job(job)
    return files


def add_receipts(task: Task, evidence: Evidence) -> Evidence:
    """The evidence with what servers got, as a file for each `log`: a list of what came, as JSON.

    Only what bears the word of the first receipt counts, which was told before the program began.
    """
    paths = {s["log"] for s in _list_services(task, *PORTS) if s.get("log")}
    if not paths:
        return evidence
    receipts = box_files.list_receipts(box_files.read_answers(evidence.channel).objects)
    logs: dict[str, list[Any]] = {path: [] for path in paths}
    for receipt in receipts:
        if receipt["path"] in logs:
            logs[receipt["path"]].append(receipt["entry"])
    files = dict(evidence.files)
    for path, entries in logs.items():
        files[make_relative(path)] = json.dumps(entries, ensure_ascii=False, indent=1).encode()
    lost = evidence.lost
    for receipt in receipts:
        if receipt["receipt"] == "fault":
            lost = (*lost, f"a server failed: {receipt['entry']}")
    if not receipts or receipts[-1]["receipt"] != "end":
        lost = (*lost, "what the servers received last is not known")
    return replace(evidence, files=files, lost=lost)


def dump_databases(box: Sandbox, task: Task, test: Test, evidence: Evidence) -> dict[str, str]:
    """SQL dumps after the run: of every database that changed, and of those a probe asks about.

    For a path that a database_unchanged probe names, "before:<path>" holds the dump before the run.
    A database that was deleted is an empty text.
    """
    before = build_input_files(task)
    asked_paths = set(_list_probe_paths(test.probes, "database_"))
    paths = {path for path, data in before.items() if data.startswith(_MAGIC)} | asked_paths
    paths |= {service["path"] for service in _list_services(task, "sqlite")}
    now = {**before, **evidence.files}
    states: dict[str, _Files] = {}
    for path in sorted(paths):
        if _is_lost(path, evidence):
            states[path] = ()
        elif path in asked_paths or _pick_database(path, evidence.files):
            states[path] = _pick_database(path, now)
    for path in sorted(set(_list_probe_paths(test.probes, "database_unchanged")) & set(before)):
        states[f"before:{path}"] = ((path, before[path]),)
    dumps = {}
    for name, state in states.items():
        dump = _dump_state(box, name.removeprefix("before:"), state)
        if dump is not None:
            dumps[name] = dump
    return dumps


def _pick_database(path: str, files: Mapping[str, bytes]) -> _Files:
    """What of a database and its side files is among the files."""
    names = [path, *(path + side for side in _SIDE_FILES)]
    return tuple((name, files[name]) for name in names if name in files)


def _list_probe_paths(probes: Any, prefix: str) -> Iterator[str]:
    """Paths of the probes whose name begins with `prefix`, nested ones too."""
    for probe in probes:
        if str(probe["probe"]).startswith(prefix):
            yield make_relative(probe["path"])
        inner = probe.get("of", ())
        if isinstance(inner, Mapping):
            inner = [inner]
        yield from _list_probe_paths(inner, prefix)


def _is_lost(path: str, evidence: Evidence) -> bool:
    """Whether the program took the file away and brought no other in its place."""
    if path in evidence.files:
        return False
    for event in evidence.events:
        takes_away = event.kind in ("delete", "rename") and event.result >= 0
        if takes_away and make_relative(event.target) == path:
            return True
    return False


def _dump_state(box: Sandbox, path: str, state: _Files) -> str | None:
    """The dump; "" where the database is gone, None where our own box failed."""
    if path not in dict(state):
        return ""
    size = sum(len(data) for _, data in state)
    make_dump = _kept if size <= KEPT_BYTES else _dump_in_box
    try:
        return make_dump(box_files.Key(box), path, state)
    except box_files.BoxFailed:
        return None


def _dump_in_box(key: box_files.Key, path: str, state: _Files) -> str:
    """The dump, made by a fresh box, for the bytes were written by a candidate."""
    runner = "kit_dump.py"
    place = path.lstrip("/")
    placed = {name.lstrip("/"): data for name, data in state}
    placed |= box_files.job(key.box, runner, {"paths": [place]})
    evidence = key.box.run(box_files.runner_command(runner, "-S"), files=placed, observe=False)
    if evidence.status is Status.INFRA_ERROR:
        raise box_files.BoxFailed(evidence.note)
    answer = box_files.read_answers(evidence.channel).part("dumps")
    return str(answer.get(place, f"-- not readable: the dump ended with {evidence.status}"))


_kept = lru_cache(maxsize=128)(_dump_in_box)  # a few MB at most
