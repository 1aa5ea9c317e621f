"""From a task to a Sample: ask a model (or the cache, or a recording), or read a given program."""

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from kit import languages
from kit.errors import KitError
from kit.generation import base, extract, replay
from kit.generation.base import Messages, Model, ModelError, Response
from kit.generation.cost import Budget
from kit.records import Sample, Status, Task, content_key

SAMPLING = ("temperature", "max_tokens", "seed")  # the columns of an arm that go to the model


def slots(
    tasks: Sequence[Task], *, model: str, n: int, language: str, arm: dict[str, Any]
) -> list[Sample]:
    """The empty samples that a run is going to fill: n for each task."""
    return [
        Sample(task=t.id, model=model, index=i, language=language, arm=arm, status=Status.NOT_RUN)
        for t in tasks
        for i in range(n)
    ]


def answer(
    model: Model,
    task: Task,
    messages: Messages,
    *,
    language: str = "python",
    index: int = 0,
    arm: Mapping[str, Any] | None = None,
    cache: MutableMapping[str, dict[str, Any]] | None = None,
    budget: Budget | None = None,
    read: Callable[[Sample, Response], Sample] | None = None,
) -> Sample:
    """One sample: asked once, extracted anew each time. The service's failure is an infra_error.

    read: makes the sample of a slot and a response; `sample_of` by default.

    arm: the columns of the tidy table; its temperature, max_tokens and seed go to the model.
    Raises BudgetReached before a call that the budget may not hold; KitError for a user's mistake.
    """
    arm = dict(arm or {})
    language = languages.named(language) if read is None else language
    slot = Sample(task.id, model.name, index, language, arm, Status.NOT_RUN)
    sampling = {name: arm[name] for name in SAMPLING if arm.get(name) is not None}
    key = content_key(model.identity, [dict(m) for m in messages], sampling, index)
    try:
        response = respond(
            model, messages, sampling, index, key, {} if cache is None else cache, budget
        )
    except ModelError as error:
        tried = f" ({error.attempts} attempts)" if error.attempts > 1 else ""
        note = f"{type(error).__name__}: {error}{tried}"
        return replace(slot, status=Status.INFRA_ERROR, note=note, created=base.now())
    return (read or sample_of)(slot, response)


def sample_of(slot: Sample, response: Response) -> Sample:
    """The sample that a response makes of a slot: refused, or with its program extracted."""
    sample = heard(slot, response)
    return sample if sample.status is Status.REFUSED else extract.fill(sample)


def heard(slot: Sample, response: Response) -> Sample:
    """The slot with the facts of its response, refused or not; no program is looked for."""
    sample = replace(
        slot,
        response=response.text,
        finish_reason=response.finish_reason,
        served_model=response.served_model,
        input_tokens=response.input_tokens,
        output_tokens=response.output_tokens,
        seed=response.seed,
        truncated=response.truncated,
        created=response.created,
    )
    if response.refused:
        note = f"The model or its service refused to answer ({response.finish_reason})."
        return replace(sample, status=Status.REFUSED, note=note)
    return replace(sample, status=Status.COMPLETED)


def record(
    model: Model,
    questions: Iterable[tuple[Task, Messages]],
    folder: str | Path,
    *,
    n: int = 1,
    language: str = "python",
    arm: Mapping[str, Any] | None = None,
    budget: Budget | None = None,
) -> list[Sample]:
    """Ask n times for every task and keep the answers as a recording, saved after each of them.

    What the folder holds already for the same messages and arm is not asked again.
    """
    questions, arm = list(questions), dict(arm or {})
    suite = content_key(*[task for task, _ in questions])
    settings = {"language": language, "n": n, "identity": model.identity, **arm}
    done, asked = _begun(folder)
    for task, messages in questions:
        for index in range(n):
            slot = Sample(task.id, model.name, index, languages.named(language), arm)
            key, question = replay.slot_key(slot), replay.question_key(messages)
            if key in done and asked.get(key) == question and done[key].model == model.name:
                continue
            made = answer(
                model, task, messages, language=language, index=index, arm=arm, budget=budget
            )
            if made.status == Status.INFRA_ERROR:
                raise KitError(f"{made.note} Run again; what was answered so far is kept.")
            done[key], asked[key] = made, question
            replay.write(
                folder, done.values(), settings=settings, suite_hash=suite, questions=asked
            )
    return list(done.values())


def respond(
    model: Model,
    messages: Messages,
    sampling: dict[str, Any],
    index: int,
    key: str,
    cache: MutableMapping[str, dict[str, Any]],
    budget: Budget | None,
) -> Response:
    """The cached response, or a new one under the budget, cached before anything else happens."""
    if (known := cache.get(key)) is not None:
        return Response(**known)
    if budget is None:
        response = model.generate(messages, **sampling, index=index)
    else:
        limit = sampling.get("max_tokens")
        with budget.spend(model, messages, max_tokens=limit) as purchase:
            response = model.generate(messages, **sampling, index=index)
            purchase.settle(response)
    cache[key] = asdict(response)
    return response


def _begun(folder: str | Path) -> tuple[dict[str, Sample], dict[str, str]]:
    if not (Path(folder) / replay.SAMPLES).exists():
        return {}, {}
    samples, meta = replay.read(folder)
    return {replay.slot_key(s): s for s in samples}, dict(meta.get("questions", {}))
