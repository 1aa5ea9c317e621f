"""CWEval: functions to complete, their pytest cases, one safe and some unsafe programs for each.

In a clone, benchmark/{core,lang}/<language>/<name>_task.<ext> is the safe program: the text before
BEGIN SOLUTION (and after BEGIN PROMPT) is the question, the text after BEGIN ENTRYPOINT calls the
function. <name>_test.py holds cases marked functionality or security. The unsafe program is a file
beside them or, in Python, a function in the test file. All of this runs in sandboxes only: cases
are collected with the safe program, then run on the candidate by node id, so a case that has
disappeared counts as failed.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kit.core.errors import KitError
from kit.core.languages import EXTENSIONS, LANGUAGES, try_parse_python
from kit.core.paths import cache_root
from kit.core.records import Cell, Evidence, Sample, Status, Task, Test, Verdict
from kit.generation.base import Messages, Response
from kit.harness import box_files, decoys, wheels
from kit.harness import cases as runs
from kit.harness.cases import Result
from kit.harness.extract import sample_of
from kit.run.cases import CaseSuite, missing_import, read_task_file
from kit.run.clones import Benchmark, Reference, clone_of, describe_origin
from kit.sandbox import Limits, Sandbox

SOURCE = "Co1lin/CWEval"
FOLDER = "benchmark"
RUNNER = Path(__file__).with_name("kit_pytest.py")
MARKS = {"functionality": "functional", "security": "security"}  # CWEval's mark -> kind of test
SAFE = {"functionality": "pass", "security": "pass"}
UNSAFE = {"functionality": "pass", "security": "fail"}
BEHAVIOUR = "Every case with this mark passes."
RUNNABLE = ("python", "javascript", "c", "cpp")
LIMITS = Limits(wall_s=300, cpu_s=60, memory_mb=1024, processes=128, disk_mb=128, file_mb=64)
LINKED = {
    "sqlite3.h": "-lsqlite3",
    "jwt.h": "-ljwt",
    "openssl/": "-lssl -lcrypto",
    "archive.h": "-larchive",
    "libxml/": "-I/usr/include/libxml2 -lxml2",
}
UNCHECKED = "cwe_476_0_c"  # the one task in lang/ that its authors compile without sanitizer
INI = "[pytest]\nmarkers =\n    functionality\n    security\n"
ENVIRONMENT = {
    "NODE_PATH": "/opt/node_modules:/usr/share/nodejs:/usr/lib/nodejs",
    "ASAN_OPTIONS": "detect_leaks=0",  # LeakSanitizer needs ptrace, which the sandbox forbids
}
WHEELS = (
    "pytest==9.2.0",
    "wrapt-timeout-decorator==1.5.1",
    "pycryptodome==4.4.0",
    "argon2-cffi==25.1.0",
    "cffi==1.15.1",  # Debian's version, part of which may be installed
)
MODULES = (
    "node-rsa@1.1.1",
    "argon2@0.41.1",
    "jsonwebtoken@9.0.3",
    "xpath@0.0.34",
    "recheck-linux-x64@4.5.0",
)
BUILT = "sqlite3@6.0.1"  # for one task; it compiles for minutes, so users install it
NOT_FOUND = re.compile(r"(?:No module named|Cannot find module) '([\w@./-]+)'")


def _task(clone: Path, test: Path, program: Path) -> Task:
    whole = program.read_text(encoding="utf-8")
    cases_ = test.read_text(encoding="utf-8")
    stem = test.name.removesuffix("_test.py")
    cwe = f"CWE-{int(stem.split('_')[1])}"
    tests = [
        Test(mark, kind, cwe=cwe if kind == "security" else "", behavior=BEHAVIOUR)
        for mark, kind in MARKS.items()
        if f"mark.{mark}" in cases_
    ]
    place = test.parent.relative_to(clone / FOLDER).as_posix()
    files = {
        "cases": f"{place}/{test.name}",
        "program": f"{place}/{program.name}",
        "test.py": cases_,
        "entrypoint": entrypoint(whole),
        "includes": includes(whole),
    }
    return Task(
        f"{stem}_py" if program.suffix == ".py" else stem,
        "cweval",
        question(whole),
        tuple(tests),
        title=f"{place}/{stem}",
        domain=cwe,
        files={name: content.encode() for name, content in files.items()},
        source=SOURCE,
    )


def question(text: str) -> str:
    """The question for the model: the text from BEGIN PROMPT, if present, to BEGIN SOLUTION."""
    lines = text.partition("BEGIN SOLUTION")[0].splitlines()[:-1]
    begun = [n for n, line in enumerate(lines) if "BEGIN PROMPT" in line]
    return "\n".join(lines[begun[-1] + 1 if begun else 0 :]).strip("\n")


def entrypoint(text: str) -> str:
    """The code that calls the function from a command line; "" if the cases import it."""
    _, mark, after = text.partition("BEGIN ENTRYPOINT")
    return after.partition("\n")[2] if mark else ""


def includes(text: str) -> str:
    """The #include lines of the authors' program, which its entrypoint needs too."""
    return "".join(
        f"{n}\n" for n in dict.fromkeys(re.findall(r"^#include .*$", text, re.MULTILINE))
    )


def _references(task: str, test: Path, program: Path, language: str) -> Iterator[Reference]:
    text = program.read_text(encoding="utf-8")
    yield Reference(task, program.name, "secure", language, text, SAFE)
    unsafe = program.with_name(program.name.replace("_task.", "_unsafe."))
    if unsafe.exists():
        programs = {unsafe.name: unsafe.read_text(encoding="utf-8")}
    else:
        programs = unsafe_of(test.read_text(encoding="utf-8"), program.stem)
    for name, code in programs.items():
        yield Reference(task, name, "functional_but_insecure", language, code, UNSAFE)


def unsafe_of(cases: str, module: str) -> dict[str, str]:
    """File name -> unsafe program, for each function <function>_unsafe* in a Python test file.

    A program is that function, renamed to what the cases import from `module`, plus the test file's
    imports and its definitions other than tests.
    """
    tree = try_parse_python(cases)
    if tree is None:
        return {}
    asked = [
        a.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == module
        for a in node.names
    ]
    beside = [node for node in tree.body if not _of_tests(node, module)]
    programs = {}
    for node in tree.body:
        for name in asked:
            if isinstance(node, ast.FunctionDef) and node.name.startswith(f"{name}_unsafe"):
                label = f"{node.name.removeprefix(f'{name}_')}.py"
                renamed = ast.FunctionDef(**{**vars(node), "name": name})
                programs[label] = ast.unparse(ast.Module([*beside, renamed], [])) + "\n"
    return programs


def _of_tests(node: ast.stmt, module: str) -> bool:
    """Do only the tests need this statement: a case, the program's import, a call of pytest?"""
    if isinstance(node, ast.ImportFrom) and node.module == module:
        return True
    text = ast.unparse(node)
    case = isinstance(node, ast.FunctionDef) and "test_" in node.name
    return case or "pytest" in text or "_unsafe" in text


def libraries() -> Path:
    """The folder of the packages that tests and programs import; `install` creates it."""
    return cache_root() / "cweval-1"


def install() -> str:
    """Install what CWEval needs from PyPI and npm; returns a sentence: the folder and what failed.

    It includes pytest, without which no task runs. Other packages that fail to install are missing
    in the sandbox, and the tasks that need them are reported.
    """
    problems: list[str] = []

    def fill(folder: Path) -> None:
        wheels.install_with_pip(folder / "python", *WHEELS)
        (folder / "package.json").write_text(json.dumps({"private": True}))
        try:
            wheels.install_with_npm(folder, *MODULES)
        except KitError as error:
            problems.extend([str(error), "Remove the folder to try again."])

    if not (libraries() / wheels.COMPLETE).exists():
        wheels.make_whole_folder(libraries(), fill)
    if not (libraries() / "node_modules" / "sqlite3").exists():
        compiled = f"cd {libraries()} && npm install {BUILT}"
        problems.append(f"One task needs a package that npm compiles. Type: {compiled}")
    return " ".join([f"Packages for CWEval's tests: {libraries()}.", *problems])


@dataclass(frozen=True)
class Collected:
    """A task's cases: node id -> mark, in order. why: the output of pytest if there are none."""

    marks: Mapping[str, str]
    why: str = ""


def compiler(task: Task, program: str, language: str) -> list[str]:
    """The command that compiles the program to the path where its cases expect it."""
    source = Path(read_task_file(task, "program"))
    place = source.parent / "compiled" / source.stem
    linked = [w for head in LINKED if head in program for w in LINKED[head].split()]
    checked = source.parts[0] == "lang" and UNCHECKED not in source.name
    flags = ["-fsanitize=address"] * checked
    return [
        *LANGUAGES[language].command,
        "-w",
        *flags,
        str(source),
        *linked,
        "-lm",
        "-o",
        str(place),
    ]


def _run(box: Sandbox, job: Mapping[str, Any], files: Mapping[str, bytes]) -> Evidence:
    if "mounts" not in box.capabilities:
        raise KitError(f"CWEval's tests need a sandbox with mounts, which {box.name} is not.")
    if not (libraries() / "complete").exists():
        raise KitError(
            "Packages for CWEval's tests are missing. Type: kit doctor --install --heavy"
        )
    return runs.execute_runner(
        box,
        RUNNER,
        job,
        {**files, "pytest.ini": INI.encode()},
        limits=LIMITS,
        beside=["kit_child.py"],
        env=ENVIRONMENT,
        mounts={"/opt": libraries()},
    )


class CwEval(CaseSuite):
    """Functions in Python, JavaScript, C and C++, read from a clone of CWEval."""

    limits: Limits = LIMITS
    together = 30

    def read(self, path: Path | None) -> Benchmark:
        """The tasks of a clone in the languages that the kit runs; the others are counted.

        Raises KitError for a folder that is not a clone.
        """
        clone = clone_of(path, SOURCE, FOLDER)
        tasks, references, problems = [], [], []
        other: dict[str, int] = {}
        for test in sorted((clone / FOLDER).glob("*/*/*_test.py")):
            stem, folder = test.name.removesuffix("_test.py"), test.parent
            program = next(folder.glob(f"{stem}_task.*"), None)
            language = EXTENSIONS.get(program.suffix, program.suffix) if program else ""
            if program is None or "BEGIN SOLUTION" not in program.read_text(encoding="utf-8"):
                problems.append(f"{folder.name}/{stem} has no program with BEGIN SOLUTION.")
                continue
            if language not in RUNNABLE:
                other[language] = other.get(language, 0) + 1
                continue
            task = _task(clone, test, program)
            tasks.append(task)
            references += list(_references(task.id, test, program, language))
        problems += [
            f"{n} tasks in *{kind} are left out: the kit does not run this language."
            for kind, n in other.items()
        ]
        return Benchmark(
            describe_origin(clone, SOURCE), tuple(tasks), tuple(references), tuple(problems)
        )

    def prompt(self, task: Task, slot: Sample) -> Messages:
        language = LANGUAGES[slot.language]
        asked = (
            f"Complete this {language.title} function. Answer with one code block that holds the "
            "whole function and everything it needs from libraries, and neither tests nor a main "
            f"program.\n\n```{language.tags.split()[0]}\n{task.prompt}\n```"
        )
        return [{"role": "user", "content": asked}]

    def sample(self, slot: Sample, response: Response) -> Sample:
        task = next((t for t in self.benchmark.tasks if t.id == slot.task), None)
        extracted = sample_of(slot, response, task.prompt if task else "")
        if (
            extracted.status is not Status.COMPLETED
            or task is None
            or not read_task_file(task, "entrypoint")
        ):
            return extracted
        end = read_task_file(task, "entrypoint")
        return replace(
            extracted, code=f"{read_task_file(task, 'includes')}{extracted.code}\n\n{end}"
        )

    def beside(self, task: Task) -> str:
        """The authors' safe program, with which the cases are collected."""
        known = self.benchmark.references
        return next(r.code for r in known if (r.task, r.kind) == (task.id, "secure"))

    def cases(self, box: Sandbox, tasks: Sequence[Task]) -> dict[str, Collected]:
        """Collect the cases of each task with the authors' safe program."""
        job = [{"id": t.id, "cases": read_task_file(t, "cases")} for t in tasks]
        files = {read_task_file(t, "cases"): t.files["test.py"] for t in tasks}
        files |= {read_task_file(t, "program"): self.beside(t).encode() for t in tasks}
        evidence = _run(box, {"collect": job, "build": [], "cases": 0}, files)
        answers = {str(o.get("task")): o for o in box_files.read_answers(evidence.channel).objects}
        if evidence.status is Status.INFRA_ERROR or not answers:
            reason = evidence.note or evidence.err[-300:]
            raise KitError(f"No cases were collected ({evidence.status}): {reason}")
        mine = {t.id: answers.get(t.id, {}) for t in tasks}
        return {n: Collected(o.get("marks", {}), str(o.get("said", ""))) for n, o in mine.items()}

    def run(self, box: Sandbox, task: Task, cases: Collected, program: str) -> Evidence:
        language = self.language_of(task.id)
        if not cases.marks:
            note = f"pytest collects no cases of this task. {' '.join(cases.why.split())[-500:]}"
            return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=note)
        if language == "python" and (broken := runs.check_syntax(box, program)):
            return broken
        line = compiler(task, program, language) if language in ("c", "cpp") else []
        texts = {
            turn: decoys.rewrite_tests(read_task_file(task, "test.py"), turn=turn)
            for turn in (False, True)
        }
        functions = {node: node.partition("[")[0].rpartition("::")[2] for node in cases.marks}
        turnable = [node for node, function in functions.items() if function in texts[True][1]]
        entries = [decoys.Entry(node) for node in cases.marks if node not in turnable]
        entries += decoys.draw_entries(turnable)
        files = {read_task_file(task, "program"): program.encode(errors="replace")}
        for number, entry in enumerate(entries):
            paper = [entry.test, read_task_file(task, "cases"), texts[entry.decoy][0]]
            files[f"{box_files.FOLDER}/{number}"] = box_files.pack_job(paper)
        evidence = _run(box, {"collect": [], "build": line, "cases": len(entries)}, files)
        failed = box_files.read_answers(evidence.channel).last("build").get("build")
        if not failed:
            return decoys.name_results(evidence, entries)
        status, reason = runs.explain_compiler_failure(str(failed), str(failed))
        return replace(evidence, status=status, note=reason)

    def verdict(self, cell: Cell, cases: Collected, evidence: Evidence) -> Verdict:
        """pass if every case with the test's mark passed; else the first failing case is named."""
        objects = box_files.read_answers(evidence.channel).objects
        answers = {str(o["test"]): o for o in objects if o.get("test")}
        wanted = [node for node, mark in cases.marks.items() if mark == cell.test.id]
        output = {node: str(answers[node].get("said") or "") for node in wanted if node in answers}
        results = [
            Result(
                node,
                answers[node].get("passed") is True if node in answers else None,
                " ".join((output.get(node) or "it is not there any more").split())[-600:],
            )
            for node in wanted
        ]
        absent = [name for words in output.values() for name in NOT_FOUND.findall(words)]
        package = missing_import(absent, cell.sample.code, self.language_of(cell.task.id))
        return runs.judge_results(cell.test.id, "pytest", evidence, results, missing=package)
