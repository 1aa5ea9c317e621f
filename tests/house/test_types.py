"""The types of the whole package hold, by the settings of mypy in pyproject.toml."""

import importlib.util
import subprocess
import sys

import pytest

from kit.core.paths import ROOT


@pytest.mark.slow
def test_mypy_finds_no_error():
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed; type: pip install -e .[dev]")
    done = subprocess.run(
        [sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
