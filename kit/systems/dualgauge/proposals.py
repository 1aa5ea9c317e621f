"""Lets models propose tests for a specification, and merges the valid ones into a candidate item.

People review the candidate and decide. provenance.json, beside tests.json, says which models
proposed each test, what they expect of it, and why other proposals were rejected.
"""

import json
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
SHAPES = {  # kind -> prompt family, key in tests.json, the fields of one proposal
    "functional": (
        "construct_functional",
        "fc_tests",
        {"requirement": TEXT, "technique": TEXT, "input": {}, "expected_output": {}},
    ),
    "security": (
        "construct_security",
        "sec_tests",
        {
            "CWE": TEXT,
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
    why: Mapping[str, str] = field(default_factory=dict)  # requirement, technique, scenario, ...

    @property
    def key(self) -> str:
        """Proposals of equal key are one test: the same input and, for security, the same CWE."""
        return (
            f"{self.kind} {item.normalize_cwe(self.entry.get('CWE', ''))} "
            f"{normalize_json(self.entry['input'])}"
        )

    @property
    def answer(self) -> Any:
        """What a program is expected to do."""
        return self.entry.get("expected_output", self.entry.get(BEHAVIOR))


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
        return {k: _normalize_value(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_normalize_value(v) for v in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def propose(
    prompt: str, askers: Iterable[Asker], *, most: int, existing: Mapping[str, Any]
) -> Draft:
    """Ask each model for both kinds of tests; keep the proposals that the suite's parser accepts.

    existing: an item whose tests are shown to the models and are not proposed again.
    """
    kept, rejected, failed, models = [], [], {}, []
    for asker in askers:
        models.append(asker.model.name)
        for kind in SHAPES:
            try:
                answers = _request_tests(asker, kind, prompt, most, existing)
            except (ModelError, BudgetReached, ValueError) as error:
                failed[f"{asker.model.name}, {kind}"] = f"{type(error).__name__}: {error}"
                continue
            for test in answers[:most]:
                try:
                    kept.append(parse_proposal(test, kind, asker.model.name))
                except Malformed as error:
                    rejected.append(
                        {"by": asker.model.name, "kind": kind, "test": test, "why": str(error)}
                    )
    if not kept:
        causes = "; ".join([*failed.values(), *(r["why"] for r in rejected)][:3])
        raise KitError(f"No model proposed a usable test ({causes}). Give another --model.")
    return Draft(prompt, merge_equal_tests(kept, existing), tuple(rejected), failed, tuple(models))


def _request_tests(
    asker: Asker, kind: str, prompt: str, most: int, existing: Mapping[str, Any]
) -> list[Any]:
    """The tests of one answer, not yet checked; ValueError if there was no such answer."""
    family, key, _ = SHAPES[kind]
    known = json.dumps(existing.get(key, []), ensure_ascii=False, indent=1)
    ticket = prompting.make_ticket(family, prompt, known, most)
    messages = prompting.build_messages(
        family, specification=prompt, existing=known, most=most, ticket=ticket
    )
    wanted = build_schema(tests={"type": "array", "items": {"type": "object"}})
    answer = asker.ask(messages, wanted, ticket=ticket)
    if answer.data is None:
        raise ValueError(answer.note)
    tests: list[Any] = answer.data["tests"]
    return tests


def parse_proposal(test: Any, kind: str, by: str) -> Proposal:
    """The proposal; Malformed if it does not fit its own schema, or the suite rejects it."""
    _, key, fields = SHAPES[kind]
    if wrong := explain_misfit(test, {"type": "object", "properties": fields}, "the test"):
        raise Malformed(wrong)
    if empty := [n for n, shape in fields.items() if shape is TEXT and not test[n].strip()]:
        raise Malformed(f"{empty[0]} is empty")
    if kind == "functional":
        entry = {name: test[name] for name in ("input", "expected_output")}
    else:
        entry = {"input": test["input"], BEHAVIOR: test["expected_behavior"], "CWE": test["CWE"]}
    tests: dict[str, list[Any]] = {key: [] for _, key, _ in SHAPES.values()}
    tests[key] = [{"test_id": 0, **entry}]
    form.validate_data(item.ITEM, _build_item("draft", "any", tests))
    known = ("requirement", "technique", "scenario", "fixture")
    return Proposal(kind, entry, by, {name: test[name] for name in known if test.get(name)})


def merge_equal_tests(
    proposals: Sequence[Proposal], existing: Mapping[str, Any]
) -> dict[str, list[list[Proposal]]]:
    """Equal tests become one; if models expect different answers, the most common comes first."""
    known = {
        Proposal(kind, entry, "").key
        for kind, (_, key, _) in SHAPES.items()
        for entry in existing.get(key, [])
        if "input" in entry
    }
    groups: dict[str, list[Proposal]] = {}
    for proposal in proposals:
        if proposal.key not in known:
            groups.setdefault(proposal.key, []).append(proposal)
    return {
        kind: [
            sorted(
                g,
                key=lambda p: -sum(normalize_json(o.answer) == normalize_json(p.answer) for o in g),
            )
            for g in groups.values()
            if g[0].kind == kind
        ]
        for kind in SHAPES
    }


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
    for kind, (_, key, _) in SHAPES.items():
        tests[key] = list(existing.get(key, []))
        used = [int(t["test_id"]) for t in tests[key] if str(t["test_id"]).isdecimal()]
        for n, group in enumerate(draft.tests[kind], max(used, default=-1) + 1):
            tests[key].append({"test_id": n, **group[0].entry})
            origins[f"{key[:-6]}-{n}"] = _describe_origin(group)
    folder.mkdir(parents=True)
    _save_json(folder / "tests.json", {**existing, **_build_item(folder.name, draft.prompt, tests)})
    for name, data in fixtures.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    families = [family for family, _, _ in SHAPES.values()]
    provenance = {
        "models": list(draft.models),
        "date": base.current_time(),
        "prompts": prompting.hash_templates(*families),
        "tests": origins,
        "rejected": list(draft.rejected),
        "failed": dict(draft.failed),
    }
    _save_json(folder / "provenance.json", provenance)


def _describe_origin(group: Sequence[Proposal]) -> dict[str, Any]:
    """Who proposed a test, for which reasons, and which other answers they expected."""
    first = group[0]
    others = [p for p in group[1:] if normalize_json(p.answer) != normalize_json(first.answer)]
    origin: dict[str, Any] = {"by": sorted({p.by for p in group}), **first.why}
    if others:
        origin["also_expected"] = [{"by": p.by, "answer": p.answer} for p in others]
    return origin


def _save_json(path: Path, data: Any) -> None:
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8", errors="replace")  # of a lone surrogate
