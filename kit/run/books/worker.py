"""A child process that executes one notebook: the job on stdin, its result on stdout, as JSON."""

# ruff: noqa: E402 - one library must be kept out before the others are imported
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment] # takes seconds; for URIs only
import nbformat
import papermill
from nbclient.exceptions import CellTimeoutError
from nbformat.sign import NotebookNotary
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

from kit.core import notes
from kit.core.paths import HOME, INSTALLED

KERNEL = "python3"  # whatever kernel the last author's machine had


def execute_job(job: dict[str, Any]) -> dict[str, Any]:
    """Run one notebook and sign what it became; status: ok, failed, timeout or died."""
    os.environ[notes.VARIABLE] = job["notes"]
    os.environ[notes.FIGURES] = job["figures"]
    config = Config()
    config.KernelManager.transport_encryption = "auto"
    start = time.perf_counter()
    status = "ok"
    error = ""
    try:
        papermill.execute_notebook(
            job["source"],
            job["output"],
            parameters=job["parameters"],
            kernel_name=KERNEL,
            progress_bar=False,
            execution_timeout=job["cell_s"],
            cwd=str(HOME if INSTALLED else Path(job["source"]).parent),
            config=config,
        )
    except PapermillExecutionError as failure:
        cell = failure.cell_index + 1 - bool(job["parameters"])  # papermill adds a cell for them
        message = failure.evalue.partition("\n")[0]
        status = "failed"
        error = f"{failure.ename}: {message} (cell {cell})"
    except CellTimeoutError:
        status = "timeout"
        error = f"A cell took longer than {job['cell_s']:g} s."
    except RuntimeError as failure:  # "Kernel died", "Kernel didn't respond in 60 seconds"
        status = "died"
        error = str(failure)
    output = Path(job["output"])
    if output.stat().st_size:  # JupyterLab shows the widgets of a signed notebook without a run
        NotebookNotary().sign(nbformat.read(output, as_version=4))
    return {"status": status, "error": error, "seconds": time.perf_counter() - start}


if __name__ == "__main__":
    answers = os.dup(1)
    os.dup2(2, 1)  # stdout is for the result alone: whatever else prints goes to stderr
    with os.fdopen(answers, "w") as file:
        json.dump(execute_job(json.load(sys.stdin)), file)
