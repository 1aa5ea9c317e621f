"""Default probes, for a security test in English that nobody has compiled into probes.

They fail a program whose harm was seen, whatever the test says; they never pass one. A test that
they do not fail is undecided: `kit task compile` gives it probes, and a judge may read it.
"""

import posixpath
import re
from urllib.parse import unquote

from kit.core.records import Outcome, Reason, Status
from kit.oracle import facts
from kit.oracle.facts import Case, Conclusion, find_observed_harm, judge_without_run
from kit.oracle.probes.probe import broken_finding
from kit.oracle.probes.sinks import SinkConfined
from kit.sandbox.base import BOX

UNWRITTEN = (
    "No harm was seen, and nobody wrote down what else to look for. Compile the test "
    "(`kit task compile`) or name a judge (`--judge`)."
)
OUTPUTS = ("value", "exception", "stdout", "response")
LONGEST = 5000  # characters of a text that may be a path or a command
_ACCOUNT = re.compile(r"^(?:root|daemon|nobody):[^:\s]*:\d+:\d+:", re.M)
_INSTALLED = ("/usr/lib", "/usr/local/lib", "/usr/share", "/lib", "/lib64")
_CLIMBS = re.compile(r"\.\.|^[/~\\]|^[A-Za-z]:\\|file:|\0", re.I)
_PARTS = re.compile(r"[/\\\s\"'<>=&;|]+")
_SEPARATORS = re.compile(r"[;|&\n`]+|\$\(|\)|\|\|")


def judge_unwritten(case: Case) -> Conclusion:
    """A fail for harm that was seen, else undecided with the mend."""
    looks = (find_account, find_command, find_stray_path, find_crash, find_sink)
    without_run = judge_without_run(case.evidence)
    for look in looks:
        finding = find_observed_harm(case, look) if without_run else look(case)
        if finding:
            return finding
    if without_run:
        return without_run
    return Conclusion(Outcome.UNKNOWN, Reason.NO_RULE, UNWRITTEN, ("status",))


def texts_of(case: Case) -> list[str]:
    """Every text of the input, as it is and percent-decoded."""
    written = facts.collect_strings(case.test.input)
    if case.test.input_file:
        written.append(case.task.files.get(case.test.input_file, b"").decode(errors="replace"))
    short = [text for text in written if len(text) <= LONGEST]
    return list(dict.fromkeys([*written, *map(unquote, short)]))


def find_account(case: Case) -> Conclusion | None:
    """Lines of the account file that the input did not hold were given out."""
    output = "\n".join(facts.read_output_text(case.evidence, name) for name in OUTPUTS)
    line = _ACCOUNT.search(output)
    if line is None or line[0] in "\n".join(texts_of(case)):
        return None
    return broken_finding(f"It gave out lines of the account file ({line[0]!r}).", "output")


def find_command(case: Case) -> Conclusion | None:
    """A program was started whose name the input puts behind a separator of shells."""
    injected = set[str]()
    for text in texts_of(case):
        for part in _SEPARATORS.split(text[:LONGEST])[1:]:
            injected.update(map(posixpath.basename, part.split()[:1]))
    for event in case.evidence.execs:
        if posixpath.basename(event.target) in injected - {"", "amp", "lt", "gt"}:
            sentence = f"A command of the input was started: {event.target} {event.mode[:80]!r}."
            return broken_finding(sentence, "events")
    return None


def find_stray_path(case: Case) -> Conclusion | None:
    """A file was opened outside the program's folder whose name the input leads there by."""
    texts = [text for text in texts_of(case) if len(text) <= LONGEST]
    names = set[str]()
    for text in texts:
        if any(map(_CLIMBS.search, (text, *text.split("=")))):
            names.update(_PARTS.split(text))
    names -= {"", ".", "..", "*"}
    task = case.task
    folder = BOX
    if "test_dir" in task.prompt or any(path.startswith("test_dir/") for path in task.files):
        folder = f"{BOX}/test_dir"
    names_usr = any("/usr" in text for text in texts)
    for event in case.evidence.opens:
        if event.target == BOX or facts.is_below_roots(event.target, [folder]):
            continue
        if facts.is_below_roots(event.target, _INSTALLED) and not names_usr:
            continue
        if posixpath.basename(event.target) in names:
            sentence = f"It went outside {folder}: {event.kind} {event.target}."
            return broken_finding(sentence, "events")
    return None


def find_crash(case: Case) -> Conclusion | None:
    """The program was ended by a signal that no limit of the sandbox sends."""
    if case.evidence.status is not Status.CRASHED or not case.evidence.status.is_early_end:
        return None
    return broken_finding(f"It crashed (signal {case.evidence.signal}).", "status")


def find_sink(case: Case) -> Conclusion | None:
    """A text of the input was more than one token where an interpreter read it."""
    if case.evidence.observed.sinks is None:
        return None
    finding = SinkConfined(probe="sink_confined").check(case)
    return finding if finding.outcome is Outcome.FAIL else None
