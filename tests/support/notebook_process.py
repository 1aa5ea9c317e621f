"""Executes notebooks in this process: jobs as JSON on stdin, what each showed on stdout.

A job is {"path": of the notebook, "parameters": {...}, "figures": folder}. What it showed is
{"error": kind and sentence, "" if it ended, "tables": every table as rows of texts, "figures": per
figure the texts in it}.
"""

import json
import os
import sys
from contextlib import chdir
from pathlib import Path

os.environ["MPLBACKEND"] = "agg"
import matplotlib.pyplot as plt
from bs4 import BeautifulSoup
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib.figure import Figure
from matplotlib.text import Text

from kit.core import notes


def read_cells(path):
    """The sources of the code cells, and the place of the one that is tagged parameters."""
    cells = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    tagged = [n for n, c in enumerate(cells) if "parameters" in c["metadata"].get("tags", [])]
    return ["".join(c["source"]) for c in cells], tagged[0]


def read_tables(markup):
    """Each table of a text in HTML as rows; a cell that spans rows stands in all of them."""
    for table in BeautifulSoup(markup, "html.parser").find_all("table"):
        rows, spanning = [], {}
        for line in table.find_all("tr"):
            row, cells = [], line.find_all(["th", "td"])
            while cells or len(row) in spanning:
                left, text = spanning.pop(len(row), (0, ""))
                if not left:
                    cell = cells.pop(0)
                    text, left = cell.get_text(), int(cell.get("rowspan", 1))
                    row += [text] * (int(cell.get("colspan", 1)) - 1)
                if left > 1:
                    spanning[len(row)] = (left - 1, text)
                row.append(text)
            rows.append(row)
        yield rows


def read_texts(figure):
    return sorted({text.get_text() for text in figure.findobj(Text)} - {""})


def markup_of(shown):
    write = getattr(shown, "_repr_html_", None)
    return (write() if write else None) or ""


def execute(shell, job):
    """What a notebook with these parameters shows, up to its end or its first error."""
    path = Path(job["path"])
    sources, tagged = read_cells(path)
    given = "\n".join(f"{name} = {value!r}" for name, value in job["parameters"].items())
    sources.insert(tagged + 1, given)
    os.environ[notes.FIGURES] = job["figures"]
    shell.reset(new_session=False)
    error, tables, figures = "", [], {}
    with chdir(path.parent):
        for source in sources:
            with capture_output() as captured:
                result = shell.run_cell(source)
            for shown in [*captured.outputs, result.result]:
                tables += read_tables(markup_of(shown))
            drawn = [held for held in shell.user_ns.values() if isinstance(held, Figure)]
            figures |= {id(figure): read_texts(figure) for figure in drawn}
            cause = result.error_before_exec or result.error_in_exec
            if cause is not None:
                error = f"{type(cause).__name__}: {cause}"
                break
    plt.close("all")
    return {"error": error, "tables": tables, "figures": [*figures.values()]}


if __name__ == "__main__":
    answers = os.dup(1)
    os.dup2(2, 1)  # stdout is for the results alone: whatever else prints goes to stderr
    shell = InteractiveShell.instance()
    shown = [execute(shell, job) for job in json.load(sys.stdin)]
    with os.fdopen(answers, "w") as file:
        json.dump(shown, file)
