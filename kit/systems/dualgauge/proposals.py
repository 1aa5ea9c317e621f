"""Lets models propose tests for a specification, and merges the valid ones into a candidate item.

People review the candidate and decide. provenance.json, beside tests.json, says which models
proposed each test, what they expect of it, and why other proposals were rejected.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kit.core import form
from kit.core.errors import KitError
from kit.core.form import Malformed
from kit.generation import base, prompting
from kit.generation.base import ModelError
from kit.generation.cost import BudgetReached
from kit.generation.structured import Asker, build_schema, explain_misfit
from kit.systems.dualgauge import item

BEHAVIOR = "expected_behavior/output"
TEXT = {"type": "string"}  # that says something


@dataclass(frozen=True)
class ProposalForm:
    """family: of prompts. key: in tests.json. fields: of one proposal."""

    family: str
    key: str
    fields: Mapping[str, Any]


FORMS = {
    "functional": ProposalForm(
        "construct_functional",
        "fc_tests",
        {"requirement": TEXT, "technique": TEXT, "input": {}, "expected_output": {}},
    ),
    "security": ProposalForm(
        "construct_security",
        "sec_tests",
        {
            "CWE": TEXT,
            "requirement": {"type": "string"},
            "scenario": TEXT,
            "input": {},
            "fixture": {"type": "string"},
            "expected_behavior": TEXT,
        },
    ),
}


@dataclass(frozen=True)
class Proposal:
    """One test as a model proposed it. entry: as tests.json holds it, without an id."""

    kind: str
    entry: Mapping[str, Any]
    by: str
    reasons: Mapping[str, str] = field(
        default_factory=dict
    )  # requirement, technique, scenario, ...

    @property
    def key(self) -> str:
        """Proposals of equal key are one test: the same input and, for security, the same CWE."""
        cwe = item.normalize_cwe(self.entry.get("CWE", ""))
        return f"{self.kind} {cwe} {normalize_json(self.entry['input'])}"

    @property
    def answer(self) -> Any:
        """What a program is expected to do."""
        return self.entry.get("expected_output", self.entry.get(BEHAVIOR))

    @property
    def normal_answer(self) -> str:
        return normalize_json(self.answer)


@dataclass(frozen=True)
class Draft:
    """tests: by kind, a list of the proposals of each test, the chosen one first."""

    prompt: str
    tests: Mapping[str, Sequence[Sequence[Proposal]]]
    rejected: tuple[Mapping[str, Any], ...]  # by, kind, test, why
    failed: Mapping[str, str]  # model and kind -> why it gave no proposals
    models: tuple[str, ...]


def normalize_json(value: Any) -> str:
    """One spelling of equal JSON values: the order of keys, and 1.0 for 1, make no difference."""
    return json.dumps(_normalize_value(value), sort_keys=True, ensure_ascii=True)


def _normalize_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _normalize_value(part) for key, part in value.items()}
    if isinstance(value, list):
        return list(map(_normalize_value, value))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def propose(
    prompt: str, askers: Iterable[Asker], *, most: int, existing: Mapping[str, Any]
) -> Draft:
    """Ask each model for both kinds of tests; keep the proposals that the suite's parser accepts.

    existing: an item whose tests are shown to the models and are not proposed again.
    """
    proposals = []
    rejected = []
    failed = {}
    models = []
    for asker in askers:
        name = asker.model.name
        models.append(name)
        for kind in FORMS:
            try:
                answers = _request_tests(asker, kind, prompt, most, existing)
            except (ModelError, BudgetReached, ValueError) as error:
                failed[f"{name}, {kind}"] = f"{type(error).__name__}: {error}"
                continue
            for test in answers[:most]:
                try:
                    proposals.append(parse_proposal(test, kind, name))
                except Malformed as error:
                    rejected.append({"by": name, "kind": kind, "test": test, "why": str(error)})
    if not proposals:
        causes = {*failed.values(), *(rejection["why"] for rejection in rejected)}
        raise KitError(
            f"No model proposed a usable test ({'; '.join(sorted(causes)[:3])}). Try another model."
        )
    tests = merge_equal_tests(proposals, existing)
    return Draft(prompt, tests, tuple(rejected), failed, tuple(models))


def _request_tests(
    asker: Asker, kind: str, prompt: str, most: int, existing: Mapping[str, Any]
) -> list[Any]:
    """The tests of one answer, not yet checked; ValueError if there was no such answer."""
    family = FORMS[kind].family
    existing_tests = json.dumps(existing.get(FORMS[kind].key, []), ensure_ascii=False, indent=1)
    ticket = prompting.make_ticket(family, prompt, existing_tests, most)
    messages = prompting.build_messages(
        family, specification=prompt, existing=existing_tests, most=most, ticket=ticket
    )
    schema = build_schema(tests={"type": "array", "items": {"type": "object"}})
    answer = asker.ask(messages, schema, ticket=ticket)
    if answer.data is None:
        raise ValueError(answer.note)
    tests: list[Any] = answer.data["tests"]
    return tests


def parse_proposal(test: Any, kind: str, by: str) -> Proposal:
    """The proposal; Malformed if it does not fit its own schema, or the suite rejects it."""
    fields = FORMS[kind].fields
    misfit = explain_misfit(test, {"type": "object", "properties": fields}, "the test")
    if misfit:
        raise Malformed(misfit)
    for name, schema in fields.items():
        if schema is TEXT and not test[name].strip():
            raise Malformed(f"{name} is empty")
    if kind == "functional":
        entry = {name: test[name] for name in ("input", "expected_output")}
    else:
        entry = {"input": test["input"], BEHAVIOR: test["expected_behavior"], "CWE": test["CWE"]}
    tests: dict[str, list[Any]] = {proposal_form.key: [] for proposal_form in FORMS.values()}
    tests[FORMS[kind].key].append({"test_id": 0, **entry})
    form.validate_data(item.ITEM, _build_item("draft", "any", tests))
    reasons = {}
    for name in ("requirement", "technique", "scenario", "fixture"):
        if test.get(name):
            reasons[name] = test[name]
    return Proposal(kind, entry, by, reasons)


def merge_equal_tests(
    proposals: Sequence[Proposal], existing: Mapping[str, Any]
) -> dict[str, list[list[Proposal]]]:
    """Equal tests become one; if models expect different answers, the most common comes first."""
    existing_keys = set()
    for kind, proposal_form in FORMS.items():
        for entry in existing.get(proposal_form.key, []):
            if "input" in entry:
                existing_keys.add(Proposal(kind, entry, "").key)
    groups: dict[str, list[Proposal]] = {}
    for proposal in proposals:
        if proposal.key not in existing_keys:
            groups.setdefault(proposal.key, []).append(proposal)
    tests: dict[str, list[list[Proposal]]] = {kind: [] for kind in FORMS}
    for group in groups.values():
        votes = Counter(proposal.normal_answer for proposal in group)
        ranked = sorted(group, key=lambda proposal: -votes[proposal.normal_answer])
        tests[group[0].kind].append(ranked)
    return tests


def _build_item(name: str, prompt: str, tests: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "benchmark_id": name,
        "prompt": prompt,
        "implementation_details": "",
        "source_repo": "kit",
        **tests,
    }


def write_item(
    draft: Draft, folder: Path, *, existing: Mapping[str, Any], fixtures: Mapping[str, bytes]
) -> None:
    """Write the candidate item as a new folder that the suite can load.

    existing: the item that is extended; fixtures: its files, by path.
    """
    tests: dict[str, list[Any]] = {}
    origins = {}
    for kind, proposal_form in FORMS.items():
        key = proposal_form.key
        tests[key] = list(existing.get(key, []))
        unused = 0
        for test in tests[key]:
            if str(test["test_id"]).isdecimal():
                unused = max(unused, int(test["test_id"]) + 1)
        for number, group in enumerate(draft.tests[kind], unused):
            quoted = find_quotation(draft.prompt, group[0].reasons.get("requirement", ""))
            tests[key].append({"test_id": number, **quoted, **group[0].entry})
            origins[f"{key[:-6]}-{number}"] = _describe_origin(group)
    folder.mkdir(parents=True)
    _save_json(folder / "tests.json", {**existing, **_build_item(folder.name, draft.prompt, tests)})
    for name, data in fixtures.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    families = [proposal_form.family for proposal_form in FORMS.values()]
    provenance = {
        "models": list(draft.models),
        "date": base.current_time(),
        "prompts": prompting.hash_templates(*families),
        "tests": origins,
        "rejected": list(draft.rejected),
        "failed": dict(draft.failed),
    }
    _save_json(folder / "provenance.json", provenance)


def find_quotation(prompt: str, requirement: str) -> dict[str, str]:
    """`because` of a test whose author quoted the specification; nothing for other words."""
    words = " ".join(requirement.split()).strip("\"'")
    return {"because": words} if words and words in " ".join(prompt.split()) else {}


def _describe_origin(group: Sequence[Proposal]) -> dict[str, Any]:
    """Who proposed a test, for which reasons, and which other answers they expected."""
    first = group[0]
    others = [p for p in group[1:] if p.normal_answer != first.normal_answer]
    origin: dict[str, Any] = {"by": sorted({p.by for p in group}), **first.reasons}
    if others:
        origin["also_expected"] = [{"by": p.by, "answer": p.answer} for p in others]
    return origin


def _save_json(path: Path, data: Any) -> None:
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8", errors="replace")  # of a lone surrogate
