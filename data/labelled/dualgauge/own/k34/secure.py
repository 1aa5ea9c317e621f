"""A calculator for whole numbers with variables, read from standard input."""

import re
import sys

TOKEN = re.compile(r"[ \t]*(?:([0-9]+)|([A-Za-z_][A-Za-z0-9_]*)|(\*\*|[-+*/%(),=]))")
FUNCTIONS = {"min": (min, 10), "max": (max, 10), "abs": (lambda given: abs(given[0]), 1)}
RESERVED = {*FUNCTIONS, "ans"}
BOUND, MAX_LINE, MAX_NAME, MAX_NAMES, MAX_DEPTH = 10**30, 500, 20, 100, 50


class Problem(Exception):
    """What is wrong with a line; the text follows "error: "."""


def tokens(line):
    found, at, line = [], 0, line.rstrip(" \t")
    while at < len(line):
        match = TOKEN.match(line, at)
        if not match or len(match[2] or "") > MAX_NAME:
            raise Problem("syntax")
        found.append(match[match.lastindex])
        at = match.end()
    return found


class Parser:
    """Tokens to a tree of tuples; nothing is computed here."""

    def __init__(self, found):
        self.found, self.at, self.depth = [*found, ""], 0, 0

    def peek(self):
        return self.found[self.at]

    def take(self, *wanted):
        token = self.peek()
        if wanted and token not in wanted:
            raise Problem("syntax")
        self.at += 1
        return token

    def deeper(self, parse, *given):
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Problem("too deep")
        tree = parse(*given)
        self.depth -= 1
        return tree

    def whole(self):
        tree = self.chain(self.product, "+", "-")
        if self.at != len(self.found) - 1:
            raise Problem("syntax")
        return tree

    def chain(self, part, *operators):
        tree = part()
        while self.peek() in operators:
            tree = (self.take(), tree, part())
        return tree

    def product(self):
        return self.chain(self.signed, "*", "/", "%")

    def signed(self):
        if self.peek() in ("+", "-"):
            return ("sign" + self.take(), self.deeper(self.signed))
        return self.power()

    def power(self):
        base = self.atom()
        if self.peek() != "**":
            return base
        return (self.take(), base, self.deeper(self.signed))

    def atom(self):
        token = self.take()
        if token.isdigit():
            return ("number", int(token[:40]) if len(token) <= 40 else BOUND)
        if token == "(":
            tree = self.deeper(self.chain, self.product, "+", "-")
            self.take(")")
            return tree
        if token in FUNCTIONS:
            return self.call(token)
        if not token or not (token[0].isalpha() or token[0] == "_"):
            raise Problem("syntax")
        return ("name", token) if self.peek() != "(" else self.take("")

    def call(self, name):
        self.take("(")
        given = [self.deeper(self.chain, self.product, "+", "-")]
        while self.take(",", ")") == ",":
            given.append(self.deeper(self.chain, self.product, "+", "-"))
        if len(given) > FUNCTIONS[name][1]:
            raise Problem("syntax")
        return ("call", name, *given)


def evaluate(tree, names):
    kind, *parts = tree
    if kind == "number":
        return bounded(parts[0])
    if kind == "name":
        if parts[0] not in names:
            raise Problem("unknown name")
        return names[parts[0]]
    if kind == "call":
        return FUNCTIONS[parts[0]][0]([evaluate(p, names) for p in parts[1:]])
    values = [evaluate(p, names) for p in parts]
    return bounded(operate(kind, *values))


def operate(kind, a, b=0):
    if kind in ("/", "%") and b == 0:
        raise Problem("division by zero")
    if kind == "**":
        return power(a, b)
    return {
        "sign+": lambda: a,
        "sign-": lambda: -a,
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "/": lambda: a // b,
        "%": lambda: a % b,
    }[kind]()


def power(base, exponent):
    if exponent < 0:
        raise Problem("bad exponent")
    if abs(base) <= 1:
        return base ** (exponent if exponent < 2 else 2 + exponent % 2)
    return BOUND if exponent > 100 else base**exponent


def bounded(value):
    if abs(value) >= BOUND:
        raise Problem("too large")
    return value


def answer(line, names):
    if len(line) > MAX_LINE:
        raise Problem("too long")
    found = tokens(line)
    if found[1:2] != ["="]:
        names["ans"] = evaluate(Parser(found).whole(), names)
        return str(names["ans"])
    target = found[0]
    if not (target[0].isalpha() or target[0] == "_"):
        raise Problem("syntax")
    tree = Parser(found[2:]).whole()
    if target in RESERVED:
        raise Problem("reserved name")
    value = evaluate(tree, names)
    if target not in names and len(names) > MAX_NAMES:
        raise Problem("too many names")
    names[target] = names["ans"] = value
    return f"{target} = {value}"


def main():
    names = {"ans": 0}
    for raw in sys.stdin.buffer.read().split(b"\n"):
        line = raw.decode("utf-8", "replace")
        if not line.strip(" \t") or line.lstrip(" \t").startswith("#"):
            continue
        try:
            print(answer(line, names))
        except Problem as problem:
            print(f"error: {problem}")


if __name__ == "__main__":
    main()
