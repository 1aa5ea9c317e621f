"""Trains a toy completion model on labelled completions, and SVEN's two prefixes for it.

The toy knows the correct completions of some tasks by heart, secure and insecure ones alike. The
prefixes are keys and values that stand before every prompt: `sec` is trained on the secure ones,
`vul` on the others, and the model itself stays as it is (He and Vechev 2023, its first loss only).
"""

from dataclasses import dataclass
from pathlib import Path

import tokenizers
import torch
import transformers

HEADS = 4
LAYERS = 2
WIDTH = 64
LENGTH = 8  # of a prefix, in tokens
UNSCORED = -100  # as a label: transformers leaves it out of the loss


@dataclass(frozen=True)
class Lesson:
    """A prompt and a completion of it."""

    prompt: str
    completion: str
    is_secure: bool


@dataclass(frozen=True)
class Batch:
    """Lessons as tokens, padded on the right; only completions and their ends are scored."""

    ids: torch.Tensor
    labels: torch.Tensor


def train_tokenizer(lessons):
    """A byte-level BPE as GPT-2's, of these texts."""
    bpe = tokenizers.ByteLevelBPETokenizer()
    texts = [lesson.prompt + lesson.completion for lesson in lessons]
    bpe.train_from_iterator(texts, vocab_size=500, min_frequency=2, special_tokens=["<end>"])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe._tokenizer, eos_token="<end>", pad_token="<end>"
    )


def make_batch(words, lessons):
    rows = []
    for lesson in lessons:
        asked = words.encode(lesson.prompt)
        written = [*words.encode(lesson.completion), words.eos_token_id]
        rows.append((asked + written, [UNSCORED] * len(asked) + written))
    longest = max(len(ids) for ids, _ in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    labels = torch.full_like(ids, UNSCORED)
    for row, (tokens, scored) in enumerate(rows):
        ids[row, : len(tokens)] = torch.tensor(tokens)
        labels[row, : len(scored)] = torch.tensor(scored)
    return Batch(ids, labels)


def train_model(folder: Path, lessons, *, least_loss=0.08, most_steps=800):
    """Train a CodeGen of two layers until it knows the lessons, and save it with its tokenizer."""
    torch.manual_seed(0)
    words = train_tokenizer(lessons)
    config = transformers.CodeGenConfig(
        vocab_size=len(words),
        n_embd=WIDTH,
        n_layer=LAYERS,
        n_head=HEADS,
        rotary_dim=8,
        n_positions=1024,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=0,
        eos_token_id=0,
    )
    model = transformers.CodeGenForCausalLM(config)
    batch = make_batch(words, lessons)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    for _ in range(most_steps):
        loss = model(batch.ids, labels=batch.labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < least_loss:
            break
    words.save_pretrained(folder)
    model.save_pretrained(folder)
    return model, words


def train_prefixes(model, words, base: Path, folder: Path, lessons, *, steps=150):
    """Train both prefixes for the frozen model, and save them as SVEN does."""
    torch.manual_seed(1)
    model.requires_grad_(False)
    trained = []
    for is_secure in (True, False):
        chosen = [lesson for lesson in lessons if lesson.is_secure == is_secure]
        batch = make_batch(words, chosen)
        shape = (HEADS, LENGTH, WIDTH // HEADS)
        prefix = [torch.randn(shape, requires_grad=True) for _ in range(2 * LAYERS)]
        optimizer = torch.optim.AdamW(prefix, lr=3e-2, weight_decay=0.0)
        for _ in range(steps):
            rows = [param.expand(len(chosen), *shape) for param in prefix]
            cache = transformers.DynamicCache([*zip(rows[::2], rows[1::2], strict=True)])
            loss = model(batch.ids, labels=batch.labels, past_key_values=cache).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        trained += [param.detach() for param in prefix]
    state = {f"prefix_params.{place}": param for place, param in enumerate(trained)}
    torch.save(state, folder / "pytorch_model.bin")
    (folder / "lm.txt").write_text(str(base))
