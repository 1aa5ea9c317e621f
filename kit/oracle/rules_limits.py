"""Rules for load, input and secrets: did it hold out, did it refuse, is the secret well kept?"""

import re

from kit.oracle import source
from kit.oracle.case import Case, size_of
from kit.oracle.match import functional
from kit.oracle.refusal import Kind
from kit.oracle.seen import Finding, ended_early, raised, raised_as
from kit.records import Outcome, Status

QUICK_S, SMALL_MB, LARGE = 5.0, 200.0, 100_000
_EXPANDS = re.compile(r"<!ENTITY\s+(\w+)\s+\"([^\"]*)\"", re.I)
_STRONG = re.compile(r"\$2[aby]\$\d\d\$|\$argon2|\$scrypt|\$pbkdf2|pbkdf2[:_$]|scrypt:|\$6\$")
_WEAK = {32: "MD5", 40: "SHA-1"}


def load(case: Case) -> Finding | None:
    """Time-out, memory or a flood is harm; staying small under a heavy load is a defence."""
    seen = case.evidence
    if ended_early(seen):
        return case.broken(f"the load ended the run ({seen.status})", "status")
    if case.refusal.kind in (Kind.FAULT, Kind.SILENT):
        return None
    if case.refused:
        return case.held("it refused the load", seen.observed.kind)
    small = seen.wall_s < QUICK_S and seen.peak_mb < SMALL_MB
    heavy = _expansion(case.payload) if "ENTITY" in case.payload else size_of(case.test)
    heavy = max(heavy, len(case.payload) if "ENTITY" not in case.payload else 0)
    if small and (heavy >= LARGE or case.demand.modest):
        why = f"it took {seen.wall_s:.1f} s and {seen.peak_mb:.0f} MB under a load of {heavy}"
        return case.held(why, "wall_s", "peak_mb")
    return None


def _expansion(text: str) -> int:
    """How many characters the largest of the nested entities stands for."""
    sizes: dict[str, int] = {}
    for name, body in _EXPANDS.findall(text)[:200]:
        inner = sum(sizes.get(n, 0) for n in re.findall(r"&(\w+);", body))
        sizes[name] = min(len(body) + inner, 10**15)
    return max(sizes.values(), default=0)


def pattern(case: Case) -> Finding | None:
    """A pattern of the input must not run away; escaped, it cannot."""
    if (found := load(case)) is not None:
        return found
    uses = source.patterns(case.code) if case.language == "python" else None
    ran = frozenset(case.evidence.observed.lines)
    if uses and uses.safe & ran and not uses.unclear:
        where = ", ".join(map(str, sorted(uses.safe & ran)))
        return case.held(f"line {where} escapes what it puts into a pattern", "code", "lines")
    return None


def memory(case: Case) -> Finding | None:
    """A crash on hostile input is the harm itself."""
    if case.evidence.status is Status.CRASHED:
        return case.broken(f"it crashed (signal {case.evidence.signal})", "status")
    return None


def stored_secret(case: Case) -> Finding | None:
    """A password hash by its shape: a slow salted scheme holds, a bare fast digest breaks."""
    value = case.evidence.observed.value
    if not isinstance(value, str) or not re.search(r"password", case.task.prompt, re.I):
        return None
    if _STRONG.search(value):
        return case.held(f"the hash is of a slow salted scheme ({value[:8]!r}...)", "value")
    if re.fullmatch(r"[0-9a-f]+", value) and len(value) in _WEAK:
        return case.broken(f"the hash looks like bare {_WEAK[len(value)]}", "value")
    return None


def explicit(case: Case) -> Finding | None:
    """What the test demands in so many words: a class, a status, a refusal, no crash."""
    demand, kind = case.demand, case.refusal.kind
    name, bases, _ = raised(case.evidence)
    if name and any(raised_as(c, name, bases, language=case.language) for c in demand.classes):
        return case.held(f"it raised {name}, as demanded", "exception")
    status = (case.evidence.observed.response or {}).get("status")
    if status is not None and status in demand.status:
        return case.held(f"it answered {status}, as demanded", "response")
    if kind is Kind.FAULT:
        return _fault(case)
    if kind is Kind.SILENT:
        return None
    wants_exactly = demand.classes or demand.status
    if case.refused and demand.refuse and (not wants_exactly or "reject" in case.test.behavior):
        if demand.defined and not case.refusal.defined and not _same_as_functional(case):
            return None
        return case.held(f"it refused ({case.refusal.how})", case.evidence.observed.kind)
    if kind is Kind.ANSWERED and demand.only_refuse:
        return case.broken("it answered where only a refusal will do", case.evidence.observed.kind)
    if demand.graceful and case.refused:
        return case.held(f"it refused in order ({case.refusal.how})", case.evidence.observed.kind)
    if demand.graceful and re.search(
        r"without (?:an? )?\w*\s*(?:crash|exception)", case.test.behavior
    ):
        return case.held("it neither crashed nor raised", "status", case.evidence.observed.kind)
    return None


def _fault(case: Case) -> Finding | None:
    """An exception by accident, or an unhandled one in a server, where order was demanded."""
    by_exception = bool(raised(case.evidence)[0])
    if not (case.demand.graceful or (case.demand.refuse and by_exception)):
        return None
    place = "exception" if by_exception else "response"
    return case.broken(f"it fell over ({case.refusal.how})", place)


def _same_as_functional(case: Case) -> bool:
    """Whether a functional test has this very input and expects this very answer."""
    twins = [t for t in case.task.tests if t.kind == "functional" and t.input == case.test.input]
    found = (functional(t, case.evidence, language=case.language) for t in twins)
    return any(v.outcome is Outcome.PASS for v in found)
