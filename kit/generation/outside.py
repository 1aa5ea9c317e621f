"""Questions that are answered elsewhere, by hand or by a service that the kit does not know.

`outside:FOLDER` in a model's place answers from the recording in FOLDER. A question without an
answer there is put down in FOLDER/questions.jsonl, and fails as a service would. `kit import
answers` puts answers on record by the keys of their questions; then the same command goes on.
"""

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from kit.core import form
from kit.core.errors import KitError
from kit.core.paths import RUN_FILE, read_text, replace_whole, run_path
from kit.core.records import Sample, content_key
from kit.generation import base, replay
from kit.generation.replay import RecordedModel

QUESTIONS = "questions.jsonl"
Count = Annotated[int | None, Field(ge=0, title="a whole number of at least 0")]


@dataclass(frozen=True)
class OpenQuestion:
    """One question without an answer. index: the number of the answer that is wanted."""

    key: str
    model: str
    index: int
    settings: Mapping[str, Any]
    messages: list[Mapping[str, str]]

    @property
    def place(self) -> tuple[str, str, int]:
        return (self.model, self.key, self.index)


class ImportedAnswer(form.Form):
    """One line of a file of answers: the key of its question, and what was answered."""

    key: form.Filled
    answer: form.Anything  # an object stands for its JSON text
    model: form.Text = ""
    index: Count = None
    refused: Annotated[bool, Field(title="true or false")] = False
    finish_reason: form.Text = ""
    served_model: form.Text = ""
    input_tokens: Count = None
    output_tokens: Count = None
    reasoning: form.Text = ""
    created: form.Text = ""


ANSWER = TypeAdapter(ImportedAnswer)


def find_folder(place: str) -> Path:
    """The folder of questions and answers, by its path or its name below data/runs."""
    folder = run_path(place).parent
    if (folder / RUN_FILE).exists():
        raise KitError(f"{folder} is the folder of a run. Name one of its own for the questions.")
    return folder


def read_questions(folder: Path) -> dict[tuple[str, str, int], OpenQuestion]:
    """The open questions of a folder, each once, in the order in which they were asked."""
    path = folder / QUESTIONS
    text = read_text(path) if path.is_file() else ""
    questions = {}
    for line in filter(None, text.split("\n")):
        try:
            question = OpenQuestion(**json.loads(line))
        except (ValueError, TypeError):
            raise KitError(f"{path} has a line that is no question. Move the file away.") from None
        questions[question.place] = question
    return questions


@dataclass(frozen=True)
class OutsideModel(RecordedModel):
    """Somebody who is asked through a file. place: "FOLDER", or "FOLDER#NAME" with a name."""

    _lock: Any = field(default_factory=threading.Lock, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse a run's own folder."""
        find_folder(self.folder_name)

    @property
    def folder_name(self) -> str:
        return self.place.partition("#")[0]

    @property
    def name(self) -> str:
        return self.place.partition("#")[2] or find_folder(self.folder_name).name

    @property
    def identity(self) -> str:
        """The same before and after an answer, so that what was answered is not asked again."""
        return f"outside:{self.folder_name}#{self.name}"

    @cached_property
    def _chosen_answers(self) -> tuple[str, list[Sample]]:
        folder = find_folder(self.folder_name)
        recorded = replay.read_roles(str(folder)) if (folder / replay.SAMPLES).is_file() else []
        return self.name, [sample for sample in recorded if sample.model == self.name]

    @cached_property
    def _open(self) -> set[tuple[str, str, int]]:
        return set(read_questions(find_folder(self.folder_name)))

    def explain_miss(self, messages: base.Messages, index: int, settings: Mapping[str, Any]) -> str:
        """Put the question down; the sentence says where."""
        key = content_key(messages)
        question = OpenQuestion(key, self.name, index, settings, list(messages))
        folder = find_folder(self.folder_name)
        with self._lock:
            if question.place not in self._open:
                folder.mkdir(parents=True, exist_ok=True)
                with (folder / QUESTIONS).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(question)) + "\n")
                self._open.add(question.place)
        return (
            f"{base.UNRECORDED} yet: answer {folder / QUESTIONS}, type `kit import answers FILE "
            f"{self.folder_name}`, and rerun"
        )


def import_answers(file: Path, place: str, *, served_by: str = "") -> tuple[int, int]:
    """Put answers on record; returns how many came, and how many questions are still open.

    file: one ImportedAnswer a line. served_by: who answered, where a line does not say it.
    Further answers to one question, in the order of their lines, are its second, third, ...
    """
    folder = find_folder(place)
    waiting = read_questions(folder)
    recorded = replay.read_roles(str(folder)) if (folder / replay.SAMPLES).is_file() else []
    taken = {(sample.model, sample.task, sample.index): sample.arm for sample in recorded}
    samples = []
    for number, line in enumerate(read_text(file).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{file}, line {number}"
        try:
            answer = form.validate_data(ANSWER, json.loads(line), where)
        except ValueError:
            raise KitError(f"{where} is not JSON. Give one object a line.") from None
        asked = _find_asked(answer, waiting, taken, where)
        taken[asked["model"], answer.key, asked["index"]] = asked["settings"]
        waiting.pop((asked["model"], answer.key, asked["index"]), None)
        samples.append(replay.answer_question(asked, _make_response(answer, served_by)))
    replay.add_answers(folder, samples)
    lines = [json.dumps(asdict(question)) + "\n" for question in waiting.values()]
    replace_whole(folder / QUESTIONS, "".join(lines))
    return len(samples), len(waiting)


def _find_asked(
    answer: ImportedAnswer,
    waiting: Mapping[tuple[str, str, int], OpenQuestion],
    taken: Mapping[tuple[str, str, int], Mapping[str, Any]],
    where: str,
) -> dict[str, Any]:
    """The question that an answer belongs to, as a cache has it; KitError if there is none."""
    places = _select_places(waiting, answer)
    known = [*places, *_select_places(taken, answer)]
    models = sorted({model for model, _, _ in known})
    if not models:
        raise KitError(
            f"{where}: no question has the key {answer.key!r:.80}. Use those of {QUESTIONS}."
        )
    if len(models) > 1:
        raise KitError(f"{where}: {', '.join(models)} were asked this. Say which with `model`.")
    index = answer.index
    if index is None:
        numbers = {place[2] for place in known}
        unused = min(set(range(len(numbers) + 1)) - numbers)
        index = min((place[2] for place in places), default=unused)
    place = (models[0], answer.key, index)
    if place in taken:
        raise KitError(f"{where}: this question has an answer number {index} on record already.")
    question = waiting.get(place) or waiting.get(known[0])
    settings = question.settings if question else taken[known[0]]
    return {"question": answer.key, "model": models[0], "index": index, "settings": settings}


def _select_places(
    places: Iterable[tuple[str, str, int]], answer: ImportedAnswer
) -> list[tuple[str, str, int]]:
    """Those of the question that an answer names, and of its model if it names one."""
    return [place for place in places if place[1] == answer.key and answer.model in ("", place[0])]


def _make_response(answer: ImportedAnswer, served_by: str) -> base.Response:
    text = answer.answer
    if not isinstance(text, str):
        text = json.dumps(text, ensure_ascii=False)
    facts = base.response_from(answer.model_dump() | {"text": text})
    return replace(
        facts,
        served_model=facts.served_model or served_by,
        created=facts.created or base.current_time(),
    )
