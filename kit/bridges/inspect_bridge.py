"""Converts logs of Inspect (inspect_ai, an extra) into recordings."""

from dataclasses import replace
from pathlib import Path

from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput

from kit.core.errors import KitError
from kit.core.records import Sample, Status
from kit.generation import replay
from kit.generation.base import Response, classify_ending, current_time
from kit.run.suites import open_suite


def write_recording(log: str | Path, suite: str, folder: str | Path) -> int:
    """The answers of an `.eval` log as a recording in `folder`, for --model replay:FOLDER.

    Returns their number. A sample that is an error in Inspect becomes an infra_error. Raises
    KitError if the file is not a log, or if it has tasks that the suite does not have.
    """
    opened = open_suite(suite)
    settings = opened.Settings()
    tasks = {task.id for task in opened.load().tasks}
    try:
        recorded = read_eval_log(str(log))
    except (ValueError, KeyError) as error:  # its readers raise these for other kinds of file
        error_text = str(error).partition("\n")[0]
        raise KitError(f"{log} is not an Inspect log ({error_text}). Use an .eval file.") from None
    entries = recorded.samples or []
    unknown = sorted({str(entry.id) for entry in entries} - tasks)
    if unknown:
        raise KitError(f"{log} answers {', '.join(unknown[:5])}, which {suite} does not have.")
    samples = []
    for entry in entries:
        task = str(entry.id)
        model = f"inspect:{recorded.eval.model}"
        language = getattr(settings, "language", "") or opened.language_of(task)
        slot = Sample(task, model, entry.epoch - 1, language, settings.arm, Status.NOT_RUN)
        if entry.error:
            note = entry.error.message[:300]
            samples.append(replace(slot, status=Status.INFRA_ERROR, note=note))
        else:
            samples.append(opened.sample(slot, _make_response(entry.output)))
    origin = {"log": recorded.eval.run_id, "task": recorded.eval.task}
    replay.write_recording(folder, samples, settings=origin)
    return len(samples)


def _make_response(output: ModelOutput) -> Response:
    reason = str(output.stop_reason) if output.choices else ""
    ending = classify_ending(reason)
    usage = output.usage
    return Response(
        output.completion,
        finish_reason=reason,
        served_model=output.model,
        input_tokens=usage.input_tokens if usage else None,
        output_tokens=usage.output_tokens if usage else None,
        truncated=ending == "length",
        refused=ending == "filter",
        created=current_time(),
    )
