"""Reports on stored runs for the commands and pages: list, provenance, executions, samples."""

import os
import platform
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import product
from typing import Any

import pandas as pd

from kit import __version__
from kit.core import records
from kit.core.errors import KitError
from kit.core.paths import ROOT, run_folder, runs_with
from kit.core.records import Evidence, Reason, Sample, Status
from kit.core.store import SQL, Store
from kit.generation.base import PERMANENT, classify_ending
from kit.run.export import escape_controls
from kit.run.suite import Suite
from kit.scoring import agreement, measures, stats

SHOWN = ("suite", "model", "base_url", "date", "kit", "commit", "machine", "sandbox", "benchmark")
MOST = 6  # reasons that are listed
LIBRARY = re.compile(r"The program imports ([\w@/.:-]+), which is not installed in the box")
DECIDED = ("pass", "fail")


def list_runs() -> pd.DataFrame:
    """One row per run below data/runs: suite, model, date, samples planned and answered."""
    rows = []
    for name in runs_with("run.sqlite"):
        with Store(run_folder(name) / "run.sqlite", write=False) as store:
            meta = store.meta()
            planned, answered = store.counts()
            models = [model for (model,) in store.db.execute("SELECT DISTINCT model FROM slots")]
        if any(models):
            meta["model"] = ", ".join(models)
        facts = [meta.get(fact, "") for fact in SHOWN[:4]]
        rows.append((name, *facts, planned, answered))
    return pd.DataFrame(rows, columns=["run", *SHOWN[:4], "planned", "answered"])


def score_run(
    store: Store,
    suite: Suite,
    *,
    by: Sequence[str] = (),
    k: Sequence[int] = (1,),
    n_boot: int = 5000,
) -> pd.DataFrame:
    """The measures of a run, with equal intervals in every command and page (by an equal seed).

    by: columns to group by; default: those that distinguish the run's arms.
    """
    columns = list(by) or measures.select_arm_columns(store.arms().drop(columns="arm"))
    rng = stats.seed(store.path.resolve().parent.name)
    return suite.scores(store, by=columns, k=k, rng=rng, n_boot=n_boot)


def read_provenance(store: Store) -> dict[str, Any]:
    """The provenance of a run: its meta and the number of tokens of its answers."""
    meta = store.meta()
    facts = {name: meta[name] for name in (*SHOWN, "settings", "spent_usd") if meta.get(name)}
    facts |= {"input_tokens": 0, "output_tokens": 0}
    for sample in store.samples():
        facts["input_tokens"] += sample.input_tokens or 0
        facts["output_tokens"] += sample.output_tokens or 0
    if len(meta.get("invocations", ())) > 1:
        facts["invocations"] = meta["invocations"]
    return facts


def format_provenance(facts: dict[str, Any]) -> str:
    """`read_provenance` as one line below a table of scores."""
    names = ("suite", "benchmark", "date", "kit", "base_url")
    parts = [f"{name} {facts[name]}" for name in names if facts.get(name)]
    if "invocations" in facts:
        parts.append(f"{len(facts['invocations'])} invocations")
    if facts.get("commit"):
        parts.append(f"commit {facts['commit'][:10]}")
    if facts["output_tokens"]:
        parts.append(f"{facts['output_tokens']:,} output tokens")
    if facts.get("spent_usd"):
        parts.append(f"${facts['spent_usd']:.4f} spent")
    return ", ".join(parts)


def align_columns(rows: Iterable[Iterable[Any]]) -> str:
    """Rows as text with aligned columns, separated by two spaces."""
    texts = [list(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in texts)


def describe_endings(store: Store) -> list[str]:
    """What a score does not say of the answers: cut off, empty, not executed yet; by arm.

    Then what was installed for their programs.
    """
    from kit.harness import installs

    by = measures.select_arm_columns(store.arms().drop(columns="arm"))
    arms: dict[str, Counter[str]] = {}
    for sample in store.samples():
        is_answered = sample.status not in (Status.INFRA_ERROR, Status.NOT_RUN) and sample.created
        if not is_answered or sample.stream:  # a coding agent has its own bounds
            continue
        values = {**sample.arm, "model": sample.model, "language": sample.language}
        name = ", ".join(f"{column} {values.get(column, 'not set')}" for column in by)
        # Every answer counts once under "", so that this is their number.
        arms.setdefault(escape_controls(name), Counter()).update(["", *_list_remarks(sample)])
    sentences = []
    for name, remarks in arms.items():
        answers = remarks.pop("")
        for remark, count in remarks.items():
            sentence = f"{count} of {answers} answers {remark}"
            sentences.append(f"{name}: {sentence}" if len(arms) > 1 else sentence)
    (waiting,) = store.db.execute(SQL["waiting"]).fetchone()
    planned, begun = store.counts()
    if begun < planned:
        rest = "samples have no answer yet: rerun the command"
        sentences.append(f"{planned - begun} of {planned} {rest}")
    if waiting:
        rest = "answers are stored and not yet executed: rerun the command"
        sentences.append(f"{waiting} of {planned} {rest}")
    return sentences + installs.describe_installed(store.meta().get("installed", {}))


def _list_remarks(sample: Sample) -> list[str]:
    """What there is to say of an answer, as the end of a sentence."""
    limit = sample.arm.get("max_tokens")
    word = sample.finish_reason
    remarks = []
    if sample.truncated:
        mend = f"{limit} tokens: raise --max-tokens" if limit else "a limit of the service"
        remarks.append(f"were cut off at {mend}")
    if sample.status is not Status.REFUSED and not sample.response.strip():
        remarks.append("were empty")
    if word and classify_ending(word) == "unknown":
        remarks.append(
            f"ended with {escape_controls(word)!r}, a word of the service with unknown meaning"
        )
    return remarks


def explain_absence(sample: Sample) -> str:
    """Why a sample has no program, and how it counts; "" if it has one."""
    note = (sample.note or sample.status.replace("_", " ")).rstrip(".")
    if sample.status == Status.COMPLETED:
        return ""
    if not sample.status.has_program:
        return f"No program: {note}. It counts as neither correct nor secure."
    return f"No answer: {note}. It counts in no rate; the bounds cover both ways."


def sample_title(sample: Sample) -> str:
    """A sample's program, or its model and number; its arm and language."""
    name = sample.arm.get("program") or f"{sample.model} #{sample.index}"
    arm = [f"{column} {value}" for column, value in sample.arm.items() if column != "program"]
    return " · ".join([str(name), *arm, sample.language])


def collect_samples(store: Store, task: str, test: str = "", chosen: str = "") -> dict[str, Any]:
    """The samples of a task in a run with their tests; with `test`, also its evidence.

    chosen: the number of a sample, or words of its title. Raises KitError if the run does not have
    the task, the test or the sample.
    """
    frame = store.frame()
    rows = frame[frame["task"] == task]
    if rows.empty:
        tasks = ", ".join(frame["task"].unique())
        raise KitError(f"The run has no task {task!r}. Use one of: {tasks}.")
    names = rows["test"].unique()
    if test and test not in names:
        raise KitError(f"{task} has no test {test!r}. Use one of: {', '.join(names)}.")
    samples = []
    titles = []
    for slot, cells in rows.groupby("slot", sort=False):
        first = cells.iloc[0]
        answer = store.sample(str(slot)) or Sample(
            task, first["model"], int(first["sample"]), status=Status.NOT_RUN
        )
        title = sample_title(answer)
        titles.append(title)
        is_chosen = all(word in title for word in chosen.split())
        if chosen.isdecimal():
            is_chosen = chosen == str(answer.index)
        if not is_chosen:
            continue
        tests = []
        for name in cells["test"]:
            if test in ("", name):
                tests.append(_describe_test(store, str(slot), name, whole=test != ""))
        samples.append(
            {
                "title": title,
                "model": answer.model,
                "sample": answer.index,
                "program": answer.arm.get("program", ""),
                "status": str(answer.status),
                "note": answer.note,
                "absence": explain_absence(answer),
                "code": answer.code,
                "response": answer.response,
                "finish_reason": answer.finish_reason,
                "reasoning": answer.reasoning,
                "tests": tests,
            }
        )
    if not samples:
        listing = "; ".join(titles)
        raise KitError(f"{task} has no sample {chosen!r}. Use words of one of: {listing}.")
    return {"task": task, "of": len(titles), "samples": samples}


def _describe_test(store: Store, slot: str, name: str, *, whole: bool) -> dict[str, Any]:
    """One test of a sample: verdict and status; whole: and its evidence."""
    evidence, verdict = store.cell(slot, name)
    description: dict[str, Any] = {"test": name}
    if verdict:
        for part in ("outcome", "oracle", "reason", "sentence"):
            description[part] = str(getattr(verdict, part))
    if evidence:
        description["status"] = str(evidence.status)
    if whole and evidence:
        description["evidence"] = records.to_json(evidence)
    return description


def format_samples(selection: dict[str, Any]) -> str:
    """The result of `collect_samples` as text without terminal control sequences."""
    task = selection["task"]
    lines = []
    if selection["of"] > 1:
        count = f"{len(selection['samples'])} of {selection['of']} samples of {task}."
        lines.append(f"{count} To choose: --sample NUMBER or --sample 'WORDS of its first line'.")
    for sample in selection["samples"]:
        note = "" if sample["absence"] else sample["note"]
        lines.append(f"{task}  {sample['title']}  {sample['status']}  {note}".rstrip())
        if sample["finish_reason"]:
            lines.append(f"ended with: {sample['finish_reason']}")
        lines += [f"thought: {line}" for line in sample["reasoning"].splitlines()]
        if sample["absence"]:
            lines += [sample["absence"], *sample["response"].splitlines()]
            continue
        lines += [f"{number:4} {row}" for number, row in enumerate(sample["code"].split("\n"), 1)]
        lines += _format_tests(sample["tests"])
    return "\n".join(map(escape_controls, lines))


def _format_tests(tests: Sequence[dict[str, Any]]) -> list[str]:
    """A line per test, and below it what its evidence shows if it is one of them."""
    from kit.harness import wording

    cells = []
    for test in tests:
        sentence = " ".join(test.get("sentence", "").split())
        source = ", ".join(filter(None, (test.get("oracle", ""), test.get("reason", ""))))
        outcome = test.get("outcome", "not judged")
        cells.append((test["test"], outcome, test.get("status", ""), f"{source}: {sentence}"))
    lines = []
    for head, test in zip(align_columns(cells).split("\n"), tests, strict=False):
        lines.append(head)
        if "evidence" in test:
            evidence = records.evidence_from(test["evidence"])
            lines += [f"  {line}" for line in wording.describe_events(evidence)]
            lines.append(f"  answered: {wording.summarize_answer(evidence, 500)}")
    return lines


def provenance_now() -> dict[str, Any]:
    """The provenance to store in a run's meta; `current_commit` is "" outside a repository."""
    system = (platform.system(), platform.release(), platform.machine())
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "kit": __version__,
        "commit": current_commit(),
        "python": platform.python_version(),
        "machine": f"{' '.join(system)}, {os.cpu_count()} processors",
    }


def current_commit() -> str:
    """The commit of the code, with "+" where files differ from it; empty outside a repository."""
    try:
        head = _run_git("rev-parse", "HEAD")
        difference = _run_git("diff", "--quiet", "HEAD")
    except FileNotFoundError:  # no git on this machine
        return ""
    commit = head.stdout.strip()
    return f"{commit}+" if difference.returncode == 1 else commit


def _run_git(*words: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def count_executions(store: Store, *, by: tuple[str, ...] = ("language",)) -> pd.DataFrame:
    """executed / planned tests by group, and the number of failures to execute by cause.

    environment, harness, code: the harness's classification; no_program: the answer has no
    program; not_run: pending. A program that crashes or times out counts as executed.
    """
    from kit.harness import ORIGINS

    columns = ["planned", "executed", *ORIGINS, "no_program", "not_run"]
    rows = store.frame()
    if rows.empty:
        return pd.DataFrame(columns=[*by, *columns, "share"])
    if len(set(by)) < len(by) or not set(by) <= set(rows.columns):
        names = ", ".join(rows.columns)
        raise KitError(f"Cannot group by {','.join(by)!r}. Use some of these, once each: {names}.")
    rows["ending"] = [_classify_execution(store, row) for row in rows.itertuples()]
    counts = rows.groupby([*by, "ending"]).size().unstack(fill_value=0)
    counts["planned"] = counts.sum(axis=1)
    counts = counts.reindex(columns=columns, fill_value=0)
    counts["share"] = counts["executed"] / counts["planned"]
    return counts.reset_index().rename_axis(None, axis=1)


def _classify_execution(store: Store, row: Any) -> str:
    """The column of `count_executions` that counts this row of the tidy table."""
    from kit.harness import find_failure_origin

    status = Status(row.status)
    if status in (Status.EXTRACTION_ERROR, Status.REFUSED):
        return "no_program"
    if row.reason == Reason.LACKING:
        return "code"
    if status is Status.NOT_RUN:
        return "not_run"
    evidence = Evidence(status)
    if status is Status.HARNESS_ERROR:
        evidence = store.cell(row.slot, row.test)[0] or evidence
    return find_failure_origin(evidence) or "executed"


def never_ran(store: Store) -> list[dict[str, Any]]:
    """Causes for which programs were never executed: number of programs, cause, command to type.

    A cause is a missing package, service or fixture. A program counts once per cause; the most
    frequent cause comes first.
    """
    slots: dict[tuple[str, str], set[str]] = {}
    for slot, test, language, status in store.db.execute(SQL["ended"]):
        record: Evidence | Sample | None = store.cell(slot, test)[0]
        if record is None and status == "infra_error":
            record = store.sample(slot)  # there was no answer, so there is no evidence
        cause = _find_cause(record.note if record else "", language, status)
        slots.setdefault(cause, set()).add(slot)
    rows = []
    for (reason, command), programs in slots.items():
        rows.append({"programs": len(programs), "why": reason, "type": command})
    return sorted(rows, key=lambda row: (-row["programs"], row["why"]))


def _find_cause(note: str, language: str, status: str) -> tuple[str, str]:
    """The cause in words, and the command that fixes it, if there is one."""
    if match := LIBRARY.search(note):
        from kit.harness import libraries

        return f"missing library {match[1]}", libraries.line_for(language, match[1])
    if status == "infra_error":
        mend = "" if PERMANENT in note else "rerun the command"
        return note or "infrastructure failure", mend
    return note or "no reason given", ""


def never_ran_text(rows: list[dict[str, Any]]) -> str:
    """`never_ran` as text below a table of scores; "" if every program was executed."""
    lines = []
    for cause in rows[:MOST]:
        mend = f" (to fix: {cause['type']})" if cause["type"] else ""
        lines.append(f"{cause['programs']} programs could not be executed: {cause['why']}{mend}")
    rest = len(rows) - MOST
    if rest > 0:
        lines.append(f"{rest} further causes; --json lists them")
    return "\n".join(lines)


def judged_rows(rows: pd.DataFrame, opinions: pd.DataFrame) -> pd.DataFrame:
    """The labelled rows (task, slot, test, label, ...) that the judge decided, with its outcome."""
    if opinions.empty:
        return rows.iloc[:0]
    verdicts = opinions[["slot", "test", "judge_outcome"]]
    return rows.drop(columns="outcome").merge(
        verdicts.rename(columns={"judge_outcome": "outcome"}), on=["slot", "test"], how="inner"
    )


def oracle_agreement(opinions: pd.DataFrame) -> pd.DataFrame:
    """Agreement of the offline oracle and the judge by kind: counts, raw agreement, kappa, AC1.

    opinions: from `Store.opinions`. Agreement is over tests that both decided; others are counted.
    """
    if opinions.empty:
        return pd.DataFrame()
    table = [{"kind": "all", "offline": "all", **_compare_verdicts(opinions)}]
    for (kind, oracle), rows in opinions.groupby(["kind", "offline_oracle"], sort=True):
        table.append({"kind": kind, "offline": oracle, **_compare_verdicts(rows)})
    return pd.DataFrame(table)


def _compare_verdicts(rows: pd.DataFrame) -> dict[str, Any]:
    offline = rows["offline_outcome"]
    judge = rows["judge_outcome"]
    offline_decided = offline.isin(DECIDED)
    judge_decided = judge.isin(DECIDED)
    both = rows[offline_decided & judge_decided]
    counts: dict[str, float] = {"tests": len(rows), "both": len(both)}
    for one, other in product(DECIDED, DECIDED):
        counts[f"{one}/{other}"] = int(((offline == one) & (judge == other)).sum())
    counts["only_offline"] = int((offline_decided & ~judge_decided).sum())
    counts["only_judge"] = int((judge_decided & ~offline_decided).sum())
    if both.empty:
        return counts | dict.fromkeys(("agreement", "kappa", "ac1"), float("nan"))
    pairs = both[["offline_outcome", "judge_outcome"]].to_numpy()
    return counts | {
        "agreement": agreement.unanimous_share(pairs),
        "kappa": agreement.cohen_kappa(pairs[:, 0], pairs[:, 1]),
        "ac1": agreement.gwet_ac1(pairs),
    }
