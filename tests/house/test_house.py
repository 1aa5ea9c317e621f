"""Laws of the house, checked by reading the code: imports go one way, rooms are small."""

import ast
import importlib
import inspect
import json
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from functools import cache
from importlib.metadata import entry_points

import pytest

import kit
from kit.cli.main import main
from kit.core.paths import NOTEBOOKS, ROOT

ORDER = re.findall(r"^([a-z]+) {2,}\S", kit.__doc__, re.MULTILINE)
RINGS = tuple(ORDER[ORDER.index("systems") :])
MAY_IMPORT = {  # rings whose subject is DualGauge's tests
    "papers": ("systems.dualgauge",),
    "review": ("systems.dualgauge",),
}
BUDGETS = {  # may fall, and never rise
    "tokens of kit": 424_300,
    "tokens of the kit's Python in data": 17_820,
    "tokens of tests": 249_100,
    "packed expressions per 1,000 tokens": 6.838,
    "share of functions named by one word": 0.2552,
    "functions named by a bare participle": 33,
    "files with four or more constants behind the first function": 1,
    "class names defined twice": 0,
    "functions with more than eight parameters": 6,
    "formatter switched off": 0,
    "short helpers used once": 68,
    "names that say nothing": 9,
    "entries of kit": 16,
    "entries of data": 8,
    "loads by name": 3,
}
BARS = {  # what the house should come to
    "tokens of kit": 300_000,
    "packed expressions per 1,000 tokens": 7.5,
    "share of functions named by one word": 0.5,
    "functions named by a bare participle": 40,
    "files with four or more constants behind the first function": 8,
    "class names defined twice": 0,
    "functions with more than eight parameters": 0,
    "formatter switched off": 0,
    "entries of kit": 16,
    "entries of data": 8,
    "loads by name": 6,
}
COUNTED = (tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP)
PACKED = (
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.IfExp,
    ast.Lambda,
    ast.NamedExpr,
)
NOT_PARTICIPLES = {"seed", "need", "feed", "speed", "embed", "shed", "bed", "red"}
IRREGULAR_PARTICIPLES = {
    "begun",
    "bound",
    "broken",
    "built",
    "chosen",
    "done",
    "drawn",
    "driven",
    "fed",
    "found",
    "given",
    "gone",
    "held",
    "kept",
    "known",
    "lost",
    "made",
    "meant",
    "met",
    "said",
    "seen",
    "sent",
    "shown",
    "spent",
    "taken",
    "thrown",
    "told",
    "understood",
    "written",
}
MODULES = sorted((ROOT / "kit").rglob("*.py"))
BENCHMARKS = sorted((ROOT / "data" / "suites").glob("*/*.py"))
SOURCES = sorted(NOTEBOOKS.rglob("*.ipynb"))


@cache
def tree(path):
    return ast.parse(path.read_text())


def room(path):
    """The first name below kit: the noun that a file belongs to."""
    return path.relative_to(ROOT / "kit").parts[0].removesuffix(".py")


def imported(path):
    """The first names below kit that a file imports from."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "kit":
            parts = node.module.split(".")
            yield from [parts[1]] if len(parts) > 1 else [a.name for a in node.names]
        elif isinstance(node, ast.Import):
            names = [a.name.split(".") for a in node.names]
            yield from [n[1] for n in names if n[0] == "kit" and len(n) > 1]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_one_way(path):
    here = room(path)
    if here in ("__init__", "__main__"):
        return
    for name in imported(path):
        if not name.startswith("__"):
            assert ORDER.index(name) <= ORDER.index(here)


@pytest.mark.parametrize("path", [*MODULES, *BENCHMARKS], ids=lambda p: str(p.relative_to(ROOT)))
def test_rooms_are_small(path):
    source = path.read_text()
    assert source.count("\n") <= 560
    for node in ast.walk(tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert node.end_lineno - node.lineno < 60, node.name


def is_module(name):
    place = ROOT.joinpath(*name.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()


def reached(path):
    """The (module, name) pairs of kit that a notebook imports, or reads off a module of kit."""
    cells = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    nodes = [*ast.walk(ast.parse("\n".join("".join(c["source"]) for c in cells)))]
    modules = {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "kit":
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if is_module(full):
                    modules[alias.asname or alias.name] = full
                else:
                    yield node.module, alias.name
        elif isinstance(node, ast.Import):
            assert not [a.name for a in node.names if a.name.split(".")[0] == "kit"]
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in modules:
                yield modules[node.value.id], node.attr


def test_notebooks_reach_what_the_face_states_and_nothing_else():
    stated = {(module, name) for module, names in kit.FACE.items() for name in names.split()}
    ours = [p for p in SOURCES if p.parent.name != "course"]  # lessons open the rooms one by one
    assert {pair for path in ours for pair in reached(path)} == stated
    assert len(stated) <= 60
    assert len(kit.FACE) <= 15


@pytest.mark.parametrize("module", kit.FACE)
def test_each_name_of_the_face_says_what_it_promises(module):
    held = importlib.import_module(module)
    for name in kit.FACE[module].split():
        promise = inspect.getdoc(getattr(held, name)) or ""
        assert promise.partition("\n")[0].endswith((".", ":")), name
        assert not promise.startswith(f"{name}("), name  # what a dataclass says of itself


def test_python_is_parsed_in_one_place():
    ours = [p for p in MODULES if "inbox" not in p.parts]
    assert [p.name for p in ours if "ast.parse(" in p.read_text()] == ["languages.py"]


def test_a_language_is_a_folder_and_a_row():
    known = {"kit/core/languages.py", "kit/harness/languages/__init__.py"}
    paths = {str(p.relative_to(ROOT)): p.read_text() for p in MODULES}
    naming = [p for p, text in paths.items() if re.search(r"[\"']javascript[\"']", text)]
    others = [p for p in naming if not p.startswith("kit/harness/languages/javascript/")]
    assert len({*others} - known) <= 6, others


def ring(name):
    """The ring that a module's dotted name, without "kit.", belongs to; "" for the core."""
    parts = name.split(".")
    if parts[0] == "systems":
        return ".".join(parts[:2])
    return parts[0] if parts[0] in RINGS else ""


@pytest.mark.parametrize("path", [*MODULES, *BENCHMARKS], ids=lambda p: str(p.relative_to(ROOT)))
def test_a_ring_imports_the_core_and_no_other_ring(path):
    here = ring(".".join(path.relative_to(ROOT).with_suffix("").parts).removeprefix("kit."))
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kit."):
            there = ring(node.module.removeprefix("kit."))
            allowed = ("", here, *MAY_IMPORT.get(here, ()))
            if here in ("course", "cli"):
                allowed = (there,)
            assert there in allowed, f"line {node.lineno}: {node.module}"


def used_once(path):
    """The private functions of a file, without methods, of at most six lines and with one use."""
    words = Counter(re.findall(r"\w+", path.read_text()))
    for node in tree(path).body:
        if isinstance(node, ast.FunctionDef) and re.match("_[a-z]", node.name):
            if node.end_lineno - node.lineno < 6 and words[node.name] == 2:
                yield node.name


VAGUE = {"found", "told", "seen", "why", "made", "said", "given", "held", "odd"}


def vague(path):
    """The assignments of a file to a name that does not say what it holds."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VAGUE:
            yield node.id


def count_tokens(path):
    """Names, numbers, texts and operators of a file: no formatting changes their number."""
    with path.open("rb") as file:
        return sum(token.type in COUNTED for token in tokenize.tokenize(file.readline))


def function_names(path):
    """The words of each function's name in a file, without underscores before and behind it."""
    for node in ast.walk(tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if not node.name.startswith("__"):
                yield node.name.strip("_").split("_")


def is_participle(words):
    (word,) = words if len(words) == 1 else ("",)
    regular = word.endswith("ed") and word not in NOT_PARTICIPLES
    return regular or word in IRREGULAR_PARTICIPLES


def count_parameters(node):
    arguments = node.args
    return len([*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs])


def is_glued(path):
    """Whether four or more constants of a file stand behind its first function."""
    body = tree(path).body
    places = [n for n, node in enumerate(body) if isinstance(node, ast.FunctionDef)]
    behind = body[places[0] :] if places else []
    constants = 0
    for node in behind:
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(targets[0], ast.Name):
            constants += targets[0].id.isupper()
    return constants >= 4


def measure_the_house():
    tests = [p for p in (ROOT / "tests").rglob("*.py") if "sast" not in p.parts]  # no scanned code
    in_data = [*BENCHMARKS, *(ROOT / "data" / "published").rglob("*.py")]
    nodes = [node for path in MODULES for node in ast.walk(tree(path))]
    functions = [n for n in nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    names = [words for path in MODULES for words in function_names(path)]
    tokens = sum(map(count_tokens, MODULES))
    return {
        "tokens of kit": tokens,
        "tokens of the kit's Python in data": sum(map(count_tokens, in_data)),
        "tokens of tests": sum(map(count_tokens, tests)),
        "packed expressions per 1,000 tokens": 1000
        * sum(isinstance(n, PACKED) for n in nodes)
        / tokens,
        "share of functions named by one word": sum(len(words) == 1 for words in names)
        / len(names),
        "functions named by a bare participle": sum(map(is_participle, names)),
        "files with four or more constants behind the first function": sum(map(is_glued, MODULES)),
        "class names defined twice": sum(count > 1 for count in classes.values()),
        "functions with more than eight parameters": sum(
            count_parameters(n) > 8 for n in functions
        ),
        "formatter switched off": sum(p.read_text().count("# fmt: skip") for p in MODULES),
        "short helpers used once": sum(len(list(used_once(p))) for p in MODULES),
        "names that say nothing": sum(len(list(vague(p))) for p in MODULES),
        "entries of kit": count_entries("kit"),
        "entries of data": count_entries("data"),
        "loads by name": sum(p.read_text().count(".load()(") for p in MODULES)
        + sum(p.read_text().count("].load()\n") for p in MODULES),
    }


def count_entries(folder):
    """The files and folders that `git ls-files` shows right below a folder."""
    listed = subprocess.run(
        ["git", "ls-files", folder], cwd=ROOT, capture_output=True, check=True, text=True
    )
    return len({line.split("/")[1] for line in listed.stdout.splitlines()})


def test_the_house_stays_within_its_budgets():
    measured = measure_the_house()
    for name, number in measured.items():
        bar = f"(bar {BARS[name]:,})" if name in BARS else ""
        print(f"{name:60} {number:12,.6g} of {BUDGETS[name]:,} {bar}")
    assert [name for name, number in measured.items() if number > BUDGETS[name]] == []


def test_every_batch_of_labelled_programs_says_who_wrote_it_and_until_when_it_was_held_out():
    batches = sorted((ROOT / "data" / "labelled").glob("*/*/"))
    assert len(batches) >= 10
    for batch in batches:
        about = tomllib.loads((batch / "batch.toml").read_text())
        assert about.keys() == {"what", "written", "by", "held_out_until"}, batch
        assert about["what"].endswith("."), batch


def test_what_is_announced_is_there():
    for group in ("kit.suites", "kit.models"):
        announced = entry_points(group=group)
        assert len(announced) >= 1
        for entry in announced:
            assert callable(entry.load())


def test_the_commands_are_few():
    assert len(main.list_commands(None)) <= 18


def test_statistics_and_records_import_nothing_of_ours():
    statistics = ("agreement", "at_k", "bootstrap", "correction", "rates", "stats")
    for path in MODULES:
        if path.parent.name == "scoring" and path.stem in statistics:
            assert set(imported(path)) <= {"scoring"}
        if path.parent.name == "core" and path.stem in ("records", "errors"):
            assert set(imported(path)) <= {"core"}


def test_importing_the_kit_is_silent_and_makes_nothing(tmp_path):
    code = "import kit, kit.core.records, kit.core.store, kit.run.pipeline, kit.cli.main"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, check=True
    )
    assert done.stdout + done.stderr == b""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(NOTEBOOKS)))
def test_a_notebook_is_thin_stripped_and_has_one_parameters_cell(path):
    book = json.loads(path.read_text())
    code = ["".join(c["source"]) for c in book["cells"] if c["cell_type"] == "code"]
    sizes = [len(text.splitlines()) for text in code]
    assert sum(sizes) <= 90
    assert max(sizes) <= 25
    tagged = [
        n for n, c in enumerate(book["cells"]) if "parameters" in c["metadata"].get("tags", [])
    ]
    assert tagged == [1]
    assert book["cells"][0]["cell_type"] == "markdown"
    assert book["metadata"]["kernelspec"]["name"] == "python3"
    assert not any(c.get("outputs") for c in book["cells"])
    assert "class " not in "".join(code)
    hidden = re.compile(r"^plots\.show\((.|\n)*\n[^\s)]", re.MULTILINE)  # only the last is shown
    assert not list(filter(hidden.search, code))


@pytest.mark.parametrize(
    ("line", "most"), [("from kit.papers import table", 25), ("import kit.explore", 80)]
)
def test_who_prints_a_table_does_not_load_what_runs_programs(line, most):
    code = f"{line}\nimport sys; print(*(m for m in sys.modules if m.partition('.')[0] == 'kit'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert len(done.stdout.split()) <= most


def imports_of(path, known):
    """The modules of ours that a file imports as it is loaded."""
    for node in tree(path).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else node.module


def test_no_files_import_each_other_in_a_circle():
    names = {".".join(p.relative_to(ROOT).with_suffix("").parts): p for p in MODULES}
    names = {name.removesuffix(".__init__"): path for name, path in names.items()}
    left = {n: {i for i in imports_of(p, names) if i in names} - {n} for n, p in names.items()}
    while free := {name for name, needed in left.items() if not needed & left.keys()}:
        left = {name: needed for name, needed in left.items() if name not in free}
    assert left == {}


def test_the_command_starts_without_its_heavy_libraries():
    code = (
        "import sys; from kit.cli.main import main; main(['--help'], standalone_mode=False); "
        "print({'pandas', 'numpy', 'torch'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.endswith("set()\n")
