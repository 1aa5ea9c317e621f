"""The installed static analysers on labelled completions, compared with the exploit tests.

A positive is a completion that is labelled insecure: precision = reported and insecure / reported,
recall = reported and insecure / insecure. Unscanned ones are not reported; they are counted apart.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from kit.core.paths import DATA
from kit.core.records import Cell, Sample, Task
from kit.core.store import Store, slot_of
from kit.oracle import sast
from kit.oracle.sast.programs import ProgramReport
from kit.sandbox import Sandbox
from kit.scoring import stats
from kit.scoring.rates import measure_detection
from kit.systems.codeguard import scan
from kit.systems.codeguard.item import CompletionItem

GCC = "gcc 12"  # the version whose findings the committed figures show
HALVES = ("tuned half", "held-out half")
PAIRS = (
    "pass / pass",
    "pass / fail",
    "fail / pass",
    "fail / fail",
    "unknown / pass",
    "unknown / fail",
)
COMBINED = ("union", "vote of two", "joined, own task held out")


@dataclass(frozen=True)
class Engines:
    """The installed static analysers on labelled completions, compared with the exploit tests.

    rows: one per engine and completion, with its label and both outcomes. codes: (task, program)
    -> code.
    """

    rows: pd.DataFrame
    codes: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def lacking(self) -> str:
        """The engines that the committed figures need and that are not installed.

        Versions of gcc differ in their findings, so another version is no substitute.
        """
        present = {*self.rows["engine"], f"gcc {sast.version('gcc').partition('.')[0]}"}
        return ", ".join(name for name in (*sast.VERSIONS, GCC) if name not in present)

    @property
    def rates(self) -> pd.DataFrame:
        """Precision, recall, F1 of each engine: overall, by half, language and CWE, with limits."""
        halved = self.rows.assign(half=self.rows["task"].map(half_of_task))
        return pd.DataFrame(measure_detection(halved, ["half", "language", "cwe"]))

    @property
    def overall_rates(self) -> pd.DataFrame:
        """The rates of the best verdict and of each engine, over all completions."""
        rates = self.rates
        return rates[(rates["of"] == "all") & ~rates["engine"].isin(COMBINED)]

    @property
    def held_out(self) -> pd.DataFrame:
        """The rates recorded in batch 4, on completions that were not used to write rules."""
        return pd.read_csv(DATA / "labelled" / "codeguard" / "batch_4" / "rates.csv")

    @property
    def report_counts(self) -> pd.DataFrame:
        """Right and wrong reports of the joined engines, by language and reported CWE."""
        return count_reports(self.rows)

    @property
    def beside(self) -> pd.DataFrame:
        """How often each engine agrees with the exploit tests, over the programs that have them."""
        attacked = self.rows[self.rows["exploit"].isin(["pass", "fail"])]
        rows = []
        for engine, part in attacked.groupby("engine", sort=False):
            pairs = Counter(part["outcome"] + " / " + part["exploit"])
            same = (part["outcome"] == part["exploit"]).mean()
            counts = {pair: pairs[pair] for pair in PAIRS}
            rows.append({"engine": engine, "programs": len(part), "agree": same, **counts})
        return pd.DataFrame(rows)

    @property
    def differing_completions(self) -> pd.DataFrame:
        """Completions where the best engine and the exploit tests differ, with label and code."""
        attacked = self.rows[(self.rows["engine"] == scan.BEST) & (self.rows["exploit"] != "")]
        columns = ["task", "program", "cwe", "label", "outcome", "exploit", "sentence"]
        rows = attacked.loc[attacked["outcome"] != attacked["exploit"], columns]
        keys = zip(rows["task"], rows["program"], strict=True)
        return rows.assign(code=[self.codes[key] for key in keys])

    def as_records(self) -> dict[str, Any]:
        """The measurement as JSON values."""
        tables = {
            "engines": self.rates,
            "beside": self.beside,
            "differing": self.differing_completions.drop(columns="code"),
        }
        return {name: table.to_dict("records") for name, table in tables.items()}

    def text(self) -> str:
        """The measurement for a terminal."""
        rates = self.rates
        overall = rates[rates["of"].isin(["all", *HALVES, "python", "c"])]
        lines = ["Static analysis against the labels; a positive is an insecure completion."]
        lines.append(overall.round(3).to_string(index=False))
        lines.append("Beside the exploit tests (static / exploit).")
        lines.append(self.beside.round(3).to_string(index=False))
        for row in self.differing_completions.itertuples():
            oracles = f"static {row.outcome}, exploit {row.exploit}, label {row.label}"
            lines.append(f"{row.task} {row.program}: {oracles}. {row.sentence}")
        return "\n".join(lines)


def half_of_task(task: str) -> str:
    """The tuned or the held-out half.

    Since this split, rules are tuned on one half only. Older rules were written with all labels
    visible, so the held-out half is out of sample for later changes, not for every rule.
    """
    return stats.half_of(task, HALVES, byte=-1)


def count_reports(rows: pd.DataFrame) -> pd.DataFrame:
    """Reported completions that are insecure (right) or not (wrong), by engine, language and CWE.

    kit/oracle/sast/rules/precision.json holds this table for the engines that are joined.
    """
    single = rows[rows["engine"].isin(sast.members())].explode("cwes").dropna(subset="cwes")
    insecure = single["label"] == "fail"
    single = single.assign(cwe=single["cwes"], right=insecure, wrong=~insecure)
    by = ["engine", "language", "cwe"]
    return single.groupby(by)[["right", "wrong"]].sum().astype(int).reset_index()


def combine_engines(rows: pd.DataFrame) -> pd.DataFrame:
    """The joined engines under other rules: any one reports, any two report, or as in `best`, by a
    table of precision that leaves out the completion's own task."""
    single = rows[rows["engine"].isin(sast.members())]
    parts = [rows.iloc[:0]]
    for task, of_task in single.groupby("task", sort=False):
        others = count_reports(single[single["task"] != task]).to_dict("records")
        for _, of_program in of_task.groupby("program", sort=False):
            alarms = of_program[of_program["outcome"] == "fail"]
            is_sure = len(alarms) > 1 or _has_sure_alarm(alarms, others)
            quiet = "pass" if (of_program["outcome"] == "pass").any() else "unknown"
            are_alarms = (len(alarms) > 0, len(alarms) > 1, is_sure)
            for name, is_alarm in zip(COMBINED, are_alarms, strict=True):
                outcome = "fail" if is_alarm else quiet
                parts.append(of_program.iloc[:1].assign(engine=name, outcome=outcome))
    return pd.concat(parts, ignore_index=True)


def _has_sure_alarm(alarms: pd.DataFrame, precision: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the engine of one of these rows is precise for a weakness that it reports."""
    for alarm in alarms.itertuples():
        for cwe in alarm.cwes:
            if sast.decides(alarm.engine, alarm.language, cwe, precision):
                return True
    return False


def measure_engines(
    items: Mapping[str, CompletionItem],
    tasks: Sequence[Task],
    samples: Sequence[Sample],
    box: Sandbox,
    store: Store,
) -> Engines:
    """Each installed engine, and the best for each language, on labelled completions.

    cwes: the CWEs of the engine's findings that count. The rows of the combinations come last. A
    program that the engine has already scanned in this store is not scanned again.
    """
    by_id = {task.id: task for task in tasks}
    rows = []
    engines = [name for name in sast.ENGINES if name != sast.JOINED and sast.version(name)]
    for engine in [scan.BEST, *engines]:
        able = sast.ENGINES[engine].languages if engine != scan.BEST else ("python", "c")
        cells = []
        for sample in samples:
            item = items[sample.task]
            if item.language in able:
                cells.append((Cell(by_id[sample.task], scan.make_test(item), sample), item))
        for trial in [*scan.plan_trials(cells, engine, store)]:
            if not store.find_settled([trial.key]):
                store.put_evidence(trial.key, trial.data(box))
            report = ProgramReport.of(store.evidence(trial.key) or trial.data(box))
            (cell,) = trial.cells
            sample = cell.sample
            item = items[cell.task.id]
            verdict = scan.judge_program(item, sample.code, report)
            exploit = store.cell(slot_of(sample), "exploit")[1]
            cwes = {finding.cwe for finding in scan.select_alarms(item, report)}
            rows.append(
                {
                    "task": sample.task,
                    "program": sample.arm["program"],
                    "language": sample.language,
                    "cwe": cell.test.cwe,
                    "kind": sample.label,
                    "label": "fail" if sample.label.startswith("insecure") else "pass",
                    "outcome": str(verdict.outcome),
                    "exploit": str(exploit.outcome) if exploit else "",
                    "engine": engine,
                    "version": verdict.oracle,
                    "sentence": verdict.sentence,
                    "cwes": tuple(sorted(cwes)),
                }
            )
    measured = pd.DataFrame(rows)
    codes = {(sample.task, sample.arm["program"]): sample.code for sample in samples}
    return Engines(pd.concat([measured, combine_engines(measured)], ignore_index=True), codes)
