"""The tables of DualGauge: `| a | b |` lines without captions, told apart by their headers."""

from collections.abc import Iterator

from longform import NUMBER, melt, pipes, row

TEXT = "dualgauge.txt"
LANGUAGES = {"Py": "python", "C++": "cpp", "JS": "javascript"}
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
        for cwe in NUMBER.findall(ids.replace(",", " ")):
            rows.append(row({"group": group, "cwe": f"CWE-{cwe}"}, "CWE", cwe, "id", section))
    return rows


def tables(text: str) -> Iterator[tuple[str, list]]:
    """Name and rows of every table."""
    for block in pipes(text):
        head = block[0]
        if head[0] == "Python":
            number_, section = (2, "5.2") if block[1][0] == "Model" else (4, "5.2")
            yield f"table_{number_}", by_language(block, section)
        elif head[0] == "Model":
            number_, section = SWEEPS[head[1]]
            yield f"table_{number_}", sweep(block, section)
        elif head == ["Component", "Metric", "Result"]:
            yield "table_3", validation(block, "5.1")
        elif head == ["Property", "Value"]:
            rows = [row({"property": p}, "value", v, "count", "E.1") for p, v in block[1:]]
            yield "table_6", rows
        elif head[0] == "Level / Field":
            named = ["AC1", "raw agreement"]
            rows = [melt({"field": f}, named, cells, "1", "E.1") for f, *cells in block[1:]]
            yield "table_7", sum(rows, [])
        elif head == ["Component", "Precision", "Recall", "F1"]:
            named = ["precision", "recall", "F1"]
            rows = [melt({"component": c}, named, cells, "1", "E.1") for c, *cells in block[1:]]
            yield "table_8", sum(rows, [])
        elif head[0] == "CWE":
            yield "table_15", cwe_rates(block, "E.5")
        elif head[0] == "Group":
            yield "table_16", cwe_groups(block, "E.5")
