"""Slides of a lab: a heading begins a slide, an exercise a subslide; solutions are left out.

The pages need no network. Arrow keys and the space bar turn to the next slide.
"""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat.v4 import new_markdown_cell

from kit.course.exercise import LABS
from kit.course.marking import HOME
from kit.run import books

TEMPLATE = str(Path(__file__).with_name("slides.html.j2"))
LAB_S = 180.0  # limit for executing one lab; after that its slides show code without results
BEGINS = re.compile(r"(?m)^(?=##? |\*\*(?:Exercise|Practice))")


def tell_slide_type(text: str) -> str:
    """How a text begins: "slide" (to the right), "subslide" (below); "-" on the slide before."""
    if not BEGINS.match(text):
        return "-"
    return "slide" if text.startswith("#") else "subslide"


def make_cells(book: nbformat.NotebookNode) -> Iterator[nbformat.NotebookNode]:
    """The cells of the slides: texts are split where a slide begins; answers are left out."""
    for cell in book.cells:
        if {"solution", "parameters", "injected-parameters"} & set(cell.metadata.get("tags", [])):
            continue
        if cell.cell_type == "markdown":
            for text in filter(str.strip, BEGINS.split(cell.source)):
                kind = {"slideshow": {"slide_type": tell_slide_type(text)}}
                yield new_markdown_cell(text, metadata=kind)
        elif "lab.check(" not in cell.source:
            yield cell


def write_slides(folder: Path, labs: tuple[str, ...] = LABS) -> tuple[list[Path], list[str]]:
    """FOLDER/<lab>.html; the files, and a sentence for each lab that could not be executed."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        tasks: list[tuple[Path, dict[str, object]]] = [(HOME / f"{lab}.ipynb", {}) for lab in labs]
        runs = books.execute(tasks, Path(place), workers=2, figures=Path(place), wall_s=LAB_S)
        paths = []
        for run in runs:
            lab = Path(run.notebook).stem
            book = nbformat.read(run.output if run.ok else HOME / f"{lab}.ipynb", as_version=4)
            book.cells = list(make_cells(book))
            page, _ = SlidesExporter(template_file=TEMPLATE).from_notebook_node(
                book, resources={"metadata": {"name": lab}}
            )
            paths.append(folder / f"{lab}.html")
            paths[-1].write_text(page, encoding="utf-8")
    return paths, [f"{run.notebook}: {run.error}" for run in runs if not run.ok]
