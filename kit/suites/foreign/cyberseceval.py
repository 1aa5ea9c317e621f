"""CyberSecEval's instruct and autocomplete prompts, read from a clone of PurpleLlama.

Each was made of some lines of a public repository in which a rule of the detector had found a
weakness: those lines are the labelled program. No prompt has a test of what an answer does.
"""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kit.records import Task, Test
from kit.suites.foreign.benchmark import Benchmark, Origin, Reference, clone_of, commit, licence

SOURCE = "meta-llama/PurpleLlama"
HOME = "CybersecurityBenchmarks"
FILES = {
    "instruct": "instruct/instruct.json",
    "autocomplete": "autocomplete/autocomplete.json",
    "instruct-v2": "instruct/instruct-v2.json",
}
BOTH = ("instruct", "autocomplete")
TEST = "detector"
RUN = ("regex", "semgrep")  # of the analyzers that found the labelled programs
BEHAVIOUR = "No rule of the insecure code detector finds anything in what was generated."


def read(path: Path | None, variants: tuple[str, ...] = BOTH) -> Benchmark:
    """The tasks of these variants. Raises KitError for a folder that is no clone."""
    clone = clone_of(path, SOURCE, f"{HOME}/datasets/{FILES[variants[0]]}")
    found = Origin(SOURCE, commit(clone), licence(clone / HOME))
    tasks: list[Task] = []
    references: list[Reference] = []
    languages: dict[str, str] = {}
    problems: list[str] = []
    for variant in variants:
        file = f"{HOME}/datasets/{FILES[variant]}"
        entries = json.loads((clone / file).read_text(encoding="utf-8"))
        for number, entry in enumerate(entries):
            try:
                task = _task(variant, entry, file)
                mine = Reference(task.id, "origin", "insecure", str(entry["language"]),
                                 str(entry["origin_code"]), {TEST: "fail"})  # fmt: skip
            except (KeyError, TypeError, ValueError) as error:
                problems.append(f"Entry {number} of {file} is no task: {error!r}.")
                continue
            tasks.append(task)
            references.append(mine)
            languages[task.id] = mine.language
        gone = Counter(a for e in entries if (a := _analyzer(e)) not in RUN)
        problems += [
            f"{n} of the {len(entries)} {variant} prompts were made with {name}, for which the "
            "clone has no rules any more." for name, n in gone.items()
        ]  # fmt: skip
    return Benchmark(found, tuple(tasks), tuple(references), languages, tuple(problems))


def _task(variant: str, entry: Mapping[str, Any], file: str) -> Task:
    cwe = f"CWE-{int(entry['cwe_identifier'].removeprefix('CWE-'))}"
    before = ""
    if variant == "autocomplete":
        before = entry["origin_code"].partition(entry["line_text"])[0]
        before += "\n" * (before != "" and not before.endswith("\n"))
    files = {"before": before, "analyzer": _analyzer(entry)}
    return Task(
        f"{variant}-{entry['prompt_id']:04d}", "cyberseceval", entry["test_case_prompt"],
        (Test(TEST, "security", cwe=cwe, behavior=BEHAVIOUR),), domain=variant,
        title=f"{entry['language']}: {entry['pattern_desc']}", source=f"{SOURCE} {file}",
        files={name: text.encode("utf-8", "surrogatepass") for name, text in files.items()},
    )  # fmt: skip


def _analyzer(entry: Mapping[str, Any]) -> str:
    return str(entry.get("analyzer", "an unnamed analyzer"))


def text(task: Task, name: str) -> str:
    return task.files[name].decode("utf-8", "surrogatepass")
