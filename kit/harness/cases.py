"""Runs the test cases of a suite in the sandbox with a runner; the results become one verdict."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kit.core.languages import try_parse_python
from kit.core.records import LACKING, Evidence, Outcome, Reason, Status, Verdict
from kit.harness import box_files
from kit.harness.languages.cpp import build
from kit.sandbox import Limits, Sandbox


class Result(NamedTuple):
    """What became of one case. passed: None where the run ended without its result."""

    name: str
    passed: bool | None
    why: str = ""


def execute_runner(
    box: Sandbox,
    runner: Path,
    job: Mapping[str, Any],
    files: Mapping[str, bytes],
    *,
    limits: Limits,
    beside: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    mounts: Mapping[str, Path] | None = None,
) -> Evidence:
    """The runner over these files. beside: what it imports, of its folder or of the harness."""
    runner_files = {f"{box_files.FOLDER}/{runner.name}": runner.read_bytes()}
    harness_names = ["kit_channel.py"]
    for name in beside:
        path = runner.with_name(name)
        if path.exists():
            runner_files[f"{box_files.FOLDER}/{name}"] = path.read_bytes()
        else:
            harness_names.append(name)
    return box.run(
        box_files.runner_command(runner.name),
        files={
            **files,
            **box_files.prepare_files_and_job(harness_names, job),
            **runner_files,
        },
        env=env,
        limits=limits,
        observe=False,
        mounts=mounts,
    )


def check_syntax(box: Sandbox, program: str) -> Evidence | None:
    """The evidence of a program that is no Python; None for one that is."""
    if try_parse_python(program) is not None:
        return None
    note = "The program does not parse as Python."
    return Evidence(Status.COMPILE_ERROR, isolation=box.name, note=note)


def explain_compiler_failure(log: str, otherwise: str) -> tuple[Status, str]:
    """Whose fault it is that the compiler made nothing of a program, and why, by what it wrote."""
    header = build.LACKING.search(log)
    if header:
        return Status.HARNESS_ERROR, box_files.not_installed(header[1], "includes")
    reason = otherwise
    for line in log.splitlines():
        if "error" in line or "undefined reference" in line:
            reason = line
            break
    return Status.COMPILE_ERROR, f"The program does not compile: {reason[:300]}"


def judge_results(
    test: str,
    oracle: str,
    evidence: Evidence,
    results: Sequence[Result],
    *,
    missing: str = "",
    rests_on: tuple[str, ...] = ("channel",),
) -> Verdict:
    """pass if every case passed; else the first that did not is named.

    missing: a package that the program imports and the box has not. In this order: a failure of
    ours, no program, a decoy that passed, a missing package and no cases at all decide without any
    result. A decoy without a result (kit.harness.decoys) has not passed and has not failed.
    """

    def make_verdict(outcome: Outcome, reason: Reason, sentence: str) -> Verdict:
        return Verdict(test, outcome, reason, sentence[:900], oracle, rests_on)

    if not evidence.status.has_evidence:
        return make_verdict(Outcome.UNKNOWN, Reason.NO_EVIDENCE, evidence.note)
    if evidence.status is Status.COMPILE_ERROR:
        return make_verdict(Outcome.FAIL, Reason.NO_PROGRAM, evidence.note)
    if evidence.observed.kind == LACKING:
        return make_verdict(Outcome.FAIL, Reason.LACKING, evidence.note)
    bad = [result for result in results if not result.passed]
    for message in box_files.read_answers(evidence.channel).objects:
        decoy = message.get("decoy")
        passed = message.get("passed")
        if decoy and passed is True:
            sentence = f"A copy of {decoy} that must fail has passed: the results are forged."
            return make_verdict(Outcome.FAIL, Reason.FORGED, sentence)
        if decoy and passed is None:
            bad.append(Result(f"a copy of {decoy}", None))
    if missing:
        return make_verdict(Outcome.UNKNOWN, Reason.NO_EVIDENCE, box_files.not_installed(missing))
    if not results:
        return make_verdict(Outcome.UNKNOWN, Reason.NO_EVIDENCE, f"There are no cases of {test}.")
    if not bad:
        return make_verdict(Outcome.PASS, Reason.TESTS_PASSED, f"All {len(results)} cases hold.")
    head = f"{bad[0].name}:"
    if len(bad) > 1:
        head = f"{len(bad)} of {len(results)}, first {head}"
    if bad[0].passed is None:
        sentence = f"{head} the run ended without its result ({evidence.status}). {bad[0].why}"
        return make_verdict(Outcome.FAIL, Reason.RUN_ENDED_EARLY, sentence.strip())
    return make_verdict(Outcome.FAIL, Reason.TESTS_FAILED, f"{head} {bad[0].why}")
