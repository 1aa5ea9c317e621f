"""Merges layered YAML and INI configuration and resolves the references in it."""

import json
import math
import re
from dataclasses import dataclass

import yaml

KEY = re.compile(r"[A-Za-z0-9_-]{1,40}")
SECTION = re.compile(r"\[([^\[\]]*)\]")
TOKEN = re.compile(r"\$\$\{|\$\{([^}]*)\}|\$\{")
RESERVED = ("security", "secrets")
SCALARS = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null")}
MAX_LAYERS, MAX_TEXT, MAX_VALUES, MAX_DEPTH, MAX_STRING, MAX_STEPS = 10, 20000, 2000, 20, 5000, 20


@dataclass(frozen=True)
class Text:
    """A text that is not resolved yet, and whether the operator wrote it."""

    raw: str
    trusted: bool


class Budget:
    """Counts values, so that shared or repeated parts cannot grow without bound."""

    def __init__(self):
        self.left = MAX_VALUES

    def take(self, depth):
        self.left -= 1
        require(self.left >= 0 and depth <= MAX_DEPTH, "too many values or levels")


def require(condition, message):
    if not condition:
        raise ValueError(message)


def from_yaml(text, trusted):
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        require(node is None or isinstance(node, yaml.MappingNode), "a layer must be a mapping")
        return {} if node is None else from_node(loader, node, trusted, Budget(), 0)
    except (yaml.YAMLError, RecursionError):
        raise ValueError("a layer is not valid YAML") from None
    finally:
        loader.dispose()


def from_node(loader, node, trusted, budget, depth):
    budget.take(depth)
    if isinstance(node, yaml.SequenceNode) and node.tag.endswith(",2002:seq"):
        return [from_node(loader, child, trusted, budget, depth + 1) for child in node.value]
    if isinstance(node, yaml.MappingNode) and node.tag.endswith(",2002:map"):
        found = {}
        for key, child in node.value:
            add(found, key.value, from_node(loader, child, trusted, budget, depth + 1))
        return found
    require(node.tag in SCALARS, "a value of a type that is not allowed")
    value = loader.construct_object(node)
    require(not isinstance(value, float) or math.isfinite(value), "a number must be finite")
    return Text(value, trusted) if isinstance(value, str) else value


def add(mapping, key, value):
    require(isinstance(key, str) and KEY.fullmatch(key), "a key that is not allowed")
    require(key not in mapping, "a key was given twice")
    mapping[key] = value


def from_ini(text, trusted):
    found, section, seen = {}, None, set()
    for line in map(str.strip, text.split("\n")):
        if not line or line[0] in "#;":
            continue
        if heading := SECTION.fullmatch(line):
            require(heading[1] not in seen, "a section was given twice")
            seen.add(heading[1])
            section = open_section(found, heading[1].split("."))
            continue
        key, equals, value = line.partition("=")
        require(section is not None and equals, "a line of an INI layer cannot be read")
        add(section, key.strip(), Text(value.strip(), trusted))
    return found


def open_section(found, parts):
    for part in parts:
        if part not in found:
            add(found, part, {})
        found = found[part]
        require(isinstance(found, dict), "a key was given twice")
    return found


def merged(below, above):
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    joint = dict(below)
    for key, value in above.items():
        joint[key] = merged(below[key], value) if key in below else value
    return joint


class Resolver:
    def __init__(self, root):
        self.root, self.budget = root, Budget()

    def value(self, value, depth=0, steps=0):
        self.budget.take(depth)
        if isinstance(value, dict):
            return {k: self.value(v, depth + 1, steps) for k, v in value.items()}
        if isinstance(value, list):
            return [self.value(v, depth + 1, steps) for v in value]
        return self.text(value, depth, steps) if isinstance(value, Text) else value

    def text(self, text, depth, steps):
        whole = TOKEN.fullmatch(text.raw)
        if whole and whole[1] is not None:
            return self.value(self.target(whole[1], text, steps), depth, steps + 1)
        pieces, last, size = [], 0, 0
        for token in TOKEN.finditer(text.raw):
            pieces += [text.raw[last : token.start()], self.piece(token, text, depth, steps)]
            size += len(pieces[-1])
            require(size <= MAX_STRING, "a text is too long")
            last = token.end()
        result = "".join([*pieces, text.raw[last:]])
        require(len(result) <= MAX_STRING, "a text is too long")
        return result

    def piece(self, token, text, depth, steps):
        if token[0] == "$${":
            return "${"
        require(token[1] is not None, "a reference does not end")
        value = self.value(self.target(token[1], text, steps), depth, steps + 1)
        require(value is not None and not isinstance(value, (dict, list)), "no text to insert")
        return value if isinstance(value, str) else json.dumps(value)

    def target(self, path, text, steps):
        require(steps < MAX_STEPS, "too many references after each other")
        parts = path.split(".")
        require(text.trusted or parts[0] != "secrets", "a reference that is not allowed")
        node = self.root
        for part in parts:
            require(isinstance(node, dict) and part in node, "a reference to a missing key")
            node = node[part]
        return node


def read(layer, trusted):
    require(isinstance(layer, dict) and set(layer) == {"format", "text"}, "not a layer")
    text, form = layer["text"], layer["format"]
    require(isinstance(text, str) and len(text) <= MAX_TEXT, "a text is missing or too long")
    require(form in ("yaml", "ini"), "an unknown format")
    data = from_yaml(text, trusted) if form == "yaml" else from_ini(text, trusted)
    require(trusted or not set(RESERVED) & set(data), "a key that only the operator may set")
    return data


def merge_config(layers):
    require(isinstance(layers, list) and 1 <= len(layers) <= MAX_LAYERS, "1 to 10 layers, please")
    whole = {}
    for number, layer in enumerate(layers):
        whole = merged(whole, read(layer, number == 0))
    return Resolver(whole).value(whole)
