"""From a task to a Sample: ask a model (or the cache, or a recording), or read a given program."""

import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from kit import languages
from kit.errors import KitError
from kit.generation import base, extract, replay
from kit.generation.base import Messages, Model, ModelError, Response
from kit.generation.cost import Budget
from kit.records import Sample, Status, Task, content_key

SAMPLING = (
    "temperature",
    "top_p",
    "max_tokens",
    "seed",
)  # the columns of an arm that go to the model
PROGRAM_BYTES = 1_000_000
NOT_PROGRAMS = ("", ".md", ".txt", ".json", ".jsonl", ".csv", ".toml", ".yaml", ".yml")


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
    cache: MutableMapping[str, dict] | None = None,
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
    return extract.fill(sample)


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


def programs(folder: str | Path, tasks: Iterable[Task]) -> Iterator[Sample]:
    """The programs of FOLDER/<task id>/<name>.<extension>, the name standing for the model.

    `<name>.<number>.<extension>` is a further sample of that name, a bare number one of FOLDER's
    own. The language follows from the extension. A file that cannot be a program is a sample with
    a status that says why. Raises KitError for a folder that is no task, or an unknown extension.
    """
    folder, by_id, seen = Path(folder), {t.id: t for t in tasks}, {}
    if not folder.is_dir():
        raise KitError(f"No folder {folder}; give one that holds <task id>/<name>.py files.")
    for path in sorted(folder.glob("*/*")):
        if path.name.startswith((".", "_")) or path.suffix in NOT_PROGRAMS:
            continue
        if path.parent.name not in by_id:
            known = ", ".join(sorted(by_id))
            raise KitError(f"{path.parent} is named for no task of the suite. Tasks: {known}.")
        sample = from_program(path, by_id[path.parent.name])
        key = (sample.model, replay.slot_key(sample))
        if key in seen:
            raise KitError(f"{path} and {seen[key]} are the same sample; rename one of them.")
        seen[key] = path
        yield sample
    if not seen:
        raise KitError(f"No programs in {folder}; it should hold <task id>/<name>.py files.")


def from_program(path: str | Path, task: Task) -> Sample:
    """The sample that a program's file is, whatever its contents."""
    path = Path(path)
    language = languages.EXTENSIONS.get(path.suffix.lower())
    if language is None:
        known = ", ".join(sorted(languages.EXTENSIONS))
        raise KitError(f"{path} has an unknown extension. Use one of: {known}.")
    try:
        path.name.encode()
    except UnicodeEncodeError:
        raise KitError(f"{ascii(str(path))} has a name that is not UTF-8; rename it.") from None
    name, index = path.stem, 0
    if numbered := re.fullmatch(r"(?:(.+)\.)?(\d{1,6})", name):
        name, index = numbered[1] or path.absolute().parent.parent.name, int(numbered[2])
    status, code, note = _read(path)
    return Sample(task.id, name, index, language, status=status, code=code, note=note)


def _read(path: Path) -> tuple[Status, str, str]:
    try:
        facts = path.lstat()
        if not stat.S_ISREG(facts.st_mode):
            return Status.EXTRACTION_ERROR, "", f"{path.name} is no regular file; it was not read."
        if facts.st_size > PROGRAM_BYTES:
            size = f"{facts.st_size:,} bytes; at most {PROGRAM_BYTES:,} are read"
            return Status.EXTRACTION_ERROR, "", f"{path.name} has {size}."
        code = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        return Status.INFRA_ERROR, "", f"{path.name} cannot be read: {error.strerror}."
    except UnicodeDecodeError as error:
        sentence = f"{path.name} is not UTF-8 text (byte {error.start}); save it as UTF-8."
        return Status.EXTRACTION_ERROR, "", sentence
    if not code.strip():
        return Status.EXTRACTION_ERROR, "", f"{path.name} is empty."
    return Status.COMPLETED, code.replace("\r\n", "\n"), ""


def respond(
    model: Model,
    messages: Messages,
    sampling: dict[str, Any],
    index: int,
    key: str,
    cache: MutableMapping[str, dict],
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
