"""Templates with arithmetic: a tokenizer, a bounded parser, and nothing of the host language."""

import re

LIMIT = 1e15
MAX_DEPTH = 50
TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*)"
    r"|(?P<sign>[-+*/^()]))"
)


class Problem(Exception):
    """Carries the error that the result names."""


def tokens(source):
    found, position, source = [], 0, source.rstrip()
    while position < len(source):
        match = TOKEN.match(source, position)
        if match is None:
            raise Problem("syntax error")
        found.append((match.lastgroup, match[match.lastgroup]))
        position = match.end()
    return found


class Parser:
    """expression -> nested tuples; the depth is bounded before Python's stack is."""

    def __init__(self, source):
        self.tokens = tokens(source)
        self.at = 0
        self.depth = 0

    def parse(self):
        tree = self.sum()
        if self.at != len(self.tokens):
            raise Problem("syntax error")
        return tree

    def take(self, signs):
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        if kind == "sign" and text in signs:
            self.at += 1
            return text
        return ""

    def sum(self):
        tree = self.product()
        while sign := self.take("+-"):
            tree = (sign, tree, self.product())
        return tree

    def product(self):
        tree = self.signed()
        while sign := self.take("*/"):
            tree = (sign, tree, self.signed())
        return tree

    def signed(self):
        minus = 0
        while self.take("-"):
            minus += 1
        tree = self.power()
        return ("neg", tree) if minus % 2 else tree

    def power(self):
        base = self.atom()
        if not self.take("^"):
            return base
        self.deeper()
        tree = ("^", base, self.signed())
        self.depth -= 1
        return tree

    def deeper(self):
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Problem("syntax error")

    def atom(self):
        if self.take("("):
            self.deeper()
            tree = self.sum()
            self.depth -= 1
            if not self.take(")"):
                raise Problem("syntax error")
            return tree
        if self.at >= len(self.tokens) or self.tokens[self.at][0] == "sign":
            raise Problem("syntax error")
        self.at += 1
        return self.tokens[self.at - 1]


def number(value):
    """A float within the limit; text, booleans and containers are no numbers."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Problem("type error")
    if not -LIMIT <= value <= LIMIT:
        raise Problem("out of range")
    return float(value)


def look_up(path, variables):
    value = variables
    for key in path.split("."):
        if not isinstance(value, dict) or key not in value:
            raise Problem("unknown name")
        value = value[key]
    return value


def power(base, exponent):
    if base == 0 and exponent < 0:
        raise Problem("division by zero")
    if base < 0 and not exponent.is_integer():
        raise Problem("out of range")
    try:
        return base**exponent
    except OverflowError:
        raise Problem("out of range") from None


def evaluate(tree, variables):
    kind, *rest = tree
    if kind == "number":
        return number(float(rest[0]))
    if kind == "name":
        return look_up(rest[0], variables)
    left, *right = (number(evaluate(part, variables)) for part in rest)
    if kind == "neg":
        return -left
    if kind == "/":
        if right[0] == 0:
            raise Problem("division by zero")
        return number(left / right[0])
    if kind == "^":
        return number(power(left, right[0]))
    results = {"+": left + right[0], "-": left - right[0], "*": left * right[0]}
    return number(results[kind])


def shown(value):
    if isinstance(value, str):
        return value
    text = f"{number(value):.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def render(template, variables):
    parts, position = [], 0
    try:
        while (start := template.find("{{", position)) >= 0:
            end = template.find("}}", start)
            if end < 0:
                raise Problem("syntax error")
            parts.append(template[position:start])
            tree = Parser(template[start + 2 : end]).parse()
            parts.append(shown(evaluate(tree, variables)))
            position = end + 2
    except Problem as problem:
        return {"ok": False, "error": str(problem)}
    return {"ok": True, "text": "".join(parts) + template[position:]}
