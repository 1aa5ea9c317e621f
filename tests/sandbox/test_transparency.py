"""Honest programs see no difference: a box that is watched answers each operation as any other."""

import json
import os
import re

import pytest

from kit.sandbox import Limits, bwrap
from tests.support.adversary import ADVERSARIES, PYTHON

PLAYER = (ADVERSARIES / "operations.py").read_bytes()
FLAGS = (
    "0 O_WRONLY O_RDWR O_RDWR|O_CREAT O_RDWR|O_CREAT|O_EXCL O_WRONLY|O_TRUNC O_WRONLY|O_APPEND "
    "O_NOFOLLOW O_DIRECTORY O_DIRECTORY|O_NOFOLLOW O_PATH O_PATH|O_NOFOLLOW O_PATH|O_DIRECTORY "
    "O_NONBLOCK O_WRONLY|O_NONBLOCK O_RDWR|O_TMPFILE O_NOATIME O_DIRECT O_SYNC O_CLOEXEC O_ASYNC"
).split()
PLACES = "file folder to_file to_none to_folder none folder/inner file/below".split()
OPENS = [f"open {place} {flags}" for place in PLACES for flags in FLAGS]
# A line is an expression; what it gives, or the errno, is to be the same both ways.
OPERATIONS = (ADVERSARIES / "operations.txt").read_text().splitlines()


def _without_nofollow(found):
    return f"[4, {int(found[0][4:]) & ~os.O_NOFOLLOW}"


@pytest.mark.slow
@pytest.mark.skipif(bool(bwrap.missing()), reason=bwrap.missing())
def test_a_program_gets_the_same_answers_where_nobody_watches(box):
    asked = [*OPENS, *OPERATIONS]
    assert len(asked) > 400
    files = {"play.py": PLAYER, "asked.json": json.dumps(asked).encode()}
    limits = Limits(wall_s=60, cpu_s=60, disk_mb=256)  # each has a folder, and it stays
    alone, seen = (
        box.run([PYTHON, "play.py"], files=files, limits=limits, observe=watched)
        for watched in (False, True)
    )
    expected, got = (json.loads(run.files["answers.json"]) for run in (alone, seen))
    assert len(expected) == len(asked)
    ours = ("late", "ended", "NameE", "SyntaxE", "TypeE", "AttributeE", "ValueE")
    assert [(a, e) for a, e in zip(asked, expected, strict=True) if e.startswith(ours)] == []
    # Where a FIFO may lie the watcher opens what it holds already: F_GETFL then lacks O_NOFOLLOW.
    expected, got = (
        [re.sub(r"^\[4, \d+", _without_nofollow, e) for e in es] for es in (expected, got)
    )
    differ = [(a, e, g) for a, e, g in zip(asked, expected, got, strict=True) if e != g]
    assert differ == []
