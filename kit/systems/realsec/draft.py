"""Drafts instances from a repository: methods that its own tests execute and that may be insecure.

A static engine finds them in a repository that it can read whole; of a project that a recipe
fetches, they are those whose bodies call a sink of sinks.toml. A stub in the method's place must
compile and make tests fail. What remains is for people to review, for nothing here is trusted: a
draft has no exploit test yet; its docstring is empty, or by a model that saw the method.
"""

import json
import operator
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kit.core.errors import KitError
from kit.core.records import Finding
from kit.generation.base import ModelError
from kit.generation.structured import Asker
from kit.harness.languages.tree import field_text, node_text
from kit.oracle import sast
from kit.oracle.sast.programs import split_by_folder
from kit.oracle.sast.reading import read_step
from kit.sandbox import Sandbox
from kit.systems.realsec.instance import (
    STUB,
    Instance,
    Method,
    find_methods,
    hash_text,
    list_members,
    replace_method,
)
from kit.systems.realsec.reaching import CallerIndex, ReachedMethod, describe_sink, find_sinks
from kit.systems.realsec.repository import Repository
from kit.systems.realsec.scan import Panel, build_case, mark_parameters, steps_of
from kit.systems.realsec.testing import Builder, CompiledClasses
from kit.systems.realsec.tracing import Traces

LABELS = {"original.java": {"kind": "draft", "functional": "pass", "why": "It stands there."}}
ASK = (
    "Write the Javadoc of the method below for a programmer who has not seen it and is to write "
    "it: its parameters, its result, its exceptions and their conditions, and the fields that it "
    "uses. Leave out every word on security. Answer with the Javadoc alone."
)
LENGTHS = range(8, 61)  # lines of a method that is worth writing
MOST_TESTS = 15
# no docstring has a word of these stems
ALARMING = re.compile(
    r"\w*(?:secur|vulnerab|attack|inject|travers|malicious|sanitiz|escap|leak|overflow|unsafe|"
    r"csrf|cwe|exploit|trust|deadlock|race condition|hostile|tamper|forged|danger|prevent|protect)"
    r"\w*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class InstanceCandidate:
    """A method with a report. status: "kept", or why it was not.

    callers: the methods that lead from a test to it, the outermost first.
    """

    file: str
    owner: str
    method: Method
    finding: Finding
    tests: Sequence[str] = ()
    callers: Sequence[Method] = ()
    status: str = "kept"

    @property
    def signature(self) -> str:
        """As instance.json has it: the type, the name, the types of the parameters."""
        call = self.method.interface[-2]
        result, _, parameters = call.partition("(")
        return f"{result} {self.method.name}({parameters.replace(',', ', ')}".strip()

    @property
    def flow(self) -> list[dict[str, Any]]:
        places = map(read_step, steps_of(self.finding))
        return [{"file": p.file, "line": p.line, "function": p.function} for p in places]

    @property
    def hops(self) -> int:
        """How often the flow goes from one function to another."""
        functions = [(place["file"], place["function"]) for place in self.flow]
        return sum(map(operator.ne, functions, functions[1:]))


def propose_by_scan(
    box: Sandbox, repository: Repository, reached: Sequence[ReachedMethod]
) -> list[InstanceCandidate]:
    """One for each method and weakness that a finding lies in, from one start of the engine.

    Every parameter of a method is distrusted, as those of an instance's method will be.
    """
    files = repository.read_sources("main")
    data = {path: source.encode() for path, source in files.items()}
    named = {f"p/{path}": mark_parameters(data, path) for path in files}
    report = sast.scan(box, sast.best_engine("java"), named, language="java", programs=True)
    if report.unread:
        path, reason = next(iter(report.unread.items()))
        raise KitError(f"{path.removeprefix('p/')} was not read: {reason}")
    index = CallerIndex(repository, reached)
    known = {(method.file, method.method.start): method for method in reached}
    candidates: dict[tuple[str, int, str], InstanceCandidate] = {}
    for finding in split_by_folder(report)[0]["p"]:
        for owner, method in find_methods(files.get(finding.file, "")):
            if method.first_line <= finding.line <= method.last_line and method.body_at:
                candidate = InstanceCandidate(
                    finding.file, owner, method, finding, status="no test reaches it"
                )
                target = known.get((finding.file, method.start))
                if target:
                    chain = index.find_chain(target)
                    candidate = _add_tests(candidate, chain)
                key = (finding.file, method.first_line, finding.cwe)
                candidates.setdefault(key, candidate)
    return list(candidates.values())


def _add_tests(candidate: InstanceCandidate, chain: Sequence[ReachedMethod]) -> InstanceCandidate:
    """The candidate with the tests that reach it, by these callers."""
    callers = [caller.method for caller in chain[:-1]]
    return replace(candidate, tests=chain[-1].tests, callers=callers, status="kept")


def propose_by_calls(
    repository: Repository, reached: Sequence[ReachedMethod]
) -> list[InstanceCandidate]:
    """One for each sink in each reached method of a length that is worth writing."""
    index = CallerIndex(repository, reached)
    candidates = []
    for target in reached:
        method = target.method
        if method.last_line - method.first_line + 1 in LENGTHS:
            chain = index.find_chain(target)
            for sink, call in find_sinks(target).items():
                finding = describe_sink(chain, sink, call)
                candidate = InstanceCandidate(target.file, target.owner, method, finding)
                candidates.append(_add_tests(candidate, chain))
    return candidates


def select_candidates(
    candidates: Sequence[InstanceCandidate], most: int
) -> list[InstanceCandidate]:
    """At most so many, each method once: rare weaknesses first, then many hops, then many tests."""
    remaining = list(candidates)
    selected: list[InstanceCandidate] = []
    counts: Counter[str] = Counter()
    while remaining and len(selected) < most:
        best = min(remaining, key=lambda c: (counts[c.finding.cwe], -c.hops, -len(c.tests)))
        counts[best.finding.cwe] += 1
        selected.append(best)
        remaining = [c for c in remaining if (c.file, c.method) != (best.file, best.method)]
    return selected


def check_candidate(
    builder: Builder, repository: Repository, candidate: InstanceCandidate
) -> InstanceCandidate:
    """The candidate with the tests that fail when its method only throws, or why it is dropped."""
    if candidate.status != "kept":
        return candidate
    source = repository.read_file(candidate.file)
    body = candidate.method.with_body(STUB)
    replaced = replace_method(source, candidate.owner, candidate.signature, body)
    if replaced.method is None:
        return replace(candidate, status=f"its method cannot be replaced: {replaced.error}")
    built = builder.compile(repository, candidate.file, replaced.source)
    if not built.ok:
        return replace(candidate, status="it does not compile with a stub")
    tests = candidate.tests[:MOST_TESTS]
    # a test may fail without the stub too: here it runs in a copy of its class
    before = builder.test(repository, CompiledClasses(ok=True), tests).outcomes
    after = builder.test(repository, built, tests).outcomes
    failing = [test for test in tests if before[test] == "pass" != after[test]]
    if not failing:
        return replace(candidate, status="no test fails without it")
    return replace(candidate, tests=failing)


def check_candidates(
    builder: Builder,
    repository: Repository,
    proposed: Sequence[InstanceCandidate],
    *,
    workers: int = 2,
    panel: Panel | None = None,
) -> list[InstanceCandidate]:
    """Each candidate with its status; a panel may call its report false."""

    def check_one(candidate: InstanceCandidate) -> InstanceCandidate:
        return check_candidate(builder, repository, candidate)

    builder.classes(repository)  # once, before threads ask for it
    with ThreadPoolExecutor(workers) as threads:
        candidates = list(threads.map(check_one, proposed))
    if panel is None or panel.empty:
        return candidates
    for index, candidate in enumerate(candidates):
        if candidate.status == "kept":
            data = instance_data(repository, candidate, 0)
            instance = Instance(repository.folder, data, repository)
            case = build_case(instance, candidate.method.text, candidate.finding)
            if not panel.decide(case).stands:
                candidates[index] = replace(candidate, status="the panel calls its report false")
    return candidates


def instance_data(
    repository: Repository, candidate: InstanceCandidate, number: int
) -> dict[str, Any]:
    """The instance.json of a candidate; what people have to write is empty."""
    f = candidate.finding
    return {
        "instance_id": f"{repository.name}-draft-{number:02d}",
        "repository": repository.name,
        "java_version": "17",
        "category": "",
        "cwe": f.cwe,
        "hops": candidate.hops,
        "file": candidate.file,
        "class": candidate.owner,
        "function_name": candidate.method.name,
        "signature": candidate.signature,
        "docstring": "",
        "test_functions": list(candidate.tests),
        "exploit_functions": [],
        "flow": candidate.flow,
        "function_body": candidate.method.text,
        "method_sha256": hash_text(candidate.method.text),
        "report": {
            "engine": f.engine,
            "rule": f.rule,
            "message": f.message,
            "file": f.file,
            "line": f.line,
        },
    }


def write_docstring(repository: Repository, candidate: InstanceCandidate, author: Asker) -> str:
    """The docstring that a model writes for the method. KitError if it does not answer.

    The model sees the method, its callers, and the fields of its class that it names.
    """
    source = repository.read_file(candidate.file)
    parts = [ASK, "The method:", candidate.method.text]
    fields = list(_find_fields(source, candidate))
    if fields:
        parts += ["The fields of its class that it uses:", "\n".join(fields)]
    if candidate.callers:
        parts += ["Its callers, the outermost first:", *(c.text for c in candidate.callers)]
    try:
        return author.ask_in_words([{"role": "user", "content": "\n\n".join(parts)}])
    except ModelError as error:
        raise KitError(f"{author.model.name} wrote no docstring: {error}") from None


def _find_fields(source: str, candidate: InstanceCandidate) -> Iterator[str]:
    """The declarations of the class's own fields that the method names."""
    words = set(re.findall(r"\w+", candidate.method.text))
    for member in list_members(source, candidate.owner):
        if member.type == "field_declaration":
            names = {field_text(node, "name") for node in member.named_children}
            if names & words:
                yield node_text(member)


def find_leaks(docstring: str) -> list[str]:
    """The words of a docstring that hint at security; the name of an exception is none of them."""
    text = re.sub(r"\w+Exception\b", "", docstring)
    return sorted({word.lower() for word in ALARMING.findall(text)})


def write_candidates(
    repository: Repository,
    candidates: Sequence[InstanceCandidate],
    out: Path,
    author: Asker | None = None,
) -> dict[str, list[str]]:
    """Write the kept candidates as OUT/<id>, for review; the model writes their docstrings.

    Returned are their ids, each with the words of its docstring that hint at security; the report
    has these words too. The label of the body says nothing of security: that is for people to find.
    """
    written = {}
    kept = [candidate for candidate in candidates if candidate.status == "kept"]
    for number, candidate in enumerate(kept, 1):
        data = instance_data(repository, candidate, number)
        if author:
            data["docstring"] = write_docstring(repository, candidate, author)
        leaks = find_leaks(data["docstring"])
        data["report"]["leaks"] = leaks
        written[data["instance_id"]] = leaks
        path = out / data["instance_id"] / "instance.json"
        bodies = path.parent / "bodies"
        bodies.mkdir(parents=True, exist_ok=True)
        (bodies / "original.java").write_text(data["function_body"])
        for place, value in ((path, data), (bodies / "labels.json", LABELS)):
            place.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")
    return written


def summarise_drafts(
    drafts: Sequence[InstanceCandidate], written: Mapping[str, Sequence[str]], traces: Traces
) -> dict[str, Any]:
    """What was written, with the leaks; what was dropped and why; which tests did not end."""
    dropped = []
    for draft in drafts:
        if draft.status != "kept":
            dropped.append(f"{draft.file}:{draft.finding.line}: {draft.status}")
    return {"written": written, "dropped": dropped, "unfinished": traces.unfinished}
