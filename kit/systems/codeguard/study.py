"""Compares SVEN-SR with correctness and security, prompt by prompt, in a run of codeguard."""

import html
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from kit.errors import KitError
from kit.generation.replay import SAMPLES, Replay
from kit.measures import reduce
from kit.metrics import at_k, stats
from kit.oracle import sast
from kit.paths import DATA, RUNS, existing, run_folder, run_path
from kit.records import Sample
from kit.run.job import Job
from kit.sandbox import open_sandbox
from kit.store import Store
from kit.suites import of_run, open_suite
from kit.systems.codeguard import answers, scan, scores
from kit.systems.codeguard.suite import CompletionSuite

LABELLED = "codeguard-labelled"  # the labelled completions, executed and scanned
GCC = "gcc 12"  # the version whose findings the committed figures show
RATES = ["SVEN-SR", "pass@1", "secure-pass@1"]


def run_of(source: str) -> str:
    """The source itself if it is a run; else the run of this recording, executed and judged once.

    Raises KitError if the recording belongs to another suite.
    """
    if run_path(source).exists():
        return source
    suite = open_suite(CompletionSuite.name)
    job = Job.of(suite, suite.load().tasks, f"replay:{source}")
    if other := {s.task for s in Replay(source).samples} - {t.id for t in job.tasks}:
        raise KitError(
            f"The recording {source} has {sorted(other)[0]}, which is not a task of codeguard. "
            "Use a recording of codeguard, such as codeguard-smollm2."
        )
    name = f"_codeguard-{Path(source).name}"
    known = (run_folder(source) / SAMPLES).is_file()
    folder = RUNS / name if known else Path(source) / "executed"
    job.go(str(folder))
    return str(folder)


def method_scores(
    runs: Sequence[str], methods: Sequence[str], *, tasks: Sequence[str] = (), n_boot: int
) -> pd.DataFrame:
    """Scores of decoding methods on the tasks that all of them have; one row per method and metric.

    More rows compare them without the method that has the fewest tasks. tasks: use only these; none
    means all. The column `tasks`: the number of tasks compared.
    """
    frames, known = [], []
    for run in runs:
        with Store(run, write=False) as store:
            frames.append(store.frame())
            known.append(scores.facts(store, suite_of(run, store).items))
    frame, facts = pd.concat(frames, ignore_index=True), pd.concat(known)
    frame = frame[frame["task"].isin(tasks)] if tasks else frame
    has = {m: {*frame.loc[frame["decoding"] == m, "task"]} for m in methods}
    rarest = min(methods, key=lambda m: len(has[m]))
    tables = []
    for panel in filter(None, ([*methods], [m for m in methods if m != rarest])):
        shared = set.intersection(*(has[m] for m in panel))
        part = frame[frame["decoding"].isin(panel) & frame["task"].isin(shared)]
        rng = stats.seed(",".join(panel))
        table = scores.scores(part, facts, by=["model", "decoding"], k=(1,), rng=rng, n_boot=n_boot)
        tables.append(table.assign(tasks=len(shared)))
    return pd.concat(tables, ignore_index=True).drop_duplicates(["tasks", "decoding", "metric"])


@dataclass(frozen=True)
class Engines:
    """The installed static analysers on labelled completions, compared with the exploit tests.

    rows: one per engine and completion, with its label and both outcomes. codes: (task, program)
    -> code.
    """

    rows: pd.DataFrame
    codes: Mapping[tuple[str, str], str]

    @property
    def lacking(self) -> str:
        """The engines that the committed figures need and that are not installed.

        Versions of gcc differ in their findings, so another version is no substitute.
        """
        here = {*self.rows["engine"], f"gcc {sast.version('gcc').partition('.')[0]}"}
        return ", ".join(n for n in (*sast.VERSIONS, GCC) if n not in here)

    @property
    def rates(self) -> pd.DataFrame:
        """Precision, recall, F1 of each engine, overall, by language and by CWE, with intervals."""
        return pd.DataFrame(scan.rates(self.rows))

    @property
    def alone(self) -> pd.DataFrame:
        """The rates of the best verdict and of each engine, over all completions."""
        rates = self.rates
        return rates[(rates["of"] == "all") & ~rates["engine"].isin(scan.COMBINED)]

    @property
    def held_out(self) -> pd.DataFrame:
        """The rates recorded in data/fourth, on completions that were not used to write rules."""
        return pd.read_csv(DATA / "fourth" / "codeguard" / "rates.csv")

    @property
    def precision(self) -> pd.DataFrame:
        """Right and wrong reports of the joined engines, by language and reported CWE."""
        return scan.precision(self.rows)

    @property
    def beside(self) -> pd.DataFrame:
        """How often each engine agrees with the exploit tests."""
        return pd.DataFrame(scan.beside(self.rows))

    @property
    def differing(self) -> pd.DataFrame:
        """Completions where the best engine and the exploit tests differ, with label and code."""
        rows = scan.differing(self.rows)
        keys = zip(rows["task"], rows["program"], strict=True)
        return rows.assign(code=[self.codes[key] for key in keys])


def engines(run: str, tasks: Sequence[str] = ()) -> Engines:
    """Results of every engine on a run of `kit validate codeguard`; KitError if there is no run.

    tasks: ids; none means all. Programs not yet scanned with the current engine version and rules
    are scanned now, and kept in the run; of the run that ships (`LABELLED`) only a copy is changed.
    """
    with TemporaryDirectory() as folder:
        file = existing(run)
        if run == LABELLED:
            file = shutil.copyfile(file, Path(folder, file.name))
        with Store(file) as store:
            opened = suite_of(run, store)
            chosen = opened.load().chosen(tasks)
            samples = [s for s in store.samples() if s.task in {t.id for t in chosen}]
            with open_sandbox("bwrap", opened.limits) as box:
                rows = scan.verdicts(opened.items, chosen, samples, box, store)
    return Engines(rows, {(s.task, s.arm["program"]): s.code for s in samples})


def marked(suite: CompletionSuite, sample: Sample) -> str:
    """A completion as HTML with its key phrases marked: green if required, red if forbidden."""
    wanted = answers.constraints(suite.items[sample.task])
    text = html.escape(sample.response)
    for phrases, colour in ((wanted.positive, "#bfe5bf"), (wanted.negative, "#f3b7b7")):
        for phrase in map(html.escape, phrases):
            text = text.replace(phrase, f"<mark style='background:{colour}'>{phrase}</mark>")
    heading = f"{sample.task}, {sample.arm['decoding']}, sample {sample.index}: {sample.status}"
    return f"<p><b>{html.escape(heading)}</b></p><pre>{text}</pre>"


def suite_of(source: str, store: Store) -> CompletionSuite:
    """The suite of an open run; KitError if it is not codeguard."""
    suite = of_run(store)
    if not isinstance(suite, CompletionSuite):
        raise KitError(
            f"The run {source} belongs to {suite.name}. Use a run of {CompletionSuite.name}: make "
            "one with `kit run codeguard`, or use the recording codeguard-smollm2."
        )
    return suite


def per_prompt(source: str, *, by: str) -> pd.DataFrame:
    """SVEN-SR, pass@1, secure-pass@1 and constraint rate in per cent, per task and arm of a run.

    source: a run, or a recording, which is executed and judged once. by: the column that
    distinguishes the arms. samples: number per row. The columns follow CodeGuard+'s table 6.
    """
    with Store(run_of(source), write=False) as store:
        frame, facts = store.frame(), scores.facts(store, suite_of(source, store).items)
    if by not in frame.columns:
        raise KitError(f"The run has no column {by}. Use one of: {', '.join(frame.columns)}.")
    per_arm = []
    for arm, part in frame.groupby(by, sort=False):
        share = scores.per_task(part, facts)
        samples = reduce.samples(part)
        samples = samples[samples["counted"]]
        for task, rows in samples.groupby("task", sort=False):
            n = len(rows)
            right, both = (int((rows[a] == True).sum()) for a in ("functional", "joint"))  # noqa: E712
            rates = [float(at_k.estimate(n, c, k=1)) for c in (right, both)]
            values = [share.loc[task, "SVEN-SR"], *rates, share.loc[task, "constraint rate"]]
            names = [*RATES, "constraint rate"]
            shares = {name: 100 * value for name, value in zip(names, values, strict=True)}
            of = {"task": task, "model": rows["model"].iloc[0], by: arm, "samples": n}
            per_arm.append(of | shares)
    return pd.DataFrame(per_arm)


def reversals(rows: pd.DataFrame, *, by: str, least: float = 0.0) -> pd.DataFrame:
    """Prompts where one arm's SVEN-SR is no lower, but its joint rate lower by more than `least`.

    Differences are in percentage points, first arm minus second (figure 7 of CodeGuard+).
    """
    reversed_tasks = []
    for task, part in rows.groupby("task", sort=False):
        each = part.set_index(by)
        for one, two in permutations(each.index, 2):
            gain = each.loc[one, RATES].astype(float) - each.loc[two, RATES].astype(float)
            if gain["SVEN-SR"] >= 0 and gain["secure-pass@1"] < -least:
                reversed_tasks.append({"task": task, "arm": one, "against": two, **gain})
    return pd.DataFrame(reversed_tasks, columns=["task", "arm", "against", *RATES])
