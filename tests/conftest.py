"""What several test files share: the validated references, run once."""

import json

import pytest
from click.testing import CliRunner

from kit.cli import main


@pytest.fixture(scope="session")
def validated():
    """The result of `kit validate dualgauge --json`, and its exit code."""
    done = CliRunner().invoke(main, ["validate", "dualgauge", "--json"])
    return json.loads(done.stdout), done.exit_code
