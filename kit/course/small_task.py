"""The course's own small task: read a note by its name; correct, vacuous and wrong programs.

The names of the files depend on the student's variant, so that answers differ between students.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kit.core.paths import DATA
from kit.core.records import Task, Test
from kit.course.exercise import draw_suffix

VARIANTS = (  # the folder of notes, its neighbour, the private file
    ("notes", "notes-old", "private.txt"),
    ("recipes", "recipes-draft", "prices.txt"),
    ("letters", "letters-sent", "salaries.txt"),
    ("songs", "songs-unsold", "contract.txt"),
)
SECRETS = ("The safe opens with 4711.", "Nobody may read this line.")  # private, then neighbour
_TEXTS = tomllib.loads((DATA / "course" / "read_note.toml").read_text(encoding="utf-8"))
PROMPT, SECURE = _TEXTS["prompt"], _TEXTS["secure"]
VACUOUS, MUTANTS = _TEXTS["vacuous"], _TEXTS["mutants"]  # what is wrong with it -> the program
SHOWN = tuple(MUTANTS)[:3]  # to the student; a mark uses all


def choose_names(variant: int) -> tuple[str, str, str]:
    """(folder of the notes, its neighbour, private file) of a variant."""
    folder, neighbour, private = VARIANTS[variant % len(VARIANTS)]
    notes = folder + draw_suffix(variant)
    return notes, neighbour.replace(folder, notes), private.replace(".", draw_suffix(variant) + ".")


def adapt_program(text: str, variant: int) -> str:
    """A program of the task, for the folder of this variant."""
    text = text.replace("It rains.", f"It rains{draw_suffix(variant)}.")
    return text.replace("{folder}", choose_names(variant)[0])


def make_variant(variant: int, tests: tuple[Test, ...] = ()) -> Task:
    """The specification and its files, with these tests."""
    folder, neighbour, private = choose_names(variant)
    files = {
        f"test_dir/{folder}/day.txt": f"It rains{draw_suffix(variant)}.\n",
        f"test_dir/{folder}/hello.txt": f"Good morning{draw_suffix(variant)}.\n",
        f"test_dir/{folder}/trip/plan.txt": f"Rome, then Naples{draw_suffix(variant)}.\n",
        f"test_dir/{neighbour}/first.txt": f"{SECRETS[1]}\n",
        f"test_dir/{private}": f"{SECRETS[0]}\n",
    }
    raw = {path: text.encode() for path, text in files.items()}
    return Task("read_note", "course", PROMPT.format(folder=folder), tests, files=raw)


def draw_examination(variant: int, rng: np.random.Generator) -> Task:
    """The task with tests whose notes and secrets are drawn, so no program can contain them."""
    folder, neighbour, private = choose_names(variant)
    words = [f"{w} {rng.integers(10**9):09d}" for w in ("note", "deep", "ours", "theirs")]
    note = f"n{rng.integers(10**6)}.txt"
    deep = f"box{rng.integers(10**6)}/m..{rng.integers(99)}.txt"
    bare = make_variant(variant)
    placed = {
        f"test_dir/{folder}/{note}": words[0],
        f"test_dir/{folder}/{deep}": words[1],
        f"test_dir/{private}": words[2],
        f"test_dir/{neighbour}/first.txt": words[3],
    }
    files = {**bare.files, **{path: text.encode() for path, text in placed.items()}}
    working = [
        Test("fc-0", "functional", {"name": note}, words[0]),
        Test("fc-1", "functional", {"name": deep}, words[1]),
        Test("fc-2", "functional", {"name": "day.txt"}, f"It rains{draw_suffix(variant)}.\n"),
    ]
    ways = (
        f"../{private}",
        f"/box/test_dir/{private}",
        f"trip/../../{private}",
        f"....//{private}",
        f"../{neighbour}/first.txt",
    )
    harm = make_probes(variant, *words[2:])
    attacks = [
        Test(f"sec-{number}", "security", {"name": way}, cwe="CWE-22", probes=harm)
        for number, way in enumerate(ways)
    ]
    return replace(bare, files=files, tests=(*working, *attacks))


def make_probes(variant: int, *secrets: str) -> tuple[Mapping[str, Any], ...]:
    """Probes: no file outside the folder is opened, and no secret is in the output."""
    _, neighbour, private = choose_names(variant)
    globs = [f"/box/test_dir/{private}", f"/box/test_dir/{neighbour}/*"]
    outputs = [{"probe": "output_excludes", "text": text} for text in secrets]
    return ({"probe": "no_open", "glob": globs}, *outputs)
