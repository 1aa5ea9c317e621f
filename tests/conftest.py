"""What several test files share: labelled programs, run once."""

import json
import signal

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings
from small_project import small_home, world  # noqa: F401 - fixtures

from kit.cli.main import main
from kit.paths import SUITES
from kit.sandbox import open_sandbox
from kit.suites import spec

# Where the suite runs in the background Ctrl-C is ignored, and children would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
for profile, cases in (("suite", 150), ("long", 12_500)):  # of each property
    settings.register_profile(profile, max_examples=cases, deadline=None, database=None,
                              suppress_health_check=[*HealthCheck])  # fmt: skip
settings.load_profile("suite")
EACH = 5  # `kit validate dualgauge` runs all tasks; that takes longer than a test may


@pytest.fixture(scope="module")
def box():
    """An open sandbox with the usual limits, shared by the tests of a file."""
    with open_sandbox("bwrap") as opened:
        yield opened


@pytest.fixture(scope="session")
def validated():
    """The result of `kit validate dualgauge --json` for every fifth task, and its exit code."""
    tasks = [t.id for t in spec.load(SUITES / "dualgauge").tasks][::EACH]
    words = ["validate", "dualgauge", "--json", "--only", ",".join(tasks)]
    done = CliRunner().invoke(main, words)
    return json.loads(done.stdout), done.exit_code
