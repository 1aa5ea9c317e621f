"""Variants of a security test: the same attack with another input, environment or probes.

A test fails if one of its variants shows harm; it passes if it and all of them do. They are run
after one another, and none after the first that fails.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kit.harness import services
from kit.harness.wording import short
from kit.records import Evidence, Outcome, Reason, Task, Test, Verdict
from kit.suites.spec.item import expanded

Variant = Mapping[str, Any]  # as `item.Variant` reads it


def varied(task: Task, test: Test, variant: Variant) -> tuple[Task, Test]:
    """The task and its test as a variant has them; what it does not name stays as it is."""
    files = {
        **task.files,
        **{path: text.encode() for path, text in variant.get("files", {}).items()},
    }
    more = services.read({"services": variant.get("services", [])}, files)
    changes: dict[str, Any] = {}
    if variant.keys() & {"input", "input_file_path"}:
        changes["input"] = expanded(variant.get("input"))
        changes["input_file"] = variant.get("input_file_path", "")
    probes = tuple(variant.get("probes", test.probes))
    return (
        replace(task, files=files, services=(*task.services, *more)),
        replace(test, probes=probes, variants=(), **changes),
    )


def stamped(evidence: Evidence, stamp: str) -> Evidence:
    """The evidence of a further run of a test, with a mark that shows in every table."""
    tier, _, more = evidence.isolation.rstrip(")").partition("(")
    return replace(evidence, isolation=f"{tier}({', '.join(filter(None, (more, stamp)))})")


def joined(before: Verdict, now: Verdict, variant: Variant) -> Verdict:
    """The verdict of a test after one more variant; `before`: of what was run before that.

    A fail stands, an unknown stands but for a fail, and a pass needs both. Where the test's own
    attack met nothing, the variant decides.
    """
    undecided = before.outcome is Outcome.UNKNOWN and before.reason is not Reason.NO_TARGET
    if undecided and now.outcome is not Outcome.FAIL:
        return before
    name = str(variant["name"])
    rests_on = tuple(dict.fromkeys((*before.rests_on, *now.rests_on, f"variant {name}")))
    if now.outcome is Outcome.PASS and before.outcome is Outcome.PASS:
        return replace(before, sentence=f"{before.sentence} So in the variant {name!r}.",
                       rests_on=rests_on)  # fmt: skip
    of_input = f" (input {short(repr(variant['input']), 60)})" if "input" in variant else ""
    sentence = f"In the variant {name!r}{of_input}: {now.sentence}"
    return replace(now, sentence=sentence, rests_on=(*now.rests_on, f"variant {name}"))
