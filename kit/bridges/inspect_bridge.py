"""Our suites under Inspect (inspect_ai, an extra): its models and logs, our sandbox and oracle.

task() is an Inspect Task; recording() makes the answers in one of its logs a recording of ours.
"""

import asyncio
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from inspect_ai import Task as InspectTask
from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as Asked
from inspect_ai.log import read_eval_log
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ModelOutput,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from kit import measures
from kit.errors import KitError
from kit.generation import replay
from kit.generation.base import Response, now
from kit.records import Sample, Status, Task
from kit.run import pipeline
from kit.sandbox import open_sandbox
from kit.store import Store
from kit.suite import Suite
from kit.suites import open_suite

ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
VALUES = ("functional", "secure", "joint", "undecided")
EACH: dict[str, Any] = {name: [mean(), stderr()] for name in VALUES}


def task(suite: str = "dualgauge", *, only: str = "", tier: str = "bwrap", **settings: Any) -> Any:
    """A suite as an Inspect Task: `inspect_ai.eval(task(only="k01"), model=...)`.

    settings: of the suite. Scores are shares of samples; what is undecided counts as not shown to
    pass and is a share of its own; a failure of our machine is an error of the sample, not a score.
    """
    opened = open_suite(suite)
    asked = opened.Settings(**settings)
    opened = opened.configured(asked)
    tasks = opened.load().chosen(only.split(","))
    slots = [_slot(opened, t, "inspect", asked) for t in tasks]
    samples = []
    for t, slot in zip(tasks, slots, strict=True):
        messages = [ROLES[m["role"]](content=m["content"]) for m in opened.prompt(t, slot)]
        samples.append(Asked(id=t.id, input=messages, metadata={"suite": suite, "title": t.title}))
    return InspectTask(
        dataset=MemoryDataset(samples, name=suite),
        scorer=_scorer(opened, {t.id: t for t in tasks}, asked, tier),
        name=f"kit-{suite}",
    )


def recording(log: str | Path, suite: str, folder: str | Path, **settings: Any) -> int:
    """The answers of an `.eval` log as a recording in `folder`, for --model replay:FOLDER.

    Returns their number. A sample that Inspect has as an error stays one: an infra_error.
    Raises KitError for a file that is no log, and for a log of tasks that the suite does not have.
    """
    opened = open_suite(suite)
    asked = opened.Settings(**settings)
    known = {t.id: t for t in opened.load().tasks}
    try:
        read = read_eval_log(str(log))
    except (ValueError, KeyError) as error:  # what its readers raise for a file of another kind
        error_text = str(error).partition("\n")[0]
        raise KitError(f"{log} is no log of Inspect ({error_text}). Give the .eval file.") from None
    entries = read.samples or []
    if unknown := sorted({str(e.id) for e in entries} - set(known)):
        raise KitError(f"{log} answers {', '.join(unknown[:5])}, which {suite} does not have.")
    samples = []
    for entry in entries:
        task = known[str(entry.id)]
        slot = _slot(opened, task, f"inspect:{read.eval.model}", asked, entry.epoch - 1)
        if entry.error:
            slot = replace(slot, status=Status.INFRA_ERROR, note=entry.error.message[:300])
        samples.append(slot if entry.error else opened.sample(slot, _response(entry.output)))
    replay.write(folder, samples, settings={"log": read.eval.run_id, "task": read.eval.task})
    return len(samples)


def _slot(suite: Suite, task: Task, model: str, asked: Any, index: int = 0) -> Sample:
    language = getattr(asked, "language", "") or suite.language_of(task.id)
    return Sample(task.id, model, index, language, asked.arm, Status.NOT_RUN)


def _response(output: ModelOutput) -> Response:
    reason = str(output.stop_reason) if output.choices else ""
    usage = output.usage
    return Response(
        output.completion, finish_reason=reason, served_model=output.model,
        input_tokens=usage.input_tokens if usage else None,
        output_tokens=usage.output_tokens if usage else None,
        truncated=reason in ("max_tokens", "model_length"), refused=reason == "content_filter",
        created=now(),
    )  # fmt: skip


def _judge(suite: Suite, tasks: dict[str, Task], asked: Any, tier: str) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        task = tasks[str(state.sample_id)]
        slot = _slot(suite, task, str(state.model), asked, state.epoch - 1)
        sample = suite.sample(slot, _response(state.output))
        return await asyncio.to_thread(partial(_scored, suite, task, sample, tier))

    return score


_scorer = scorer(metrics=EACH, name="kit")(_judge)


def _scored(suite: Suite, task: Task, sample: Sample, tier: str) -> Score:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_sandbox(tier, suite.limits) as box,
        Store(Path(folder, "run")) as store,
    ):
        store.plan([task], [sample])
        store.put_sample(sample)
        pipeline.evaluate(store, suite, [task], box, workers=1)
        rows = store.frame()
        verdicts = [(str(r.test), store.cell(str(r.slot), str(r.test))[1])
                    for r in rows.itertuples()]  # fmt: skip
    one = measures.samples(rows).iloc[0]
    if not one["counted"]:
        raise RuntimeError(f"{task.id} was not executed, for a reason that is not the model's.")
    value = {name: float(one[f"{name}_low"]) for name in VALUES[:3]}
    value["undecided"] = float(one["state"] == "unknown")
    explanation = "\n".join(f"{t}: {v.outcome}: {v.sentence}" for t, v in verdicts if v)
    return Score(value=value, answer=sample.code, explanation=explanation)
