"""How fast decoding is: ratios to transformers' own beam sampling, measured in turns in one run."""

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kit.errors import KitError
from kit.generation.local import LocalModel
from kit.systems.codeguard.decode.request import Constraints, Request, Settings

PROMPT = """import subprocess

from flask import Flask, request

app = Flask(__name__)

@app.route("/files")
def files():
    dirname = request.args.get("dirname")
    # list the files of that folder with the command ls
"""
CONSTRAINTS = Constraints(("subprocess", "['ls', dirname]"), (" + dirname", "format(dirname)"))


def bench(*, beams: int = 25, tokens: int = 24, rounds: int = 3) -> dict[str, float]:
    """Tokens of all beams per CPU second, and their ratios; a ratio above 1: the first is faster.

    CPU time of this process, for wall time jumps on a shared machine; medians of the rounds, in
    each of which every method runs once, on one thread. Nucleus sampling draws as many rows.
    """
    if min(beams, tokens, rounds) < 1:
        raise KitError("Got beams, tokens or rounds below 1. Use whole numbers from 1 on.")
    model, tokenizer = LocalModel().load()
    from kit.systems.codeguard.decode.sampling import on_one_thread

    calls = _calls(model, tokenizer, Settings(max_new_tokens=tokens, beams=beams))
    speeds: dict[str, list[float]] = {name: [] for name in calls}
    with on_one_thread():
        for call in calls.values():
            call()  # the first run also reads the vocabulary
        for _ in range(rounds):
            for name, call in calls.items():
                start = time.process_time()
                steps = call()
                speeds[name].append(beams * steps / (time.process_time() - start))
    found = {name: statistics.median(each) for name, each in speeds.items()}
    return {
        "beam / transformers": round(found["beam"] / found["transformers"], 3),
        "constrained / beam": round(found["constrained"] / found["beam"], 3),
        **{f"{name} tokens/s": round(speed, 1) for name, speed in found.items()},
        "beams": beams,
        "tokens": tokens,
        "rounds": rounds,
    }


def _calls(model: Any, tokenizer: Any, settings: Settings) -> dict[str, Callable[[], int]]:
    """Each method as a call that returns the steps that it took."""
    import torch

    from kit.systems.codeguard.decode.sampling import beam_sampling, constrained_beam, nucleus

    ids = tokenizer.encode(PROMPT, add_special_tokens=False)
    free = Request(model, tokenizer, ids, settings.beams, settings, 0)
    held = replace(free, constraints=CONSTRAINTS)

    def theirs() -> int:
        with torch.random.fork_rng(devices=[]), torch.inference_mode():
            torch.manual_seed(0)
            out = model.generate(
                torch.tensor([ids]), attention_mask=torch.ones(1, len(ids)), do_sample=True,
                num_beams=settings.beams, num_return_sequences=settings.beams, top_k=0, top_p=1.0,
                max_new_tokens=settings.max_new_tokens, min_new_tokens=settings.max_new_tokens,
                pad_token_id=tokenizer.pad_token_id,
            )  # fmt: skip
        return int(out.shape[1]) - len(ids)

    return {
        "transformers": theirs,
        "beam": lambda: beam_sampling(free)[0].steps,
        "constrained": lambda: constrained_beam(held)[0].steps,
        "nucleus": lambda: nucleus(free)[0].steps,
    }
