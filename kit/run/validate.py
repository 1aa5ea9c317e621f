"""Executes programs that exist already: reads them from files and compares verdicts with labels."""

import json
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import pandas as pd

from kit.core import languages, store
from kit.core.errors import KitError
from kit.core.paths import REFERENCES, path_to_read, path_to_write, read_files, read_json, read_text
from kit.core.records import Sample, Status, Task, content_key
from kit.core.store import Store, slot_of
from kit.generation.base import Response
from kit.harness.extract import sample_of
from kit.harness.fences import clean_answer, find_opening_fence, read_blocks
from kit.harness.languages import tree
from kit.run.pipeline import Stages
from kit.run.pool import Tally
from kit.run.suite import Loaded, Suite
from kit.run.suites import open_suite
from kit.sandbox import open_sandbox

RESULT = "validation.json"
PROGRAM_BYTES = 1_000_000
OTHER = "other"  # the language of a suite whose programs are in none of the kit's languages
NOT_PROGRAMS = ("", ".md", ".txt", ".json", ".jsonl", ".csv", ".toml", ".yaml", ".yml")
NUMBER = re.compile(r"[0-9]{1,6}")  # of a sample
# Such as a.1, and a-4.1.2; but not a-4.1: one dot between digits is that of a version.
SUFFIXED = re.compile(r"(?:.*(?:[^0-9]|[0-9]\.[0-9]+))?\.[0-9]{1,6}")
HIDDEN = re.compile(r"(?:^|/)(?:\.|__pycache__)")
STORED = re.compile(r"[0-9a-f]{30,}")  # the name of a file in a cache, by its contents
SHOWN = 10  # mistakes that a refusal lists

Placed = tuple[Sample, tuple[Path, int]]  # with its file, and its line there; 0: the whole file


@dataclass(frozen=True)
class ProgramText:
    """What a program's file contains, as columns of its sample."""

    status: Status
    code: str = ""
    note: str = ""


def read_programs(
    source: Path,
    tasks: Iterable[Task],
    *,
    model: str = "",
    skip_bad: bool = False,
    language: str = "python",
    completes: bool = False,
    read: Callable[[Sample, Response], Sample] = sample_of,
) -> list[Placed]:
    """The programs of FOLDER/<task id>/<model>.<extension>, or of the lines of a .jsonl file.

    A file whose name is a whole number is the sample of that number, and the folder around it is
    its model: FOLDER/<task id>/<model>/2.py, or FOLDER/<task id>/2.py for a model named FOLDER. If
    `model` is given, the file's path is the column `program`. The language follows from the
    extension; where that of the suite is OTHER, files may have any. A text that is no program but a
    chat answer is read by `read`. A file that cannot be a program is a sample whose status and note
    say so; ignored files are named on stderr. Raises KitError that lists every file which belongs
    to no task, cannot be read or is there twice; skip_bad leaves these out. completes: a line's
    "completion" continues the prompt of its task.
    """
    by_id = {t.id: t for t in tasks}
    if source.is_file():
        samples, mistakes = _read_lines(source, by_id, model or source.stem, language, completes)
    elif source.is_dir():
        samples, mistakes = _read_folder(source, by_id, model, language)
    else:
        raise KitError(f"No folder {source}; give one that holds <task id>/<name>.py files.")
    if mistakes and not skip_bad:
        raise KitError(
            f"{len(mistakes)} files are not programs of this suite:\n  "
            + _list_first(mistakes, "\n  ")
            + f"\nTasks: {', '.join(sorted(by_id))}."
            " Fix the files, or skip them with --skip-bad."
        )
    if not samples:
        raise KitError(f"No programs in {source}; it should hold <task id>/<name>.py files.")
    programs = []
    answers = 0
    for sample, place in samples:
        program = _read_chat(sample, read)
        answers += bool(program.response)
        programs.append((program, place))
    if answers:
        say = f"kit: {answers} of {len(programs)} programs were chat answers; their code was taken."
        click.echo(say, err=True)
    return programs


def _list_first(sentences: Sequence[str], between: str) -> str:
    """The first of these sentences, and the number of the others."""
    text = between.join(sentences[:SHOWN])
    rest = len(sentences) - SHOWN
    return f"{text}{between}and {rest} more" if rest > 0 else text


def _read_chat(sample: Sample, read: Callable[[Sample, Response], Sample]) -> Sample:
    """The sample, or what `read` makes of its text if that is an answer with fenced code."""
    code = sample.code
    language = sample.language
    first_line = code.strip().partition("\n")[0]
    if language == OTHER:
        return read(sample, Response(code)) if read_blocks(clean_answer(code), language) else sample
    if language == "python":
        is_whole = languages.try_parse_python(code) is not None
    else:
        is_whole = not find_opening_fence(first_line) and not tree.parse(code, language).has_error
    is_program = is_whole or languages.looks_like(first_line, language)
    is_answer = not is_program and read_blocks(clean_answer(code), language)
    return read(sample, Response(code)) if is_answer else sample


def _read_folder(
    folder: Path, by_id: dict[str, Task], model: str, language: str
) -> tuple[list[Placed], list[str]]:
    placed: dict[str, Placed] = {}
    mistakes: list[str] = []
    ignored: list[str] = []
    paths: list[Path] = []
    for depth in ("*", "*/*", "*/*/*"):
        paths += sorted(folder.glob(depth))
    visible = [path for path in paths if not HIDDEN.search(str(path.relative_to(folder)))]
    _refuse_two_meanings([path for path in visible if path.parent.name in by_id])
    for path in visible:
        task, *inner = path.relative_to(folder).parts
        if path.is_dir() and len(inner) < 2:
            continue  # its contents follow
        is_in_place = len(inner) == 1 or (len(inner) == 2 and NUMBER.fullmatch(path.stem))
        if not is_in_place or (path.suffix in NOT_PROGRAMS and language != OTHER):
            ignored.append("/".join((task, *inner)))
            continue
        if task not in by_id:
            mistakes.append(f"{path}: {task} is not a task of the suite")
            continue
        try:
            sample = read_program(path, folder, language=language)
        except KitError as error:
            mistakes.append(str(error))
            continue
        if model:
            sample = replace(sample, model=model, arm={"program": "/".join(inner)})
        key = slot_of(sample)
        if key in placed:
            twin = placed[key][1][0]
            mistakes.append(f"{path} and {twin} are the same sample; rename one of them")
            continue
        placed[key] = (sample, (path, 0))
    if ignored:
        click.echo(f"kit: ignored, no programs: {_list_first(ignored, ', ')}.", err=True)
    return list(placed.values()), mistakes


def _refuse_two_meanings(paths: Sequence[Path]) -> None:
    """Refuse names such as a.1.py: a sample's number, or a version, which follows a digit."""
    unclear = [p for p in paths if SUFFIXED.fullmatch(p.stem) and p.suffix not in NOT_PROGRAMS]
    if not unclear:
        return
    path = unclear[0]
    name, _, number = path.stem.rpartition(".")
    rest = len(unclear) - 1
    others = f", and {rest} more like it" if rest else ""
    raise KitError(
        f"{path} could be a sample or a model: rename it to "
        f"{path.parent / name / number}{path.suffix} for sample {number} of {name}, or to "
        f"{path.parent / path.stem / '0'}{path.suffix} for a model {path.stem}{others}."
    )


def _read_lines(
    file: Path, by_id: dict[str, Task], model: str, language: str, completes: bool
) -> tuple[list[Placed], list[str]]:
    samples: list[Placed] = []
    mistakes: list[str] = []
    counts: Counter[tuple[str, str]] = Counter()
    for number, line in enumerate(read_text(file).split("\n"), 1):
        if not line.strip():
            continue
        try:
            entry: Any = json.loads(line)
            task = str(entry["task_id"])
            code = entry.get("solution", entry.get("completion"))
        except (ValueError, KeyError, TypeError, AttributeError):
            mistakes.append(f"{file}, line {number} is not an object with a task_id")
            continue
        if task not in by_id:
            mistakes.append(f"{file}, line {number}: {task} is no task of the suite")
            continue
        if not isinstance(code, str):
            mistakes.append(f"{file}, line {number}: {task} is without solution or completion")
            continue
        if completes and "solution" not in entry and not read_blocks(clean_answer(code)):
            code = by_id[task].prompt + code
        name = str(entry.get("model", model))
        index = counts[task, name]
        counts[task, name] += 1
        its_language = str(entry.get("language", language))
        if its_language != OTHER:
            its_language = languages.resolve_alias(its_language)
        sample = Sample(task, name, index, its_language, status=Status.COMPLETED, code=code)
        if not code.strip():
            sample = replace(sample, status=Status.EXTRACTION_ERROR, note="It is empty.")
        samples.append((sample, (file, number)))
    return samples, mistakes


def read_program(path: Path, folder: Path, *, language: str = "") -> Sample:
    """The sample that a program's file below `folder` is, whatever its contents.

    language: of a suite whose programs are in none of the kit's, OTHER; else the extension says it.
    """
    if language != OTHER:
        language = languages.EXTENSIONS.get(path.suffix.lower(), "")
    if not language:
        extensions = ", ".join(sorted(languages.EXTENSIONS))
        raise KitError(f"{path} has an unknown extension. Use one of: {extensions}.")
    try:
        str(path.relative_to(folder)).encode()
    except UnicodeEncodeError:
        raise KitError(f"{ascii(str(path))} has a name that is not UTF-8; rename it.") from None
    task, *around = path.relative_to(folder).parts[:-1]
    model = path.stem
    index = 0
    if NUMBER.fullmatch(path.stem):
        model = around[0] if around else folder.resolve().name
        index = int(path.stem)
    return Sample(task, model, index, language, **vars(_read_text(path)))


def _read_text(path: Path) -> ProgramText:
    """The contents of a program's file; a link is followed to a program or stored text."""
    try:
        target = path.resolve(strict=True)
        facts = target.stat()
        if path.is_symlink() and target.suffix != path.suffix and not STORED.fullmatch(target.name):
            lack = f"which is no {path.suffix} file; put the program itself there"
            raise KitError(f"{path} is a link to {target}, {lack}")
        if not stat.S_ISREG(facts.st_mode):
            raise KitError(f"{path} is not a regular file; put a program there")
        if facts.st_size > PROGRAM_BYTES:
            size = f"{facts.st_size:,} bytes; at most {PROGRAM_BYTES:,} are read"
            return ProgramText(Status.EXTRACTION_ERROR, note=f"{path.name} has {size}.")
        code = target.read_bytes().decode("utf-8-sig")
    except (OSError, RuntimeError) as error:  # a RuntimeError: the link leads to itself
        if path.is_symlink():
            raise KitError(f"{path} is a link that leads nowhere; put the program there") from None
        return ProgramText(Status.INFRA_ERROR, note=f"{path.name} cannot be read: {error}.")
    except UnicodeDecodeError as error:
        sentence = f"{path.name} is not UTF-8 text (byte {error.start}); save it as UTF-8."
        return ProgramText(Status.EXTRACTION_ERROR, note=sentence)
    if not code.strip():
        return ProgramText(Status.EXTRACTION_ERROR, note=f"{path.name} is empty.")
    return ProgramText(Status.COMPLETED, code.replace("\r\n", "\n"))


def execute(
    run: str | Path,
    suite: Suite,
    tasks: Sequence[Task],
    samples: Sequence[Sample],
    *,
    tier: str = "bwrap",
    workers: int = 2,
    stages: Stages | None = None,
) -> tuple[Tally, pd.DataFrame]:
    """Execute and judge these programs, and no others, into the run; the tally, the tidy table."""
    with open_sandbox(tier, suite.limits) as box, Store(run) as file:
        if any(s.created for s in file.samples()):
            raise KitError(
                f"The run {run} has answers of a model and is not overwritten. "
                "Choose another name with --run NAME."
            )
        settings = vars(suite.settings) if suite.settings else {}
        file.begin(suite=suite.name, sandbox=box.identity, settings=settings, **suite.about())
        file.keep(samples)
        file.plan(tasks, samples)
        for sample in samples:
            file.put_sample(sample)
        tally = (stages or Stages()).execute_and_judge(
            file, suite, list(tasks), box, workers=workers
        )
        return tally, file.frame()


def join_labels(labels: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """The labels joined with the oracle's outcomes on the same tests."""
    outcomes = frame[["task", "program", "test", "status", "outcome", "oracle", "reason", "slot"]]
    return labels.merge(outcomes, on=["task", "program", "test"], how="left", validate="1:1")


def explain_differences(rows: pd.DataFrame, store: Store) -> pd.DataFrame:
    """The rows with the oracle's sentence where its outcome is not the label."""
    sentences = {}
    for row in rows[rows["outcome"] != rows["label"]].itertuples():
        verdict = store.cell(str(row.slot), str(row.test))[1]
        sentences[row.Index] = verdict.sentence if verdict else "It was not judged."
    return rows.assign(sentence=pd.Series(sentences, dtype=object))


def list_undecided_tests(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The labelled tests that the oracle left undecided: label, and the oracle's sentence."""
    undecided = rows[~rows["outcome"].isin(["pass", "fail"])]
    columns = ["task", "program", "test", "cwe", "label", "sentence"]
    return [dict(record) for record in undecided[columns].to_dict("records")]


def labelled(run: str | Path, suite: str = "dualgauge") -> pd.DataFrame:
    """The tests of a run of labelled programs: current label, outcome and language.

    Of a program that the run has twice, the later one counts.
    """
    frame = store.frame(run)
    if "program" not in frame or not (frame["model"] == "reference").all():
        raise KitError(
            f"The run {run} has no labelled programs. Make one with "
            f"`kit validate {suite} --run NAME`."
        )
    other_suites = {*frame["suite"]} - {suite}
    if other_suites:
        raise KitError(
            f"The run {run} is of {min(other_suites)}, and this needs labelled programs of "
            f"{suite}. Make a run with `kit validate {suite} --run NAME`."
        )
    frame = frame.drop_duplicates(["task", "program", "test"], keep="last")
    opened = open_suite(suite)
    ids = set(frame["task"])
    tasks = [t for t in opened.load().tasks if t.id in ids]
    _, labels = opened.references(tasks, REFERENCES)
    return join_labels(labels.merge(frame[["task", "program", "test", "language"]]), frame)


def build_tidy_frame(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of `labelled` as a tidy frame of one model, with each program as one sample."""
    names = ["task", "program", "test", "kind", "cwe", "status", "outcome", "language"]
    return rows[names].assign(suite="dualgauge", model="reference", sample=0)


def _read_results(folder: Path) -> dict[str, Any]:
    """Of the last validation of each task its key, and the verdicts that differed from labels."""
    path = path_to_read(folder / RESULT)
    return read_json(path) if path.exists() else {}


def task_key(suite: Suite, task: Task, folder: Path = REFERENCES) -> str:
    """The content key of a validation: task, labelled programs, harness and oracle.

    Tests whose oracle is measured are no part of it: whatever they say, the task is as validated.
    """
    programs = read_files(suite.programs(task, folder))
    tests = tuple(t for t in task.tests if t.id not in suite.measured_tests)
    return content_key(replace(task, tests=tests), programs, suite.version(task))[:16]


def write_result(
    suite: Suite, tasks: Sequence[Task], rows: pd.DataFrame, folder: Path = REFERENCES
) -> None:
    """Write for each task, under its key, which verdicts differ from the labels.

    Nothing is written if only tests whose oracle is measured were executed: no task rests on these.
    """
    if set(rows["test"]) <= suite.measured_tests:
        return
    path = path_to_write(folder / RESULT)
    results = _read_results(folder)
    for task in tasks:
        tests = rows[rows["task"] == task.id]
        if tests.empty:
            continue
        tests = tests[~tests["test"].isin(suite.measured_tests)]
        wrong = tests[tests["label"] != tests["outcome"]]
        differing = sorted(wrong["program"] + " " + wrong["test"])
        entry = {"key": task_key(suite, task, folder), "differing": differing}
        results[task.id + suite.decided] = entry
    path.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")


def list_refusals(suite: Suite, tasks: Sequence[Task], folder: Path = REFERENCES) -> list[str]:
    """One sentence per task without a current validation, or whose verdicts differ from labels."""
    results = _read_results(folder)
    lines = []
    for task in tasks:
        if not any(suite.programs(task, folder).rglob("labels.json")):
            continue
        name = task.id + suite.decided
        entry = results.get(name)
        if entry is None or entry["key"] != task_key(suite, task, folder):
            lines.append(f"{name}: not validated with this version of the task and the oracle.")
        elif entry["differing"]:
            differing = ", ".join(entry["differing"])
            lines.append(f"{task.id}: the oracle's verdicts differ from the labels of {differing}.")
    return lines


def keep_valid_tasks(suite: Suite, loaded: Loaded) -> Loaded:
    """The tasks whose references behave as labelled; the others are listed as problems."""
    results = _read_results(suite.labels)
    tasks = []
    problems = list(loaded.problems)
    new = 0
    for task in loaded.tasks:
        entry = results.get(task.id)
        if entry and entry["differing"]:
            programs = ", ".join(entry["differing"])
            problems.append(f"{task.id} is left out: its labelled programs misbehave ({programs}).")
            continue
        tasks.append(task)
        new += entry is None or entry["key"] != task_key(suite, task, suite.labels)
    if new:
        problems.append(f"{new} tasks have no current validation. Run `kit validate {suite.name}`.")
    return replace(loaded, tasks=tuple(tasks), problems=tuple(problems))
