"""Access decisions, with every text of policy and request checked by one small grammar."""

import json
import string
import sys
from pathlib import Path

LOWER, DIGITS = string.ascii_lowercase, string.digits
VISIBLE = {chr(code) for code in range(0x21, 0x7F)} - set("/%")


class Stop(Exception):
    pass


def word(text, more="", longest=40):
    if not isinstance(text, str) or not 0 < len(text) <= longest or text[0] not in LOWER:
        return False
    return set(text) <= set(LOWER + more)


def action_ok(text):
    return isinstance(text, str) and all(word(part, "", 20) for part in text.split(":", 1))


def path_ok(text, stars):
    if not isinstance(text, str) or not text.startswith("/") or len(text) > 500:
        return False
    parts = text[1:].split("/")
    if stars and parts[-1] == "**":
        parts = parts[:-1]
    allowed = VISIBLE if stars else VISIBLE - {"*"}
    plain = all(p and set(p) <= allowed and p not in (".", "..") for p in parts)
    return plain and not any("**" in p for p in parts)


def no_twins(pairs):
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("twice")
    return dict(pairs)


def texts(value, holds):
    return isinstance(value, list) and len(value) > 0 and all(map(holds, value))


def load():
    try:
        text = Path("test_dir/policy.json").read_text(encoding="utf-8")
        policy = json.loads(text, object_pairs_hook=no_twins)
    except (OSError, ValueError, RecursionError):
        raise Stop("bad policy") from None
    if not isinstance(policy, dict) or set(policy) != {"groups", "rules"}:
        raise Stop("bad policy")
    groups, rules = policy["groups"], policy["rules"]
    if not isinstance(groups, dict) or not isinstance(rules, list):
        raise Stop("bad policy")

    def member(text):
        group = isinstance(text, str) and text.startswith("@") and text[1:] in groups
        return group or word(text, DIGITS + "._-")

    def sound(rule):
        if not isinstance(rule, dict) or set(rule) != {"effect", "who", "actions", "resources"}:
            return False
        return (
            rule["effect"] in ("allow", "deny")
            and texts(rule["who"], lambda t: t == "*" or member(t))
            and texts(rule["actions"], lambda t: t == "*" or action_ok(t))
            and texts(rule["resources"], lambda t: path_ok(t, True))
        )

    named = all(word(name, DIGITS + "-") and texts(m, member) for name, m in groups.items())
    if not named or not all(map(sound, rules)):
        raise Stop("bad policy")
    return groups, rules


def everyone(group, groups):
    """All members of a group; one pass over the groups that it names."""
    found, done, todo = set(), set(), [group]
    while todo:
        name = todo.pop()
        if name not in done:
            done.add(name)
            found |= {m for m in groups[name] if m[0] != "@"}
            todo += [m[1:] for m in groups[name] if m[0] == "@"]
    return found


def like(pattern, text):
    """Row by row: which beginnings of the text fit the pattern so far."""
    fits = [True] + [False] * len(text)
    for char in pattern:
        if char == "*":
            reached = False
            fits = [reached := reached or fit for fit in fits]
        else:
            fits = [False] + [fits[i] and text[i] == char for i in range(len(text))]
    return fits[-1]


def covered(pattern, resource, user):
    wanted, given = pattern.split("/"), resource.split("/")
    if wanted[-1] == "**":
        wanted = wanted[:-1]
        given, rest = given[: len(wanted)], given[len(wanted) - 1 :]
        if not rest:
            return False
    if len(wanted) != len(given):
        return False
    return all(
        g == user if w == "${user}" else like(w, g) for w, g in zip(wanted, given, strict=True)
    )


def decide(user, action, resource):
    if not word(user, DIGITS + "._-") or not action_ok(action) or not path_ok(resource, False):
        raise Stop("bad request")
    groups, rules = load()
    verdicts = {}
    for number, rule in enumerate(rules, 1):
        people = set(rule["who"])
        for who in rule["who"]:
            people |= everyone(who[1:], groups) if who[0] == "@" else set()
        acts = "*" in rule["actions"] or action in rule["actions"]
        if {user, "*"} & people and acts:
            if any(covered(p, resource, user) for p in rule["resources"]):
                verdicts[rule["effect"]] = number
    if "deny" in verdicts or not verdicts:
        return f"deny {verdicts.get('deny', '')}".strip(), 1
    return f"allow {verdicts['allow']}", 0


def main(arguments):
    try:
        if len(arguments) != 3:
            raise Stop("usage")
        answer, code = decide(*arguments)
    except Stop as stop:
        answer, code = f"error: {stop}", 2
    print(answer)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
