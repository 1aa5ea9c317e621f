"""Parse the tables and the prose figures of the four papers into long-form CSV files.

    python data/published/extract.py FOLDER_WITH_THE_TEXTS

FOLDER holds dualgauge.txt, codeguard-plus.txt, realsec-bench.txt and oss-bench.txt. No number is
typed here: a cell is copied as it is printed (`printed`), and `value` is that text as a number.
"""

import csv
import re
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
TAIL = ["metric", "value", "printed", "ci_low", "ci_high", "unit", "section"]
WORDS = "zero one two three four five six seven eight nine ten".split()
NUMBER = re.compile(rf"-?\d[\d,]*(?:\.\d+)?|\b(?:{'|'.join(WORDS)})\b")
LANGUAGES = {"Python": "python", "C++": "cpp", "JavaScript": "javascript"}
LANGUAGES |= {"Py": "python", "JS": "javascript"}
RATES = {"p@1": "pass@1", "s@1": "secure@1", "sp@1": "secure-pass@1"}


def number(printed: str) -> float:
    """The printed text as a number; thousands separators are dropped, `nine` is 9."""
    return WORDS.index(printed) if printed in WORDS else float(printed.replace(",", ""))


def decimals(printed: str) -> int:
    return len(printed.partition(".")[2])


def row(keys: dict, metric: str, cell: str, unit: str, section: str, **extra) -> dict | None:
    """One long-form row of a cell such as `66.66 (± 1.28)`, `80%` or `3,785`; None where it has no number."""
    found = NUMBER.search(cell)
    if not found:
        return None
    printed = found.group()
    value, low, high = number(printed), "", ""
    half = re.search(r"± ?([\d.]+)", cell)
    if half:
        places = decimals(printed)
        low = f"{value - number(half.group(1)):.{places}f}"
        high = f"{value + number(half.group(1)):.{places}f}"
    unit = "%" if "%" in cell else unit
    text = str(number(printed)) if printed in WORDS else printed.replace(",", "")
    tail = zip(TAIL, [metric, text, printed, low, high, unit, section], strict=True)
    return keys | dict(tail) | extra


def write(paper: str, name: str, rows: list[dict | None]) -> None:
    rows = [r for r in rows if r]
    with (HERE / paper / f"{name}.csv").open("w", newline="") as file:
        out = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def melt(
    keys: dict, metrics: list[str], cells: list[str], unit: str, section: str, **extra
) -> list:
    pairs = zip(metrics, cells, strict=True)
    return [row(keys, RATES.get(m, m), cell, unit, section, **extra) for m, cell in pairs]


def pipes(text: str) -> list[list[list[str]]]:
    """Tables of `| a | b |` lines as rows of stripped cells; a table's first line stands above its rule."""
    lines, blocks, inside = text.splitlines(), [], False
    rule = re.compile(r"[|\- ]*--[|\- ]*")
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if rule.fullmatch(below):
            blocks.append([])
            inside = True
        inside = inside and line.startswith("|")
        if inside and not rule.fullmatch(line):
            blocks[-1].append([c.strip() for c in line.strip().strip("|").split("|")])
    return blocks


def tabs(text: str, header: str) -> list[list[list[str]]]:
    """Every block of tab-separated lines below a line that starts with `header`."""
    blocks, inside = [], False
    for line in text.splitlines():
        if line.startswith(header):
            blocks.append([])
            inside = True
        elif inside and "\t" in line:
            blocks[-1].append([c.strip() for c in line.split("\t")])
        else:
            inside = False
    return blocks


# --- DualGauge -------------------------------------------------------------------------------

SWEEPS = {"Access": (9, "E.4"), "Size": (10, "E.4"), "Thinking": (11, "E.4")}
SWEEPS |= {"Precision": (12, "E.4"), "Role": (13, "E.4"), "Tuning": (14, "E.4")}


def by_language(block: list, section: str) -> list:
    rows, metrics = [], block[1][1:6]
    for name, *cells in block[2:]:
        for i, language in enumerate(["python", "cpp", "javascript"]):
            keys = {"model": name, "language": language}
            rows += melt(keys, metrics, cells[5 * i : 5 * i + 5], "%", section)
    return rows


def sweep(block: list, section: str) -> list:
    factor, metrics = block[0][1].lower(), block[0][2:]
    keys = ({"model": name, factor: level} for name, level, *_ in block[1:])
    cells = (line[2:] for line in block[1:])
    return [r for k, c in zip(keys, cells, strict=True) for r in melt(k, metrics, c, "%", section)]


def validation(block: list, section: str) -> list:
    rows = []
    for component, metric, result in block[1:]:
        keys, named = {"component": component}, [metric]
        if metric.startswith("F1"):
            named = ["F1", "precision", "recall"]
        found = NUMBER.findall(result)
        rows += melt(keys, [m.replace("Gwet’s ", "") for m in named], found, "1", section)
    return rows


def cwe_rates(block: list, section: str) -> list:
    rows = []
    for half in (0, 4):
        for line in block[1:]:
            cwe, *cells = line[half : half + 4]
            for language, cell in zip(block[0][1:4], cells, strict=True):
                keys = {"cwe": cwe, "language": LANGUAGES[language]}
                rows.append(row(keys, "SPR", cell, "%", section))
    return rows


def cwe_groups(block: list, section: str) -> list:
    rows = []
    for group, ids in block[1:]:
        for at, cwe in enumerate(NUMBER.findall(ids.replace(",", " "))):
            rows.append(row({"group": group, "place": at + 1}, "CWE", cwe, "id", section))
    return rows


def dualgauge(text: str) -> None:
    for block in pipes(text):
        head = block[0]
        if head[0] == "Python":
            number_, section = (2, "5.2") if block[1][0] == "Model" else (4, "5.2")
            write("dualgauge", f"table_{number_}", by_language(block, section))
        elif head[0] == "Model":
            number_, section = SWEEPS[head[1]]
            write("dualgauge", f"table_{number_}", sweep(block, section))
        elif head == ["Component", "Metric", "Result"]:
            write("dualgauge", "table_3", validation(block, "5.1"))
        elif head == ["Property", "Value"]:
            rows = [row({"property": p}, "value", v, "count", "E.1") for p, v in block[1:]]
            write("dualgauge", "table_6", rows)
        elif head[0] == "Level / Field":
            named = ["AC1", "raw agreement"]
            rows = [melt({"field": f}, named, cells, "1", "E.1") for f, *cells in block[1:]]
            write("dualgauge", "table_7", sum(rows, []))
        elif head == ["Component", "Precision", "Recall", "F1"]:
            named = ["precision", "recall", "F1"]
            rows = [melt({"component": c}, named, cells, "1", "E.1") for c, *cells in block[1:]]
            write("dualgauge", "table_8", sum(rows, []))
        elif head[0] == "CWE":
            write("dualgauge", "table_15", cwe_rates(block, "E.5"))
        elif head[0] == "Group":
            write("dualgauge", "table_16", cwe_groups(block, "E.5"))


# --- CodeGuard+ ------------------------------------------------------------------------------

DECODED = ["pass@1", "secure@1_pass", "secure-pass@1", "SVEN-SR", "constraint rate"]
PROMPT = re.compile(r"(CWE-\d+)[ -](\d-(?:py|c))")


def decoding(block: list, section: str) -> list:
    rows, model = [], ""
    for line in block:
        model = line[0] or model
        keys = {"model": model, "decoding": line[-6]}
        rows += melt(keys, DECODED, line[-5:], "%", section)
    return rows


def per_prompt(blocks: list, section: str) -> list:
    rows, prompt = [], ""
    for line in (line for block in blocks for line in block):
        prompt = line[0] or prompt
        rows += melt({"prompt": prompt, "model": line[1]}, DECODED[:4], line[2:], "%", section)
    return rows


def phrases(cell: str) -> str:
    """How many key phrases a cell of constraints holds; N/A holds none."""
    return "0" if cell == "N/A" else str(max(1, cell.count('"; "') + 1))


def codeguard(text: str) -> None:
    two, three = tabs(text, "Model\tDecoding Method")
    (four,) = tabs(text, "Model\t# Prompt")
    write("codeguard", "table_2", decoding(two, "5.2"))
    write("codeguard", "table_3", decoding(three, "5.3"))
    write("codeguard", "table_4", decoding(four, "5.3"))
    blocks = tabs(text, "Prompt\tModel")
    write("codeguard", "table_6", per_prompt(blocks, "D"))
    (one,), (five,) = tabs(text, "Prompt\tPrompt Summary"), tabs(text, "Prompt\tCorrectness")
    named = ["correctness constraints", "security constraints"]
    rows = []
    for line in one:
        counts = ["0" if cell == "N/A" else "1" for cell in line[3:5]]
        for prompt in (" ".join(found) for found in PROMPT.findall(line[0])):
            rows += melt({"prompt": prompt}, named, counts, "stated", "3.1")
    write("codeguard", "table_1", rows)
    named = ["correctness phrases", "positive phrases", "negative phrases"]
    lines = [(at, line[0], [phrases(c) for c in line[1:4]]) for at, line in enumerate(five[1:], 1)]
    rows = [melt({"place": at, "prompt": p}, named, c, "count", "A") for at, p, c in lines]
    write("codeguard", "table_5", sum(rows, []))
    (footnote,) = re.findall(r"\[†\] \d+ test cases.*removed", text)
    named = [" ".join(found) for found in PROMPT.findall(footnote)]
    rows = [
        row({"place": at, "prompt": p}, "listed", "1", "count", "5.3") for at, p in enumerate(named)
    ]
    write("codeguard", "table_4_removed", rows)


# --- RealSec-bench ---------------------------------------------------------------------------

AT_K = [f"{m}@{k}" for k in (1, 3, 5) for m in ("pass", "secure", "secure-pass")]


def grouped(block: list, key: str, section: str) -> list:
    """Rows per group and model. A group starts at its first model, wherever the text put its label."""
    rows, group, label, tasks = [], "", "", ""
    first = block[1][1]
    for line in block[1:]:
        label = line[0] or label
        group = label if line[1] == first else group
        tasks = line[2] or tasks
        keys = {key: group, "model": line[1]}
        rows += melt(keys, AT_K, line[3:], "%", section, tasks=tasks)
    return rows


def arms(block: list, key: str, section: str) -> list:
    rows, arm = [], ""
    for line in block:
        average = line[0] == "Average"
        arm = arm if average else line[0] or arm
        keys = {key: arm, "model": "Average" if average else line[1]}
        rows += melt(keys, AT_K[:3], line[2:], "%", section)
    return rows


def realsec(text: str) -> None:
    (one,), (four,) = tabs(text, "Method\tComponents"), tabs(text, "Numbers\t")
    named = ["precision", "recall", "F1", "false-positive reduction"]
    rows = [melt({"method": line[0].strip("+ ")}, named, line[3:], "%", "4.4") for line in one[1:]]
    write("realsec", "table_1", sum(rows, []))
    (two,), (five,) = tabs(text, "Vulnerability Category"), tabs(text, "Dataflow Hops")
    write("realsec", "table_2", grouped(two, "category", "5.1"))
    write("realsec", "table_5", grouped(five, "hops", "C.1"))
    (six,), (seven,) = tabs(text, "Method\tModel"), tabs(text, "Configuration\tModel")
    write("realsec", "table_6", arms(six, "retriever", "C.2"))
    write("realsec", "table_7", arms(seven, "prompt", "C.3"))
    rows = [row({"place": at}, "CWE", cwe.removeprefix("CWE-"), "id", "B.1") for at, _, cwe in four]
    write("realsec", "table_4", rows)
    named = dict.fromkeys(re.findall(r"\(CWE-(\d+)\)", text))
    rows = [row({"place": at}, "CWE", cwe, "id", "B.1") for at, cwe in enumerate(named, 1)]
    write("realsec", "table_4_prose", rows)


# --- OSS-Bench -------------------------------------------------------------------------------

SCORES = ["compilability", "functional test", "memory safety", "delta", "score"]
BUGS = ["SEGV", "spatial", "temporal", "undefined", "total"]


def medals(name: str, cells: list[str]) -> list[str]:
    """1 where the cell carries the mark of the three best; the mark of a name is that of its score."""
    return [str(int("🦋" in cell)) for cell in [*cells[:4], name]]


def ossbench(text: str) -> None:
    scores, fuzzing, project = [], [], ""
    for block in (b for b in pipes(text) if b[0][0] == "Models"):
        for name, size, *cells in block[1:]:
            keys = {"model": re.sub(r" \((OpenAI|Qwen).*|🦋", "", name).strip(), "size": size}
            if not any(cells):
                project = re.search(r"{(\w+)}", name).group(1)
            elif block[0][-1] == "Total":
                fuzzing += melt(keys, BUGS, cells, "count", "3.4")
            else:
                lines = melt({"project": project} | keys, SCORES, cells, "points", "3.2")
                marks = medals(name, cells)
                scores += [r | {"marked": m} for r, m in zip(lines, marks, strict=True)]
    write("ossbench", "table_1", scores)
    write("ossbench", "table_fuzzing", fuzzing)


# --- figures that only the prose states ------------------------------------------------------


def claims(paper: str, text: str) -> None:
    """text_claims.csv from claims.toml: every pattern must be found, and always with the same figure."""
    text = re.sub(r"\s+", " ", text)
    rows = []
    for claim in tomllib.loads((HERE / paper / "claims.toml").read_text())["claim"]:
        found = {m.groups() for m in re.finditer(claim["pattern"], text)}
        if len(found) != 1:
            raise SystemExit(f"{paper}: claim {claim['id']} found {sorted(found)}, one is allowed.")
        printed, *bounds = found.pop()
        line = row({"claim": claim["id"]}, "claim", printed, claim["unit"], claim["section"])
        line["unit"] = claim["unit"]
        line["ci_low"], line["ci_high"] = bounds or ("", "")
        rows.append(line)
    write(paper, "text_claims", rows)


TEXTS = {
    "dualgauge": ("dualgauge.txt", dualgauge),
    "codeguard": ("codeguard-plus.txt", codeguard),
    "realsec": ("realsec-bench.txt", realsec),
    "ossbench": ("oss-bench.txt", ossbench),
}


def main(folder: Path) -> None:
    for paper, (name, tables) in TEXTS.items():
        text = (folder / name).read_text()
        tables(text)
        claims(paper, text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
