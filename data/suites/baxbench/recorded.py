"""Reads what a clone of baxbench-extended has on record: programs, and what their tests gave."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from kit.core.errors import KitError
from kit.core.records import Sample

FILES = {  # BaxBench's name of a framework -> (the program's file, the kit's language)
    "Python-Flask": ("app.py", "python"),
    "JavaScript-express": ("app.js", "javascript"),
}
COLUMNS = ("functional_passed", "functional", "functional_raised", "security", "security_raised")


def read_recorded(clone: Path) -> tuple[list[Sample], pd.DataFrame]:
    """The programs in results/ as samples, and a row of results for each that has some.

    A configuration is a model of its own: the name of its folder.
    """
    samples, rows = [], []
    for path in sorted((clone / "results").glob("*/*/*/*/*/sample*/code/*")):
        *_, model, _served, task, framework, setting, number, _code, _file = path.parts
        if framework not in FILES or path.name != FILES[framework][0]:
            continue
        temperature, spec, reminder = setting.removeprefix("temp").split("-")
        arm = {
            "prompt": reminder,
            "framework": framework,
            "spec": spec,
            "temperature": float(temperature),
        }
        code = path.read_text(encoding="utf-8", errors="replace")
        index = int(number.removeprefix("sample"))
        language = FILES[framework][1]
        samples.append(Sample(task, model, index, language, arm, code=code))
        results = path.parent.parent / "test_results.json"
        if results.exists():
            row = {"task": task, "model": model, "sample": index, **arm}
            rows.append(row | read_results(json.loads(results.read_text())))
    if not samples:
        raise KitError(f"{clone} has no programs in results/. Give a clone of baxbench-extended.")
    return samples, pd.DataFrame(rows)


def read_results(results: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a test_results.json, and its weaknesses as one text: "CWE-22 CWE-78"."""
    names = ("num_passed_ft", "num_total_ft", "num_ft_exceptions", "num_total_st")
    values = [results[name] for name in (*names, "num_st_exceptions")]
    numbers = sorted({cwe["num"] for cwe in results["cwes"]})
    cwes = " ".join(f"CWE-{number}" for number in numbers)
    return {**dict(zip(COLUMNS, values, strict=True)), "cwes": cwes}
