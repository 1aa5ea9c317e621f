"""How many files of the kit one Python program enters, from `kit evaluate` to its verdict."""

import subprocess
import sys

from kit.paths import ROOT

MOST = 47  # files; may fall, and never rise
FOLLOW = """
import sys, threading
from pathlib import Path
from kit.cli.main import main
from kit.store import Store

kit, programs, run, entered = sys.argv[1], sys.argv[2], sys.argv[3], {}

def follow(frame, event, _arg):
    path = frame.f_code.co_filename
    if event != "call" or not path.startswith(kit):
        return
    outer = frame
    while outer is not None:  # the text of a module is loaded, not entered
        if outer.f_code.co_name == "<module>" and outer.f_code.co_filename.startswith(kit):
            return
        outer = outer.f_back
    entered.setdefault(path[len(kit):], frame.f_code.co_name)

put = Store.put_cell
def last(*args, **options):
    put(*args, **options)
    global there
    there = dict(entered)
Store.put_cell = last

threading.setprofile(follow)
sys.setprofile(follow)
asked = ["evaluate", "dualgauge", "--programs", programs, "--only", "k01", "--run", run]
main([*asked, "--workers", "1"], standalone_mode=False)
sys.setprofile(None)
print(*(f"{path}:{name}" for path, name in there.items()), sep="\\n", file=sys.stderr)
"""


def test_a_program_reaches_its_verdict_through_few_files(tmp_path):
    program = ROOT / "data/references/k01/secure.py"
    folder = tmp_path / "programs/k01"
    folder.mkdir(parents=True)
    folder.joinpath("secure.py").write_bytes(program.read_bytes())
    line = [sys.executable, "-c", FOLLOW, f"{ROOT / 'kit'}/", str(folder.parent), str(tmp_path / "run")]
    done = subprocess.run(line, capture_output=True, check=True, text=True, cwd=ROOT)
    entered = [name for name in done.stderr.splitlines() if ".py:" in name]
    assert len(entered) > 10
    assert len(entered) <= MOST, entered
