"""How many files of the kit one Python program enters, from `kit evaluate` to its verdict."""

import subprocess
import sys

from kit.core.paths import ROOT

MOST = 46  # files; may fall, and never rise
FOLLOW = """
import sys, threading
from kit.cli.main import main

kit, programs, run = sys.argv[1:]
entered, there = {}, {}

def follow(frame, event, _arg):
    path, name = frame.f_code.co_filename, frame.f_code.co_name
    if event == "return" and name == "put_cells":
        there.update(entered)  # so far it is the way to a verdict; what comes after the last is not
    if event != "call" or not path.startswith(kit) or path in entered:
        return
    outer = frame
    while outer is not None:  # a module that is only loaded is not entered
        if outer.f_code.co_name == "<module>" and outer.f_code.co_filename.startswith(kit):
            return
        outer = outer.f_back
    entered[path] = name

threading.setprofile(follow)
sys.setprofile(follow)
line = ["evaluate", "dualgauge", "--programs", programs, "--only", "k01", "--run", run]
main([*line, "--workers", "1"], standalone_mode=False)
sys.setprofile(None)
print(*(f"{path.removeprefix(kit)}: {name}" for path, name in there.items()), sep="\\n",
      file=sys.stderr)
"""


def test_a_program_reaches_its_verdict_through_few_files(tmp_path):
    folder = tmp_path / "programs/k01"
    folder.mkdir(parents=True)
    program = ROOT / "data/labelled/dualgauge/own/k01/secure.py"
    folder.joinpath("secure.py").write_bytes(program.read_bytes())
    places = [f"{ROOT / 'kit'}/", str(folder.parent), str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, "-c", FOLLOW, *places], capture_output=True, check=True, text=True
    )
    entered = [line for line in done.stderr.splitlines() if ".py: " in line]
    assert {"core/store.py", "oracle/match.py"} <= {line.partition(":")[0] for line in entered}
    assert len(entered) <= MOST, "\n".join(entered)
