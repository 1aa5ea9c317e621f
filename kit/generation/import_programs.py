"""Reads existing programs for `kit evaluate`: a folder of files, or a samples.jsonl."""

import json
import re
import stat
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from kit import languages
from kit.errors import KitError
from kit.paths import read_text
from kit.records import Sample, Status, Task, content_key

PROGRAM_BYTES = 1_000_000
NOT_PROGRAMS = ("", ".md", ".txt", ".json", ".jsonl", ".csv", ".toml", ".yaml", ".yml")
SHOWN = 10  # odd files that a refusal lists


Placed = tuple[Sample, tuple[Path, int]]  # and its file, with its line there; 0: the whole file


def placed(
    source: str | Path,
    tasks: Iterable[Task],
    *,
    model: str = "",
    skip_bad: bool = False,
    language: str = "python",
    completes: bool = False,
) -> list[Placed]:
    """The programs of FOLDER/<task id>/<name>.<extension>, or of the lines of a .jsonl file.

    A file's name stands for the model unless `model` is given; then it is the column `program`.
    `<name>.<number>.<extension>` is a further sample of that name, a bare number one of FOLDER's
    own. The language follows from the extension. A file that cannot be a program is a sample with
    a status that says why. Raises KitError that lists every file which belongs to no task, has an
    unknown extension or is there twice; skip_bad leaves these out. completes: a line's "completion"
    goes on with its task's prompt.
    """
    source, by_id = Path(source), {t.id: t for t in tasks}
    if source.is_file():
        named = model or source.stem
        samples, mistakes = _lines(source, by_id, named, language, completes)
    elif source.is_dir():
        samples, mistakes = _files(source, by_id, model)
    else:
        raise KitError(f"No folder {source}; give one that holds <task id>/<name>.py files.")
    if mistakes and not skip_bad:
        more = f"\n  and {len(mistakes) - SHOWN} more" if len(mistakes) > SHOWN else ""
        raise KitError("\n  ".join([f"{len(mistakes)} files are not programs of this suite:",
                                    *mistakes[:SHOWN]]) + more
                       + f"\nTasks: {', '.join(sorted(by_id))}."
                       " Fix the files, or skip them with --skip-bad.")  # fmt: skip
    if not samples:
        raise KitError(f"No programs in {source}; it should hold <task id>/<name>.py files.")
    return samples


def _files(folder: Path, by_id: dict[str, Task], model: str) -> tuple[list[Placed], list[str]]:
    samples: dict[str, tuple[Sample, Path]] = {}
    mistakes: list[str] = []
    for path in sorted(folder.glob("*/*")):
        if path.name.startswith((".", "_")) or path.suffix in NOT_PROGRAMS:
            continue
        if path.parent.name not in by_id:
            mistakes.append(f"{path}: {path.parent.name} is not a task of the suite")
            continue
        try:
            sample = from_program(path, by_id[path.parent.name])
        except KitError as error:
            mistakes.append(str(error))
            continue
        if model:
            sample = replace(sample, model=model, arm={"program": path.name})
        key = content_key(sample.model, sample.task, sample.index, sample.language, sample.arm)
        if key in samples:
            mistakes.append(f"{path} and {samples[key][1]} are the same sample; rename one of them")
            continue
        samples[key] = (sample, path)
    return [(sample, (path, 0)) for sample, path in samples.values()], mistakes


def _lines(
    file: Path, by_id: dict[str, Task], model: str, language: str, completes: bool
) -> tuple[list[Placed], list[str]]:
    samples: list[Placed] = []
    mistakes: list[str] = []
    counts: Counter[str] = Counter()
    for number, line in enumerate(read_text(file).split("\n"), 1):
        if not line.strip():
            continue
        try:
            entry: Any = json.loads(line)
            task, code = str(entry["task_id"]), entry.get("solution", entry.get("completion"))
        except (ValueError, KeyError, TypeError, AttributeError):
            mistakes.append(f"{file}, line {number} is not an object with a task_id")
            continue
        if task not in by_id or not isinstance(code, str):
            lack = "no task of the suite" if task not in by_id else "without solution or completion"
            mistakes.append(f"{file}, line {number}: {task} is {lack}")
            continue
        if completes and "solution" not in entry:
            code = by_id[task].prompt + code
        index, counts[task] = counts[task], counts[task] + 1
        status = Status.COMPLETED if code.strip() else Status.EXTRACTION_ERROR
        named = languages.named(str(entry.get("language", language)))
        sample = Sample(task, str(entry.get("model", model)), index, named, status=status,
                        code=code, note="" if code.strip() else "It is empty.")  # fmt: skip
        samples.append((sample, (file, number)))
    return samples, mistakes


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
            return Status.EXTRACTION_ERROR, "", f"{path.name} is not a regular file; ignored."
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
