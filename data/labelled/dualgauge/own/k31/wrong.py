"""Configuration in layers, read event by event so that nothing unexpected is ever built."""

import math
import re

import yaml

NAME = re.compile(r"[A-Za-z0-9_-]{1,40}\Z")
PART = re.compile(r"(\$\$\{|\$\{[^}]*\}|\$\{)")


class Operator(str):
    """A text of the first layer."""


class Tenant(str):
    """A text of any other layer."""


class ConfigError(ValueError):
    pass


def build(node, loader, kind, count, depth=0):
    count[0] += 1
    if count[0] > 2000 or depth > 20:
        raise ConfigError("too large")
    if node.tag == "tag:yaml.org,2002:seq":
        return [build(n, loader, kind, count, depth + 1) for n in node.value]
    if node.tag == "tag:yaml.org,2002:map":
        result = {}
        for key, child in node.value:
            if not isinstance(key.value, str) or not NAME.match(key.value) or key.value in result:
                raise ConfigError("bad key")
            result[key.value] = build(child, loader, kind, count, depth + 1)
        return result
    short = node.tag.rpartition(":")[2]
    if short not in ("str", "int", "float", "bool", "null") or "yaml.org" not in node.tag:
        raise ConfigError("bad type")
    value = loader.construct_object(node)
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError("bad number")
    return kind(value) if isinstance(value, str) else value


def parse_yaml(text, kind):
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            raise ConfigError("no mapping")
        return build(node, loader, kind, [0])
    except (yaml.YAMLError, RecursionError):
        raise ConfigError("bad YAML") from None


def parse_ini(text, kind):
    result, current = {}, None
    for line in text.split("\n"):
        line = line.strip()
        if not line or line.startswith(("#", ";")):
            continue
        if line.startswith("[") and line.endswith("]"):
            current = result
            for name in line[1:-1].split("."):
                if not NAME.match(name) or not isinstance(current, dict):
                    raise ConfigError("bad section")
                current = current.setdefault(name, {})
        else:
            key, sign, value = line.partition("=")
            key = key.strip().lower()
            if not sign or current is None or not NAME.match(key) or key in current:
                raise ConfigError("bad line")
            current[key] = kind(value.strip())
    return result


def parse(layer, kind):
    try:
        form, text = layer["format"], layer["text"]
    except (TypeError, KeyError, IndexError):
        raise ConfigError("bad layer") from None
    if not isinstance(text, str) or len(text) > 20000 or form not in ("yaml", "ini"):
        raise ConfigError("bad layer")
    data = parse_yaml(text, kind) if form == "yaml" else parse_ini(text, kind)
    if kind is Tenant and ("security" in data or "secrets" in data):
        raise ConfigError("reserved")
    return data


def overlay(old, new):
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{k: overlay(old.get(k), v) for k, v in new.items()}}
    if isinstance(old, list) and isinstance(new, list):
        return old + new
    return new


def find(tree, path, owner):
    names = path.split(".")
    if owner is Tenant and names[0] == "secrets":
        raise ConfigError("reserved")
    for name in names:
        if not isinstance(tree, dict) or name not in tree:
            raise ConfigError("missing key")
        tree = tree[name]
    return tree


def resolve(value, tree, count, steps=0, depth=0):
    count[0] += 1
    if count[0] > 2000 or depth > 20 or steps > 20:
        raise ConfigError("too large")
    if isinstance(value, dict):
        return {k: resolve(v, tree, count, steps, depth + 1) for k, v in value.items()}
    if isinstance(value, list):
        return [resolve(v, tree, count, steps, depth + 1) for v in value]
    if not isinstance(value, str):
        return value
    text = ""
    for part in PART.split(value):
        if part == "$${":
            part = "${"
        elif part == "${":
            raise ConfigError("open reference")
        elif part.startswith("${"):
            found = resolve(find(tree, part[2:-1], type(value)), tree, count, steps + 1, depth)
            if part == value and isinstance(found, (dict, list)):
                return found
            if found is None or isinstance(found, (dict, list)):
                raise ConfigError("nothing to insert")
            part = str(found)
        text += part
        if len(text) > 5000:
            raise ConfigError("too large")
    return text


def merge_config(layers):
    if not isinstance(layers, list) or not 1 <= len(layers) <= 10:
        raise ConfigError("1 to 10 layers")
    tree = {}
    for i, layer in enumerate(layers):
        tree = overlay(tree, parse(layer, Tenant if i else Operator))
    return resolve(tree, tree, [0])
