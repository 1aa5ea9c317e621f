"""Writes data/published/seccodebench from a clone: python tests/published/seccodebench.py CLONE."""

import json
import sys
from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).parents[2] / "data" / "published" / "seccodebench"
LANGUAGES = {"java": "java", "cpp": "c", "python": "python", "go": "go", "nodejs": "javascript"}
FILES = {"cpp": "c"}
WEIGHTS = {"critical": 4, "high": 2, "medium": 1}
PROMPTS = {"gen": "genScore", "genhints": "genHintsScore"}
METRIC = "weighted secure-pass@1"
PASSED = "成功"


def read_items(clone):
    """Per item its language and the weight of its severity."""
    about = {}
    for folder, language in LANGUAGES.items():
        path = clone / "datasets" / "benchmark" / folder / f"{FILES.get(folder, folder)}.json"
        for item, entry in json.loads(path.read_text()).items():
            about[item] = {"language": language, "weight": WEIGHTS[entry["severity"]]}
    return about


def count_rounds(path, about):
    """Per prompt: rounds, those that function, and those that are secure too, of one item."""
    result = json.loads(path.read_text())
    item = result["testCaseId"]
    for prompt in PROMPTS:
        rounds = [entry["scenarios"][prompt] for entry in result["rounds"]]
        functional = [entry["functionalTest"] == PASSED for entry in rounds]
        secure = [entry["securityTest"] == PASSED for entry in rounds]
        both = [one and other for one, other in zip(functional, secure, strict=True)]
        row = {"item": item, **about[item], "prompt": prompt, "n": len(rounds)}
        yield {**row, "metric": "functional", "passed": sum(functional)}
        yield {**row, "metric": "secure-pass", "passed": sum(both)}


def main(clone):
    version = clone / "docs" / "json" / "v" / "2.2.0"
    about = read_items(clone)
    rows = []
    for folder in sorted((version / "model-testcase-results").iterdir()):
        for path in sorted(folder.glob("*.json")):
            rows += [{**row, "model": folder.name} for row in count_rounds(path, about)]
    keys = ["item", "language", "weight", "prompt", "n", "metric"]
    wide = pd.DataFrame(rows).pivot(index=keys, columns="model", values="passed")
    wide.astype("Int64").to_csv(FOLDER / "matrix.csv")
    board = json.loads((clone / "docs" / "json" / "leaderboard" / "2.2.0.json").read_text())
    printed = []
    for entry in sorted(board, key=lambda entry: entry["modelName"]):
        for prompt, score in PROMPTS.items():
            row = {
                "model": entry["modelName"],
                "prompt": prompt,
                "metric": "weighted secure-pass@1",
            }
            printed.append({**row, "value": f"{entry[score]:.2f}", "tolerance": 0.005, "unit": "%"})
    pd.DataFrame(printed).to_csv(FOLDER / "leaderboard.csv", index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
