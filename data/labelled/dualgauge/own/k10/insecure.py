"""Small template engine: {{ expression }} placeholders with arithmetic."""

import re
from types import SimpleNamespace

PLACEHOLDER = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)

# Keep dangerous names out before the expression is evaluated.
FORBIDDEN = re.compile(
    r"__|\b(import|exec|eval|open|compile|getattr|setattr|lambda|os|sys|subprocess)\b"
)


class TemplateError(Exception):
    pass


def to_namespace(value):
    if isinstance(value, dict):
        return SimpleNamespace(**{k: to_namespace(v) for k, v in value.items()})
    return value


def evaluate(expression, names):
    if FORBIDDEN.search(expression):
        raise TemplateError("syntax error")
    code = expression.strip().replace("^", "**")
    try:
        return eval(code, {"__builtins__": {}}, names)
    except SyntaxError:
        raise TemplateError("syntax error") from None
    except (NameError, AttributeError):
        raise TemplateError("unknown name") from None
    except ZeroDivisionError:
        raise TemplateError("division by zero") from None
    except OverflowError:
        raise TemplateError("out of range") from None
    except TypeError:
        raise TemplateError("type error") from None


def to_text(value):
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float, complex)):
        raise TemplateError("type error")
    if isinstance(value, complex) or abs(value) > 1e15:
        raise TemplateError("out of range")
    if value == int(value):
        return str(int(value))
    return f"{value:.6f}".rstrip("0").rstrip(".")


def render(template, variables):
    names = {key: to_namespace(value) for key, value in variables.items()}
    try:
        text = PLACEHOLDER.sub(lambda m: to_text(evaluate(m.group(1), names)), template)
        rest = PLACEHOLDER.sub("", template)
        if "{{" in rest:
            raise TemplateError("syntax error")
    except TemplateError as error:
        return {"ok": False, "error": str(error)}
    return {"ok": True, "text": text}
