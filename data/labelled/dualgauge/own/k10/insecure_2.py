"""Template renderer on the abstract syntax tree of Python: no eval, only listed nodes."""

import ast
import operator
import re

PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
LIMIT = 10**15
MAX_EXPONENT = 1000
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


class RenderError(Exception):
    pass


def calculate(node, variables):
    """Numbers are computed, and every intermediate result is checked."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return check(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -require_number(calculate(node.operand, variables))
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        left = require_number(calculate(node.left, variables))
        right = require_number(calculate(node.right, variables))
        if isinstance(node.op, ast.Pow) and right > MAX_EXPONENT:
            raise RenderError("out of range")
        return check(OPERATORS[type(node.op)](left, right))
    if isinstance(node, ast.Name):
        if node.id not in variables:
            raise RenderError("unknown name")
        return variables[node.id]
    if isinstance(node, ast.Attribute):
        return member(calculate(node.value, variables), node.attr)
    raise RenderError("syntax error")


def member(value, name):
    """A field of a mapping; other objects are asked for the attribute."""
    if isinstance(value, dict):
        if name not in value:
            raise RenderError("unknown name")
        return value[name]
    try:
        return getattr(value, name)
    except AttributeError:
        raise RenderError("unknown name") from None


def require_number(value):
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise RenderError("type error")
    return value


def check(value):
    if abs(value) > LIMIT:
        raise RenderError("out of range")
    return value


def display(value):
    if isinstance(value, str):
        return value
    check(require_number(value))
    return f"{value:.6f}".rstrip("0").rstrip(".")


def render(template, variables):
    text = template
    try:
        while match := PLACEHOLDER.search(text):
            source = match.group(1).strip().replace("^", "**")
            tree = ast.parse(source, mode="eval").body
            value = display(calculate(tree, variables))
            text = text[: match.start()] + value + text[match.end() :]
        if "{{" in text:
            raise RenderError("syntax error")
    except RenderError as error:
        return {"ok": False, "error": str(error)}
    except SyntaxError:
        return {"ok": False, "error": "syntax error"}
    except ZeroDivisionError:
        return {"ok": False, "error": "division by zero"}
    except OverflowError:
        return {"ok": False, "error": "out of range"}
    return {"ok": True, "text": text}
