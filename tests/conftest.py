"""What several test files share: labelled programs, run once."""

import json
import signal

import pytest
from hypothesis import HealthCheck, settings

from kit.core.paths import SUITES
from kit.sandbox import available, open_sandbox
from kit.systems.dualgauge import spec
from tests.support import crowd
from tests.support.commands import invoked
from tests.support.dockerd import engine
from tests.support.small_project import launch, small_home, world  # noqa: F401 - fixtures

# Where the suite runs in the background Ctrl-C is ignored, and children would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
for profile, cases in (("suite", 75), ("long", 12_500)):  # of each property
    settings.register_profile(
        profile,
        max_examples=cases,
        deadline=None,
        database=None,
        suppress_health_check=[*HealthCheck],
    )
settings.load_profile("suite")
EACH = 10  # `kit validate dualgauge` runs all tasks; that takes longer than a test may


@pytest.fixture(scope="session")
def box():
    """An open sandbox with the usual limits, shared by all tests."""
    with open_sandbox("bwrap") as opened:
        yield opened


@pytest.fixture(scope="session")
def dockerd():
    """A Docker engine answers, until the last test is done."""
    with engine():
        yield


@pytest.fixture(scope="module", params=["bwrap", pytest.param("docker", marks=pytest.mark.slow)])
def tier(request):
    """A box of each tier, with events or without."""
    if request.param == "docker":
        request.getfixturevalue("dockerd")
    if cause := available()[request.param]:
        pytest.skip(cause)
    with open_sandbox(request.param) as opened:
        yield opened


@pytest.fixture(scope="session")
def validated():
    """The result of `kit validate dualgauge --json` for a tenth of the tasks, and its exit code."""
    tasks = [
        *[t.id for t in spec.load_items(SUITES / "dualgauge").tasks][::EACH],
        "k06",
    ]  # it has C
    done = invoked("validate", "dualgauge", "--json", "--only", ",".join(tasks))
    return json.loads(done.stdout), done.exit_code


@pytest.fixture(scope="session")
def many(tmp_path_factory):
    """A run of 20,160 rows, and the suite that it is of."""
    home = tmp_path_factory.mktemp("crowd")
    return crowd.run(home / "run"), crowd.suite(home / "tasks")


@pytest.fixture(scope="session")
def builder(box):
    """What compiles and tests Java repositories; its own classes are compiled once."""
    from kit.systems.realsec.testing import Builder

    return Builder(box)


TOGETHER = {
    "test_golden": "test_validate",
    "test_notebooks": "test_browser",
    "test_evidence": "test_docker",
    "test_sandbox": "test_docker",
}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A file's tests go to one worker, also those of files that share what they make."""
    from xdist.scheduler import LoadScopeScheduling  # its marks are lost on pytest from 9.2 on

    class Grouped(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            name = nodeid.partition("::")[0].rpartition("/")[2].removesuffix(".py")
            return TOGETHER.get(name, name)

    return Grouped(config, log)
