"""Decides whether a user may do something to a resource, by the rules of a policy file."""

import json
import re
import sys

POLICY = "test_dir/policy.json"
USER = re.compile(r"[a-z][a-z0-9._-]{0,39}")
GROUP = re.compile(r"[a-z][a-z0-9-]{0,39}")
ACTION = re.compile(r"[a-z]{1,20}(?::[a-z]{1,20})?")
SEGMENT = re.compile(r"(?!\.{1,2}\Z)[\x21-\x24\x26-\x29\x2b-\x2e\x30-\x7e]+")
PATTERN = re.compile(r"(?!\.{1,2}\Z|.*\*\*)[\x21-\x24\x26-\x2e\x30-\x7e]+")


class Problem(Exception):
    """Why there is no decision; the text follows "error: "."""


def require(condition, text):
    if not condition:
        raise Problem(text)


def good(condition):
    require(condition, "bad policy")


def segments(path, problem):
    require(path.startswith("/") and len(path) <= 500, problem)
    return path[1:].split("/")


def read_request(arguments):
    require(len(arguments) == 3, "usage")
    user, action, resource = arguments
    problem = "bad request"
    require(USER.fullmatch(user) and ACTION.fullmatch(action), problem)
    parts = segments(resource, problem)
    require(all(map(SEGMENT.fullmatch, parts)), problem)
    return user, action, parts


def unique(pairs):
    good(len(dict(pairs)) == len(pairs))
    return dict(pairs)


def read_policy():
    try:
        with open(POLICY, encoding="utf-8") as file:
            policy = json.load(file, object_pairs_hook=unique)
    except (OSError, ValueError, RecursionError):
        raise Problem("bad policy") from None
    good(isinstance(policy, dict) and set(policy) == {"groups", "rules"})
    groups, rules = policy["groups"], policy["rules"]
    good(isinstance(groups, dict) and isinstance(rules, list))
    for name, members in groups.items():
        good(GROUP.fullmatch(name))
        check_texts(members, lambda text: USER.fullmatch(text) or is_group(text, groups))
    for rule in rules:
        check_rule(rule, groups)
    return groups, rules


def check_texts(texts, holds):
    good(isinstance(texts, list) and all(isinstance(t, str) and t and holds(t) for t in texts))


def check_rule(rule, groups):
    good(isinstance(rule, dict) and set(rule) == {"effect", "who", "actions", "resources"})
    good(rule["effect"] in ("allow", "deny"))
    check_texts(rule["who"], lambda t: t == "*" or USER.fullmatch(t) or is_group(t, groups))
    check_texts(rule["actions"], lambda t: t == "*" or ACTION.fullmatch(t))
    check_texts(rule["resources"], is_pattern)


def is_group(text, groups):
    return text.startswith("@") and text[1:] in groups


def is_pattern(text):
    parts = segments(text, "bad policy")
    return all(PATTERN.fullmatch(p) for p in parts[:-1]) and (
        parts[-1] == "**" or PATTERN.fullmatch(parts[-1])
    )


def names_of(user, groups):
    """The user, * and every group that has the user, directly or through others."""
    parents = {}
    for group, members in groups.items():
        for member in members:
            parents.setdefault(member, set()).add("@" + group)
    found, waiting = {user, "*"}, [user]
    while waiting:
        for name in parents.get(waiting.pop(), set()) - found:
            found.add(name)
            waiting.append(name)
    return found


def fits(pattern, text):
    """Whether the text fits a pattern with stars; each star is tried once per position."""
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == text
    *middle, last = rest
    if not text.startswith(first) or len(text) < len(first) + len(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        at = text.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return text.endswith(last)


def covers(pattern, parts, user):
    wanted = pattern[1:].split("/")
    if wanted[-1] == "**":
        wanted = wanted[:-1]
        if len(parts) <= len(wanted):
            return False
    elif len(parts) != len(wanted):
        return False
    pairs = zip(wanted, parts, strict=False)
    return all(p == user if w == "${user}" else fits(w, p) for w, p in pairs)


def decide(user, action, parts, groups, rules):
    names, found = names_of(user, groups), {}
    for number, rule in enumerate(rules, 1):
        if names.isdisjoint(rule["who"]) or {action, "*"}.isdisjoint(rule["actions"]):
            continue
        if any(covers(pattern, parts, user) for pattern in rule["resources"]):
            found.setdefault(rule["effect"], number)
    if "deny" in found:
        return f"deny {found['deny']}", 1
    return (f"allow {found['allow']}", 0) if "allow" in found else ("deny", 1)


def main():
    try:
        answer, code = decide(*read_request(sys.argv[1:]), *read_policy())
    except Problem as problem:
        answer, code = f"error: {problem}", 2
    print(answer)
    sys.exit(code)


if __name__ == "__main__":
    main()
