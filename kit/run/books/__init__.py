"""Runs notebooks with papermill: declared parameters only, new outputs, time limits, a ledger.

Executed copies are papermill_runs/<stem>-<stamp>-<hash>.ipynb and are never overwritten; each run
appends one line to papermill_runs/ledger.jsonl.
"""

import ast
import difflib
import fnmatch
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from kit.core import notes as left_notes
from kit.core.errors import KitError
from kit.core.languages import parse_expression, parse_python
from kit.core.paths import FIGURES, NOTEBOOKS, PAPERMILL_RUNS
from kit.core.records import content_key
from kit.run import report

WALL_S = 900.0
CELL_S = 600.0
WORKER = Path(__file__).with_name("worker.py")  # as a file: it needs nothing of this package
AGAIN = ("timeout", "died")  # tried once more: the machine may have been too busy
ENVIRONMENT = {  # two notebooks share two cores; a log would have a line per progress of a bar
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "TQDM_DISABLE": "1",
}
PLAIN = {"int": int, "float": float, "str": str, "bool": bool, "list": list, "dict": dict}
SHARES = (  # of these names strictly between 0 and 1
    "level power alpha recall specificity labelled sound slip".split()
)
FORMS = (
    "int, float, str, bool, list, dict, list[...], dict[...], Optional[...], Literal[...], A | B"
)
Job = dict[str, Any]  # one execution of a notebook, as `_prepare_job` describes it to the worker


@dataclass(frozen=True)
class Run:
    """An ended execution of a notebook. status: ok, failed, timeout or died; error: a sentence."""

    notebook: str
    parameters: Mapping[str, Any]
    output: Path
    seconds: float
    status: str
    error: str
    notes: tuple[Mapping[str, Any], ...]
    attempts: int = 1

    @property
    def ok(self) -> bool:
        return self.status == "ok"


def reproduce(
    patterns: Sequence[str] = ("*",),
    *,
    workers: int = 2,
    parameters: Mapping[str, Any] | None = None,
    folder: Path = NOTEBOOKS,
    out_dir: Path = PAPERMILL_RUNS,
    figures: Path = FIGURES,
) -> list[dict[str, Any]]:
    """Execute the matching notebooks of `folder`, longest first; one row per notebook, by name.

    A notebook gets those of `parameters` that it declares; KitError if no notebook declares one.
    matched, mismatched: the published values inside and outside their tolerance; findings: those
    outside it that are listed with a reason.
    """
    tasks = _assign_parameters(find_notebooks(patterns, folder), parameters or {})
    usual = _usual_seconds(out_dir)
    tasks.sort(key=lambda task: -usual.get(_notebook_name(task[0]), float("inf")))
    runs = execute(tasks, out_dir, workers=workers, figures=figures)
    runs.sort(key=lambda run: run.notebook)
    return list(map(_summarize_run, runs))


def find_notebooks(patterns: Sequence[str], folder: Path = NOTEBOOKS) -> list[Path]:
    """The notebooks whose path below `folder` matches a pattern, with or without the suffix."""
    paths = {}
    for path in sorted(folder.rglob("*.ipynb")):
        if ".ipynb_checkpoints" not in path.parts:
            paths[path.relative_to(folder).with_suffix("").as_posix()] = path
    matches: set[str] = set()
    for pattern in patterns:
        names = fnmatch.filter(paths, pattern.removesuffix(".ipynb"))
        if not names:
            raise KitError(f"No notebook matches '{pattern}'. There are: {', '.join(paths)}.")
        matches.update(names)
    return [path for name, path in paths.items() if name in matches]


def format_rows(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows of `reproduce` for a terminal."""
    lines = []
    complete = 0
    for row in rows:
        complete += bool(row["ok"])
        ending = "ok" if row["ok"] else "FAILED"
        new = f"{row['mismatched']} new" if row["mismatched"] else "no new one"
        lines.append(
            f"{ending:6} {row['seconds']:6.1f} s  {row['notebook']}: {row['matched']} published "
            f"values reproduced, {row['findings']} known differences, {new}"
        )
        figures = ", ".join(row["figures"])
        more = {"": row["error"], "executed copy: ": row["output"], "figures: ": figures}
        lines += [f"       {title}{value}" for title, value in more.items() if value]
    return "\n".join([*lines, f"{complete} of {len(rows)} notebooks ran to their end"])


def _assign_parameters(
    paths: list[Path], values: Mapping[str, Any]
) -> list[tuple[Path, dict[str, Any]]]:
    """Each notebook with those of the values that it declares."""
    declared = {path: read_parameters(path) for path in paths}
    names = set[str]().union(*declared.values())
    for name in values:
        if name not in names:
            listing = ", ".join(sorted(names))
            raise KitError(f"No notebook has a parameter '{name}'. They have: {listing}.")
    tasks = []
    for path, parameters in declared.items():
        its_values = {name: value for name, value in values.items() if name in parameters}
        tasks.append((path, check_parameters(path, its_values)))
    return tasks


def execute(
    tasks: Sequence[tuple[Path, dict[str, Any]]],
    out_dir: Path,
    *,
    workers: int,
    figures: Path,
    cell_s: float = CELL_S,
    wall_s: float = WALL_S,
) -> list[Run]:
    """Execute notebooks with checked parameters; an exception of a cell is in the Run.

    A notebook with its own parameters writes figures to `figures`, with others beside the executed
    copy. A notebook that timed out or died is tried once more.
    """
    out_dir.mkdir(parents=True, exist_ok=True)
    commit = report.current_commit()
    runs: list[Run] = []
    waiting = list(tasks)
    for attempt in (1, 2):
        jobs = [_prepare_job(*task, out_dir, cell_s, figures) for task in waiting]
        waiting = []
        with closing(_run_jobs(jobs, workers, wall_s)) as results:
            for job, result in results:
                run = _record_run(job, result, attempt, out_dir, commit)
                if run.status in AGAIN and attempt == 1:
                    waiting.append((Path(job["source"]), job["parameters"]))
                else:
                    runs.append(run)
    return runs


def _run_jobs(
    jobs: Sequence[Job], workers: int, wall_s: float
) -> Generator[tuple[Job, dict[str, Any]], None, None]:
    """Jobs with their results as they end; closing the generator, or Ctrl-C, kills the others."""
    running: set[subprocess.Popen[bytes]] = set()
    threads = ThreadPoolExecutor(workers)
    futures = {threads.submit(_in_process, job, wall_s, running): job for job in jobs}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        while not all(future.done() for future in futures):
            for process in tuple(running):
                _kill_process_tree(process)
            time.sleep(0.05)


def _in_process(job: Job, wall_s: float, running: set[subprocess.Popen[bytes]]) -> dict[str, Any]:
    """Run one notebook in its own process and session."""
    start = time.monotonic()
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(
            [sys.executable, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
            env={**os.environ, **ENVIRONMENT},
        ) as process,
    ):
        running.add(process)
        try:
            answer, _ = process.communicate(json.dumps(job).encode(), wall_s)
            if answer:
                result: dict[str, Any] = json.loads(answer)
                return result
            log.seek(0)
            last = log.read().decode(errors="replace").strip().rpartition("\n")[2]
            status = "died"
            error = f"The process that ran the notebook ended: {last}"
        except subprocess.TimeoutExpired:
            status = "timeout"
            error = f"The notebook took longer than {wall_s:g} s."
        finally:
            _kill_process_tree(process)
            running.discard(process)
    return {"status": status, "error": error, "seconds": time.monotonic() - start}


def _kill_process_tree(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and its descendants: a kernel has its own session."""
    tree: list[psutil.Process] = []
    with suppress(psutil.NoSuchProcess):
        top = psutil.Process(process.pid)
        tree = [top, *top.children(recursive=True)]
    for each in tree:  # from the top, so that none starts another
        with suppress(psutil.NoSuchProcess):
            each.kill()
    psutil.wait_procs(tree[1:], timeout=5)


def _prepare_job(
    path: Path, values: dict[str, Any], out_dir: Path, cell_s: float, figures: Path
) -> Job:
    """A job with a reserved output; stamp and hash (of source and parameters) name it.

    notes: the file for kit.core.notes. figures: the folder for plots.save.
    """
    parameters = read_parameters(path)
    source = path.resolve()
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    key = content_key(source.read_text(), values)[:8]
    output = out_dir.resolve() / f"{path.stem}-{stamp}-{key}.ipynb"
    output.touch(exist_ok=False)
    for name, value in values.items():
        if value != parameters[name].default:
            figures = output.with_suffix(".figures")
    return {
        "source": str(source),
        "output": str(output),
        "notes": f"{output}.notes.jsonl",
        "figures": str(figures.resolve()),
        "parameters": values,
        "cell_s": cell_s,
    }


def _record_run(job: Job, result: dict[str, Any], attempt: int, out_dir: Path, commit: str) -> Run:
    output = Path(job["output"])
    if not output.stat().st_size:  # ended before its first cell
        output.unlink()
    run = Run(
        notebook=_notebook_name(Path(job["source"])),
        parameters=job["parameters"],
        output=output,
        notes=tuple(left_notes.read_file(Path(job["notes"]))),
        attempts=attempt,
        **result,
    )
    ended = datetime.now(UTC).isoformat(timespec="seconds")
    line = _summarize_run(run) | {
        "parameters": run.parameters,
        "output": run.output.name,
        "commit": commit,
        "ended": ended,
    }
    with (out_dir / "ledger.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")
    return run


def _summarize_run(run: Run) -> dict[str, Any]:
    verdicts: Counter[str] = Counter()
    figures = set()
    for note in run.notes:
        if note["kind"] == "comparison":
            verdicts.update(note["verdicts"])
        if "folder" in note:
            figures.add(note["folder"])
    return {
        "notebook": run.notebook,
        "seconds": round(run.seconds, 2),
        "ok": run.ok,
        "status": run.status,
        "error": run.error,
        "matched": verdicts["match"],
        "findings": verdicts["finding"],
        "mismatched": verdicts.total() - verdicts["match"] - verdicts["finding"],
        "output": str(run.output) if run.output.exists() else "",
        "figures": sorted(figures),
    }


def _notebook_name(path: Path) -> str:
    """The path below the project's notebooks, or the whole path of any other notebook."""
    path = path.resolve()
    if path.is_relative_to(NOTEBOOKS):
        path = path.relative_to(NOTEBOOKS)
    return str(path)


def _usual_seconds(out_dir: Path) -> dict[str, float]:
    """Per notebook the median duration of its successful runs."""
    durations: dict[str, list[float]] = {}
    for line in left_notes.read_file(out_dir / "ledger.jsonl"):
        if line["status"] == "ok":
            durations.setdefault(line["notebook"], []).append(line["seconds"])
    return {name: statistics.median(seconds) for name, seconds in durations.items()}


@dataclass(frozen=True)
class Parameter:
    """`name: annotation = default` of the cell tagged parameters."""

    name: str
    annotation: str
    default: Any

    def __str__(self) -> str:
        return f"{self.name}: {self.annotation} = {self.default!r}"


def read_parameters(path: Path) -> dict[str, Parameter]:
    """The parameters of a notebook by name; empty if no cell is tagged parameters."""
    cells = _read_notebook(path)["cells"]
    tagged = [cell for cell in cells if "parameters" in cell.get("metadata", {}).get("tags", ())]
    if not tagged:
        return {}
    if len(tagged) > 1:
        raise KitError(f"{path} has {len(tagged)} cells tagged parameters. Keep one.")
    try:
        nodes = parse_python("".join(tagged[0]["source"])).body
    except SyntaxError as error:
        raise KitError(f"{path}, parameters cell, line {error.lineno}: {error.msg}.") from None
    parameters = [_parse_parameter(node, path) for node in nodes]
    return {parameter.name: parameter for parameter in parameters}


def check_parameters(path: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """`values`, unchanged; KitError for a name that the notebook does not declare or a value of
    another type. Nothing is converted: "false" is no bool, a tuple no list, 1.0 no int."""
    parameters = read_parameters(path)
    for name, value in values.items():
        if name not in parameters:
            close = difflib.get_close_matches(name, parameters, 1)
            guess = f" Did you mean {close[0]}?" if close else ""
            listing = "; ".join(map(str, parameters.values())) or "none"
            raise KitError(f"{path.name} has no parameter '{name}'.{guess} It has: {listing}.")
        annotation = parameters[name].annotation
        if not _has_type(value, parse_expression(annotation).body, path):
            raise KitError(
                f"{path.name}: {name} = {value!r} is {type(value).__name__}, not "
                f"{annotation}. Give a plain Python value of that type."
            )
        if name in SHARES and not 0 < value < 1:
            raise KitError(f"{path.name}: {name} = {value} is no share. Use one between 0 and 1.")
        if name == "n_boot" and value < 1:
            raise KitError(f"{path.name}: n_boot = {value} resamples nothing. Use 1 or more.")
        if name == "k" and min(value, default=1) < 1:
            raise KitError(f"{path.name}: k = {value} is no number of samples. Use numbers from 1.")
    return dict(values)


def _read_notebook(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise KitError(f"No notebook at {path}. Give the path of an .ipynb file.")
    try:
        notebook: dict[str, Any] = json.loads(path.read_text())
        return notebook
    except ValueError:
        raise KitError(f"{path} is no notebook: it is not JSON. Save it from Jupyter.") from None


def _parse_parameter(node: ast.stmt, path: Path) -> Parameter:
    target: Any = getattr(node, "target", None)
    if isinstance(node, ast.Assign):
        target = node.targets[0]
    value: Any = getattr(node, "value", None)
    try:
        default = ast.literal_eval(value)
        name = target.id
    except (AttributeError, TypeError, ValueError):
        raise KitError(
            f"{path}, parameters cell: `{ast.unparse(node)}` is no parameter. Write "
            "`name: type = literal  # help`; compute derived values in the next cell."
        ) from None
    annotation = "None" if default is None else type(default).__name__
    if isinstance(node, ast.AnnAssign):
        annotation = ast.unparse(node.annotation)
    return Parameter(name, annotation, default)


def _has_type(value: Any, annotation: ast.expr, path: Path) -> bool:
    match annotation:
        case ast.Name("float"):
            return type(value) in (int, float)
        case ast.Name(name) if name in PLAIN:
            return type(value) is PLAIN[name]
        case ast.Constant(None):
            return value is None
        case ast.BinOp(left, ast.BitOr(), right):
            return _has_type(value, left, path) or _has_type(value, right, path)
        case ast.Subscript(ast.Name("Optional"), inner):
            return value is None or _has_type(value, inner, path)
        case ast.Subscript(ast.Name("Literal"), inner):
            options = ast.literal_eval(inner)
            if not isinstance(options, tuple):
                options = (options,)
            return any(type(value) is type(option) and value == option for option in options)
        case ast.Subscript(ast.Name("list"), inner):
            return type(value) is list and all(_has_type(item, inner, path) for item in value)
        case ast.Subscript(ast.Name("dict"), ast.Tuple([key, inner])):
            pairs = value.items() if type(value) is dict else [(None, None)]
            return all(_has_type(k, key, path) and _has_type(v, inner, path) for k, v in pairs)
    raise KitError(f"{path}: cannot check the type `{ast.unparse(annotation)}`. Use: {FORMS}.")
