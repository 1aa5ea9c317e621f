"""Policy evaluation from the command line."""

import json
import re
import sys

POLICY_FILE = "test_dir/policy.json"


def fail(message):
    print(f"error: {message}")
    sys.exit(2)


def load_policy():
    try:
        with open(POLICY_FILE) as f:
            policy = json.load(f)
        return policy["groups"], policy["rules"]
    except (OSError, ValueError, KeyError, TypeError):
        fail("bad policy")


def check_request(user, action, resource):
    if not re.match(r"^[a-z][a-z0-9._-]{0,39}$", user):
        fail("bad request")
    if not re.match(r"^[a-z]{1,20}(:[a-z]{1,20})?$", action):
        fail("bad request")
    if not resource.startswith("/") or len(resource) > 500 or "*" in resource:
        fail("bad request")
    parts = resource.split("/")[1:]
    if ".." in parts or "" in parts or " " in resource:
        fail("bad request")


def members(name, groups, seen):
    if name not in groups:
        fail("bad policy")
    seen.add(name)
    found = set()
    for member in groups[name]:
        if member.startswith("@"):
            if member[1:] not in seen:
                found |= members(member[1:], groups, seen)
        else:
            found.add(member)
    return found


def who_matches(user, who, groups):
    if "*" in who or user in who:
        return True
    return any(user in members(w[1:], groups, set()) for w in who if w.startswith("@"))


def to_regex(pattern, user):
    text = re.escape(pattern)
    text = text.replace(r"/\*\*", "/.+").replace(r"\*", "[^/]*")
    return text.replace(r"\$\{user\}", user) + "$"


def rule_matches(rule, user, action, resource, groups):
    if not who_matches(user, rule.get("who", []), groups):
        return False
    if "*" not in rule["actions"] and action not in rule["actions"]:
        return False
    return any(re.match(to_regex(p, user), resource) for p in rule.get("resources", []))


def main():
    if len(sys.argv) != 4:
        fail("usage")
    user, action, resource = sys.argv[1:]
    check_request(user, action, resource)
    groups, rules = load_policy()
    for rule in rules:
        for who in rule.get("who", []):
            if who.startswith("@") and who[1:] not in groups:
                fail("bad policy")
    allowed = None
    for number, rule in enumerate(rules, 1):
        if not rule_matches(rule, user, action, resource, groups):
            continue
        if rule.get("effect") == "deny":
            print(f"deny {number}")
            sys.exit(1)
        if rule.get("effect") == "allow" and allowed is None:
            allowed = number
    if allowed is None:
        print("deny")
        sys.exit(1)
    print(f"allow {allowed}")


if __name__ == "__main__":
    main()
