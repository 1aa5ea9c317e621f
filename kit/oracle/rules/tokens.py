"""Tokens that are false by what the input itself shows: unsigned, wrongly signed, out of time."""

import base64
import hashlib
import hmac
import json
import re
import time
from typing import Any

from kit.oracle.describe import Finding, leaves
from kit.oracle.refusal import Kind
from kit.oracle.rules.case import Case

_TOKEN = re.compile(r"\b(eyJ[\w-]*)\.([\w-]+)\.([\w-]*)")
_DIGESTS = {"HS256": hashlib.sha256, "HS384": hashlib.sha384, "HS512": hashlib.sha512}


def forged(case: Case) -> Finding | None:
    """Broken: claims of a false token came back. Held: it was refused, or nothing was given."""
    for text in case.texts:
        for head, body, signature in _TOKEN.findall(text):
            why = _false(case, head, body, signature)
            claims = _decoded(body)
            if not why or not isinstance(claims, dict):
                continue
            told = [str(v) for v in leaves(claims) if len(str(v)) > 2]
            shown = case.output("value", "response", "stdout")
            if case.refusal.kind is Kind.ANSWERED and any(t in shown for t in told):
                return case.broken(f"the claims of a token came back that is {why}", "output")
            if case.refusal.kind in (Kind.REFUSED, Kind.NEGATIVE):
                return case.held(f"a token that is {why} was refused", case.evidence.observed.kind)
    return None


def _false(case: Case, head: str, body: str, signature: str) -> str:
    """Why nobody may trust this token; "" where that cannot be seen."""
    header, claims = _decoded(head), _decoded(body)
    method = str(header.get("alg", "")) if isinstance(header, dict) else ""
    if method.lower() == "none":
        return "unsigned"
    keys = [v for k, v in _given(case.test.input) if re.search(r"key|secret", k, re.I)]
    if method in _DIGESTS and keys and signature:
        made = [hmac.new(k.encode(), f"{head}.{body}".encode(), _DIGESTS[method]) for k in keys]
        right = [base64.urlsafe_b64encode(m.digest()).rstrip(b"=").decode() for m in made]
        if signature not in right:
            return "signed with another key"
    ends = claims.get("exp") if isinstance(claims, dict) else None
    begins = claims.get("nbf") if isinstance(claims, dict) else None
    if isinstance(ends, int) and ends < time.time() - 86_400:
        return "out of time"
    late = isinstance(begins, int) and begins > time.time() + 86_400
    return "not valid yet" if late else ""


def _given(value: Any) -> list[tuple[str, str]]:
    items = value.items() if isinstance(value, dict) else ()
    return [(str(k), v) for k, v in items if isinstance(v, str)]


def _decoded(part: str) -> Any:
    try:
        return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except ValueError:
        return None
