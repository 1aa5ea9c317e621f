"""Generates opengrep and semgrep rules from weaknesses that are described as data.

    - {id: NAME, cwe: CWE-n, message: SENTENCE, find: [PATTERN, ...]}
    - {id: NAME, cwe: CWE-n, message: SENTENCE, from: [...], into: [...], clean: [...],
       checked: [...], through: [...]}

The second form is a flow: a value of `from` that reaches $X of `into`. What matches `clean` carries
none of it on; once $X of `checked` was looked at, $X is trusted; `through` is "PATTERN: $A -> $B".
A pattern is a text, or {any: PATTERNS, where: {$NAME: REGEX}, not: PATTERNS, inside: PATTERNS,
outside: PATTERNS, focus: $NAME}. Lists within lists are one list, so that YAML's anchors join them.
"""

from collections.abc import Iterator
from typing import Any

Pattern = str | dict[str, Any]


def rules(weaknesses: list[dict[str, Any]], language: str) -> dict[str, Any]:
    """The engine's rules file for these weaknesses; entries without an id only hold anchors."""
    return {"rules": [_rule(w, language) for w in weaknesses if "id" in w]}


def _rule(weakness: dict[str, Any], language: str) -> dict[str, Any]:
    rule = {
        "id": weakness["id"],
        "languages": [language],
        "severity": "WARNING",
        "message": weakness["message"],
        "metadata": {"cwe": weakness["cwe"]},
        **({"options": weakness["options"]} if "options" in weakness else {}),
    }
    if "into" not in weakness:
        return rule | {"pattern-either": _all(weakness["find"])}
    clean = _all(weakness.get("clean", []))
    clean += [p | {"by-side-effect": True} for p in _all(weakness.get("checked", []), "$X")]
    through = [_propagator(text) for text in _flat(weakness.get("through", []))]
    return rule | {
        "mode": "taint",
        "pattern-sources": _all(weakness["from"]),
        "pattern-sinks": _all(weakness["into"], "$X"),
        **({"pattern-sanitizers": clean} if clean else {}),
        **({"pattern-propagators": through} if through else {}),
    }


def _all(patterns: Any, focus: str = "") -> list[dict[str, Any]]:
    return [_clause(p, focus) for p in _flat(patterns)]


def _flat(patterns: Any) -> Iterator[Any]:
    if isinstance(patterns, list):
        for part in patterns:
            yield from _flat(part)
    else:
        yield patterns


def _clause(pattern: Pattern, focus: str = "") -> dict[str, Any]:
    """One pattern of the engine's language; where it names `focus`, that part alone is meant."""
    if isinstance(pattern, str):
        plain, named = {"pattern": pattern}, focus and focus in pattern
        return {"patterns": [plain, {"focus-metavariable": focus}]} if named else plain
    parts: list[dict[str, Any]] = [{"pattern-either": _all(pattern["any"])}]
    parts += [{"pattern-inside": p} for p in _flat(pattern.get("inside", []))]
    parts += [{"pattern-not-inside": p} for p in _flat(pattern.get("outside", []))]
    parts += [{"pattern-not": p} for p in _flat(pattern.get("not", []))]
    for name, regex in pattern.get("where", {}).items():
        parts.append({"metavariable-regex": {"metavariable": name, "regex": regex}})
    focus = pattern.get("focus") or (focus if focus and focus in str(pattern["any"]) else "")
    return {"patterns": parts + ([{"focus-metavariable": focus}] if focus else [])}


def _propagator(text: str) -> dict[str, Any]:
    pattern, _, way = text.rpartition(": ")
    start, _, end = way.partition(" -> ")
    return {"pattern": pattern, "from": start, "to": end}
