"""Whole-number calculator: shunting-yard into postfix, then a stack machine without recursion."""

import re
import string
import sys

LEXEME = re.compile(
    r"\s*(?:(?P<num>\d+)|(?P<name>[A-Za-z_]\w{0,19})(?!\w)|(?P<op>\*\*|[-+*/%(),=]))", re.ASCII
)
RANK = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "neg": 4, "pos": 4, "**": 3}
TOP = 10**30
CALLS = ("min", "max", "abs")


class Err(Exception):
    pass


def lex(text):
    items, at = [], 0
    text = text.strip(" \t")
    while at < len(text):
        found = LEXEME.match(text, at)
        if found is None:
            raise Err("syntax")
        items.append((found.lastgroup, found[found.lastgroup]))
        at = found.end()
    return items


def postfix(items):
    output, stack, counts, operand, level = [], [], [], True, 0
    for place, (kind, value) in enumerate(items):
        follows = items[place + 1][1] if place + 1 < len(items) else ""
        if kind == "num" or (kind == "name" and value not in CALLS):
            if not operand or follows == "(":
                raise Err("syntax")
            output.append((kind, value))
            operand = False
        elif kind == "name":
            if not operand or follows != "(":
                raise Err("syntax")
            stack.append("call " + value)
        elif value == "(":
            if not operand:
                raise Err("syntax")
            level += 1
            if level > 50:
                raise Err("too deep")
            stack.append("(")
            counts.append(1)
        elif value in "),":
            if operand or not counts:
                raise Err("syntax")
            while stack[-1] != "(":
                output.append(("op", stack.pop()))
            call = len(stack) > 1 and stack[-2].startswith("call ")
            if value == "," and not call:
                raise Err("syntax")
            counts[-1] += value == ","
            operand = value == ","
            if value == ")":
                stack.pop()
                level -= 1
                number = counts.pop()
                if call:
                    output.append((stack.pop(), number))
        elif operand:
            if value not in "+-":
                raise Err("syntax")
            stack.append("neg" if value == "-" else "pos")
        else:
            if value == "=":
                raise Err("syntax")
            while stack and stack[-1] in RANK and RANK[stack[-1]] >= RANK[value]:
                output.append(("op", stack.pop()))
            stack.append(value)
            operand = True
    if operand or "(" in stack:
        raise Err("syntax")
    return output + [("op", op) for op in reversed(stack)]


def small(value):
    if abs(value) >= TOP:
        raise Err("too large")
    return value


def raise_to(base, exponent):
    if exponent < 0:
        raise Err("bad exponent")
    if abs(base) > 1 and exponent > 99:
        raise Err("too large")
    return base**exponent if abs(base) > 1 or exponent < 2 else base * base


def divide(op, a, b):
    if not b:
        raise Err("division by zero")
    return a // b if op == "/" else a % b


def run(program, names):
    stack = []
    for kind, value in program:
        if kind == "num":
            if len(value) > 30:
                raise Err("too large")
            stack.append(int(value))
        elif kind == "name":
            if value not in names:
                raise Err("unknown name")
            stack.append(names[value])
        elif kind.startswith("call "):
            given = [stack.pop() for _ in range(value)]
            if kind == "call abs" and value > 1:
                raise Err("syntax")
            stack.append({"min": min, "max": max, "abs": lambda g: abs(g[0])}[kind[5:]](given))
        elif value in ("neg", "pos"):
            stack.append(-stack.pop() if value == "neg" else stack.pop())
        else:
            b, a = stack.pop(), stack.pop()
            simple = {"+": a + b, "-": a - b, "*": a * b}
            if value in simple:
                stack.append(small(simple[value]))
            else:
                result = raise_to(a, b) if value == "**" else divide(value, a, b)
                stack.append(small(result))
    return stack[0]


def reply(line, names):
    if len(line) > 500:
        raise Err("too long")
    items = lex(line)
    target = None
    if len(items) > 1 and items[1][1] == "=":
        kind, target = items[0]
        if kind != "name":
            raise Err("syntax")
        if target in CALLS:
            raise Err("reserved name")
        items = items[2:]
    value = run(postfix(items), names)
    if target is None:
        names["ans"] = value
        return str(value)
    if target not in names and len(names) > 100:
        raise Err("too many names")
    names[target] = value
    return f"{target} = {value}"


def main():
    names = {"ans": 0}
    printable = frozenset(string.printable)
    for line in sys.stdin.buffer.read().decode("utf-8", "replace").split("\n"):
        if not line.strip(" \t") or line.strip()[:1] == "#":
            continue
        try:
            if not set(line) <= printable:
                raise Err("syntax")
            print(reply(line, names))
        except Err as error:
            print(f"error: {error}")


if __name__ == "__main__":
    main()
