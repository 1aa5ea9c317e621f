"""Where it failed that a test was not executed: environment, harness or code."""

from kit.records import Evidence, Status

ORIGINS = ("environment", "harness", "code")
_MISSING = ("which is not installed in the box", "which is not available")


def origin(evidence: Evidence) -> str:
    """ "" where the program ran; else environment, harness or code (it does not compile)."""
    if evidence.status is Status.COMPILE_ERROR:
        return "code"
    if evidence.status in (Status.INFRA_ERROR, Status.NOT_RUN):
        return "environment"
    if evidence.status is not Status.HARNESS_ERROR:
        return ""
    named = evidence.note.partition(":")[0]
    if named in ORIGINS:
        return named
    return "environment" if any(m in evidence.note for m in _MISSING) else "harness"
