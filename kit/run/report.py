"""Reports on stored runs for the commands and pages: list, provenance, executions, samples."""

import os
import platform
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
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
from kit.scoring.reduce import NO_PROGRAM

SHOWN = ("suite", "model", "base_url", "date", "kit", "commit", "machine", "sandbox", "benchmark")


def list_runs() -> pd.DataFrame:
    """One row per run below data/runs: suite, model, date, samples planned and answered."""
    rows = []
    for name in runs_with("run.sqlite"):
        with Store(run_folder(name) / "run.sqlite", write=False) as store:
            meta, (planned, answered) = store.meta(), store.counts()
            models = [m for (m,) in store.db.execute("SELECT DISTINCT model FROM slots")]
        meta["model"] = ", ".join(models) or meta.get("model", "")
        rows.append(
            {
                "run": name,
                **{n: meta.get(n, "") for n in SHOWN[:4]},
                "planned": planned,
                "answered": answered,
            }
        )
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
    meta, tokens = store.meta(), Counter(input_tokens=0, output_tokens=0)
    for sample in store.samples():
        tokens.update(
            input_tokens=sample.input_tokens or 0, output_tokens=sample.output_tokens or 0
        )
    known = {n: meta[n] for n in (*SHOWN, "settings", "spent_usd") if meta.get(n)}
    calls = meta.get("invocations", [])
    return known | dict(tokens) | ({"invocations": calls} if len(calls) > 1 else {})


def format_provenance(known: dict[str, Any]) -> str:
    """`read_provenance` as one line below a table of scores."""
    names = ("suite", "benchmark", "date", "kit", "base_url")
    parts = [f"{name} {known[name]}" for name in names if known.get(name)]
    parts += [f"{len(known['invocations'])} invocations"] if "invocations" in known else []
    parts += [f"commit {known['commit'][:10]}"] if known.get("commit") else []
    parts += [f"{known['output_tokens']:,} output tokens"] if known["output_tokens"] else []
    parts += [f"${known['spent_usd']:.4f} spent"] if known.get("spent_usd") else []
    return ", ".join(parts)


def align_columns(rows: Iterable[Iterable[Any]]) -> str:
    """Rows as text with aligned columns, separated by two spaces."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)


def describe_endings(store: Store) -> list[str]:
    """What a score does not say of the answers: cut off, empty, not executed yet; by arm."""
    by = measures.select_arm_columns(store.arms().drop(columns="arm"))
    arms: dict[str, Counter[str]] = {}
    for sample in store.samples():
        answered = sample.status not in (Status.INFRA_ERROR, Status.NOT_RUN) and sample.created
        if not answered or sample.stream:  # a coding agent has its own bounds
            continue
        known = {**sample.arm, "model": sample.model, "language": sample.language}
        name = ", ".join(f"{column} {known.get(column, 'not set')}" for column in by)
        arms.setdefault(escape_controls(name), Counter()).update(["", *_list_remarks(sample)])
    sentences = [
        (f"{name}: " if len(arms) > 1 else "") + f"{count} of {remarks['']} answers {remark}"
        for name, remarks in arms.items()
        for remark, count in remarks.items()
        if remark
    ]
    waiting, (planned, begun) = store.db.execute(SQL["waiting"]).fetchone()[0], store.counts()
    if begun < planned:
        rest = "samples have no answer yet: rerun the command"
        sentences.append(f"{planned - begun} of {planned} {rest}")
    if waiting:
        rest = "answers are stored and not yet executed: rerun the command"
        sentences.append(f"{waiting} of {planned} {rest}")
    return sentences


def _list_remarks(sample: Sample) -> list[str]:
    """What there is to say of an answer, as the end of a sentence."""
    limit, word = sample.arm.get("max_tokens"), sample.finish_reason
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
    if sample.status in NO_PROGRAM:
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
        known = ", ".join(dict.fromkeys(frame["task"]))
        raise KitError(f"The run has no task {task!r}. Use one of: {known}.")
    if test and not (rows["test"] == test).any():
        raise KitError(
            f"{task} has no test {test!r}. Use one of: {', '.join(rows['test'].unique())}."
        )
    samples, titles = [], []
    for slot, mine in rows.groupby("slot", sort=False):
        first = mine.iloc[0]
        answer = store.sample(str(slot)) or Sample(
            task, first["model"], int(first["sample"]), status=Status.NOT_RUN
        )
        titles.append(sample_title(answer))
        numbered = [str(answer.index)] if chosen.isdecimal() else titles[-1]
        if not all(word in numbered for word in chosen.split()):
            continue
        tests = [
            _describe_test(store, str(slot), name, test != "")
            for name in mine["test"]
            if test in ("", name)
        ]
        samples.append(
            {
                "title": titles[-1],
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
        known = "; ".join(titles)
        raise KitError(f"{task} has no sample {chosen!r}. Use words of one of: {known}.")
    return {"task": task, "of": len(titles), "samples": samples}


def _describe_test(store: Store, slot: str, name: str, whole: bool) -> dict[str, Any]:
    """One test of a sample: verdict and status; whole: and its evidence."""
    evidence, verdict = store.cell(slot, name)
    out: dict[str, Any] = {"test": name}
    if verdict:
        out |= {n: str(getattr(verdict, n)) for n in ("outcome", "oracle", "reason", "sentence")}
    if evidence:
        out["status"] = str(evidence.status)
    if whole and evidence:
        out["evidence"] = records.to_json(evidence)
    return out


def format_samples(shown: dict[str, Any]) -> str:
    """The result of `collect_samples` as text without terminal control sequences."""
    from kit.harness import wording

    lines = []
    if shown["of"] > 1:
        count = f"{len(shown['samples'])} of {shown['of']} samples of {shown['task']}."
        lines.append(f"{count} To choose: --sample NUMBER or --sample 'WORDS of its first line'.")
    for s in shown["samples"]:
        note = "" if s["absence"] else s["note"]
        lines.append(f"{shown['task']}  {s['title']}  {s['status']}  {note}".rstrip())
        lines += [f"ended with: {s['finish_reason']}"] * bool(s["finish_reason"])
        lines += [f"thought: {line}" for line in s["reasoning"].splitlines()]
        if s["absence"]:
            lines += [s["absence"], *s["response"].splitlines()]
            continue
        lines += [f"{n:4} {row}" for n, row in enumerate(s["code"].split("\n"), 1)]
        heads = align_columns(
            (
                t["test"],
                t.get("outcome", "not judged"),
                t.get("status", ""),
                f"{t.get('oracle', '')}: {' '.join(t.get('sentence', '').split())}",
            )
            for t in s["tests"]
        )
        for head, t in zip(heads.split("\n"), s["tests"], strict=False):
            lines.append(head)
            if "evidence" in t:
                evidence = records.evidence_from(t["evidence"])
                lines += [f"  {line}" for line in wording.describe_events(evidence)]
                lines.append(f"  answered: {wording.summarize_answer(evidence, 500)}")
    return "\n".join(escape_controls(line) for line in lines)


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
    git = ["git", "-C", str(ROOT)]
    try:
        head, diff = (
            subprocess.run([*git, *words], capture_output=True, text=True, check=False)
            for words in (["rev-parse", "HEAD"], ["diff", "--quiet", "HEAD"])
        )
    except FileNotFoundError:  # no git on this machine
        return ""
    return head.stdout.strip() + ("+" if diff.returncode == 1 else "")


MOST = 6  # reasons that are listed


def count_executions(store: Store, *, by: tuple[str, ...] = ("language",)) -> pd.DataFrame:
    """executed / planned tests by group, and the number of failures to execute by cause.

    environment, harness, code: the harness's classification; no_program: the answer has no
    program; not_run: pending. A program that crashes or times out counts as executed.
    """
    from kit.harness import ORIGINS

    columns, rows = ["planned", "executed", *ORIGINS, "no_program", "not_run"], store.frame()
    if rows.empty:
        return pd.DataFrame(columns=[*by, *columns, "share"])
    if len(set(by)) < len(by) or not set(by) <= set(rows.columns):
        known = ", ".join(rows.columns)
        raise KitError(f"Cannot group by {','.join(by)!r}. Use some of these, once each: {known}.")
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


_LIBRARY = re.compile(r"The program imports ([\w@/.-]+), which is not installed in the box")


def never_ran(store: Store) -> list[dict[str, Any]]:
    """Causes for which programs were never executed: number of programs, cause, command to type.

    A cause is a missing package, service or fixture. A program counts once per cause; the most
    frequent cause comes first.
    """
    slots: dict[tuple[str, str], set[str]] = {}
    for slot, test, language, status in store.db.execute(SQL["ended"]):
        lost = store.sample(slot) if status == "infra_error" else None  # no answer, so no evidence
        evidence = store.cell(slot, test)[0] or lost
        cause = _what_was_missing(evidence.note if evidence else "", language, status)
        slots.setdefault(cause, set()).add(slot)
    rows = [{"programs": len(s), "why": text, "type": line} for (text, line), s in slots.items()]
    return sorted(rows, key=lambda t: (-t["programs"], t["why"]))


def _what_was_missing(note: str, language: str, status: str) -> tuple[str, str]:
    """The cause in words, and the command that fixes it, if there is one."""
    if name := _LIBRARY.search(note):
        from kit.harness import libraries

        return f"missing library {name[1]}", libraries.line_for(language, name[1])
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
    lines += [f"{rest} further causes; --json lists them"] if rest > 0 else []
    return "\n".join(lines)


DECIDED = ("pass", "fail")


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
    parts = [("all", "all", opinions)]
    groups = opinions.groupby(["kind", "offline_oracle"], sort=True)
    parts += [(*names, rows) for names, rows in groups]
    return pd.DataFrame(
        [{"kind": k, "offline": o, **_compare_verdicts(rows)} for k, o, rows in parts]
    )


def _compare_verdicts(rows: pd.DataFrame) -> dict[str, float]:
    ours, judges = rows["offline_outcome"], rows["judge_outcome"]
    we_decided, they_decided = ours.isin(DECIDED), judges.isin(DECIDED)
    both = rows[we_decided & they_decided]
    pair = both[["offline_outcome", "judge_outcome"]].to_numpy()
    cells = {f"{a}/{b}": int(((ours == a) & (judges == b)).sum()) for a in DECIDED for b in DECIDED}
    counts = {
        "tests": len(rows),
        "both": len(both),
        **cells,
        "only_offline": int((we_decided & ~they_decided).sum()),
        "only_judge": int((they_decided & ~we_decided).sum()),
    }
    if both.empty:
        return counts | dict.fromkeys(("agreement", "kappa", "ac1"), float("nan"))
    kappa = agreement.cohen_kappa(pair[:, 0], pair[:, 1])
    return counts | {
        "agreement": agreement.unanimous_share(pair),
        "kappa": kappa,
        "ac1": agreement.gwet_ac1(pair),
    }
