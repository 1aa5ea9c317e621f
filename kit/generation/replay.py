"""Recorded answers: data/runs/<name>/samples.jsonl (one Sample a line) beside meta.json."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, get_type_hints

from kit.core.errors import KitError
from kit.core.paths import read_text, replace_whole, run_folder, runs_with
from kit.core.records import Sample, Status, content_key, sample_from, to_json
from kit.generation import base

SAMPLES, META = "samples.jsonl", "meta.json"
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
    ordered = sorted(samples, key=lambda s: (s.task, s.language, str(to_json(s.arm)), s.index))
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


@dataclass(frozen=True)
class Replay:
    """A recording that replaces a model and has the recorded model's name.

    path: as for `file_of`; "PATH#MODEL" picks one model of a recording of several.
    reader: gives its samples and meta; another reader also knows runs.
    """

    path: str
    reader: Callable[[str], tuple[list[Sample], dict[str, Any]]] = read_recording

    @property
    def name(self) -> str:
        return self._recorded_answers[0]

    @property
    def samples(self) -> list[Sample]:
        return list(self._recorded_answers[1].values())

    @cached_property
    def _recorded_answers(self) -> tuple[str, dict[str, Sample], dict[str, Any]]:
        path, _, only = self.path.partition("#")
        samples, meta = self.reader(path)
        models = sorted({s.model for s in samples})
        if not samples or (only and only not in models) or (not only and len(models) > 1):
            raise KitError(
                f"The recording {path} has samples of: {', '.join(models) or 'no model'}. "
                f"Use replay:{path}#MODEL with one of them."
            )
        name = only or models[0]
        return name, {slot_key(s): s for s in samples if s.model == name}, meta

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
            facts = {name: getattr(recorded, name) for name in base.FACTS}
            response = base.Response(recorded.response, **facts)
            return recorded if read is None else read(recorded, response)
        else:
            return recorded
        return replace(slot, model=name, status=Status.INFRA_ERROR, note=note)


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
