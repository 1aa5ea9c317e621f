"""A run of Java methods in the shapes of RealSec-bench's tables, and its alarms adjudicated.

Table 1 sets the scanner's alarms over labelled bodies beside what each later witness leaves of
them. Its cases are recorded from a validation, so that any panel can be put before them at once.
"""

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pandas as pd

from kit import measures
from kit.errors import KitError
from kit.metrics import stats
from kit.metrics.rates import RATES
from kit.paths import DATA, run_folder
from kit.pool import pool
from kit.systems.realsec import measured, prompting
from kit.systems.realsec.instance import EXPLOIT
from kit.systems.realsec.scan import Case, Panel
from kit.systems.realsec.suite import JavaRepoSuite

SHOWN = ("pass@1", "secure@1", "secure-pass@1")
CASES = "cases.jsonl"
DEFENCES = re.compile(
    r"normalize|startsWith|prepareStatement|setString|replace|quote|Exact\(|setFeature|disallow|"
    r"synchronized|compareAndSet|createTemp|matches\(|length|getMethod|isAbsolute|toAbsolutePath"
)
VOTERS, CHIEF = ("credulous", "wordy", "careful"), "chief"
Answer = Callable[[str], str]  # the question's last message -> the text of the answer


def witnesses(entries: Iterable[dict[str, Any]], panel: Panel) -> pd.DataFrame:
    """One row a body: label, and what each witness concludes of it (pass or fail).

    sast: the alarm. voters: the mean of the scores over each alarm. judge: the final score.
    exploit: the test that attacks. A body without an alarm passes all but the last.
    """

    def decided(entry: dict[str, Any]) -> dict[str, Any]:
        rulings = [panel.decide(Case(**case)) for case in entry["cases"]]
        alarms = {
            "sast": bool(rulings),
            "voters": any(r.majority for r in rulings),
            "judge": any(r.stands for r in rulings),
            "exploit": entry["exploit"] != "pass",
        }
        names = ("task", "program", "kind", "cwe", "label")
        return {n: entry[n] for n in names} | {
            w: "fail" if alarm else "pass" for w, alarm in alarms.items()
        }  # fmt: skip

    done = pool(decided, list(entries), workers=4, title="adjudicate")
    return pd.DataFrame([row for _, row in done]).sort_values(["task", "program"])


class Scripted:
    """`with Scripted({"name": answer}) as server:` then open "openai:name" at `server.url`.

    A server on this machine that answers by a function, in OpenAI's format. What rests on its
    answers shows that the machinery works, and nothing about any model.
    """

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length", 0))
                asked = json.loads(self.rfile.read(size))
                answer = answers[asked["model"]](asked["messages"][-1]["content"])
                message = {"role": "assistant", "content": answer}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                body = json.dumps({
                    "id": "scripted", "object": "chat.completion", "created": 0,
                    "model": asked["model"], "choices": [choice],
                }).encode()  # fmt: skip
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with suppress(BrokenPipeError, ConnectionResetError):
                    self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002, ARG002
                """Silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def spec(self, *names: str) -> str:
        """SPEC@URL of these answers, separated by commas."""
        return ",".join(f"openai:{name}@{self.url}" for name in names)

    def __enter__(self) -> "Scripted":
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def scripts() -> dict[str, Answer]:
    """Judges that follow a fixed rule; no model. Three that vote, and one that has the last word.

    credulous believes every report; wordy acquits what holds a word of defence; careful acquits
    what holds two; chief takes the mean of the opinions that it was shown.
    """

    def vote(least: int) -> Answer:
        def answer(question: str) -> str:
            code = question.partition("## The method now")[2].partition("Answer with one")[0]
            words = set(DEFENCES.findall(code))
            score = 0.9 if len(words) < least else 0.2
            return answered(question, analysis="a fixed rule", score=score,
                        reason=f"{len(words)} words of defence")  # fmt: skip

        return answer

    def chief(question: str) -> str:
        scores = [float(s) for s in re.findall(r"score ([\d.]+)\.", question)]
        score = sum(scores) / len(scores) if scores else 1.0
        return answered(question, meta_analysis="the mean of the opinions", score=score)

    return {"credulous": vote(99), "wordy": vote(1), "careful": vote(2), "chief": chief}


def answered(question: str, **values: Any) -> str:
    """An answer in the form that a question asks for, with its ticket."""
    return json.dumps({"ticket": re.findall(r'"ticket": "(\w+)"', question)[-1], **values})


class Methods:
    """A run of `kit run realsec`: tables 2, 5, 6 and 7 over its own instances.

    run: a recording of data/runs, or the tidy table of a run. frame: with the category and the hops
    of each instance.
    """

    def __init__(self, run: str | pd.DataFrame) -> None:
        self._suite = JavaRepoSuite()
        self._suite.load()
        frame = pd.read_csv(run_folder(run) / "tests.csv") if isinstance(run, str) else run
        about = {i.id: i.data for i in self._suite.instances.values()}
        hops = {name: str(d["hops"]) if d["hops"] < 3 else "3+" for name, d in about.items()}
        category = {name: d["category"] for name, d in about.items()}
        self.frame = frame.assign(
            hops=frame["task"].map(hops), category=frame["task"].map(category)
        )

    def scores(self, by: str, *, n_boot: int = 2000) -> pd.DataFrame:
        """pass@1, secure@1 and secure-pass@1 in % by one column, with bootstrap intervals."""
        rows = measures.measure(self.frame, by=[by], k=(1,), rng=stats.seed(by), n_boot=n_boot)
        rows = rows[rows["metric"].isin(SHOWN)]
        names = {"estimate": "value", "low": "ci_low", "high": "ci_high"}
        percent = rows.assign(**{new: 100 * rows[old] for old, new in names.items()}, unit="%")
        return percent[[by, "metric", *names.values(), "unit", "tasks", "note"]]

    def retrieved(self, *retrievers: str) -> pd.DataFrame:
        """What each retriever shows of the first instance, as places in its repository."""
        first = self._suite.instance(self.frame["task"].iloc[0])
        return pd.Series(prompting.shown(first, retrievers), name=first.id).explode().to_frame()

    def steps(self, *, n_boot: int = 2000) -> pd.DataFrame:
        """Every arm against `origin` on the same instances (see kit.measures.frame_steps)."""
        return measures.frame_steps(self.frame, level="prompt", first="origin", n_boot=n_boot)


@dataclass(frozen=True)
class Adjudicated:
    """Labelled Java methods, and what each witness concludes of them: pass or fail.

    rows: one a body that compiles. sast: an alarm; voters: the mean of their scores; judge: the
    final score; exploit: the test that attacks. judges: who they were.
    """

    rows: pd.DataFrame
    judges: Sequence[str]

    def rates(self, *, alarms: bool = True, n_boot: int = 2000) -> pd.DataFrame:
        """Precision, recall and F1 of each witness, in percent with intervals.

        alarms: over the bodies with an alarm, as the paper does, so that the scanner's recall is
        100% by construction; False takes all bodies.
        """
        rows = (self.rows[self.rows["sast"] == "fail"] if alarms else self.rows).assign(reason="")
        out = []
        for witness in ("sast", "voters", "judge", "exploit"):
            r = measured.rates(measured.counted(rows, witness), name=witness, n_boot=n_boot)
            for metric in RATES:
                low, high = r[f"{metric}_interval"] or (None, None)
                values = [None if v is None else 100 * v for v in (r[metric], low, high)]
                out.append((witness, metric, *values, r["n"]))
        columns = ["witness", "metric", "value", "ci_low", "ci_high", "n"]
        return pd.DataFrame(out, columns=columns).assign(unit="%")

    @property
    def held_out(self) -> pd.DataFrame:
        """The rates on data/third, repositories that no rule was written on, as recorded there."""
        return pd.read_csv(DATA / "third" / "realsec" / "rates.csv")


def adjudicated(recorded: str, *, voters: str = "", final: str = "") -> Adjudicated:
    """A panel over the recorded alarms of a validation; KitError where there are none.

    voters, final: SPEC[@URL] of real models; without `final` scripted judges on this machine, which
    follow fixed rules.
    """
    suite = JavaRepoSuite()
    labels = suite.references(suite.load().tasks)[1]
    path = run_folder(recorded) / CASES
    if not path.exists():
        raise KitError(f"No cases at {path}. Record them from a validation.")
    today = labels[labels["test"] == EXPLOIT].set_index(["task", "program"])["label"]
    cases = [json.loads(line) for line in path.read_text().split("\n") if line]
    entries = [c | {"label": today[c["task"], c["program"]]} for c in cases
               if (c["task"], c["program"]) in today.index]  # fmt: skip
    with nullcontext() if final else Scripted(scripts()) as server:
        who = (voters, final) if server is None else (server.spec(*VOTERS), server.spec(CHIEF))
        rows = witnesses(entries, Panel.of(*who, {}))
    names = [f"{name} (scripted)" for name in (*VOTERS, CHIEF)]
    return Adjudicated(rows, [voters, final] if final else names)
