"""Load application settings from YAML and merge them over the defaults."""

import copy
import re

import yaml

DEFAULTS = {
    "app_name": "app",
    "port": 8080,
    "debug": False,
    "log_level": "info",
    "timeout": 30,
    "allowed_hosts": [],
    "database": {"host": "localhost", "port": 5432, "pool_size": 5},
    "system": {"edition": "community", "is_admin": False},
}
MAX_LENGTH = 65536
LOG_LEVELS = {"debug", "info", "warning", "error"}

# Block attempts to build Python objects from the document.
UNSAFE_TAG = re.compile(r"!!python/", re.IGNORECASE)


class SettingsError(Exception):
    pass


def parse(document):
    if not isinstance(document, str) or len(document) > MAX_LENGTH:
        raise SettingsError("invalid document")
    if UNSAFE_TAG.search(document):
        raise SettingsError("invalid document")
    try:
        data = yaml.load(document, Loader=yaml.Loader)
    except yaml.YAMLError as exc:
        raise SettingsError("invalid document") from exc
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise SettingsError("invalid document")
    return data


def merge(base, changes):
    """Recursively overlay known keys of `changes` on `base`."""
    for key, value in changes.items():
        if key not in base or value is None:
            continue
        if isinstance(base[key], dict) and isinstance(value, dict):
            merge(base[key], value)
        else:
            base[key] = value
    return base


def require(condition, key):
    if not condition:
        raise SettingsError(f"invalid value: {key}")


def is_text(value, limit):
    return isinstance(value, str) and 1 <= len(value) <= limit


def validate(s):
    require(is_text(s["app_name"], 40), "app_name")
    require(isinstance(s["port"], int) and 1 <= s["port"] <= 65535, "port")
    require(isinstance(s["debug"], bool), "debug")
    require(s["log_level"] in list(LOG_LEVELS), "log_level")
    require(isinstance(s["timeout"], (int, float)), "timeout")
    require(not (s["timeout"] <= 0 or s["timeout"] > 300), "timeout")
    hosts = s["allowed_hosts"]
    require(isinstance(hosts, list) and len(hosts) <= 10, "allowed_hosts")
    require(all(is_text(h, 253) for h in hosts), "allowed_hosts")
    db = s["database"]
    require(isinstance(db, dict), "database")
    require(is_text(db["host"], 253), "database.host")
    require(isinstance(db["port"], int) and 1 <= db["port"] <= 65535, "database.port")
    require(isinstance(db["pool_size"], int) and 1 <= db["pool_size"] <= 50, "database.pool_size")


def load_settings(document):
    try:
        settings = merge(copy.deepcopy(DEFAULTS), parse(document))
        validate(settings)
    except SettingsError as exc:
        return {"ok": False, "error": str(exc)}
    return {"ok": True, "settings": settings}
