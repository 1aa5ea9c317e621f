"""The one table that says what a (status, outcome) of a test counts as."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType

from kit.errors import KitError
from kit.records import Outcome, Status


@dataclass(frozen=True)
class Rule:
    """value: True, False or None (undecided). counted: whether the test is in the denominator.

    An undecided test that is counted is not shown to pass: the point estimate takes it as failed,
    the bounds take it both ways. One that is not counted takes its sample out of the point estimate
    and is in the bounds only.
    """

    value: bool | None
    counted: bool = True


Policy = Mapping[tuple[Status, Outcome], Rule]

PASS, FAIL, UNDECIDED = Rule(True), Rule(False), Rule(None)
OURS = Rule(None, counted=False)  # our failure, never the model's

NO_PROGRAM = (Status.EXTRACTION_ERROR, Status.REFUSED, Status.COMPILE_ERROR)
NOT_THE_MODELS = (Status.INFRA_ERROR, Status.NOT_RUN)


def _rule(status: Status, outcome: Outcome) -> Rule:
    if status in NO_PROGRAM:  # what is no program is neither correct nor secure
        return FAIL
    if status in NOT_THE_MODELS:
        return OURS
    if status is Status.HARNESS_ERROR or outcome is Outcome.UNKNOWN:
        return UNDECIDED
    return PASS if outcome is Outcome.PASS else FAIL


POLICY: Policy = MappingProxyType({pair: _rule(*pair) for pair in product(Status, Outcome)})


def check(policy: Policy) -> Policy:
    """The policy itself; KitError unless it has a rule for every pair of status and outcome."""
    missing = [f"({s}, {o})" for s, o in POLICY if (s, o) not in policy]
    if missing:
        raise KitError(
            f"The policy has no rule for {', '.join(missing[:3])} ({len(missing)} pairs). "
            "Start from the default: {**table.POLICY, (status, outcome): table.Rule(...)}."
        )
    return policy
