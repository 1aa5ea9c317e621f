"""A C project of six functions and two test programs; what it prints is its suite's log."""

import re
import shutil
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from kit.run.job import Job
from kit.sandbox import Limits, open_sandbox
from kit.systems.ossbench import extract, schemata, testsuite, toolchain
from kit.systems.ossbench.project import MOUNT, CProject, FuzzTarget, ProjectProgram, TestRun, Unit
from kit.systems.ossbench.source import Edit
from kit.systems.ossbench.suite import CProjectSettings, CProjectSuite
from kit.systems.ossbench.toolchain import Workshop

HOME = Path(__file__).parents[1] / "files"
FUZZ = (HOME / "fuzz.c").read_text()
TESTS = {"math/add", "math/fact", "math/twice", "math/known failure", "sums/sum", "sums/none"}


def parse(run: str, out: str) -> dict[str, bool]:
    return {f"{run}/{n}": w == "ok" for n, w in re.findall(r"^([\w ]+) (ok|BAD)$", out, re.M)}


def make(tree: Path) -> CProject:
    """The project, written into `tree`."""
    tree.chmod(0o755)
    shutil.copytree(HOME / "small", tree, dirs_exist_ok=True)
    strict = ("-Wall", "-Werror=implicit-function-declaration")
    units = tuple(Unit(s, ("-std=gnu99",), strict) for s in ("lib.c", "math.c", "sums.c"))
    programs = tuple(ProjectProgram(n, ("lib.c", f"{n}.c"), ("-lm",)) for n in ("math", "sums"))
    fuzz = FuzzTarget(FUZZ, ("lib.c",), lambda _: [b"<{}>"], (f"-I{MOUNT}",))
    runs = tuple(TestRun(n, n, wall_s=5.0) for n in ("math", "sums"))
    return CProject(
        "cjson",
        tree,
        units,
        programs,
        runs,
        edited=lambda p: p.startswith("lib"),
        parse=parse,
        version="small",
        leaks=True,
        fuzz=(fuzz,),
    )


@contextmanager
def opened(home):
    """Sandbox, project, table and workshop of the project whose tree and cache are in `home`."""
    (home / "tree").mkdir(exist_ok=True)
    project = make(home / "tree")
    with pytest.MonkeyPatch.context() as patch, open_sandbox("bwrap", Limits(ptrace=True)) as box:
        patch.setenv("KIT_CACHE", str(home / "cache"))
        yield (
            box,
            project,
            extract.find_functions(project, tokens=(0, 1000)),
            Workshop(box, project),
        )


@pytest.fixture(scope="session")
def small_home():
    """The folder of the small project and of what was built of it."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def world(small_home):
    with opened(small_home) as parts:
        yield parts


def readers_of(table):
    return toolchain.units_by_path(zip(table["path"], table["units"], strict=True))


def edit_of(table, name, change):
    """The edit that makes of this function's text what `change` says."""
    row = next(r for r in table.to_dict("records") if r["name"] == name)
    return Edit.of(row, change(row["original_function"]))


def built(shop, table, texts):
    """The test suite over one build with these texts in the tree."""
    last = max(table["function_index"])
    return testsuite.ProjectTests(
        shop, *testsuite.build_programs(shop, texts, readers_of(table), last=last)
    )


def switched(shop, table, *edits):
    """The test suite with these edits behind switches, and how they got there."""
    made = schemata.plan_switches(shop, edits)
    return made, built(shop, table, made.texts)


def job_of(project, table, model, **options):
    """A job over the functions of the table."""
    names = CProjectSettings.__dataclass_fields__
    settings = CProjectSettings(**{k: v for k, v in options.items() if k in names})
    suite = CProjectSuite(settings, (project, table))
    return Job.of(suite, suite.load().tasks, model, **options)


def go(project, table, folder, model="saboteur", **options):
    """A whole run; what its two stages did, in words."""
    generated, executed, _ = job_of(project, table, model, **options).go(str(folder))
    return str(generated), str(executed)


@pytest.fixture(scope="module")
def launch(world):
    """`go` on the small project and all its functions."""
    return partial(go, *world[1:3])
