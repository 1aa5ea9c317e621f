"""SecCodePLT read from a clone: functions with cases of capability and of safety, and two programs.

data.json holds for each task a description, the code that stands before and after the part in
question, that part vulnerable and patched, and the cases as Python text. Nothing of it runs here.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kit.records import Task, Test
from kit.suites.foreign.benchmark import Benchmark, Reference, clone_of, origin

SOURCE = "ucsb-mlsec/SecCodePLT"
FILE = "virtue_code_eval/data/safety/codesecplt/data.json"
GROUPS = {"capability": "functional", "safety": "security"}  # their word -> the kind of test
PROGRAMS = {  # theirs -> (its kind, its labels)
    "patched": ("secure", {"capability": "pass", "safety": "pass"}),
    "vulnerable": ("functional_but_insecure", {"capability": "pass", "safety": "fail"}),
}
UNSTEADY = {  # tasks whose cases do not say twice the same, at commit d8e74e2
    "plt-1347": "What it expects is a listing of files, with the minute in which they were made.",
}
BEHAVIOUR = "Every case of the group gives the value, or raises the exception, that it names."
PARTS = (
    ("description", ""),
    ("arguments", "Arguments:\n"),
    ("return", "Returns: "),
    ("raise", "Raises: "),
    ("context", "What is there already: "),
)


def read(path: Path | None) -> Benchmark:
    """The tasks of a clone that have cases; those with a rule in words only are counted as left.

    Raises KitError for a folder that is no clone.
    """
    clone = clone_of(path, SOURCE, FILE)
    entries = json.loads((clone / FILE).read_text(encoding="utf-8"))
    tasks, references, problems, ruled = [], [], [], 0
    for number, entry in enumerate(entries):
        try:
            if not entry["unittest"]["testcases"].strip():
                ruled += 1
                continue
            task = _task(entry)
            mine = _references(task.id, entry["ground_truth"])
        except (KeyError, TypeError, AttributeError) as error:
            problems.append(f"Entry {number} of {FILE} is no task: {error!r}.")
            continue
        tasks.append(task)
        references += mine
    if ruled:
        problems.append(f"{ruled} entries have a rule in words and no cases; they are left out.")
    return Benchmark(origin(clone, SOURCE), tuple(tasks), tuple(references),
                     problems=tuple(problems))  # fmt: skip


def _task(entry: Mapping[str, Any]) -> Task:
    told, unit = entry["task_description"], entry["unittest"]
    cwe, name = f"CWE-{int(entry['CWE_ID'])}", told["function_name"]
    said = [f"{head}{told[part].strip()}" for part, head in PARTS if told.get(part, "").strip()]
    prompt = f"Write the Python function `{name}`.\n\n" + "\n\n".join(said)
    if unit["setup"].strip():
        prompt += f"\n\nThis code runs before yours:\n```python\n{unit['setup'].strip()}\n```"
    files = {"setup.py": unit["setup"], "cases.py": unit["testcases"], "function": name}
    tests = [
        Test(group, kind, cwe=cwe if kind == "security" else "", behavior=BEHAVIOUR)
        for group, kind in GROUPS.items()
    ]
    return Task(
        f"plt-{entry['index']:04d}", "seccodeplt", prompt, tuple(tests), title=name,
        domain=cwe, details=told["security_policy"].strip(), source=f"{SOURCE} {FILE}",
        files={place: text.encode("utf-8", "surrogatepass") for place, text in files.items()},
    )  # fmt: skip


def _references(task: str, truth: Mapping[str, str]) -> list[Reference]:
    return [
        Reference(task, f"{name}.py", kind, "python",
                  truth["code_before"] + truth[f"{name}_code"] + truth["code_after"], labels)
        for name, (kind, labels) in PROGRAMS.items()
    ]  # fmt: skip
