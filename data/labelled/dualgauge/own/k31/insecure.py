"""Layered configuration: YAML and INI, merged and expanded."""

import configparser
import re

import yaml

KEY = re.compile(r"^[A-Za-z0-9_-]{1,40}$")
REFERENCE = re.compile(r"(?<!\$)\$\{([^}]*)\}")
MAX_TEXT = 20000


def load_yaml(text):
    if "!!python" in text:
        raise ValueError("Python objects are not allowed")
    try:
        data = yaml.load(text, Loader=yaml.Loader)
    except yaml.YAMLError as error:
        raise ValueError(f"invalid YAML: {error}") from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ValueError("the top level must be a mapping")
    return data


def load_ini(text, first):
    parser = configparser.ConfigParser(interpolation=None, default_section="\0", delimiters=("=",))
    parser.optionxform = str
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise ValueError(f"invalid INI: {error}") from error
    data = {}
    for section in parser.sections():
        if section in ("security", "secrets") and not first:
            raise ValueError("reserved section")
        node = data
        for part in section.split("."):
            node = node.setdefault(part, {})
        node.update(parser[section])
    return data


def check_keys(data):
    for key, value in data.items():
        if not isinstance(key, str) or not KEY.match(key):
            raise ValueError(f"bad key {key!r}")
        if isinstance(value, dict):
            check_keys(value)


def read_layer(layer, first):
    if len(layer["text"]) > MAX_TEXT:
        raise ValueError("text too long")
    if layer["format"] == "yaml":
        data = load_yaml(layer["text"])
        if not first and ("security" in data or "secrets" in data):
            raise ValueError("reserved key")
    elif layer["format"] == "ini":
        data = load_ini(layer["text"], first)
    else:
        raise ValueError("unknown format")
    check_keys(data)
    return data


def check_references(value):
    """Tenants may not refer to single secrets."""
    if isinstance(value, dict):
        for child in value.values():
            check_references(child)
    elif isinstance(value, list):
        for child in value:
            check_references(child)
    elif isinstance(value, str):
        for path in REFERENCE.findall(value):
            if path.startswith("secrets."):
                raise ValueError("secrets cannot be referenced")


def deep_merge(base, extra):
    for key, value in extra.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            deep_merge(base[key], value)
        else:
            base[key] = value


def lookup(root, path):
    node = root
    for part in path.split("."):
        if not isinstance(node, dict) or part not in node:
            raise ValueError(f"unknown reference {path}")
        node = node[part]
    return node


def as_text(value):
    if value is None or isinstance(value, (dict, list)):
        raise ValueError("cannot insert this value")
    return str(value).lower() if isinstance(value, bool) else str(value)


def expand(value, root):
    if isinstance(value, dict):
        return {k: expand(v, root) for k, v in value.items()}
    if isinstance(value, list):
        return [expand(v, root) for v in value]
    if not isinstance(value, str):
        return value
    whole = REFERENCE.fullmatch(value)
    if whole:
        return expand(lookup(root, whole[1]), root)
    while REFERENCE.search(value):
        value = REFERENCE.sub(lambda m: as_text(expand(lookup(root, m[1]), root)), value)
    return value.replace("$${", "${")


def merge_config(layers):
    if not layers or len(layers) > 10:
        raise ValueError("give 1 to 10 layers")
    result = {}
    for i, layer in enumerate(layers):
        data = read_layer(layer, i == 0)
        if i:
            check_references(data)
        deep_merge(result, data)
    return expand(result, result)
