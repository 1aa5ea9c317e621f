"""What an item needs beside its files: databases, servers, users, folders with rights.

type       keys (those in brackets may be left out)
sqlite     path, sql; or as official items say it: db_path, [init_sql_file], a fixture
http, ftp  [host] = 127.0.0.1, [port] = 80 or 21, [serve_dir] = test_dir, [address];
           ftp also [username], [password]. `address` is what the name stands for in the box.
file       path, and content (text) or size (that many zero bytes), [mode], such as "0600"
directory  path, [mode]
user       name, [uid]: a line of the box's /etc/passwd
"""

import ipaddress
import re
import sqlite3
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from kit.harness import database

LOOPBACK = "127.0.0.1"
PORTS = {"http": 80, "ftp": 21}
ROOM = 48 << 20  # bytes of one file that a service makes: the box's disk holds 64 MB
# In the box's own network these lead nowhere but to its loopback; a program sees public addresses.
PUBLIC = "93.184.216."
FIRST_UID = 1001
KEYS: Mapping[str, tuple[set[str], set[str]]] = {
    "sqlite": ({"path", "sql"}, set()),
    "http": (set(), {"host", "port", "serve_dir", "address", "scheme"}),
    "https": (set(), {"host", "port", "serve_dir", "address", "scheme"}),
    "ftp": (set(), {"host", "port", "serve_dir", "address", "username", "password"}),
    "ftps": (set(), {"host", "port", "serve_dir", "address", "username", "password"}),
    "file": ({"path"}, {"content", "size", "fill", "mode"}),
    "directory": ({"path"}, {"mode"}),
    "user": ({"name"}, {"uid"}),
}
_MODE = re.compile(r"0?[0-7]{3}")
_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


class Refused(Exception):
    """A service that cannot be had; its text is one sentence with the field."""


def read(setup: Any, fixtures: Mapping[str, bytes]) -> list[Mapping[str, Any]]:
    """The services of an item in their full form; raises Refused with one sentence."""
    if setup is None:
        return []
    given = setup.get("services") if isinstance(setup, dict) else None
    if not isinstance(given, list):
        raise Refused('service_setup must be an object {"services": [...]}.')
    return [_service(s, f"service_setup.services[{i}]", i, fixtures) for i, s in enumerate(given)]


def _service(given: Any, where: str, index: int, fixtures: Mapping[str, bytes]) -> dict[str, Any]:
    kind = given.get("type") if isinstance(given, dict) else None
    if not isinstance(kind, str) or kind not in KEYS:
        raise Refused(f"{where}.type is {kind!r}; use one of: {', '.join(KEYS)}.")
    service = _official(given, fixtures) if "db_path" in given else dict(given)
    needed, more = KEYS[kind]
    wrong = sorted((needed - set(service)) | (set(service) - needed - more - {"type"}))
    if wrong:
        allowed = ", ".join(sorted(needed | more))
        raise Refused(f"{where}: {wrong[0]!r} is missing or not known there; keys are: {allowed}.")
    for key in ("path", "serve_dir"):
        if key in service:
            _inside(service[key], f"{where}.{key}")
    if kind in PORTS:
        return _server(service, where, index)
    checks = {"sqlite": _database, "user": _user, "file": _file, "directory": _mode}
    if kind in checks:
        checks[kind](service, where)
    return service


def _official(given: Mapping[str, Any], fixtures: Mapping[str, bytes]) -> dict[str, Any]:
    """A database as official items declare it, its text taken from the fixture that it names."""
    sql = fixtures.get(str(given.get("init_sql_file", "")).removeprefix("./"), b"")
    rest = {k: v for k, v in given.items() if k not in ("db_path", "init_sql_file")}
    return {**rest, "path": given["db_path"], "sql": sql.decode(errors="replace")}


def _inside(path: Any, where: str) -> None:
    parts = PurePosixPath(path) if isinstance(path, str) and path else PurePosixPath("/")
    if parts.is_absolute() or ".." in parts.parts:
        raise Refused(f"{where} must lie in the item's folder, got {path!r}.")


def _database(service: Mapping[str, Any], where: str) -> None:
    try:
        database.build(service["sql"])
    except (sqlite3.Error, TypeError) as error:
        raise Refused(f"{where}.sql does not run: {error}.") from error


def _server(service: dict[str, Any], where: str, index: int) -> dict[str, Any]:
    known = {"host": LOOPBACK, "port": PORTS[service["type"]], "serve_dir": "test_dir"}
    full: dict[str, Any] = {**known, **service}
    if not isinstance(full["port"], int) or not 0 < full["port"] < 65536:
        raise Refused(f"{where}.port must be a number from 1 to 65535, got {full['port']!r}.")
    host = str(full["host"])
    numeric = host.replace(".", "").isdigit()
    local = numeric or host == "localhost"
    full.setdefault("address", (host if numeric else LOOPBACK) if local else f"{PUBLIC}{index + 2}")
    if not _HOST.fullmatch(host):
        raise Refused(f"{where}.host must be a host name, got {full['host']!r}.")
    try:
        ipaddress.IPv4Address(full["address"])
    except ValueError:
        raise Refused(
            f"{where}.address must be an IPv4 address, got {full['address']!r}."
        ) from None
    return full


def _file(service: Mapping[str, Any], where: str) -> None:
    _mode(service, where)
    size, content, fill = (
        service.get(*pair) for pair in (("size", 0), ("content", ""), ("fill", " "))
    )
    texts = isinstance(content, str) and isinstance(fill, str) and len(fill) == 1
    if not texts or not isinstance(size, int) or not 0 <= size <= ROOM:
        raise Refused(f"{where} needs content as text, fill as one letter, size from 0 to {ROOM}.")


def _mode(service: Mapping[str, Any], where: str) -> None:
    mode = service.get("mode", "0644")
    if not isinstance(mode, str) or not _MODE.fullmatch(mode):
        raise Refused(f'{where}.mode must be octal text such as "0640", got {mode!r}.')


def _user(service: Mapping[str, Any], where: str) -> None:
    if not _NAME.fullmatch(str(service["name"])):
        raise Refused(f"{where}.name must be a user name, got {service['name']!r}.")
    if not isinstance(service.get("uid", FIRST_UID), int):
        raise Refused(f"{where}.uid must be a number, got {service['uid']!r}.")
