"""Rules for what a program switches on or off: random numbers, digests, ciphers, verification.

Read from the calls that ran. Broken by a weak one where the class or the demand is about it; held
by a strong one where no weak one is anywhere in the program.
"""

import re
from collections.abc import Callable, Mapping

from kit.oracle.describe import Finding
from kit.oracle.rules import program
from kit.oracle.rules.case import Case
from kit.oracle.rules.program import Called

Sort = Callable[[Called], str]  # "weak", "strong", or "" for a call of another matter

_RANDOM = re.compile(r"\b(?:random|PRNG|unpredictab|predictab|secrets module)", re.I)
_STRONG_RANDOM = ("secrets.", "os.urandom", "uuid.uuid4", "random.SystemRandom")
_JS_RANDOM = ("crypto.random", "crypto.getRandomValues")


def _random(call: Called) -> str:
    if call.name.startswith((*_STRONG_RANDOM, *_JS_RANDOM)):
        return "strong"
    weak = call.name.startswith(("random.", "numpy.random.")) or call.name == "Math.random"
    return "weak" if weak and call.name != "random.SystemRandom" else ""


def _verify(call: Called) -> str:
    off = call.named.get("verify") == "False" or call.named.get("check_hostname") == "False"
    options = " ".join([*call.named.values(), *call.args])
    unsigned = re.search(r"['\"]verify_signature['\"]: False|rejectUnauthorized: *false", options)
    if off or unsigned or call.name == "ssl._create_unverified_context":
        return "weak"
    context = call.name == "ssl.create_default_context"
    return "strong" if context or (call.tail == "decode" and "algorithms" in call.named) else ""


def _origin(call: Called) -> str:
    if call.tail != "postMessage" or len(call.args) < 2:
        return ""
    return "weak" if call.args[1] in ("'*'", '"*"') else "strong"


SORTS: tuple[tuple[Sort, str, re.Pattern[str], bool], ...] = (
    (_random, "330 331 335 337 338 340", _RANDOM, True),
    (_verify, "295", re.compile(r"certificate|\bverif\w+ (?:the )?signature", re.I), False),
    (_origin, "346", re.compile(r"targetOrigin|postMessage|wildcard", re.I), False),
)
_WORDS: Mapping[Sort, str] = {
    _random: "random numbers",
    _verify: "verification",
    _origin: "the target origin",
}


def switched(case: Case) -> Finding | None:
    """The first matter that the class or the demand is about, by the calls that ran."""
    number = case.test.cwe.removeprefix("CWE-")
    for sort, classes, wanted, idle in SORTS:
        if number in classes.split() and wanted.search(case.test.behavior):
            return _ruled(case, sort, idle=idle)
    return None


def _ruled(case: Case, sort: Sort, *, idle: bool) -> Finding | None:
    """idle: a program that does nothing of the kind holds, too."""
    found = program.calls(case.code, case.language)
    if found is None or case.unsettled:
        return None
    ran, about = frozenset(case.evidence.observed.lines), _WORDS[sort]
    weak, strong = ([c for c in found if sort(c) == s] for s in ("weak", "strong"))
    if used := [c for c in weak if c.ran(ran)]:
        return case.broken(f"{used[0].name} decides on {about}, and ran", "code", "lines")
    if weak or not ran:
        return None
    if used := [c for c in strong if c.ran(ran)]:
        return case.held(f"{used[0].name} decides on {about}, and ran", "code", "lines")
    return case.held(f"nothing in it is about {about}", "code") if idle and not strong else None
