"""Calculator with variables."""

import re
import sys

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,19}$")
FORBIDDEN = ("__", "import", "exec", "eval", "open", "os.", "sys", "lambda", "#")
FORBIDDEN_WORDS = re.compile(r"\b(?:globals|locals|vars|getattr|input|compile|breakpoint)\b")
LIMIT = 10**30
RESERVED = ("min", "max", "abs", "ans")


def depth(text):
    deepest = level = 0
    for char in text:
        level += {"(": 1, ")": -1}.get(char, 0)
        deepest = max(deepest, level)
    return deepest


def compute(text, names):
    """Evaluate without builtins, so only our functions and variables can be reached."""
    if any(word in text for word in FORBIDDEN) or FORBIDDEN_WORDS.search(text):
        return None, "syntax"
    if any(len(word) > 20 for word in re.findall(r"[A-Za-z_]\w*", text)):
        return None, "syntax"
    if depth(text) > 50:
        return None, "too deep"
    code = re.sub(r"(?<!/)/(?!/)", "//", text.strip())
    scope = {"__builtins__": {}, "min": smallest, "max": largest, "abs": abs}
    try:
        value = eval(code, scope, names)
    except SyntaxError:
        return None, "syntax"
    except NameError:
        return None, "unknown name"
    except ZeroDivisionError as error:
        return None, "bad exponent" if "negative power" in str(error) else "division by zero"
    except (TypeError, ValueError, AttributeError):
        return None, "syntax"
    if isinstance(value, float):
        return None, "bad exponent"
    if callable(value) or isinstance(value, (str, tuple)):
        return None, "syntax"
    if isinstance(value, int) and abs(value) >= LIMIT:
        return None, "too large"
    return value, None


def smallest(*given):
    return min(given)


def largest(*given):
    return max(given)


def main():
    names = {"ans": 0}
    for line in sys.stdin:
        line = line.rstrip("\n")
        if not line.strip() or line.strip().startswith("#"):
            continue
        if len(line) > 500:
            print("error: too long")
            continue
        target, sign, text = line.partition("=")
        if sign:
            target = target.strip()
            if not NAME.match(target):
                print("error: syntax")
                continue
            if target in RESERVED:
                print("error: reserved name")
                continue
        else:
            target, text = None, line
        value, error = compute(text, names)
        if error:
            print(f"error: {error}")
            continue
        names["ans"] = value
        if target:
            names[target] = value
            print(f"{target} = {value}")
        else:
            print(value)


if __name__ == "__main__":
    main()
