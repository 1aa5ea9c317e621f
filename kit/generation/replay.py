"""Recorded answers: data/runs/<name>/samples.jsonl (one Sample a line) beside meta.json.

An answer to a task has its task, index, language and arm. One to another question (of a judge, a
planner, a voter, an author) has the key of the question in the place of a task, and no language;
its arm is the settings that it was asked with. A run's cache of responses holds the same.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, get_type_hints

from kit.core.errors import KitError
from kit.core.paths import read_text, replace_whole, run_folder, run_path, runs_with
from kit.core.records import Sample, Status, content_key, sample_from, to_json
from kit.generation import base

SAMPLES, META = "samples.jsonl", "meta.json"
SERVER = "server"  # in an arm: the number of a server that was asked under the name of another
KINDS = get_type_hints(Sample) | {"arm": Mapping}


def slot_key(sample: Sample) -> str:
    """The key of a sample in a recording: of its task, index, language and arm."""
    return content_key(sample.task, sample.index, sample.language, sample.arm)


def write_recording(
    folder: str | Path,
    samples: Iterable[Sample],
    *,
    settings: Mapping[str, Any],
    suite_hash: str = "",
    questions: Mapping[str, str] | None = None,
) -> Path:
    """Write a recording whole or not at all; equal samples in any order give equal bytes.

    settings:   the settings of the model, as JSON values.
    suite_hash: content_key of the tasks. questions: slot_key -> content_key of the messages.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    ordered = sorted(
        samples, key=lambda s: (s.task, s.language, str(to_json(s.arm)), s.index, s.model)
    )
    models = set()
    served = set()
    date = ""
    lines = []
    for sample in ordered:
        models.add(sample.model)
        served.add(sample.served_model)
        date = max(date, sample.created)
        lines.append(json.dumps(to_json(sample), ensure_ascii=False, sort_keys=True) + "\n")
    meta = {
        "models": sorted(models),
        "served": sorted(served - {""}),
        "date": date,
        "samples": len(ordered),
        "settings": to_json(dict(settings)),
        "suite_hash": suite_hash,
        "questions": dict(questions or {}),
    }
    replace_whole(folder / SAMPLES, "".join(lines))
    notes = json.dumps(meta, indent=1, ensure_ascii=False, sort_keys=True)
    replace_whole(folder / META, notes + "\n")
    return folder


def file_of(path: str | Path) -> Path | None:
    """The samples of a recording, given its name below data/runs, its folder or this file."""
    for place in (Path(path), Path(path) / SAMPLES, run_folder(path) / SAMPLES):
        if place.is_file():
            return place
    return None


def read_recording(path: str | Path) -> tuple[list[Sample], dict[str, Any]]:
    """(samples, meta) of a recording, given as for `file_of`.

    Raises KitError that names the first line which is not a sample, or repeats an earlier line.
    """
    file = file_of(path)
    if file is None:
        names = ", ".join(runs_with(SAMPLES)) or "none yet"
        raise KitError(f"No recording or run at {path}. Known recordings: {names}.")
    samples: list[Sample] = []
    numbers: dict[tuple[str, str], int] = {}
    # Not splitlines(): it would end a line at U+2028, which an answer may contain.
    for number, line in enumerate(read_text(file).split("\n"), 1):
        if not line:
            continue
        sample = _parse_sample(line, where=f"{file}, line {number}")
        key = (sample.model, slot_key(sample))
        if key in numbers:
            raise KitError(
                f"{file}, line {number} repeats line {numbers[key]}; delete one of the two."
            )
        numbers[key] = number
        samples.append(sample)
    return samples, _read_meta(file.parent / META)


def has_question(sample: Sample) -> bool:
    """Whether it answers a question of its own and no task."""
    return sample.task == sample.asked


def read_task_answers(path: str) -> tuple[list[Sample], dict[str, Any]]:
    """(samples, meta) of a recording, without answers to questions of their own."""
    samples, meta = read_recording(path)
    return [sample for sample in samples if not has_question(sample)], meta


@dataclass(frozen=True)
class Replay:
    """A recording that replaces a model and has the recorded model's name.

    path: as for `file_of`; "PATH#MODEL" picks one model of a recording of several.
    reader: gives its samples and meta; another reader also knows runs.
    """

    path: str
    reader: Callable[[str], tuple[list[Sample], dict[str, Any]]] = read_task_answers

    @property
    def name(self) -> str:
        return self._recorded_answers[0]

    @property
    def samples(self) -> list[Sample]:
        return list(self._recorded_answers[1].values())

    @cached_property
    def _recorded_answers(self) -> tuple[str, dict[str, Sample], dict[str, Any]]:
        samples, meta = self.reader(self.path.partition("#")[0])
        name, chosen = choose_model(self.path, samples)
        return name, {slot_key(s): s for s in chosen}, meta

    def recall(
        self,
        slot: Sample,
        *,
        messages: base.Messages | None = None,
        read: Callable[[Sample, base.Response], Sample] | None = None,
    ) -> Sample:
        """The recorded sample for a slot's task, index, language and arm.

        read: makes a sample of a slot and a response again, as its suite does. An answer that is
        not recorded, or is recorded for other messages, is an infra_error sample that says so.
        """
        name, answers, meta = self._recorded_answers
        key = slot_key(slot)
        recorded = answers.get(key)
        asked = meta.get("questions", {}).get(key)
        arm = json.dumps(slot.arm)
        where = f"task {slot.task!r}, sample {slot.index}, {slot.language}, arm {arm}"
        if recorded is None:
            note = f"The recording {self.path} has no answer for {where}."
        elif messages is not None and asked and asked != content_key(messages):
            note = f"The recording {self.path} answers another prompt for {where}; record it anew."
        elif recorded.response and recorded.status in (Status.COMPLETED, Status.EXTRACTION_ERROR):
            return recorded if read is None else read(recorded, base.response_of(recorded))
        else:
            return recorded
        return replace(slot, model=name, status=Status.INFRA_ERROR, note=note)


def choose_model(place: str, samples: Iterable[Sample]) -> tuple[str, list[Sample]]:
    """The model that "PATH" or "PATH#MODEL" names, and those of the samples that are its own."""
    path, _, only = place.partition("#")
    of_models: dict[str, list[Sample]] = {}
    for sample in samples:
        of_models.setdefault(sample.model, []).append(sample)
    if only not in of_models and (only or len(of_models) != 1):
        raise KitError(
            f"The recording {path} has samples of: {', '.join(sorted(of_models)) or 'no model'}. "
            f"Use replay:{path}#MODEL with one of them."
        )
    name = only or next(iter(of_models))
    return name, of_models[name]


def answer_question(asked: Mapping[str, Any], response: base.Response) -> Sample:
    """The sample of a response to what was asked: question (its key), model, index, settings."""
    question = asked["question"]
    slot = Sample(question, asked["model"], asked["index"], "", asked["settings"], asked=question)
    return base.with_response(slot, response)


def cached_answers(cache: Mapping[str, Mapping[str, Any]]) -> tuple[list[Sample], dict[str, str]]:
    """The answers in a cache of responses to questions of their own; of tasks the `questions`.

    Where two servers were asked under one name, the second's answer has its number in the arm.
    """
    samples: dict[tuple[str, str], list[Sample]] = {}
    questions: dict[str, str] = {}
    for entry in cache.values():
        asked = entry.get("asked")
        if asked is None:
            continue
        if asked["slot"]:
            questions[asked["slot"]] = asked["question"]
            continue
        sample = answer_question(asked, base.response_from(entry))
        alike = samples.setdefault((sample.model, slot_key(sample)), [])
        if sample.response not in [other.response for other in alike]:
            server = {SERVER: len(alike) + 1} if alike else {}
            alike.append(replace(sample, arm={**sample.arm, **server}))
    return list(chain.from_iterable(samples.values())), questions


def read_roles(path: str) -> list[Sample]:
    """The answers of a recording, or of a run, to questions of their own."""
    samples: dict[tuple[str, str], Sample] = {}
    if run_path(path).is_file():
        from kit.core.store import Store  # imported late, because it is slow to import

        with Store(path, write=False) as store:
            for sample in cached_answers(store.response_cache())[0]:
                samples[sample.model, slot_key(sample)] = sample
    if file_of(path) or not run_path(path).is_file():
        for sample in read_recording(path)[0]:
            if has_question(sample):
                samples[sample.model, slot_key(sample)] = sample
    return list(samples.values())


def add_answers(folder: Path, samples: Iterable[Sample]) -> None:
    """Write a recording of these samples, and of those that are in the folder already.

    A new answer to the same question, with the same settings, replaces the old one.
    """
    known: list[Sample] = []
    meta: dict[str, Any] = {}
    if (folder / SAMPLES).is_file():
        known, meta = read_recording(folder)
    merged = {(sample.model, slot_key(sample)): sample for sample in (*known, *samples)}
    kept = {name: meta[name] for name in ("suite_hash", "questions") if name in meta}
    write_recording(folder, merged.values(), settings=meta.get("settings", {}), **kept)


@contextmanager
def recorded_in(folder: Path | None) -> Iterator[dict[str, dict[str, Any]]]:
    """A cache of responses whose answers are added to the recording in a folder, if one is named.

    They are written at the end and after a failure: an answer that was paid for is not lost.
    """
    cache: dict[str, dict[str, Any]] = {}
    try:
        yield cache
    finally:
        if folder is not None:
            add_answers(folder, cached_answers(cache)[0])


@dataclass(frozen=True)
class RecordedModel:
    """A recording that answers questions in a model's place, under its name. It costs nothing.

    place: the path of a recording or a run; "PATH#MODEL" picks one model of several.
    """

    place: str
    price_key: str = ""
    default_max_tokens: int | None = None

    @property
    def name(self) -> str:
        return self._chosen_answers[0]

    @property
    def identity(self) -> str:
        """The name, and a key of all that it can answer."""
        name, samples = self._chosen_answers
        texts = [(slot_key(sample), sample.response) for sample in samples]
        return f"recording of {name} {content_key(sorted(texts))[:16]}"

    @cached_property
    def _chosen_answers(self) -> tuple[str, list[Sample]]:
        return choose_model(self.place, read_roles(self.place.partition("#")[0]))

    @cached_property
    def _by_question(self) -> dict[tuple[str, int], list[Sample]]:
        by_question: dict[tuple[str, int], list[Sample]] = {}
        for sample in self._chosen_answers[1]:
            by_question.setdefault((sample.task, sample.index), []).append(sample)
        return by_question

    def generate(
        self,
        messages: base.Messages,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        index: int = 0,
    ) -> base.Response:
        """The recorded answer of this number to this question; NotRecorded if there is none.

        If it was asked with several settings, that with these.
        """
        possible = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
        settings = {name: value for name, value in possible.items() if value is not None}
        answers = self._by_question.get((content_key(messages), index), [])
        alike = [s for s in answers if {**s.arm, SERVER: ""} == {**settings, SERVER: ""}]
        chosen = alike or answers
        if len(chosen) == 1:
            return base.response_of(chosen[0])
        raise base.NotRecorded(self.explain_miss(messages, index, settings))

    def explain_miss(self, messages: base.Messages, index: int, settings: Mapping[str, Any]) -> str:
        """Why there is no answer, in a sentence that names the question."""
        question = content_key(messages)[:16]
        if (content_key(messages), index) in self._by_question:
            return (
                f"{base.UNRECORDED} that is the only one with the settings {dict(settings)} to "
                f"question {question} in {self.place}"
            )
        number = f"number {index + 1} " if index else ""
        return (
            f"{base.UNRECORDED} {number}to question {question} in {self.place}; ask it with "
            "outside:FOLDER, or record it anew"
        )


def _read_meta(file: Path) -> dict[str, Any]:
    if not file.exists():
        return {}
    try:
        meta = json.loads(read_text(file))
    except ValueError as error:
        raise KitError(f"{file} is not JSON ({error}). Fix it or move it away.") from None
    if not isinstance(meta, dict) or not isinstance(meta.get("questions", {}), dict):
        raise KitError(f"{file} is not the metadata of a recording. Fix it or move it away.")
    return meta


def _parse_sample(line: str, *, where: str) -> Sample:
    try:
        sample = sample_from(json.loads(line))
        for name, kind in KINDS.items():
            value = getattr(sample, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name} is {value!r:.60}")
        return sample
    except (ValueError, TypeError, AttributeError) as error:
        raise KitError(
            f"{where} is not a sample: {base.sanitize_message(str(error), None)}."
        ) from error
