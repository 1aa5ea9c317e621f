"""Tables of cases that are too long for code: tests/files/NAME.yaml has those of test_NAME."""

from functools import cache
from pathlib import Path

import yaml


@cache
def _tables(name):
    return yaml.safe_load((Path(__file__).parents[1] / "files" / f"{name}.yaml").read_text())


def read_table(name, part):
    """One table of a file: its rows, or what it says by name."""
    return _tables(name)[part]
