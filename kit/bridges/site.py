"""Builds the documentation site from kit/docs, the notebooks and the modules' docstrings.

MkDocs (of the extra dev) builds it in strict mode: a broken link is an error. No network is used.
"""

import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import click
import nbformat
from nbconvert import MarkdownExporter

import kit
from kit import rings
from kit.books import matching
from kit.errors import KitError
from kit.languages import syntax
from kit.measures import FAIL, OURS, PASS, POLICY, UNDECIDED
from kit.paths import NOTEBOOKS, PAPERMILL_RUNS, ROOT, SUITES
from kit.sandbox import syscalls

TEXTS = ROOT / "kit" / "docs"
ROOMS = re.findall(r"^([a-z]+) {2,}(\S.*)", kit.__doc__ or "", re.MULTILINE)
SETTINGS = {
    "site_name": "securecode-kit", "site_url": "", "use_directory_urls": False, "strict": True,
    "theme": {"name": "readthedocs", "highlightjs": False}, "plugins": ["search"],
    "extra_javascript": ["offline.js"], "extra_css": ["site.css"],
    "markdown_extensions": ["tables", "fenced_code", "md_in_html"],
    "validation": {"links": {"not_found": "warn", "anchors": "warn"}},
}  # fmt: skip
LINK = re.compile(r"\]\(([\w./-]+)\.ipynb\)")


def build(out: Path, program: click.Command, *, executed: Path = PAPERMILL_RUNS) -> int:
    """Write the pages to the folder `out`; returns how many notebooks show their output.

    program: the command `kit`, whose help texts become a page.
    executed: the folder of executed copies; a notebook without one shows its code alone.
    Raises KitError if MkDocs is missing or rejects a page.
    """
    if out.exists() and not out.is_dir():
        raise KitError(f"{out} is a file. Name a folder for the pages.")
    if find_spec("mkdocs") is None:
        raise KitError("MkDocs is not installed. Type: pip install 'securecode-kit[dev]'")
    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder, "docs")
        shutil.copytree(TEXTS, pages)
        shutil.copyfile(SUITES / "README.md", pages / "formats.md")
        heading = "# Commands\n\nThe `--help` text of each command.\n"
        (pages / "commands.md").write_text(f"{heading}\n{_help(program, 'kit')}", encoding="utf-8")
        for page, table in (("sandbox.md", system_calls()), ("verdicts.md", policy())):
            with (pages / page).open("a", encoding="utf-8") as file:
                file.write(table)
        shown = sum([_notebook(path, pages, executed) for path in matching(["*"])])
        shutil.copyfile(NOTEBOOKS / "GLOSSARY.md", pages / "notebooks" / "GLOSSARY.md")
        (pages / "api").mkdir()
        for room, about in ROOMS:
            (pages / "api" / f"{room}.md").write_text(_room(room, about), encoding="utf-8")
        settings = SETTINGS | {"docs_dir": str(pages), "site_dir": str(out.resolve())}
        config = Path(folder, "mkdocs.yml")
        config.write_text(json.dumps(settings | {"nav": _contents(pages)}))  # YAML holds JSON
        command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(config)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise KitError(f"MkDocs rejected the pages: {done.stderr.strip()[-1500:]}")
    index = out / "search" / "search_index.json"  # also as a script, for offline.js
    index.with_suffix(".js").write_text(f"data = {index.read_text('utf-8')};", encoding="utf-8")
    return shown


def _contents(pages: Path) -> list[dict[str, object]]:
    """The pages in reading order."""
    books = sorted(p.relative_to(pages).as_posix() for p in (pages / "notebooks").rglob("*.md"))
    papers = {"DualGauge": "dualgauge.md", "CodeGuard+": "codeguard.md",
              "RealSec-bench": "realsec.md", "OSS-Bench": "ossbench.md",
              "Third-party benchmarks": "foreign.md", "Scan a folder": "scan.md",
              "Write a task": "own-task.md"}  # fmt: skip
    start = {"Start": "index.md", "Your model in ten minutes": "your-model.md",
             "Notebooks on your own run": "your-run.md",
             "Commands": "commands.md", "The format of a task": "formats.md",
             "The policy of verdicts": "verdicts.md", "What the sandbox isolates": "sandbox.md",
             "How system calls are recorded": "watched.md",
             "Several machines, and long runs": "machines.md",
             "For contributors": "contributing.md",
             "Changes, and how to cite": "changelog.md"}  # fmt: skip
    first: list[dict[str, object]] = [{name: page} for name, page in start.items()]
    return [
        *first,
        {"What differs from each paper": [{name: page} for name, page in papers.items()]},
        {"Notebooks": [{b.removeprefix("notebooks/").removesuffix(".md").replace("_", " "): b}
                       for b in books]},
        {"Modules": [{room: f"api/{room}.md"} for room, _ in ROOMS]},
    ]  # fmt: skip


def _help(command: click.Command, name: str) -> str:
    """The help text of a command, followed by those of its subcommands."""
    context = click.Context(command, info_name=name, terminal_width=100)
    parts = [f"## {name}\n\n{_verbatim(command.get_help(context))}"]
    words = command.list_commands(context) if isinstance(command, click.Group) else []
    below = {word: command.get_command(context, word) for word in words}  # type: ignore[attr-defined]
    for full in rings.announced("kit.commands"):  # "doctor sandbox" goes before a plain command
        before, _, word = f"kit {full}".rpartition(" ")
        if before == name:
            below[word] = rings.load("kit.commands", full)
    return "\n".join([*parts, *(_help(below[word], f"{name} {word}") for word in sorted(below))])


def system_calls() -> str:
    """The table of system calls, made from the one that defines the filter."""
    ways = {"done": "asked; the watcher does it", "told": "asked and told, then allowed",
            "passed": "asked, then allowed", "refused": "denied and told"}  # fmt: skip
    flags, requests = f"{syscalls.FORBIDDEN:#x}", ", ".join(f"{n:#x}" for n in syscalls.IOCTLS)
    denied, unheard_of = ("denied", "denied"), ("denied (ENOSYS)", "denied (ENOSYS)")
    rows = [
        *((c.name, c.number, "denied" if c.kind == "refused" else "allowed",
           ways[c.way] if c in syscalls.NOTIFIED else "denied") for c in syscalls.TABLE),
        (f"clone (with a flag of {flags})", syscalls.CLONE, "denied", "denied and told"),
        ("clone3", syscalls.CLONE3, *unheard_of),
        (f"ioctl ({requests})", syscalls.IOCTL, *denied),
        (f"prctl ({syscalls.SET_SECCOMP}: a filter of its own)", syscalls.PRCTL, *denied),
        (f"fcntl ({syscalls.SET_LEASE}: a lease)", syscalls.FCNTL, *["denied (EINVAL)"] * 2),
        ("socket (but UNIX, INET, INET6, the routing of NETLINK)", syscalls.SOCKET,
         *["denied (EAFNOSUPPORT)"] * 2),
        ("setsockopt (PASSCRED, PASSPIDFD)", syscalls.SETSOCKOPT, "allowed", ways["passed"]),
        *((name, number, "allowed", ways["passed"]) for name, number in syscalls.NOTED.items()),
        ("every other", f"to {syscalls.LAST}", "allowed", "allowed"),
        ("every newer one, and those of x32", f"from {syscalls.LAST + 1}", *unheard_of),
    ]  # fmt: skip
    return _table(("call", "number", "without a watcher", "in a watched run"), rows)


def policy() -> str:
    """The table that says what each status and outcome of a test counts as."""
    counts = {PASS: "passed", FAIL: "failed", UNDECIDED: "undecided", OURS: "ours"}
    rows = [(*map(str, pair), counts[rule]) for pair, rule in POLICY.items()]
    return _table(("status", "outcome", "counts as"), rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def _notebook(path: Path, pages: Path, executed: Path) -> bool:
    """Write a notebook's page and figures; returns whether they show an executed copy."""
    copies = sorted(executed.glob(f"{path.stem}-[0-9]*.ipynb"), key=lambda p: p.stat().st_mtime)
    book = nbformat.read(copies[-1] if copies else path, as_version=4)
    target = pages / "notebooks" / path.relative_to(NOTEBOOKS).with_suffix(".md")
    target.parent.mkdir(parents=True, exist_ok=True)
    names = {"output_files_dir": f"{path.stem}_files", "unique_key": path.stem}
    text, more = MarkdownExporter().from_notebook_node(book, resources=names)
    for name, data in more["outputs"].items():
        (target.parent / name).parent.mkdir(exist_ok=True)
        (target.parent / name).write_bytes(data)
    text = LINK.sub("](\\1.md)", text)  # a link to a notebook becomes a link to its page
    target.write_text(text, encoding="utf-8")
    return bool(copies)


def _room(room: str, about: str) -> str:
    """The public names of a room: signature and docstring, module by module."""
    place = ROOT / "kit" / room
    paths = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    parts = [f"# {room}\n\n{about}\n"]
    for path in paths:
        tree = syntax(path.read_text("utf-8"))
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        names = list(_names(tree))
        if names and "inbox" not in path.parts:
            parts += [f"## {module}\n", _verbatim(ast.get_docstring(tree)), *names]
    return "\n".join(parts)


def _names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            kind = "class" if isinstance(node, ast.ClassDef) else "def"
            inside = f"({ast.unparse(node.args)})" if isinstance(node, ast.FunctionDef) else ""
            docstring = ast.get_docstring(node)
            yield f"### {node.name}\n\n    {kind} {node.name}{inside}\n\n{_verbatim(docstring)}"


def _verbatim(text: str | None) -> str:
    """A docstring with its layout, as an indented block so that it is not read as markup."""
    lines = (text or "").splitlines()
    return "".join(f"    {line}\n" for line in ["", *lines]) if lines else ""
