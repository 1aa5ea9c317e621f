"""A run of Java methods in the shapes of RealSec-bench's tables, and its alarms adjudicated.

Table 1 sets the scanner's alarms over labelled bodies beside what each later witness leaves of
them. Its cases are recorded from a validation, so that any panel can be put before them at once.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from kit import explore
from kit.core import store
from kit.core.errors import KitError
from kit.core.paths import DATA, read_json, run_folder, run_path
from kit.core.records import Reason
from kit.generation.base import ModelError
from kit.generation.replay import recorded_in
from kit.run.pool import run_in_pool
from kit.scoring import measures, stats
from kit.scoring.rates import RATES
from kit.scoring.reduce import NOT_SET, NOT_THE_MODELS
from kit.systems.realsec import measured, prompting, scan
from kit.systems.realsec.instance import EXPLOIT, FUNCTIONAL, ORIGINAL, SAST, read_folder
from kit.systems.realsec.scan import Panel, PanelCase, Ruling
from kit.systems.realsec.similarity import LIKENESS
from kit.systems.realsec.suite import REPOSITORIES, JavaRepoSuite

SHOWN = ("pass", "secure", "secure-pass")
ORIGIN = "origin"
CASES = "cases.jsonl"
SCANNED, DRAFTED = "scanned.csv", "drafts.csv"
VALIDATED = "realsec-validate"
PANEL = "replay:realsec-claude-panel#"  # who was asked about the alarms of VALIDATED


def gather_witness_verdicts(entries: Iterable[dict[str, Any]], panel: Panel) -> pd.DataFrame:
    """One row a body: label, and what each witness concludes of it (pass or fail).

    sast: the alarm. voters: the mean of the scores over each alarm. judge: the final score; both
    only with a panel. exploit: the test that attacks. A body without an alarm passes all but the
    last. Each alarm is put to the panel before a failure of a service is raised.
    """
    failures = []

    def rule_on(case: dict[str, Any]) -> Ruling:
        try:
            return panel.decide(PanelCase(**case))
        except ModelError as error:
            failures.append(error)
            return Ruling(None, str(error))

    def decide_entry(entry: dict[str, Any]) -> dict[str, Any]:
        rulings = [rule_on(case) for case in entry["cases"]]
        alarms = {"sast": bool(rulings), "exploit": entry["exploit"] != "pass"}
        if not panel.empty:
            alarms["voters"] = any(ruling.has_voter_majority for ruling in rulings)
            alarms["judge"] = any(ruling.stands for ruling in rulings)
        row = {name: entry[name] for name in ("task", "program", "kind", "cwe", "label")}
        for witness, is_alarmed in alarms.items():
            row[witness] = "fail" if is_alarmed else "pass"
        return row

    results = [*run_in_pool(decide_entry, list(entries), workers=4, title="adjudicate")]
    if failures:
        raise failures[0]
    return pd.DataFrame([row for _, row in results]).sort_values(["task", "program"])


def write_rate(value: float, low: float, high: float) -> str:
    """A rate as a table shows it: the value, or its bounds where too much is undecided."""
    if pd.notna(value):
        return f"{value:.1f}"
    return "too few samples" if pd.isna(low) else f"{low:.1f} to {high:.1f}"


@dataclass(frozen=True)
class InstanceSet:
    """The instances below a folder, as their files say; nothing is fetched or executed."""

    folder: Path

    def describe(self) -> pd.DataFrame:
        """One row an instance: what it asks, and what its labelled bodies show.

        hidden: its insecure bodies that pass every own test, the original among them. Nothing is
        fetched or executed.
        """
        rows = []
        for instance in read_folder(self.folder)[0]:
            data = instance.data
            labels = read_json(self.folder / "instances" / instance.id / "bodies" / "labels.json")
            labels = {name: entry for name, entry in labels.items() if "secure" in entry}
            insecure = [entry for entry in labels.values() if entry["secure"] == "fail"]
            rows.append(
                {
                    "instance": instance.id,
                    "project": data["repository"],
                    "method": f"{data['class'].rpartition('.')[2]}.{data['function_name']}",
                    "cwe": data["cwe"],
                    "hops": data["hops"],
                    "own tests": len(data["test_functions"]),
                    "exploits": len(data["exploit_functions"]),
                    "original": "secure" if labels[ORIGINAL]["secure"] == "pass" else "insecure",
                    "bodies": len(labels),
                    "insecure": len(insecure),
                    "hidden": sum(entry["functional"] == "pass" for entry in insecure),
                    "reader": data.get("reader", {}).get("verdict", ""),
                }
            )
        return pd.DataFrame(rows)

    def rate_scanner(self, n_boot: int = 2000) -> pd.DataFrame:
        """Precision, recall and F1 of the static analyser on the labelled bodies.

        From SCANNED, which a validation with --security both left: one row a body that compiles.
        """
        rows = pd.read_csv(self.folder / SCANNED).assign(reason="")
        rates = {"all": measured.detection_rates(rows, name="all", n_boot=n_boot)}
        for project, part in rows.groupby(rows["task"].str.rpartition("-")[0]):
            rates[str(project)] = measured.detection_rates(part, name=str(project), n_boot=n_boot)
        columns = ["n", "tp", "fp", "fn", "undecided", *RATES]
        table = pd.DataFrame(rates).T[columns].astype(dict.fromkeys(RATES, float))
        return table.rename_axis("project").reset_index()

    def compare_drafts(self) -> pd.DataFrame:
        """By project: methods that a draft proposed and checked, and which of them people took.

        From DRAFTED: one row a method and weakness, with the instance that was made of the method.
        """
        rows = pd.read_csv(self.folder / DRAFTED, keep_default_na=False)
        rows["is_proposed"] = rows["status"] != "not proposed"
        rows["is_checked"] = rows["status"] == "kept"
        rows["is_taken"] = rows["taken"] != ""
        rows["is_same"] = rows["is_taken"] & (rows["cwe"] == rows["taken_cwe"])
        methods = rows.groupby(["project", "method"])[
            [c for c in rows if c.startswith("is_")]
        ].any()
        taken = methods[methods["is_taken"]]
        by_project = {"level": "project"}
        return pd.DataFrame(
            {
                "proposed": methods["is_proposed"].groupby(**by_project).sum(),
                "stub check passed": methods["is_checked"].groupby(**by_project).sum(),
                "taken by people": taken["is_taken"].groupby(**by_project).sum(),
                "of these proposed": taken["is_proposed"].groupby(**by_project).sum(),
                "for the same weakness": taken["is_same"].groupby(**by_project).sum(),
            }
        ).reset_index()


class Methods:
    """A run of `kit run realsec`: tables 2, 5, 6 and 7 over its own instances.

    run: by name or folder, or the tidy table of a run. data: another folder of instances than the
    kit's own and real ones. frame:
    with the category and the hops of each instance, and in `arm` the name of what is compared: the
    prompt, and whatever else tells the answers for one instance apart.
    """

    shipped: ClassVar = {name: InstanceSet(folder) for name, folder in REPOSITORIES.items()}

    def __init__(self, run: str | pd.DataFrame, *, data: str = "") -> None:
        self._suite = JavaRepoSuite()
        for folder in [Path(data)] if data else REPOSITORIES.values():
            self._suite.load(folder)
        self._run = run if isinstance(run, str) else ""
        frame = _read_table(run) if isinstance(run, str) else run
        instances = self._suite.instances
        absent = {*frame["task"]} - {*instances}
        if absent:
            raise KitError(f"No instance {min(absent)} is at hand. Name its folder as data.")
        hops = {task: instance.hops for task, instance in instances.items()}
        category = {task: instance.data["category"] for task, instance in instances.items()}
        frame, columns = explore.find_arms(frame, "model", "prompt")
        varied = [column for column in columns if frame[column].nunique() > 1]
        compared = varied or columns[-1:]
        frame["arm"] = frame[compared].astype(str).agg(name_arm, axis=1)
        self.models = ["model"] if "model" in compared else []
        tasks = frame["task"]
        self.frame = frame.assign(hops=tasks.map(hops), category=tasks.map(category))

    def scores(self, by: str, *, k: Sequence[int] = (1,), n_boot: int = 2000) -> pd.DataFrame:
        """pass@k, secure@k and secure-pass@k in % by one column, with bootstrap intervals.

        Of several models each has rows of its own. shown: the value; the bounds, if too much is
        undecided.
        """
        if by == "arm":
            groups = [by]
            rng = stats.seed("prompt")
        else:
            groups = [*self.models, by]
            rng = stats.seed(by)
        rows = measures.measure(self.frame, by=groups, k=k, rng=rng, n_boot=n_boot)
        metrics: list[str] = []
        for count in k:
            metrics += [f"{name}@{count}" for name in SHOWN]
        rows = measures.convert_to_percent(rows[rows["metric"].isin(metrics)])
        rows["shown"] = list(map(write_rate, rows["value"], rows["bound_low"], rows["bound_high"]))
        numbers = ["value", "ci_low", "ci_high", "bound_low", "bound_high"]
        return rows[[*groups, "metric", *numbers, "shown", "unit", "tasks", "note"]]

    def list_retrieved(self, *retrievers: str) -> pd.DataFrame:
        """What each retriever shows of the first instance, as places in its repository."""
        first = self._suite.instance(self.frame["task"].iloc[0])
        places = {name: list(prompting.retrieve_methods(first, name)) for name in retrievers}
        return pd.Series(places, name=first.id).explode().to_frame()

    def compare_likenesses(self) -> pd.DataFrame:
        """By arm: how many answers are upstream's text or nearly so, and how often such are right.

        Of answers that have a method; rates in percent.
        """
        with store.Store(self._run, write=False) as opened:
            answers = measured.list_likenesses(opened)
            frame = opened.frame()
        outcomes = frame.pivot_table(
            index="slot", columns="test", values="outcome", aggfunc="first"
        )
        answers = answers.join(outcomes)
        answers["correct"] = 100 * (answers[FUNCTIONAL] == "pass")
        answers["both"] = answers["correct"].where(answers[EXPLOIT] == "pass", 0)
        bins = [-1, measured.NEAR - 1e-9, 1 - 1e-9, 1]
        names = ["other", "nearly upstream's", "upstream's"]
        answers["text"] = pd.cut(answers[LIKENESS], bins, labels=names)
        arms = [column for column in ("prompt", "names") if column in answers]
        groups = answers.fillna({"names": "own"}).groupby([*arms, "text"], observed=True)
        table = groups.agg(
            answers=("correct", "size"), correct=("correct", "mean"), both=("both", "mean")
        )
        return table.reset_index()

    def steps(self, *, n_boot: int = 2000) -> pd.DataFrame:
        """Every arm of a model against `origin` on the same instances, or against its first arm.

        See kit.scoring.measures.frame_steps. No rows for arms with fewer than two common instances.
        """
        parts = []
        ours = [str(status) for status in NOT_THE_MODELS]
        for _, part in self.frame.groupby("model", sort=False):
            answered = part[~part["status"].isin(ours)]
            tasks = answered.groupby("arm", sort=False)["task"].agg(set)
            if tasks.empty:
                continue
            origins = [arm for arm in tasks.index if ORIGIN in arm.split(", ")]
            origins.sort(key=len)  # the one with the fewest settings first
            first = origins[0] if origins else tasks.index[0]
            near = [arm for arm in tasks.index if len(tasks[arm] & tasks[first]) > 1]
            if len(near) > 1:
                both = part[part["arm"].isin(near)]
                parts.append(measures.frame_steps(both, level="arm", first=first, n_boot=n_boot))
        steps = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
        if len(parts) > 1:
            steps["p (Holm)"] = stats.apply_holm(steps["p"])
        return steps


def name_arm(settings: Iterable[str]) -> str:
    """The settings that an arm has, in order: "origin", or "origin, renamed"."""
    return ", ".join(setting for setting in settings if setting != NOT_SET)


def _read_table(run: str) -> pd.DataFrame:
    """The tidy table of a run, or the one beside a recording; KitError for another suite."""
    path = run_folder(run) / "tests.csv"
    if path.is_file() and not run_path(run).is_file():
        frame = pd.read_csv(path)
    else:
        frame = store.frame(run)
    others = {*frame["suite"]} - {JavaRepoSuite.name}
    if others:
        raise KitError(
            f"The run {run} is of {min(others)}, and this notebook reads one of realsec. Give a "
            "run that `kit run realsec` made."
        )
    return frame


@dataclass(frozen=True)
class Adjudicated:
    """Labelled Java methods, and what each witness concludes of them: pass or fail.

    rows: one a body that compiles. sast: an alarm; voters: the mean of their scores; judge: the
    final score; exploit: the test that attacks. judges: who they were.
    """

    rows: pd.DataFrame
    judges: Sequence[str]

    @property
    def witnesses(self) -> list[str]:
        """In their order; without models there are no voters and no judge."""
        every = ("sast", "voters", "judge", "exploit")
        return [witness for witness in every if witness in self.rows]

    def rates(self, *, alarms: bool = True, n_boot: int = 2000) -> pd.DataFrame:
        """Precision, recall and F1 of each witness, in percent with intervals.

        alarms: over the bodies with an alarm, as the paper does, so that the scanner's recall is
        100% by construction; False takes all bodies.
        """
        rows = self.rows.assign(reason="")
        if alarms:
            rows = rows[rows["sast"] == "fail"]
        table = []
        for witness in self.witnesses:
            rates = measured.detection_rates(rows, name=witness, outcome=witness, n_boot=n_boot)
            for metric in RATES:
                ends = rates[f"{metric}_interval"] or (None, None)
                percents = [None if v is None else 100 * v for v in (rates[metric], *ends)]
                table.append((witness, metric, *percents, rates["n"]))
        columns = ["witness", "metric", "value", "ci_low", "ci_high", "n"]
        return pd.DataFrame(table, columns=columns).assign(unit="%")

    @property
    def held_out(self) -> pd.DataFrame:
        """The rates recorded in batch 3, on repositories that no rule was written on."""
        return pd.read_csv(DATA / "labelled" / "realsec" / "batch_3" / "rates.csv")


def adjudicated(
    recorded: str, *, voters: str = "", final: str = "", data: str = "", record: str = ""
) -> Adjudicated:
    """A panel over the alarms of a validation, a run or its recorded cases; KitError without any.

    voters, final: SPEC[@URL] of models; without them those of the recorded panel where its cases
    are read, and no panel elsewhere. data: another folder of instances, as validated. record: a
    folder whose recording their answers are added to.
    """
    if recorded == VALIDATED and not (voters or final or data):
        voters = ",".join(f"{PANEL}voter-{number}" for number in (1, 2, 3))
        final = f"{PANEL}final"
    suite = JavaRepoSuite()
    tasks = suite.load(Path(data) if data else None).tasks
    labels = suite.references(tasks, suite.labels)[1]
    path = run_folder(recorded) / CASES
    today = labels[labels["test"] == EXPLOIT].set_index(["task", "program"])["label"]
    if path.exists():
        cases = list(map(json.loads, filter(None, path.read_text().split("\n"))))
    else:
        cases = _read_cases(recorded, suite)
    entries = []
    for case in cases:
        body = (case["task"], case["program"])
        if body in today.index:
            entries.append(case | {"label": today[body]})
    if not entries:
        raise KitError(
            f"The run {recorded} has no labelled bodies that were scanned and attacked. Make one "
            "with `kit validate realsec --security both --run NAME`; name a folder of your own "
            "instances as data."
        )
    with recorded_in(Path(record) if record else None) as cache:
        verdicts = gather_witness_verdicts(entries, Panel.of(voters, final, cache))
    return Adjudicated(verdicts, [*filter(None, (voters, final))])


def _read_cases(run: str, suite: JavaRepoSuite) -> list[dict[str, Any]]:
    """Each labelled body of a run that compiles: what scanner and attack say, and its alarms."""
    if not run_path(run).is_file():
        raise KitError(
            f"No run or recorded cases at {run}. Make a run with "
            f"`kit validate realsec --security both --run {run}`."
        )
    entries = []
    with store.Store(run, write=False) as opened:
        for sample in opened.samples():
            slot = store.slot_of(sample)
            instance = suite.instances.get(sample.task)
            scanned, alarm = opened.cell(slot, SAST)
            attack = opened.cell(slot, EXPLOIT)[1]
            if not (instance and scanned and alarm and attack and "program" in sample.arm):
                continue
            if alarm.reason == Reason.NO_PROGRAM:
                continue
            findings = scan.verdict_of_scan(SAST, instance, scanned)[1]
            cases = [scan.build_case(instance, sample.code, finding) for finding in findings]
            entries.append(
                {
                    "task": sample.task,
                    "program": sample.arm["program"],
                    "kind": sample.label,
                    "cwe": instance.data["cwe"],
                    "sast": alarm.outcome,
                    "exploit": attack.outcome,
                    "cases": list(map(asdict, cases)),
                }
            )
    return entries
