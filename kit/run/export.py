"""Writes a run for other tools: its table as Parquet, CSV or JSON lines, its tests as CI checks."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from textwrap import shorten
from typing import Any, BinaryIO

import pandas as pd

from kit.core.errors import KitError
from kit.core.paths import open_replacement
from kit.core.records import Outcome, Status, Task, Test
from kit.core.store import FRAME_TYPES, Store
from kit.generation import replay
from kit.scoring import measures

OF_SAMPLE = {
    "code": "str",
    "response": "str",
    "finish_reason": "str",
    "served_model": "str",
    "input_tokens": "Int64",
    "output_tokens": "Int64",
    "truncated": "boolean",
    "created": "str",
}
TYPES = {"sentence": "str", "note": "str", "evidence": "str", **OF_SAMPLE}
KINDS = (".parquet", ".csv", ".jsonl")
CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
# where a sentence names a line: a finding's, or a compiler's
LINE = re.compile(
    r"^.{1,99}? \((?:CWE-\d+)?\), line (\d+):"
    r"|The program does not compile(?: in line |: program\.\w+:)(\d+)"
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")
PASSED, FAILED, UNDECIDED, NOT_RUN = "passed", "failed", "undecided", "not run"
HIGH = 7.0
EXIT = {FAILED: 1, NOT_RUN: 3}  # 2 is a usage error


def read_details(store: Store) -> pd.DataFrame:
    """The tidy table, and per row the verdict's sentence, the note and the key of its evidence.

    `code`, `response`, tokens and finish reason are the sample's, repeated on each of its rows; so
    is what the policy makes of it (`measures.applied`), which gives the printed rates again.
    """
    return pd.concat(iterate_details(store), ignore_index=True)


def iterate_details(store: Store) -> Iterator[pd.DataFrame]:
    """`read_details` in parts of whole samples, with equal columns and types."""
    for rows in store.frames():
        behind = pd.DataFrame(_collect_details(store, rows), index=rows.index, columns=list(TYPES))
        yield rows.join(measures.apply_policy(rows)).join(behind.astype(TYPES))


def _collect_details(store: Store, rows: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Of each row: sentence, note, key of the evidence, and the columns of its sample."""
    cells: list[tuple[Any, ...]] = []
    for slot, tests in rows.groupby("slot", sort=False)["test"]:
        sample = store.sample(str(slot))
        explanations = store.explain_tests(str(slot))
        of_sample = [getattr(sample, name, None) for name in OF_SAMPLE]
        for test in tests:
            key, note, sentence = explanations.get(test, ("", "", ""))
            if sample and not note:
                note = sample.note
            cells.append((sentence, note, key, *of_sample))
    return cells


def escape_controls(text: str) -> str:
    """The text with control, direction and surrogate characters escaped; adds no line break."""
    return CONTROL.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def _write_parquet(file: BinaryIO, tables: Iterator[pd.DataFrame], arms: pd.DataFrame) -> None:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    first = next(tables)
    types = pa.Schema.from_pandas(first, preserve_index=False)
    settings = arms.drop(columns=[*FRAME_TYPES], errors="ignore")
    for field in pa.Schema.from_pandas(settings, preserve_index=False):  # over all parts
        types = types.set(types.get_field_index(field.name), field)
    with ParquetWriter(file, types) as writer:
        for rows in chain([first], tables):
            writer.write_table(pa.Table.from_pandas(rows, types, preserve_index=False))


def _escape_formula(value: Any) -> Any:
    """A cell that a spreadsheet cannot interpret as a formula."""
    if not isinstance(value, str):
        return value
    text = escape_controls(value)
    return f"'{text}" if text.startswith(FORMULA) else text


class CountedParts:
    """The parts of `iterate_details`, and how many rows they had so far."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.rows = 0

    def __iter__(self) -> Iterator[pd.DataFrame]:
        for rows in iterate_details(self.store):
            self.rows += len(rows)
            yield rows


def write_rows(run: str | Path, target: Path) -> int:
    """Write `read_details` atomically as .parquet, .csv or .jsonl; returns the number of rows."""
    if target.suffix not in KINDS:
        raise KitError(f"Cannot write '{target.name}'. Use one of: {', '.join(KINDS)}.")
    with Store(run, write=False) as store:
        if not target.parent.is_dir():
            raise KitError(f"No folder {target.parent}. Create it first, or name another target.")
        parts = CountedParts(store)
        with open_replacement(target) as file:
            if target.suffix == ".parquet":
                _write_parquet(file, iter(parts), store.arms())
                return parts.rows
            for rows in parts:
                if target.suffix == ".csv":
                    rows.map(_escape_formula).to_csv(file, index=False, header=not file.tell())
                else:
                    rows.to_json(file, orient="records", lines=True)
        return parts.rows


def write_answers(run: str | Path, folder: Path) -> int:
    """Write all answers of models in a run, whoever asked for them, as a recording.

    Returns their number. The questions of tasks are known where this run asked for the answers.
    """
    with Store(run, write=False) as store:
        of_tasks = list(store.samples())
        of_roles, questions = replay.cached_answers(store.response_cache())
        settings = store.meta().get("settings", {})
    answers = [*of_tasks, *of_roles]
    replay.write_recording(folder, answers, settings=settings, questions=questions)
    return len(answers)


@dataclass(frozen=True)
class Check:
    """One test of one program, as CI systems show it.

    state: passed, failed, undecided (also for a missing library, or a program that cannot be
    called), or not run: an infrastructure failure. program: its name, unique within its task.
    title: what the test does. file: its file, relative to the current folder if that contains it.
    line: of a program in a file of many, of a syntax error, or of the finding that decided; 0 for
    none. key: equal for the same test of the same file in every run, wherever the folder is.
    broken: no test of the program passed, and all have the same reason. severity: 0 to 10, of a
    finding whose rule was measured; 0 for none.
    """

    suite: str
    task: str
    program: str
    test: str
    kind: str
    cwe: str
    state: str
    sentence: str
    file: str
    line: int
    seconds: float
    key: tuple[str, ...]
    title: str = ""
    broken: bool = False
    severity: float = 0.0

    @property
    def is_grave(self) -> bool:
        """Whether a failure is an error and not a warning; a code host calls 7 and more high."""
        return not self.severity or self.severity >= HIGH


def collect_checks(
    store: Store, places: Mapping[str, tuple[Path, int]], folder: Path, tasks: Iterable[Task] = ()
) -> list[Check]:
    """Every test of every program of a run.

    places: slot -> file and line; folder: of the files; tasks: give the checks their titles.
    """
    home = folder if folder.is_dir() else folder.parent
    titles: dict[tuple[str, str], str] = {}
    for task in tasks:
        for test in task.tests:
            titles[task.id, test.id] = _describe_test(test)
    checks: list[Check] = []
    for slot, rows in store.frame().groupby("slot", sort=False):
        path, line = places[str(slot)]
        of_program = []
        for row in rows.itertuples():
            check = _build_check(store, row, path, line)
            key = (check.suite, path.relative_to(home).as_posix(), str(line or ""), check.test)
            title = titles.get((check.task, check.test), "")
            of_program.append(replace(check, key=key, title=title))
        states = {check.state for check in of_program}
        reasons = {check.sentence for check in of_program}
        broken = len(of_program) > len(reasons) == 1 and PASSED not in states
        checks += [replace(check, broken=broken) for check in of_program]
    return checks


def _build_check(store: Store, row: Any, path: Path, line: int) -> Check:
    """The check of one row of the tidy table, without key and title."""
    evidence, verdict = store.cell(row.slot, row.test)
    sample = store.sample(row.slot)
    sentence = verdict.sentence if verdict else ""
    if evidence:
        sentence = sentence or evidence.note
    if sample:
        sentence = sentence or sample.note
    sentence = escape_controls(sentence or f"It {row.status}.")
    rule = measures.POLICY[Status(row.status), Outcome(row.outcome)]
    state = NOT_RUN
    if rule.counted:
        state = {True: PASSED, False: FAILED, None: UNDECIDED}[rule.value]
    program = f"{row.model}.{row.sample}"
    if not line:
        program = path.name
        if match := LINE.search(sentence):
            line = int(match[1] or match[2])
    return Check(
        row.suite,
        row.task,
        program,
        row.test,
        row.kind,
        row.cwe or "",
        state,
        sentence,
        file_uri(path),
        line,
        float(evidence.wall_s) if evidence else 0.0,
        (),
    )


def _describe_test(test: Test) -> str:
    """What the test does, in a line of at most 80 characters: its description, or its input."""
    text = test.behavior or test.input_file
    if not text and test.input is not None:
        text = json.dumps(test.input, ensure_ascii=False)
    return escape_controls(shorten(text, 80, placeholder="..."))


def file_uri(path: Path) -> str:
    """The URI of a file: relative if it is below the current folder, else file://."""
    absolute = path.resolve()
    here = Path.cwd()
    if absolute.is_relative_to(here):
        return absolute.relative_to(here).as_posix()
    return absolute.as_uri()


def exit_code(checks: Iterable[Check]) -> int:
    """1 if a test failed; else 3 if the machine could not run one; else 0."""
    states = {check.state for check in checks}
    for state, code in EXIT.items():
        if state in states:
            return code
    return 0


def summarize_checks(checks: Sequence[Check]) -> str:
    """One line with the number of tests in each state."""
    states = Counter(check.state for check in checks)
    every = (PASSED, FAILED, UNDECIDED, NOT_RUN)
    return f"{len(checks)} tests: " + ", ".join(f"{states[state]} {state}" for state in every)
