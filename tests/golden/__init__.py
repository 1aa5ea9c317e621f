"""What today's code must still say: frames, scores and notes, shortened so that they stay small."""

import hashlib
import json
from pathlib import Path

HERE = Path(__file__).parent


def known(name):
    """The record kept under this name."""
    return json.loads((HERE / f"{name}.json").read_text())


def of_frame(frame):
    """Per program its outcomes in order (p, f, u), and a hash over status, oracle and reason."""
    name = "program" if "program" in frame else "sample"
    out = {}
    for key, rows in frame.groupby(["task", name], sort=True):
        rows = rows.sort_values("test", kind="stable")
        columns = ["test", "kind", "cwe", "status", "outcome", "oracle", "reason"]
        text = rows[columns].to_csv(index=False, header=False)
        short = "".join(o[0] for o in rows["outcome"])
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        out["/".join(map(str, key))] = f"{short} {digest}"
    return out
