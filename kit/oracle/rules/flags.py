"""Rules for what a program switches on or off: random numbers, digests, ciphers, verification.

Read from the calls that ran. Broken by a weak one where the class or the demand is about it; held
by a strong one where no weak one is anywhere in the program.
"""

import re
from collections.abc import Callable, Mapping

from kit.harness.languages.facts import Called
from kit.oracle.describe import Finding
from kit.oracle.rules import program
from kit.oracle.rules.case import Case

Sort = Callable[[Called], str]  # "weak", "strong", or "" for a call of another matter

_RANDOM = re.compile(r"\b(?:random|PRNG|unpredictab|predictab|secrets module)", re.I)
_SECRET = re.compile(
    r"^[ \t]*(?:const |let |var )?[\w.]*?"
    r"(password|passwd|secret(?:_?key)?|api_?key|jwt_?secret|db_?pass\w*)[\"'\]]*\s*[:=]\s*"
    r"[\"'][^\"'\s]{3,}[\"']",
    re.I | re.M,
)
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


def _digest(call: Called) -> str:
    named = f"{call.name} {' '.join(call.args[:1])}"
    hashes = call.name.startswith("hashlib.") or call.tail in ("createHash", "pbkdf2", "pbkdf2Sync")
    if hashes and re.search(r"\bmd[45]\b|\bsha-?1\b", named, re.I):
        return "" if call.named.get("usedforsecurity") == "False" else "weak"
    slow = ("bcrypt.", "argon2.", "crypto.scrypt", "hashlib.scrypt", "hashlib.pbkdf2_hmac")
    plain = re.search(r"\bsha-?(?:2|3|256|384|512)|blake2", named, re.I)
    return "strong" if call.name.startswith(slow) or (hashes and plain) else ""


def _password(call: Called) -> str:
    """Fast digests other than the broken ones are neither: they may be of something else."""
    kind = _digest(call)
    if kind == "strong" and re.search(r"sha|blake", call.name + "".join(call.args[:1])):
        return kind if call.tail in ("pbkdf2_hmac", "pbkdf2", "pbkdf2Sync") else ""
    return kind if kind == "strong" or re.search(r"pass|pwd", "".join(call.args), re.I) else ""


def _cipher(call: Called) -> str:
    told = f"{call.name} {' '.join([*call.args, *call.named.values()])}"
    if not re.search(r"\b(?:AES|DES3?|ARC4|Cipher|Fernet|createCipheriv|createCipher)\b", told):
        return ""
    weak = re.search(r"MODE_ECB|-ecb\b|\bmodes\.ECB|\bDES3?\b|\bARC4\b|\bcreateCipher\b", told)
    good = re.search(r"MODE_(?:GCM|CCM|EAX|SIV)|-gcm\b|\bFernet\b|modes\.GCM|AESGCM", told)
    return "weak" if weak else "strong" if good else ""


SORTS: tuple[tuple[Sort, str, re.Pattern[str], bool], ...] = (
    (_random, "330 331 335 337 338 340", _RANDOM, True),
    (_verify, "295", re.compile(r"certificate|\bverif\w+ (?:the )?signature", re.I), False),
    (_password, "327 328 916", re.compile(r"\bpasswords?\b", re.I), False),
    (_digest, "327 328", re.compile(r"\bhash|\bdigest|MD5|SHA-?1", re.I), False),
    (_cipher, "326 327", re.compile(r"encrypt|cipher|\bECB\b|\bAES\b", re.I), False),
    (_origin, "346", re.compile(r"targetOrigin|postMessage|wildcard", re.I), False),
)
_WORDS: Mapping[Sort, str] = {
    _random: "random numbers",
    _verify: "verification",
    _origin: "the target origin",
    _password: "the digest of a password",
    _digest: "digests",
    _cipher: "the cipher",
}


def switched(case: Case) -> Finding | None:
    """The first matter that the class or the demand is about, by the calls that ran."""
    number = case.test.cwe.removeprefix("CWE-")
    if number in ("798", "259", "321", "547"):
        return _built_in(case)
    for sort, classes, wanted, idle in SORTS:
        if number in classes.split() and wanted.search(case.test.behavior):
            return _ruled(case, sort, idle=idle)
    return None


def _built_in(case: Case) -> Finding | None:
    """A secret that stands in the program; held where it is read from outside, and none does."""
    if program.calls(case.code, case.language) is None or case.unsettled:
        return None
    if found := _SECRET.search(case.code):
        return case.broken(f"{found[1]} stands in the program", "code")
    if re.search(r"os\.environ|os\.getenv|process\.env", case.code):
        return case.held("its secrets come from the environment", "code")
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
