"""Parse the tables and the prose figures of the papers into long-form CSV files.

    python tests/published/extract.py FOLDER_WITH_THE_TEXTS

Each folder beside this file is a paper: its tables.py names the text and yields the tables, its
claims.toml says where the prose states a figure. No number is typed anywhere.
"""

import re
import runpy
import sys
import tomllib
from pathlib import Path

from longform import HERE, row, write


def claim_rows(claims: list[dict], text: str) -> list[dict]:
    """One row a claim: its pattern must be found, and always with the same figure."""
    text = re.sub(r"\s+", " ", text)
    rows = []
    for claim in claims:
        found = {m.groups() for m in re.finditer(claim["pattern"], text)}
        if len(found) != 1:
            raise SystemExit(f"Claim {claim['id']!r} found {sorted(found)}. One is allowed.")
        printed, *bounds = found.pop()
        line = row({"claim": claim["id"]}, "claim", printed, claim["unit"], claim["section"])
        line["ci_low"], line["ci_high"] = bounds or ("", "")
        line["tolerance"], line["why"] = claim.get("tolerance", ""), claim.get("why", "")
        rows.append(line)
    return rows


def main(texts: Path) -> None:
    for source in sorted(HERE.glob("*/tables.py")):
        paper, spec = source.parent.name, runpy.run_path(str(source))
        text = (texts / spec["TEXT"]).read_text()
        for name, rows in spec["tables"](text):
            write(paper, name, rows)
        claims = tomllib.loads((source.parent / "claims.toml").read_text())["claim"]
        write(paper, "text_claims", claim_rows(claims, text))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
