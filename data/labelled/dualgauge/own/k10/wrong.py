"""Expression templates by a two-stack evaluation; nothing recursive, nothing evaluated as code."""

import math
import re

BOUND = 1e15
LEVEL = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "^": 4}
TOKEN = re.compile(r"[0-9]+(?:\.[0-9]+)?|[A-Za-z][A-Za-z0-9_.]*|[-+*/^()]")


class Fault(Exception):
    pass


def resolve(name, variables):
    value = variables
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            raise Fault("unknown name")
        value = value[part]
    return value


def as_number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Fault("type error")
    if not abs(value) <= BOUND:
        raise Fault("out of range")
    return float(value)


def apply(operator, operands):
    if len(operands) < (1 if operator == "neg" else 2):
        raise Fault("syntax error")
    right = as_number(operands.pop())
    if operator == "neg":
        operands.append(-right)
        return
    left = as_number(operands.pop())
    try:
        if operator == "^":
            result = math.pow(left, right)
        elif operator == "/":
            result = left / right
        else:
            result = {"+": left + right, "-": left - right, "*": left * right}[operator]
    except (ArithmeticError, ValueError):
        raise Fault("out of range") from None
    operands.append(as_number(result))


def evaluate(source, variables):
    if TOKEN.sub("", source).strip():
        raise Fault("syntax error")
    operands, operators, value_expected = [], [], True
    for token in TOKEN.findall(source):
        if token == "(":
            operators.append(token)
        elif token == ")":
            while operators and operators[-1] != "(":
                apply(operators.pop(), operands)
            if not operators:
                raise Fault("syntax error")
            operators.pop()
        elif token in LEVEL:
            if value_expected and token != "-":
                raise Fault("syntax error")
            sign = "neg" if value_expected else token
            # Equal levels are worked off from the left.
            while sign != "neg" and operators and LEVEL.get(operators[-1], 0) >= LEVEL[sign]:
                apply(operators.pop(), operands)
            operators.append(sign)
        elif not value_expected:
            raise Fault("syntax error")
        else:
            operands.append(float(token) if token[0].isdigit() else resolve(token, variables))
        value_expected = token in LEVEL or token == "("
    while operators:
        apply(operators.pop(), operands)
    if len(operands) != 1:
        raise Fault("syntax error")
    return operands[0]


def render(template, variables):
    output = []
    try:
        head, *pieces = template.split("{{")
        output.append(head)
        for piece in pieces:
            source, closed, tail = piece.partition("}}")
            if not closed:
                raise Fault("syntax error")
            value = evaluate(source, variables)
            text = value if isinstance(value, str) else f"{as_number(value):.10g}"
            output.append(text + tail)
    except Fault as fault:
        return {"ok": False, "error": str(fault)}
    return {"ok": True, "text": "".join(output)}
