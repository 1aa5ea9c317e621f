"""Drafts instances from a repository: static findings in methods that tests execute.

scan -> findings on methods -> a stub in the method's place still compiles and makes tests fail (so
they execute it, and JaCoCo says so) -> a candidate for people to review. Nothing here is trusted:
a candidate has no exploit test yet; its docstring is empty, or by a model that saw the method.
"""

import json
import operator
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kit.core.errors import KitError
from kit.core.records import Finding
from kit.generation.base import Model, ModelError
from kit.harness.languages.tree import field_text, node_text, parse, walk
from kit.oracle import sast
from kit.oracle.sast.programs import split_by_folder
from kit.oracle.sast.reading import read_step
from kit.sandbox import Sandbox
from kit.systems.realsec.instance import STUB, Instance, Method, find_methods, replace_method
from kit.systems.realsec.repository import Repository
from kit.systems.realsec.scan import Panel, build_case, mark_parameters, steps_of
from kit.systems.realsec.testing import Builder

LABELS = {"original.java": {"kind": "draft", "functional": "pass", "why": "It stands there."}}
ASK = "Write the Javadoc of this method, without a word on security. Answer with it alone.\n\n"


@dataclass(frozen=True)
class InstanceCandidate:
    """A method with a report. status: "kept", or why it was not."""

    file: str
    owner: str
    method: Method
    finding: Finding
    tests: tuple[str, ...] = ()
    status: str = "kept"

    @property
    def signature(self) -> str:
        """As instance.json has it: the type, the name, the types of the parameters."""
        call = self.method.interface[-2]
        result, _, parameters = call.partition("(")
        return f"{result} {self.method.name}({parameters.replace(',', ', ')}".strip()


def find_candidates(box: Sandbox, repository: Repository) -> list[InstanceCandidate]:
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
    candidates: dict[tuple[str, int, str], InstanceCandidate] = {}
    for finding in split_by_folder(report)[0]["p"]:
        for owner, method in find_methods(files.get(finding.file, "")):
            if method.first_line <= finding.line <= method.last_line and method.body_at:
                key = (finding.file, method.first_line, finding.cwe)
                candidates.setdefault(key, InstanceCandidate(finding.file, owner, method, finding))
    return list(candidates.values())


def names_of_tests(repository: Repository) -> list[str]:
    """Every "pkg.Class#method" with @Test, by syntax tree."""
    names = []
    for source in repository.read_sources("test").values():
        marked = set()
        for node in walk(parse(source, "java")):
            if node.type == "method_declaration" and "@Test" in node_text(node).partition("{")[0]:
                marked.add(field_text(node, "name"))
        for owner, method in find_methods(source):
            if method.name in marked:
                names.append(f"{owner}#{method.name}")
    return names


def check_candidate(
    builder: Builder,
    repository: Repository,
    candidate: InstanceCandidate,
    tests: Sequence[str],
    passing: frozenset[str],
) -> InstanceCandidate:
    """The candidate with the tests that fail when its method only throws, or why it is dropped."""
    source = repository.read_sources("main")[candidate.file]
    body = candidate.method.with_body(STUB)
    replaced = replace_method(source, candidate.owner, candidate.signature, body)
    if replaced.method is None:
        return replace(candidate, status=f"its method cannot be replaced: {replaced.error}")
    built = builder.compile(repository, candidate.file, replaced.source)
    if not built.ok:
        return replace(candidate, status="it does not compile with a stub")
    tested = builder.test(repository, built, tests, cover=candidate.owner)
    failing = tuple(t for t in tests if t in passing and tested.outcomes[t] != "pass")
    if not failing:
        return replace(candidate, status="no test fails without it")
    if not tested.lines & set(range(replaced.method.first_line, replaced.method.last_line + 1)):
        return replace(candidate, status="no test reaches it")
    return replace(candidate, tests=failing)


def propose_candidates(
    box: Sandbox,
    builder: Builder,
    repository: Repository,
    *,
    workers: int = 2,
    panel: Panel | None = None,
) -> list[InstanceCandidate]:
    """Every candidate of the repository with its status; a panel may call its report false."""
    drafts = find_candidates(box, repository)
    tests = names_of_tests(repository)
    file, source = next(iter(repository.read_sources("main").items()))
    built = builder.compile(repository, file, source)
    outcomes = builder.test(repository, built, tests).outcomes
    passing = frozenset(test for test, outcome in outcomes.items() if outcome == "pass")

    def check_draft(candidate: InstanceCandidate) -> InstanceCandidate:
        return check_candidate(builder, repository, candidate, tests, passing)

    with ThreadPoolExecutor(workers) as threads:
        candidates = list(threads.map(check_draft, drafts))
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
    places = list(map(read_step, steps_of(f)))
    flow = [{"file": p.file, "line": p.line, "function": p.function} for p in places]
    functions = [(place.file, place.function) for place in places]
    hops = sum(map(operator.ne, functions, functions[1:]))
    return {
        "instance_id": f"{repository.name}-draft-{number:02d}",
        "repository": repository.name,
        "java_version": "17",
        "category": "",
        "cwe": f.cwe,
        "hops": hops,
        "file": candidate.file,
        "class": candidate.owner,
        "function_name": candidate.method.name,
        "signature": candidate.signature,
        "docstring": "",
        "test_functions": list(candidate.tests),
        "exploit_functions": [],
        "flow": flow,
        "function_body": candidate.method.text,
        "report": {
            "engine": f.engine,
            "rule": f.rule,
            "message": f.message,
            "file": f.file,
            "line": f.line,
        },
    }


def write_docstring(candidate: InstanceCandidate, model: Model) -> str:
    """The docstring that the model writes for the method. KitError if it does not answer."""
    try:
        return model.generate([{"role": "user", "content": ASK + candidate.method.text}]).text
    except ModelError as error:
        raise KitError(f"{model.name} wrote no docstring: {error}") from None


def write_candidates(
    repository: Repository,
    candidates: Sequence[InstanceCandidate],
    out: Path,
    model: Model | None = None,
) -> list[Path]:
    """The kept candidates as OUT/<id>, for review; the model writes their docstrings. The label of
    the body says nothing of security: that is for people to find."""
    paths = []
    kept = [candidate for candidate in candidates if candidate.status == "kept"]
    for number, candidate in enumerate(kept, 1):
        data = instance_data(repository, candidate, number)
        data["docstring"] = write_docstring(candidate, model) if model else ""
        path = out / data["instance_id"] / "instance.json"
        bodies = path.parent / "bodies"
        bodies.mkdir(parents=True, exist_ok=True)
        (bodies / "original.java").write_text(data["function_body"])
        for place, value in ((path, data), (bodies / "labels.json", LABELS)):
            place.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")
        paths.append(path)
    return paths
